package tags_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/plexsphere/function-cloud-tags/tags"
)

func TestMatchesKey(t *testing.T) {
	cases := map[string]struct {
		reason  string
		pattern string
		key     string
		want    bool
	}{
		"Same":          {reason: "A key should match itself.", pattern: "workspace", key: "workspace", want: true},
		"Longer":        {reason: "A key should not match what starts with it.", pattern: "workspace", key: "workspaces"},
		"Shorter":       {reason: "A key should not match what it starts with.", pattern: "workspace", key: "workspac"},
		"OtherCase":     {reason: "A key should match with case.", pattern: "workspace", key: "Workspace"},
		"Star":          {reason: "A star should match any end.", pattern: "entigo:*", key: "entigo:zone", want: true},
		"StarOfNothing": {reason: "A star should match no end, too.", pattern: "entigo:*", key: "entigo:", want: true},
		"StarTooShort":  {reason: "What is before the star should have to be there.", pattern: "entigo:*", key: "entigo"},
		"StarOtherCase": {reason: "What is before the star should match with case.", pattern: "entigo:*", key: "Entigo:zone"},
		"StarInside":    {reason: "What is before the star should have to be the beginning.", pattern: "entigo:*", key: "x-entigo:zone"},
		"StarAlone":     {reason: "A star alone should match every key.", pattern: "*", key: "a", want: true},
		"StarAndEmpty":  {reason: "A star alone should match the empty key.", pattern: "*", key: "", want: true},
		"StarAsKey":     {reason: "A star in a key is a character like any other.", pattern: "a", key: "*"},
		"Empty":         {reason: "An empty pattern should match the empty key only.", pattern: "", key: "a"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tags.MatchesKey(tc.pattern, tc.key); got != tc.want {
				t.Errorf("\n%s\nMatchesKey(%q, %q): want %t, got %t", tc.reason, tc.pattern, tc.key, tc.want, got)
			}
		})
	}
}

func TestClaims(t *testing.T) {
	patterns := tags.NewFoldedKeySet("workspace", "entigo:*", "plexsphere:zone")

	cases := map[string]struct {
		reason string
		label  tags.Label
		want   bool
	}{
		"QualifiedKey":    {reason: "The qualified key should be looked at.", label: tags.Label{QualifiedKey: "workspace", TagKey: "plexsphere:workspace"}, want: true},
		"TagKey":          {reason: "The tag key should be looked at.", label: tags.Label{QualifiedKey: "zone", TagKey: "plexsphere:zone"}, want: true},
		"TagKeyOnly":      {reason: "A reserved tag key does not reserve the qualified key under another prefix.", label: tags.Label{QualifiedKey: "zone", TagKey: "acme:zone"}},
		"BeginningOfKey":  {reason: "The beginning of the qualified key should be looked at.", label: tags.Label{QualifiedKey: "entigo:x", TagKey: "plexsphere:entigo:x"}, want: true},
		"Unprefixed":      {reason: "A tag key that got no prefix should be looked at.", label: tags.Label{QualifiedKey: "entigo:x", TagKey: "entigo:x", Unprefixed: true}, want: true},
		"OtherCase":       {reason: "Case should not matter.", label: tags.Label{QualifiedKey: "Entigo:X", TagKey: "plexsphere:Entigo:X"}, want: true},
		"Neither":         {reason: "Other keys should be free.", label: tags.Label{QualifiedKey: "workspaces", TagKey: "plexsphere:workspaces"}},
		"NeitherInTheEnd": {reason: "Only beginnings should be looked at.", label: tags.Label{QualifiedKey: "my-workspace", TagKey: "plexsphere:my-workspace"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tags.Claims(patterns, tc.label); got != tc.want {
				t.Errorf("\n%s\nClaims(..., %+v): want %t, got %t", tc.reason, tc.label, tc.want, got)
			}
		})
	}

	if tags.Claims(tags.KeySet{}, tags.Label{}) {
		t.Error("\nIf nothing is reserved, nothing is claimed.\nClaims(..., ...): want false, got true")
	}
}

func TestProvidersKeys(t *testing.T) {
	want := []string{"crossplane-kind", "crossplane-name", "crossplane-providerconfig"}

	got := tags.ProvidersKeys()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nThese keys are the providers'.\nProvidersKeys(): -want, +got:\n%s", diff)
	}

	got[0] = "changed"

	if diff := cmp.Diff(want, tags.ProvidersKeys()); diff != "" {
		t.Errorf("\nNobody should be able to change them.\nProvidersKeys(): -want, +got:\n%s", diff)
	}
}

// qualified returns an untrusted label with the default prefix.
func qualified(key string) tags.Label {
	return tags.Label{QualifiedKey: key, TagKey: "plexsphere:" + key, Value: "user"}
}

// tagKey returns an untrusted label whose key is a tag key.
func tagKey(key string) tags.Label {
	return tags.Label{QualifiedKey: strings.TrimPrefix(key, "plexsphere:"), TagKey: key, Value: "user", Unprefixed: true}
}

// trusted returns the supplied label from a trusted source.
func trusted(l tags.Label) tags.Label {
	l.Value, l.Trusted = "platform", true
	return l
}

// from returns the supplied label from the source at the supplied position.
func from(source int, l tags.Label) tags.Label {
	l.Source = &tags.Source{Position: source}
	return l
}

func TestReserve(t *testing.T) {
	// user and platform return tags of untrusted and of trusted labels.
	user := func(qualified, key string) tags.Tag {
		return tags.Tag{QualifiedKey: qualified, Key: key, Value: "user"}
	}

	platform := func(qualified, key string) tags.Tag {
		return tags.Tag{QualifiedKey: qualified, Key: key, Value: "platform", Trusted: true}
	}

	reserved := func(t tags.Tag) tags.Tag {
		t.Reserved = true
		return t
	}

	skipped := func(provider string, reason tags.SkipReason, qualified, key string) tags.SkippedLabel {
		return tags.SkippedLabel{QualifiedKey: qualified, TagKey: key, Provider: provider, Reason: reason}
	}

	prefix := func(p string) *string { return &p }

	cases := map[string]struct {
		reason   string
		provider string
		format   *tags.Format
		patterns []string
		labels   []tags.Label
		claims   []tags.Label
		want     tags.Transformed
	}{
		"NothingReserved": {
			reason:   "If nothing is reserved, trust should change nothing but the order.",
			provider: "aws",
			labels:   []tags.Label{qualified("a"), trusted(qualified("b"))},
			want:     tags.Transformed{Tags: []tags.Tag{platform("b", "plexsphere:b"), user("a", "plexsphere:a")}},
		},
		"Claims": {
			reason:   "Labels that were refused before should be skipped, with the key that they would have had, among those that others skip.",
			provider: "gcp",
			patterns: []string{"work/space"},
			labels:   []tags.Label{qualified("goods"), qualified("goog")},
			claims:   []tags.Label{qualified("work/space"), tagKey("Work/Space")},
			want: tags.Transformed{
				Tags: []tags.Tag{user("goods", "plexsphere_goods")},
				Skipped: []tags.SkippedLabel{
					skipped("gcp", "reserved-key", "Work/Space", "work_space"),
					skipped("gcp", "reserved-prefix", "goog", "plexsphere_goog"),
					skipped("gcp", "reserved-key", "work/space", "plexsphere_work_space"),
				},
			},
		},
		"ClaimAndTrusted": {
			reason:   "The trusted label should become a tag though another one claims its key.",
			provider: "aws",
			patterns: []string{"workspace"},
			labels:   []tags.Label{trusted(qualified("workspace"))},
			claims:   []tags.Label{qualified("workspace")},
			want: tags.Transformed{
				Tags:    []tags.Tag{reserved(platform("workspace", "plexsphere:workspace"))},
				Skipped: []tags.SkippedLabel{skipped("aws", "reserved-key", "workspace", "plexsphere:workspace")},
			},
		},
		"NotBeforeFormat": {
			reason:   "Whoever was not refused before should be refused here.",
			provider: "aws",
			patterns: []string{"workspace", "plexsphere:zone"},
			labels:   []tags.Label{qualified("workspace"), tagKey("workspace"), qualified("workspaces"), qualified("zone")},
			want: tags.Transformed{
				Tags: []tags.Tag{user("workspaces", "plexsphere:workspaces")},
				Skipped: []tags.SkippedLabel{
					skipped("aws", "reserved-key", "workspace", "plexsphere:workspace"),
					skipped("aws", "reserved-key", "workspace", "workspace"),
					skipped("aws", "reserved-key", "zone", "plexsphere:zone"),
				},
			},
		},
		"Case": {
			reason:   "Where keys compare with case, one in another case than the reserved key is another key. But access policies don't tell them apart.",
			provider: "aws",
			patterns: []string{"Workspace", "entigo:*"},
			labels:   []tags.Label{qualified("workSpace"), tagKey("ENTIGO:zone"), tagKey("wor\u212aspace"), trusted(tagKey("WORKSPACE")), trusted(tagKey("workspace"))},
			want: tags.Transformed{
				Tags: []tags.Tag{reserved(platform("WORKSPACE", "WORKSPACE")), reserved(platform("workspace", "workspace"))},
				Skipped: []tags.SkippedLabel{
					skipped("aws", "reserved-key", "ENTIGO:zone", "ENTIGO:zone"),
					skipped("aws", "reserved-key", "workSpace", "plexsphere:workSpace"),
					skipped("aws", "reserved-key", "wor\u212aspace", "wor\u212aspace"),
				},
			},
		},
		"CaseOnAzure": {
			reason:   "Where keys compare without case, neither the entry's case nor the label's should matter.",
			provider: "azure",
			patterns: []string{"WorkSpace", "entigo:*"},
			labels:   []tags.Label{tagKey("ENTIGO:zone"), qualified("workspace"), trusted(tagKey("WORKSPACE"))},
			want: tags.Transformed{
				Tags: []tags.Tag{reserved(platform("WORKSPACE", "WORKSPACE"))},
				Skipped: []tags.SkippedLabel{
					skipped("azure", "reserved-key", "ENTIGO:zone", "ENTIGO:zone"),
					skipped("azure", "reserved-key", "workspace", "plexsphere:workspace"),
				},
			},
		},
		"CaseOnDigitalOcean": {
			reason:   "Where entries compare without case, neither the entry's case nor the label's should matter.",
			provider: "digitalocean",
			patterns: []string{"WorkSpace", "entigo:*"},
			labels:   []tags.Label{tagKey("ENTIGO:zone"), qualified("workspace"), trusted(tagKey("WORKSPACE"))},
			want: tags.Transformed{
				Tags: []tags.Tag{reserved(platform("WORKSPACE", "WORKSPACE"))},
				Skipped: []tags.SkippedLabel{
					skipped("digitalocean", "reserved-key", "ENTIGO:zone", "ENTIGO:zone"),
					skipped("digitalocean", "reserved-key", "workspace", "plexsphere:workspace"),
				},
			},
		},
		"SameAfterFormat": {
			reason:   "A key that is another one before it is formatted should be refused if it is what the reserved one comes to.",
			provider: "gcp",
			patterns: []string{"work/space"},
			labels:   []tags.Label{qualified("Work.Space"), qualified("other"), tagKey("plexsphere_work_space")},
			want: tags.Transformed{
				Tags: []tags.Tag{user("other", "plexsphere_other")},
				Skipped: []tags.SkippedLabel{
					skipped("gcp", "reserved-key", "Work.Space", "plexsphere_work_space"),
					skipped("gcp", "reserved-key", "plexsphere_work_space", "plexsphere_work_space"),
				},
			},
		},
		"SameAfterFormatAsTrusted": {
			reason:   "Such a key should be a reserved one, not one that collides with the trusted one, though its source is later.",
			provider: "gcp",
			patterns: []string{"work/space"},
			labels:   []tags.Label{from(2, qualified("work.space")), from(1, trusted(qualified("work/space")))},
			want: tags.Transformed{
				Tags:    []tags.Tag{reserved(tags.Tag{QualifiedKey: "work/space", Key: "plexsphere_work_space", Value: "platform", Source: &tags.Source{Position: 1}, Trusted: true})},
				Skipped: []tags.SkippedLabel{skipped("gcp", "reserved-key", "work.space", "plexsphere_work_space")},
			},
		},
		"StarAfterFormat": {
			reason:   "The beginning of keys should be formatted, too.",
			provider: "gcp",
			patterns: []string{"entigo:*"},
			labels:   []tags.Label{tagKey("entigo.zone"), qualified("entigo/zone"), tagKey("entigo_zone"), qualified("entigos")},
			want: tags.Transformed{
				Tags: []tags.Tag{user("entigos", "plexsphere_entigos")},
				Skipped: []tags.SkippedLabel{
					skipped("gcp", "reserved-key", "entigo.zone", "entigo_zone"),
					skipped("gcp", "reserved-key", "entigo/zone", "plexsphere_entigo_zone"),
					skipped("gcp", "reserved-key", "entigo_zone", "entigo_zone"),
				},
			},
		},
		"FormatAcrossStar": {
			reason:   "What a format replaces may begin before an entry's star and end behind it. What the reserved keys come to then is reserved, too.",
			provider: "aws",
			format:   new(tags.NewFormat(nil, map[string]string{":z": "-Z"}, false)),
			patterns: []string{"entigo:*"},
			labels:   []tags.Label{tagKey("entigo-Zone"), trusted(tagKey("entigo:zone")), tagKey("entigo")},
			want: tags.Transformed{
				Tags:    []tags.Tag{reserved(platform("entigo:zone", "entigo-Zone")), user("entigo", "entigo")},
				Skipped: []tags.SkippedLabel{skipped("aws", "reserved-key", "entigo-Zone", "entigo-Zone")},
			},
		},
		"FormatAcrossStarUntrusted": {
			reason:   "What a format replaces may begin before an entry's star and end behind it. What the reserved keys come to then is reserved, too.",
			provider: "aws",
			format:   new(tags.NewFormat(nil, map[string]string{":z": "-Z"}, false)),
			patterns: []string{"entigo:*"},
			labels:   []tags.Label{tagKey("entigo-Zone")},
			want:     tags.Transformed{Skipped: []tags.SkippedLabel{skipped("aws", "reserved-key", "entigo-Zone", "entigo-Zone")}},
		},
		"FormatsPrefix": {
			reason:   "A reserved tag key is also what a format with another prefix makes of it, however little of the prefix the entry has.",
			provider: "aws",
			format:   new(tags.NewFormat(prefix("p_"), nil, false)),
			patterns: []string{"plexsphere:zone", "plex*"},
			labels:   []tags.Label{tagKey("p_x"), tagKey("p_zone"), tagKey("p")},
			want: tags.Transformed{
				Tags:    []tags.Tag{user("p", "p")},
				Skipped: []tags.SkippedLabel{skipped("aws", "reserved-key", "p_x", "p_x"), skipped("aws", "reserved-key", "p_zone", "p_zone")},
			},
		},
		"FormatOfInput": {
			reason:   "A format of the input should be no way around: neither its prefix nor what it replaces.",
			provider: "aws",
			format:   new(tags.NewFormat(prefix(""), map[string]string{"-": "", "0": "o"}, true)),
			patterns: []string{"workspace", "zone"},
			labels:   []tags.Label{qualified("W-ORKSPACE"), qualified("w0rkspace"), tagKey("z-0ne"), tagKey("zones")},
			want: tags.Transformed{
				Tags: []tags.Tag{user("zones", "zones")},
				Skipped: []tags.SkippedLabel{
					skipped("aws", "reserved-key", "W-ORKSPACE", "workspace"),
					skipped("aws", "reserved-key", "w0rkspace", "workspace"),
					skipped("aws", "reserved-key", "z-0ne", "zone"),
				},
			},
		},
		"FormattedEntry": {
			reason:   "An entry may be the key that a format makes.",
			provider: "gcp",
			patterns: []string{"plexsphere_workspace"},
			labels:   []tags.Label{qualified("Workspace"), trusted(tagKey("plexsphere:workspace"))},
			want: tags.Transformed{
				Tags:    []tags.Tag{reserved(platform("workspace", "plexsphere_workspace"))},
				Skipped: []tags.SkippedLabel{skipped("gcp", "reserved-key", "Workspace", "plexsphere_workspace")},
			},
		},
		"Providers": {
			reason:   "The providers' keys should be nobody's, trusted or not, reserved or not.",
			provider: "aws",
			patterns: []string{"crossplane-name"},
			labels: []tags.Label{
				tagKey("Crossplane-Kind"), tagKey("crossplane-kind"), qualified("crossplane-kind"), trusted(tagKey("crossplane-name")),
				trusted(tagKey("crossplane-providerconfig")), tagKey("crossplane-providerconfigs"),
			},
			want: tags.Transformed{
				Tags: []tags.Tag{user("crossplane-kind", "plexsphere:crossplane-kind"), user("crossplane-providerconfigs", "crossplane-providerconfigs")},
				Skipped: []tags.SkippedLabel{
					skipped("aws", "reserved-key", "Crossplane-Kind", "Crossplane-Kind"),
					skipped("aws", "reserved-key", "crossplane-kind", "crossplane-kind"),
					skipped("aws", "reserved-key", "crossplane-name", "crossplane-name"),
					skipped("aws", "reserved-key", "crossplane-providerconfig", "crossplane-providerconfig"),
				},
			},
		},
		"ProvidersInOtherCase": {
			reason:   "The providers' keys should be nobody's in any case where keys compare without.",
			provider: "azure",
			labels:   []tags.Label{trusted(tagKey("CROSSPLANE-providerConfig")), tagKey("Crossplane-Kind"), tagKey("crossplane-\u212aind")},
			want: tags.Transformed{Skipped: []tags.SkippedLabel{
				skipped("azure", "reserved-key", "CROSSPLANE-providerConfig", "CROSSPLANE-providerConfig"),
				skipped("azure", "reserved-key", "Crossplane-Kind", "Crossplane-Kind"),
				skipped("azure", "reserved-key", "crossplane-\u212aind", "crossplane-\u212aind"),
			}},
		},
		"ProvidersAfterFormat": {
			reason:   "No format should make a provider's key, for trusted labels neither.",
			provider: "hetzner",
			format:   new(tags.NewFormat(prefix("crossplane"), map[string]string{"/": "-"}, true)),
			labels:   []tags.Label{trusted(qualified("/Name")), qualified("/kind")},
			want: tags.Transformed{Skipped: []tags.SkippedLabel{
				skipped("hetzner", "reserved-key", "/Name", "crossplane-name"),
				skipped("hetzner", "reserved-key", "/kind", "crossplane-kind"),
			}},
		},
		"ReservedAndIllegal": {
			reason:   "A trusted label for a reserved key should obey the profile as all do, and an untrusted one should first be told that the key is reserved.",
			provider: "hetzner",
			patterns: []string{"work space", "zone"},
			labels:   []tags.Label{qualified("work space"), trusted(tags.Label{QualifiedKey: "zone!", TagKey: "zone!"})},
			want: tags.Transformed{Skipped: []tags.SkippedLabel{
				skipped("hetzner", "reserved-key", "work space", "plexsphere:work space"),
				skipped("hetzner", "key-character-class", "zone!", "zone!"),
			}},
		},
		"ReservedPrefix": {
			reason:   "A prefix that the provider keeps to itself should be so for trusted labels, too.",
			provider: "aws",
			patterns: []string{"aws:*"},
			labels:   []tags.Label{trusted(tagKey("aws:x"))},
			want:     tags.Transformed{Skipped: []tags.SkippedLabel{skipped("aws", "reserved-prefix", "aws:x", "aws:x")}},
		},
		"TrustedFirst": {
			reason:   "Trusted labels should take slots first, each kind sorted by qualified key.",
			provider: "aws",
			patterns: []string{"y"},
			labels:   []tags.Label{qualified("a"), trusted(qualified("b")), qualified("c"), trusted(qualified("y"))},
			want: tags.Transformed{Tags: []tags.Tag{
				platform("b", "plexsphere:b"), reserved(platform("y", "plexsphere:y")), user("a", "plexsphere:a"), user("c", "plexsphere:c"),
			}},
		},
		"TrustedWinsCollision": {
			reason:   "If nothing is reserved, a trusted label should win the key that two come to, though the other one's source is later.",
			provider: "gcp",
			labels:   []tags.Label{from(1, qualified("a.b")), trusted(qualified("a/b"))},
			want: tags.Transformed{
				Tags:    []tags.Tag{platform("a/b", "plexsphere_a_b")},
				Skipped: []tags.SkippedLabel{skipped("gcp", "key-collision", "a.b", "plexsphere_a_b")},
			},
		},
		"LaterTrustedWinsCollision": {
			reason:   "Of two trusted labels the one of the later source should win, also a reserved key.",
			provider: "gcp",
			patterns: []string{"a*"},
			labels:   []tags.Label{from(1, trusted(qualified("a.b"))), trusted(qualified("a/b"))},
			want: tags.Transformed{
				Tags:    []tags.Tag{from2(reserved(platform("a.b", "plexsphere_a_b")))},
				Skipped: []tags.SkippedLabel{skipped("gcp", "key-collision", "a/b", "plexsphere_a_b")},
			},
		},
		"StarAlone": {
			reason:   "If every key is reserved, only trusted labels should be left.",
			provider: "openstack",
			patterns: []string{"*"},
			labels:   []tags.Label{qualified("a"), trusted(qualified("b"))},
			want: tags.Transformed{
				Tags:    []tags.Tag{reserved(platform("b", "plexsphere:b"))},
				Skipped: []tags.SkippedLabel{skipped("openstack", "reserved-key", "a", "plexsphere:a")},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var formats map[string]tags.Format
			if tc.format != nil {
				formats = map[string]tags.Format{tc.provider: *tc.format}
			}

			slices.SortFunc(tc.labels, tags.Label.Compare)

			tr := tags.NewTransformer(tc.labels, formats)
			tr.Reserve(tc.patterns, "plexsphere:", tc.claims)

			if tr.Empty() {
				t.Errorf("\n%s\nEmpty(): labels that are skipped only are something to tell, too", tc.reason)
			}

			// What was transformed once is kept.
			for range 2 {
				opts := cmp.Options{cmpopts.IgnoreUnexported(tags.Transformed{}), cmpopts.IgnoreFields(tags.Tag{}, "TagKey"), cmpopts.EquateEmpty()}
				if diff := cmp.Diff(&tc.want, tr.Transform(tags.ProfileOf(tc.provider)), opts); diff != "" {
					t.Errorf("\n%s\nTransform(%s): -want, +got:\n%s", tc.reason, tc.provider, diff)
				}
			}
		})
	}
}

// from2 returns the supplied tag from the second source.
func from2(t tags.Tag) tags.Tag {
	t.Source = &tags.Source{Position: 1}
	return t
}

func TestReserveClaimsOnly(t *testing.T) {
	tr := tags.NewTransformer(nil, nil)
	if !tr.Empty() {
		t.Error("\nWithout labels there is nothing to do.\nEmpty(): want true, got false")
	}

	tr.Reserve([]string{"a"}, "", []tags.Label{{QualifiedKey: "a", TagKey: "a"}})

	if tr.Empty() {
		t.Error("\nA label that is refused has to be told of.\nEmpty(): want false, got true")
	}
}

// TestTrustedSlots is about more labels than a resource may have tags.
func TestTrustedSlots(t *testing.T) {
	labels := []tags.Label{}
	for i := range 60 {
		labels = append(labels, qualified(fmt.Sprintf("a%02d", i)))
	}

	labels = append(labels, trusted(qualified("y")), trusted(qualified("z")))
	tr := tags.NewTransformer(labels, nil)
	tr.Reserve([]string{"z"}, "plexsphere:", nil)

	want := []string{"y", "z"}
	for i := range 48 {
		want = append(want, fmt.Sprintf("a%02d", i))
	}

	wantSkipped := []tags.SkippedLabel{}
	for i := 48; i < 60; i++ {
		wantSkipped = append(wantSkipped, tags.SkippedLabel{QualifiedKey: fmt.Sprintf("a%02d", i), TagKey: fmt.Sprintf("plexsphere:a%02d", i), Provider: "aws", Reason: tags.CountCap})
	}

	kept, skipped := tr.Single(tags.ProfileOf("aws"))

	got := make([]string, len(kept))
	for i, tag := range kept {
		got[i] = tag.QualifiedKey
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nTrusted labels should have slots before all others.\nSingle(aws): -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(wantSkipped, skipped); diff != "" {
		t.Errorf("\nThe highest qualified keys of untrusted labels should be skipped.\nSingle(aws): -want skipped, +got skipped:\n%s", diff)
	}
}

// TestFit tells two labels of one qualified key apart, which skipped labels don't.
func TestFit(t *testing.T) {
	labels := []tags.Label{
		{QualifiedKey: "env", TagKey: "env", Unprefixed: true, Value: "a"},
		{QualifiedKey: "env", TagKey: "plexsphere:env", Value: "b", Source: &tags.Source{Position: 1}},
	}
	claim := tags.Label{QualifiedKey: "zone", TagKey: "plexsphere:zone", Value: "forged", Source: &tags.Source{Position: 2}}

	tr := tags.NewTransformer(labels, nil)
	tr.Reserve([]string{"zone"}, tags.CloudTagPrefix, []tags.Label{claim})
	d := tr.Transform(tags.ProfileOf("aws"))

	a := tags.Tag{QualifiedKey: "env", TagKey: "env", Key: "env", Value: "a"}
	b := tags.Tag{QualifiedKey: "env", TagKey: "plexsphere:env", Key: "plexsphere:env", Value: "b", Source: &tags.Source{Position: 1}}
	z := tags.Refused{Tag: tags.Tag{QualifiedKey: "zone", TagKey: "plexsphere:zone", Key: "plexsphere:zone", Value: "forged", Source: &tags.Source{Position: 2}}, Reason: tags.ReservedKey}

	type want struct {
		Kept    []tags.Tag
		Refused []tags.Refused
	}

	cases := map[string]struct {
		reason string
		slots  int
		want   want
	}{
		"Enough":   {reason: "What the profile admits fits.", slots: 2, want: want{Kept: []tags.Tag{a, b}, Refused: []tags.Refused{z}}},
		"One":      {reason: "What comes last doesn't fit.", slots: 1, want: want{Kept: []tags.Tag{a}, Refused: []tags.Refused{{Tag: b, Reason: tags.CountCap}, z}}},
		"None":     {reason: "Nothing fits.", slots: 0, want: want{Kept: []tags.Tag{}, Refused: []tags.Refused{{Tag: a, Reason: tags.CountCap}, {Tag: b, Reason: tags.CountCap}, z}}},
		"Negative": {reason: "More slots can be reserved than a resource has.", slots: -1, want: want{Kept: []tags.Tag{}, Refused: []tags.Refused{{Tag: a, Reason: tags.CountCap}, {Tag: b, Reason: tags.CountCap}, z}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := want{}
			got.Kept, got.Refused = d.Fit(tc.slots)

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nFit(%d): -want, +got:\n%s", tc.reason, tc.slots, diff)
			}
		})
	}
}

// keyOf returns the tag key that the supplied label comes to, if it's the only one
// and nothing is reserved.
func keyOf(l tags.Label, p *tags.Profile, formats map[string]tags.Format) string {
	d := tags.NewTransformer([]tags.Label{l}, formats).Transform(p)
	if len(d.Tags) > 0 {
		return d.Tags[0].Key
	}

	return d.Skipped[0].TagKey
}

// checkForgery draws a reserved key, a format that replaces some of the supplied
// strings, and labels that try to come to the key that a trusted label of the reserved
// key has. None may.
func checkForgery(t *rapid.T, olds *rapid.Generator[string]) {
	t.Helper()

	profile := rapid.SampledFrom(tags.Contract.Profiles()).Draw(t, "profile")
	prefix := rapid.SampledFrom([]string{"", "plexsphere:", "p/", "Z"}).Draw(t, "prefix")
	news := rapid.SampledFrom([]string{"", "-", "_", "b", ":", "zo"})
	ends := rapid.StringOfN(rapid.SampledFrom([]rune("zoneZB/.-_:")), 0, 4, -1)

	formats := map[string]tags.Format{}

	if rapid.Bool().Draw(t, "format of the input") {
		var formatPrefix *string
		if rapid.Bool().Draw(t, "prefix of the format") {
			formatPrefix = new(rapid.SampledFrom([]string{"", "plexsphere_", "zo"}).Draw(t, "format prefix"))
		}

		replace := rapid.MapOfN(olds, news, 0, 3).Draw(t, "replace")
		formats[profile.Name] = tags.NewFormat(formatPrefix, replace, rapid.Bool().Draw(t, "lowercase"))
	}

	key := rapid.SampledFrom([]string{"zone", "Zone", "entigo:", "ab/c.d", "crossplane-kind"}).Draw(t, "reserved")
	patterns, instance := []string{key}, key

	if rapid.Bool().Draw(t, "star") {
		patterns, instance = []string{key + "*"}, key+ends.Draw(t, "end of the reserved key")
	}

	// What trusted labels of the reserved key come to, in both forms.
	victims := []string{
		keyOf(tags.Label{QualifiedKey: instance, TagKey: prefix + instance}, profile, formats),
		keyOf(tags.Label{QualifiedKey: strings.TrimPrefix(instance, prefix), TagKey: instance, Unprefixed: true}, profile, formats),
	}

	// Keys around the reserved one and what it comes to.
	bases := append([]string{key, instance, prefix + instance}, victims...)
	mutate := rapid.SampledFrom([]func(string) string{
		strings.Clone,
		strings.ToUpper,
		strings.ToLower,
		strings.NewReplacer("/", ".", ".", ":", ":", "/").Replace,
		strings.NewReplacer("-", "/", "_", "-", ":", "_", "/", "_", ".", "_").Replace,
		func(s string) string { return strings.TrimPrefix(s, prefix) },
		func(s string) string { return strings.TrimPrefix(s, "plexsphere_") },
		func(s string) string { return s + "z" },
	})

	byTagKey := map[string]tags.Label{}
	refused := []tags.Label{}

	add := func(l tags.Label) {
		l.Source = &tags.Source{Position: rapid.IntRange(0, 2).Draw(t, "source")}

		if tags.Claims(tags.NewFoldedKeySet(patterns...), l) {
			refused = append(refused, l)
			return
		}

		byTagKey[l.TagKey] = l
	}

	for range rapid.IntRange(1, 8).Draw(t, "labels") {
		k := mutate.Draw(t, "change")(mutate.Draw(t, "change")(rapid.SampledFrom(bases).Draw(t, "key")))
		add(tags.Label{QualifiedKey: k, TagKey: prefix + k, Value: "forged"})
		add(tags.Label{QualifiedKey: strings.TrimPrefix(k, prefix), TagKey: k, Value: "forged", Unprefixed: true})
	}

	platform := rapid.Bool().Draw(t, "trusted")
	if platform {
		byTagKey[prefix+instance] = tags.Label{QualifiedKey: instance, TagKey: prefix + instance, Value: "platform", Trusted: true}
	}

	labels := []tags.Label{}
	for _, l := range byTagKey {
		labels = append(labels, l)
	}

	slices.SortFunc(labels, tags.Label.Compare)
	slices.SortFunc(refused, tags.Label.Compare)

	tr := tags.NewTransformer(labels, formats)
	tr.Reserve(patterns, prefix, refused)

	d := tr.Transform(profile)

	for _, tag := range d.Tags {
		folded := strings.ToLower(tag.Key)

		if slices.Contains(tags.ProvidersKeys(), folded) {
			t.Errorf("\nNo label should have a provider's key.\nTransform(%s) of %+v: got tag %+v", profile.Name, labels, tag)
		}

		if tag.Trusted {
			continue
		}

		if tags.MatchesKey(strings.ToLower(patterns[0]), folded) || tags.MatchesKey(patterns[0], tag.QualifiedKey) {
			t.Errorf("\nNo untrusted label should have a reserved key.\nTransform(%s) of %+v with %q reserved: got tag %+v", profile.Name, labels, patterns, tag)
		}

		for _, v := range victims {
			if strings.EqualFold(v, folded) {
				t.Errorf("\nNo untrusted label should have the key that a trusted one of a reserved key has.\nTransform(%s) of %+v with %q reserved: got tag %+v, which is what %q comes to", profile.Name, labels, patterns, tag, instance)
			}
		}
	}

	// A trusted value stands, unless the profile refuses it whoever claims it.
	if platform {
		alone := tags.NewTransformer([]tags.Label{byTagKey[prefix+instance]}, formats)
		alone.Reserve(patterns, prefix, nil)

		for _, want := range alone.Transform(profile).Tags {
			if !slices.Contains(d.Tags, want) {
				t.Errorf("\nThe trusted label should have its tag, whatever others claim.\nTransform(%s) of %+v with %q reserved: want tag %+v, got %+v", profile.Name, labels, patterns, want, d.Tags)
			}
		}
	}

	if got := len(d.Tags) + len(d.Skipped); got != len(labels)+len(refused) {
		t.Errorf("\nEach label should be a tag or skipped.\nTransform(%s): want %d, got %d", profile.Name, len(labels)+len(refused), got)
	}
}

// TestNoForgery draws formats that replace single characters.
func TestNoForgery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkForgery(t, rapid.SampledFrom([]string{":", "/", ".", "-", "_", "z", "Z", "e"}))
	})
}

// TestNoForgeryByLongReplacements draws formats that replace more than one character,
// so also what begins before the star of an entry and ends behind it.
func TestNoForgeryByLongReplacements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkForgery(t, rapid.SampledFrom([]string{":z", "zo", "ne", "/c", "entigo:z", "e", ":", "onez", "plexsphere:z", "s"}))
	})
}
