package field_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// TestLimitsOf is about tags that the schema of a kind does not admit in its tag field.
func TestLimitsOf(t *testing.T) {
	shapes := map[field.Shape]field.Field{
		field.Map:          {Shape: field.Map},
		field.MapOfLists:   {Shape: field.MapOfLists},
		field.KeyValueList: {Shape: field.KeyValueList, Key: "key", Value: "value"},
		field.StringList:   {Shape: field.StringList, Separator: "="},
		field.Joined:       {Shape: field.Joined, Separator: "=", Delimiter: ","},
	}

	const by = "by the schema of the kind: "

	for _, tc := range []struct {
		reason string
		shape  field.Shape

		// schema of the tag field.
		schema     string
		key, value string

		want  profile.SkipReason
		limit string
	}{
		{"A schema of a type alone has no limits.", field.Map, `{type: object, additionalProperties: {type: string}}`, "k", "v", "", ""},
		{"Values have a length.", field.Map, `{type: object, additionalProperties: {type: string, maxLength: 2}}`, "key", "abc", profile.ValueTooLong, by + "at most 2 characters"},
		{"The length is one of characters.", field.Map, `{type: object, additionalProperties: {type: string, maxLength: 2}}`, "key", "éé", "", ""},
		{"There may be no character at all.", field.Map, `{type: object, additionalProperties: {type: string, maxLength: 0}}`, "key", "a", profile.ValueTooLong, by + "at most 0 characters"},
		{"Values can be too short.", field.Map, `{type: object, additionalProperties: {type: string, minLength: 1, maxLength: 9}}`, "key", "", profile.ValueCharacterClass, by + "1 to 9 characters"},
		{"Values have a pattern, which is looked for anywhere.", field.Map, `{type: object, additionalProperties: {type: string, pattern: "[a-z]"}}`, "key", "1a1", "", ""},
		{"A pattern says what it says.", field.Map, `{type: object, additionalProperties: {type: string, pattern: "^[a-z]*$"}}`, "key", "Prod", profile.ValueCharacterClass, by + "what matches ^[a-z]*$"},
		{"The end of a text is its end, not that of a line.", field.Map, `{type: object, additionalProperties: {type: string, pattern: "^[a-z]*$"}}`, "key", "prod\n", profile.ValueCharacterClass, by + "what matches ^[a-z]*$"},
		{"A pattern that can't be read is none.", field.Map, `{type: object, additionalProperties: {type: string, pattern: "^(?!x)"}}`, "key", "x", "", ""},
		{"A pattern that costs too much is none.", field.Map, `{type: object, additionalProperties: {type: string, pattern: "^((a{1,30}){1,30}b){1,1}((a{1,30}){1,30}b){1,1}((a{1,30}){1,30}b){1,1}$"}}`, "key", "x", "", ""},
		{"Values are some of a few.", field.Map, `{type: object, additionalProperties: {type: string, enum: [dev, prod, 1]}}`, "key", "test", profile.ValueCharacterClass, by + `one of ["dev" "prod"]`},
		{"One of these is fine.", field.Map, `{type: object, additionalProperties: {type: string, enum: [dev, prod]}}`, "key", "prod", "", ""},
		{"All parts have to hold.", field.Map, `{type: object, additionalProperties: {type: string, maxLength: 9, allOf: [{maxLength: 3}, {allOf: [{pattern: b}]}]}}`, "key", "aaa", profile.ValueCharacterClass, by + "at most 3 characters, what matches b"},
		{"Parts of the map have to hold, too.", field.Map, `{type: object, additionalProperties: {type: string}, allOf: [{additionalProperties: {maxLength: 1}}]}`, "key", "aa", profile.ValueTooLong, by + "at most 1 characters"},
		{"Any part has to hold.", field.Map, `{type: object, additionalProperties: {type: string, anyOf: [{pattern: ^a}, {pattern: ^b}]}}`, "key", "c", profile.ValueCharacterClass, by + "what anyOf, oneOf and not say"},
		{"Any part is enough.", field.Map, `{type: object, additionalProperties: {type: string, anyOf: [{pattern: ^a}, {pattern: ^b}]}}`, "key", "b", "", ""},
		{"One part has to hold, and no other.", field.Map, `{type: object, additionalProperties: {type: string, oneOf: [{pattern: ^a}, {pattern: b$}]}}`, "key", "ab", profile.ValueCharacterClass, by + "what anyOf, oneOf and not say"},
		{"What must not be is refused.", field.Map, `{type: object, additionalProperties: {type: string, not: {enum: [""]}}}`, "key", "", profile.ValueCharacterClass, by + "what anyOf, oneOf and not say"},
		{"A map has no limits for keys.", field.Map, `{type: object, additionalProperties: {type: string, maxLength: 2}}`, "keys", "v", "", ""},
		{"The items of a value have limits.", field.MapOfLists, `{type: object, additionalProperties: {type: array, items: {type: string, maxLength: 2}}}`, "key", "abc", profile.ValueTooLong, by + "at most 2 characters"},
		{"Keys of a list have limits.", field.KeyValueList, `{type: array, items: {type: object, properties: {key: {type: string, maxLength: 2}, value: {type: string}}}}`, "abc", "abc", profile.KeyTooLong, by + "at most 2 characters"},
		{"Keys of a list have patterns.", field.KeyValueList, `{type: array, items: {type: object, properties: {key: {type: string, pattern: "^[^:]*$"}}}}`, "a:b", "", profile.KeyCharacterClass, by + "what matches ^[^:]*$"},
		{"Values of a list have limits.", field.KeyValueList, `{type: array, items: {type: object, properties: {key: {type: string}}, allOf: [{properties: {value: {maxLength: 2}}}]}}`, "abc", "abc", profile.ValueTooLong, by + "at most 2 characters"},
		{"An entry has limits as it is written.", field.StringList, `{type: array, items: {type: string, maxLength: 4}}`, "ab", "cd", profile.ValueTooLong, by + "at most 4 characters"},
		{"An entry has a pattern.", field.StringList, `{type: array, items: {type: string, pattern: "^[a-z]+=[a-z]+$"}}`, "ab", "", profile.ValueCharacterClass, by + "what matches ^[a-z]+=[a-z]+$"},
		{"The length of all tags in one string is not that of a tag.", field.Joined, `{type: string, maxLength: 1}`, "ab", "", "", ""},
		{"Long limits are cut.", field.Map, `{type: object, additionalProperties: {type: string, pattern: "^` + strings.Repeat("a", 300) + `$"}}`, "key", "v", profile.ValueCharacterClass, by + "what matches ^" + strings.Repeat("a", 114) + "…" + strings.Repeat("a", 63) + "$ (315 bytes)"},
		{"What is no schema has no limits.", field.Map, `{type: object, maxProperties: x, additionalProperties: {type: string, maxLength: "1", minLength: null, pattern: 1, enum: {}, allOf: x, anyOf: {}, not: 1}}`, "key", "value", "", ""},
	} {
		f := shapes[tc.shape]
		f.Path = object.MustParsePath("spec.forProvider.tags")

		reason, limit := field.LimitsOf(schemaWith(t, tc.schema), &f).Refuses(tc.key, f.Separator, tc.value)
		if reason != tc.want || limit != tc.limit {
			t.Errorf("\n%s\nRefuses(%q, %q): want %q (%s), got %q (%s)", tc.reason, tc.key, tc.value, tc.want, tc.limit, reason, limit)
		}
	}
}

// TestLimitsOfAll is about how many tags a schema admits, and about how long they may be in all.
func TestLimitsOfAll(t *testing.T) {
	at := func(shape field.Shape, path string) *field.Field {
		return &field.Field{Shape: shape, Path: object.MustParsePath(path)}
	}

	for _, tc := range []struct {
		reason, schema string
		want           int
	}{
		{"A map has at most so many tags.", `{type: object, maxProperties: 3, additionalProperties: {type: string}}`, 3},
		{"A list has at most so many tags.", `{type: array, maxItems: 3, items: {type: string}}`, 3},
		{"The lowest limit holds.", `{type: object, maxProperties: 3, allOf: [{maxProperties: 5}, {maxProperties: 2}]}`, 2},
		{"There may be none at all.", `{type: object, maxProperties: 0}`, 0},
		{"There may be no limit but that of values.", `{type: object, additionalProperties: {maxLength: 1}}`, -1},
	} {
		if got := field.LimitsOf(schemaWith(t, tc.schema), at(field.Map, "spec.forProvider.tags")); got == nil || got.Max != tc.want {
			t.Errorf("\n%s\nLimitsOf(...): want at most %d tags, got %+v", tc.reason, tc.want, got)
		}
	}

	for _, path := range []string{"spec.forProvider.labels", "spec.tags", "metadata.labels"} {
		if got := field.LimitsOf(schemaWith(t, `{type: object, maxProperties: 3}`), at(field.Map, path)); got != nil {
			t.Errorf("\nOther fields have other limits.\nLimitsOf(..., %s): got %+v", path, got)
		}
	}

	for _, schema := range []string{`{type: object, minProperties: 1}`, `{type: array, minItems: 1}`, `{type: object, allOf: [{minProperties: 2}]}`} {
		if got := field.LimitsOf(schemaWith(t, schema), at(field.Map, "spec.forProvider.tags")); got == nil || !got.NeverEmpty {
			t.Errorf("\nThere may have to be at least one tag.\nLimitsOf(%s): got %+v", schema, got)
		}
	}

	var none *field.Limits
	if reason, _ := none.Refuses("k", "=", "v"); reason != "" || none.RefusesWhole("k=v") != "" {
		t.Errorf("\nWhere there is no schema, there are no limits.\nRefuses(...): got %q", reason)
	}

	whole := field.LimitsOf(schemaWith(t, `{type: string, maxLength: 5}`), at(field.Joined, "spec.forProvider.tags"))
	if whole.RefusesWhole("k=v,l") != "" || whole.RefusesWhole("k=v,l=") != "by the schema of the kind: at most 5 characters" {
		t.Errorf("\nAll tags in one string have a length together.\nRefusesWhole(...): got %q", whole.RefusesWhole("k=v,l="))
	}
}

// schemaWith returns the schema of a kind whose spec.forProvider.tags has the schema tagField, as JSON.
func schemaWith(t *testing.T, tagField string) object.Node {
	t.Helper()

	s := &structpb.Struct{}

	j, err := yaml.YAMLToJSON([]byte(`{type: object, properties: {spec: {type: object, properties: {forProvider: {type: object, properties: {tags: ` + tagField + `}}}}}}`))
	if err == nil {
		err = s.UnmarshalJSON(j)
	}

	if err != nil {
		t.Fatalf("cannot read schema: %v", err)
	}

	return object.Tree(s).Node()
}
