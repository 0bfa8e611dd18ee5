package tagset

import (
	"cmp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestFault has tags that a cloud or a field refuses, and what is wrong with each.
func TestFault(t *testing.T) {
	list := field.Layout{Shape: field.StringList, Separator: "=", MaxLength: 10}
	joined := field.Layout{Shape: field.Joined, Separator: "=", Delimiter: ","}
	long := strings.Repeat("ü", 64)

	for _, tc := range []struct {
		reason string

		provider   string
		rules      profile.Rules
		layout     field.Layout
		path       string
		schema     string
		key, value string

		refused profile.SkipReason
		want    string
	}{
		{reason: "A length should be in the unit of its limit.", provider: "azure", key: "k", value: strings.Repeat("v", 257), refused: profile.ValueTooLong, want: "257 characters"},
		{reason: "Bytes should count where the cloud counts them.", provider: "openstack", key: "k", value: long + long, refused: profile.ValueTooLong, want: "256 bytes"},
		{reason: "A length should be in both units if both have a limit.", provider: "gcp", key: "k", value: long + long, refused: profile.ValueTooLong, want: "128 characters and 256 bytes"},
		{reason: "A key should be measured as a value is.", provider: "hetzner", key: long, value: "v", refused: profile.KeyTooLong, want: "64 characters"},
		{reason: "A key should be measured before its slash, too, if the cloud does so.", provider: "hetzner", rules: profile.Cloud, key: "a/" + long, value: "v", refused: profile.KeyTooLong, want: "64 characters, and 1 before a /"},
		{reason: "A tag that is one word should be measured as a whole.", provider: "linode", key: "key", value: strings.Repeat("v", 50), refused: profile.ValueTooLong, want: "54 characters"},
		{reason: "A string of a list should be measured as a whole.", provider: "aws", layout: list, key: "key", value: "1234567", refused: profile.ValueTooLong, want: "11 characters"},
		{reason: "A schema should limit a value alone.", provider: "aws", schema: `{"type": "string", "maxLength": 3}`, key: "key", value: "1234", refused: profile.ValueTooLong, want: "4 characters"},

		{reason: "The first of several characters should be named.", provider: "gcp", key: "k", value: "a-b!c?", refused: profile.ValueCharacterClass, want: `"!" at character 4`},
		{reason: "Characters should be counted, not bytes.", provider: "gcp", key: "k", value: "größe!", refused: profile.ValueCharacterClass, want: `"!" at character 6`},
		{reason: "A character that nobody sees should be seen.", provider: "gcp", key: "k", value: "a\nb", refused: profile.ValueCharacterClass, want: `"\n" at character 2`},
		{reason: "A byte that is no UTF-8 should be a character.", provider: "gcp", key: "k", value: "a\xffb", refused: profile.ValueCharacterClass, want: `"\xff" at character 2`},
		{reason: "A character may be at fault at the start alone.", provider: "gcp", key: "1-b", value: "v", refused: profile.KeyCharacterClass, want: `"1" at character 1`},
		{reason: "A character may be at fault at the end alone.", provider: "hetzner", rules: profile.Cloud, key: "a", value: "a-b-", refused: profile.ValueCharacterClass, want: `"-" at character 4`},
		{reason: "The value should say nothing about the key.", provider: "gcp", key: "a!", value: "b?", refused: profile.KeyCharacterClass, want: `"!" at character 2`},
		{reason: "A key should be able to contain a prefix that is reserved at the start of keys.", provider: "aws", key: "x-aws:a#", value: "v", refused: profile.KeyCharacterClass, want: `"#" at character 8`},
		{reason: "A second slash is no character that isn't admitted.", provider: "hetzner", rules: profile.Cloud, key: "a/b/c", value: "v", refused: profile.KeyCharacterClass},
		{reason: "A text that is too short has no such character.", provider: "linode", layout: field.Layout{Shape: field.StringList, Separator: "="}, key: "k", refused: profile.ValueCharacterClass},
		{reason: "A text that is missing has none, either.", provider: "grafana", key: "k", refused: profile.ValueCharacterClass},
		{reason: "One string of tags should name what ends a tag.", provider: "aws", layout: joined, key: "k", value: "a,b", refused: profile.ValueCharacterClass, want: `"," at character 2`},
		{reason: "A Kubernetes label should be as a cloud's.", provider: "generic", path: "metadata.labels", key: "k", value: "a b", refused: profile.ValueCharacterClass, want: `" " at character 2`},
		{reason: "A pattern of a schema should be tried as a cloud's is.", provider: "aws", schema: `{"type": "string", "pattern": "^[a-z-]{3,}$"}`, key: "k", value: "ab-Cd", refused: profile.ValueCharacterClass, want: `"C" at character 4`},
		{reason: "A value that isn't one of a few has no such character.", provider: "aws", schema: `{"type": "string", "enum": ["dev", "test"]}`, key: "k", value: "prod", refused: profile.ValueCharacterClass},
		{reason: "A label that is handed on should be searched.", schema: `{"type": "string", "pattern": "^[a-z]*$"}`, key: "k", value: "A" + strings.Repeat("a", 1023), refused: profile.ValueCharacterClass, want: `"A" at character 1`},
		{reason: "A long one shouldn't: that takes time.", schema: `{"type": "string", "pattern": "^[a-z]*$"}`, key: "k", value: "A" + strings.Repeat("a", 1024), refused: profile.ValueCharacterClass},
		{reason: "Other reasons are about no text.", provider: "aws", key: "aws:k", value: "v", refused: profile.ReservedPrefix},
	} {
		f := &field.Field{Layout: tc.layout, Path: object.MustParsePath(cmp.Or(tc.path, "tags"))}
		f.Shape = cmp.Or(f.Shape, field.Map)

		if tc.schema != "" {
			schema := tagstest.MustStructJSON(`{"properties": {"tags": {"type": "object", "additionalProperties": ` + tc.schema + `}}}`)
			f.Limits = field.LimitsOf(object.FromStruct(schema).Node(), f)
		}

		kind := FieldKindOf(f, profile.Composite())
		if tc.provider != "" {
			kind = FieldKindOf(f, tc.rules.ProfileOf(tc.provider, "", ""))
		}

		refused := kind.Profile.Check(tc.key, tc.key, tc.value)
		if refused == "" {
			refused, _ = kind.Refuses(tc.key, tc.value)
		}

		if diff := gocmp.Diff([2]string{string(tc.refused), tc.want}, [2]string{string(refused), kind.Fault(refused, tc.key, tc.key, tc.value)}); diff != "" {
			t.Errorf("\n%s\nFault(%q, %q) on %s: -want, +got:\n%s", tc.reason, tc.key, tc.value, tc.provider, diff)
		}
	}
}
