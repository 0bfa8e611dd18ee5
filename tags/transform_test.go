package tags_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// label returns the label that the text is short for: behind a + it is trusted, behind a = it is a
// tag key, and behind an @ is its source.
func label(text string) tags.Label {
	text, source, _ := strings.Cut(text, "@")
	key, trusted := strings.CutPrefix(text, "+")
	key, unprefixed := strings.CutPrefix(key, "=")

	l := tags.Label{QualifiedKey: key, TagKey: "plexsphere:" + key, Value: "user", Trusted: trusted, Unprefixed: unprefixed}
	if n, err := strconv.Atoi(source); err == nil {
		l.Source = &tags.Source{Position: n}
	}

	if trusted {
		l.Value = "platform"
	}

	if unprefixed {
		l.QualifiedKey, l.TagKey = strings.TrimPrefix(key, "plexsphere:"), key
	}

	return l
}

func labels(texts ...string) []tags.Label {
	out := make([]tags.Label, len(texts))
	for i, text := range texts {
		out[i] = label(text)
	}

	slices.SortFunc(out, tags.Label.Compare)

	return out
}

// short text of a tag: the label, its key, and a ! if that is reserved.
func short(t tags.Tag) string {
	out := t.QualifiedKey + " → " + t.Key
	if t.Trusted {
		out = "+" + out
	}

	if t.Reserved {
		out += "!"
	}

	if want := label(out).Value; t.Value != want {
		out += " with value " + t.Value
	}

	return out
}

// A transformCase is labels, and what a profile makes of them.
type transformCase struct {
	reason   string
	provider string
	format   *profile.Format
	patterns []string
	labels   []string
	claims   []string

	// overridden are trusted labels that others have taken the place of.
	overridden []string

	// tags, and what was refused behind the reason.
	tags, refused []string
}

func TestTransform(t *testing.T) {
	cases := map[string]transformCase{
		"NoLabels": {
			reason:   "No labels should give no tags and nothing skipped.",
			provider: "aws",
		},
		"InOrder": {
			reason:   "Tags and skipped labels should stay in the order of the labels.",
			provider: "aws",
			labels:   []string{"a@2", "b!@1", "c", "d<@1"},
			tags:     []string{"a → plexsphere:a", "c → plexsphere:c"},
			refused:  []string{"key-character-class b! → plexsphere:b!", "key-character-class d< → plexsphere:d<"},
		},
		"TagKeysReserved": {
			reason:   "A tag key that opens with a reserved prefix should be reserved, whatever the qualified key is.",
			provider: "aws",
			labels:   []string{"=AWS:x"},
			refused:  []string{"reserved-prefix AWS:x → AWS:x"},
		},
		"EmptyTagKey": {
			reason:   "A tag needs a key: an empty one has no character that a cloud admits.",
			provider: "openstack",
			labels:   []string{"="},
			refused:  []string{"key-character-class  → "},
		},
		"Collision": {
			reason:   "Of labels that come to one key the one of the latest source should win, and of these the lowest qualified key.",
			provider: "gcp",
			labels:   []string{"A/b", "a.b@2", "a/b@1", "a_b@2", "c"},
			tags:     []string{"a.b → plexsphere_a_b", "c → plexsphere_c"},
			refused:  []string{"key-collision A/b → plexsphere_a_b", "key-collision a/b → plexsphere_a_b", "key-collision a_b → plexsphere_a_b"},
		},
		"NothingReserved": {
			reason:   "If nothing is reserved, trust should change nothing but the order.",
			provider: "aws",
			labels:   []string{"a", "+b"},
			tags:     []string{"+b → plexsphere:b", "a → plexsphere:a"},
		},
		"Claims": {
			reason:   "Labels that were refused before should be skipped, with the key that they would have had, among those that others skip.",
			provider: "gcp",
			patterns: []string{"work/space"},
			labels:   []string{"goods", "goog"},
			claims:   []string{"work/space", "=Work/Space"},
			tags:     []string{"goods → plexsphere_goods"},
			refused:  []string{"reserved-key Work/Space → work_space!", "reserved-prefix goog → plexsphere_goog", "reserved-key work/space → plexsphere_work_space!"},
		},
		"ClaimAndTrusted": {
			reason:   "The trusted label should become a tag though another one claims its key.",
			provider: "aws",
			patterns: []string{"workspace"},
			labels:   []string{"+workspace"},
			claims:   []string{"workspace"},
			tags:     []string{"+workspace → plexsphere:workspace!"},
			refused:  []string{"reserved-key workspace → plexsphere:workspace!"},
		},
		"NotBeforeFormat": {
			reason:   "Whoever was not refused before should be refused here.",
			provider: "aws",
			patterns: []string{"workspace", "plexsphere:zone"},
			labels:   []string{"workspace", "=workspace", "workspaces", "zone"},
			tags:     []string{"workspaces → plexsphere:workspaces"},
			refused:  []string{"reserved-key workspace → plexsphere:workspace!", "reserved-key workspace → workspace!", "reserved-key zone → plexsphere:zone!"},
		},
		"Case": {
			reason:   "Where keys compare with case, one in another case than the reserved key is another key. But access policies don't tell them apart.",
			provider: "aws",
			patterns: []string{"Workspace", "entigo:*"},
			labels:   []string{"workSpace", "=ENTIGO:zone", "=wor\u212aspace", "+=WORKSPACE", "+=workspace"},
			tags:     []string{"+WORKSPACE → WORKSPACE!", "+workspace → workspace!"},
			refused:  []string{"reserved-key ENTIGO:zone → ENTIGO:zone!", "reserved-key workSpace → plexsphere:workSpace!", "reserved-key wor\u212aspace → wor\u212aspace!"},
		},
		"CaseOnAzure": {
			reason:   "Where keys compare without case, neither the entry's case nor the label's should matter.",
			provider: "azure",
			patterns: []string{"WorkSpace", "entigo:*"},
			labels:   []string{"=ENTIGO:zone", "workspace", "+=WORKSPACE"},
			tags:     []string{"+WORKSPACE → WORKSPACE!"},
			refused:  []string{"reserved-key ENTIGO:zone → ENTIGO:zone!", "reserved-key workspace → plexsphere:workspace!"},
		},
		"CaseOnDigitalOcean": {
			reason:   "Where entries compare without case, neither the entry's case nor the label's should matter.",
			provider: "digitalocean",
			patterns: []string{"WorkSpace", "entigo:*"},
			labels:   []string{"=ENTIGO:zone", "workspace", "+=WORKSPACE"},
			tags:     []string{"+WORKSPACE → WORKSPACE!"},
			refused:  []string{"reserved-key ENTIGO:zone → ENTIGO:zone!", "reserved-key workspace → plexsphere:workspace!"},
		},
		"SameAfterFormat": {
			reason:   "A key that is another one before it is formatted should be refused if it is what the reserved one comes to.",
			provider: "gcp",
			patterns: []string{"work/space"},
			labels:   []string{"Work.Space", "other", "=plexsphere_work_space"},
			tags:     []string{"other → plexsphere_other"},
			refused:  []string{"reserved-key Work.Space → plexsphere_work_space!", "reserved-key plexsphere_work_space → plexsphere_work_space!"},
		},
		"SameAfterFormatAsTrusted": {
			reason:   "Such a key should be a reserved one, not one that collides with the trusted one, though its source is later.",
			provider: "gcp",
			patterns: []string{"work/space"},
			labels:   []string{"work.space@2", "+work/space@1"},
			tags:     []string{"+work/space → plexsphere_work_space!"},
			refused:  []string{"reserved-key work.space → plexsphere_work_space!"},
		},
		"StarAfterFormat": {
			reason:   "The beginning of keys should be formatted, too.",
			provider: "gcp",
			patterns: []string{"entigo:*"},
			labels:   []string{"=entigo.zone", "entigo/zone", "=entigo_zone", "entigos"},
			tags:     []string{"entigos → plexsphere_entigos"},
			refused:  []string{"reserved-key entigo.zone → entigo_zone!", "reserved-key entigo/zone → plexsphere_entigo_zone!", "reserved-key entigo_zone → entigo_zone!"},
		},
		"FormatAcrossStar": {
			reason:   "What a format replaces may begin before an entry's star and end behind it. What the reserved keys come to then is reserved, too.",
			provider: "aws",
			format:   new(profile.NewFormat(nil, map[string]string{":z": "-Z"}, false)),
			patterns: []string{"entigo:*"},
			labels:   []string{"=entigo-Zone", "+=entigo:zone", "=entigo"},
			tags:     []string{"+entigo:zone → entigo-Zone!", "entigo → entigo"},
			refused:  []string{"reserved-key entigo-Zone → entigo-Zone!"},
		},
		"FormatsPrefix": {
			reason:   "A reserved tag key is also what a format with another prefix makes of it, however little of the prefix the entry has.",
			provider: "aws",
			format:   new(profile.NewFormat(new("p_"), nil, false)),
			patterns: []string{"plexsphere:zone", "plex*"},
			labels:   []string{"=p_x", "=p_zone", "=p"},
			tags:     []string{"p → p"},
			refused:  []string{"reserved-key p_x → p_x!", "reserved-key p_zone → p_zone!"},
		},
		"FormatOfInput": {
			reason:   "A format of the input should be no way around: neither its prefix nor what it replaces.",
			provider: "aws",
			format:   new(profile.NewFormat(new(""), map[string]string{"-": "", "0": "o"}, true)),
			patterns: []string{"workspace", "zone"},
			labels:   []string{"W-ORKSPACE", "w0rkspace", "=z-0ne", "=zones"},
			tags:     []string{"zones → zones"},
			refused:  []string{"reserved-key W-ORKSPACE → workspace!", "reserved-key w0rkspace → workspace!", "reserved-key z-0ne → zone!"},
		},
		"FormattedEntry": {
			reason:   "An entry may be the key that a format makes.",
			provider: "gcp",
			patterns: []string{"plexsphere_workspace"},
			labels:   []string{"Workspace", "+=plexsphere:workspace"},
			tags:     []string{"+workspace → plexsphere_workspace!"},
			refused:  []string{"reserved-key Workspace → plexsphere_workspace!"},
		},
		"Providers": {
			reason:   "The providers' keys should be nobody's, trusted or not, reserved or not.",
			provider: "aws",
			patterns: []string{"crossplane-name"},
			labels:   []string{"=Crossplane-Kind", "=crossplane-kind", "crossplane-kind", "+=crossplane-name", "+=crossplane-providerconfig", "=crossplane-providerconfigs"},
			tags:     []string{"crossplane-kind → plexsphere:crossplane-kind", "crossplane-providerconfigs → crossplane-providerconfigs"},
			refused: []string{
				"reserved-key Crossplane-Kind → Crossplane-Kind", "reserved-key crossplane-kind → crossplane-kind",
				"reserved-key +crossplane-name → crossplane-name!", "reserved-key +crossplane-providerconfig → crossplane-providerconfig",
			},
		},
		"ProvidersInOtherCase": {
			reason:   "The providers' keys should be nobody's in any case where keys compare without.",
			provider: "azure",
			labels:   []string{"+=CROSSPLANE-providerConfig", "=Crossplane-Kind", "=crossplane-\u212aind"},
			refused: []string{
				"reserved-key +CROSSPLANE-providerConfig → CROSSPLANE-providerConfig",
				"reserved-key Crossplane-Kind → Crossplane-Kind", "reserved-key crossplane-\u212aind → crossplane-\u212aind",
			},
		},
		"ProvidersAfterFormat": {
			reason:   "No format should make a provider's key, for trusted labels neither.",
			provider: "hetzner",
			format:   new(profile.NewFormat(new("crossplane"), map[string]string{"/": "-"}, true)),
			labels:   []string{"+/Name", "/kind"},
			refused:  []string{"reserved-key +/Name → crossplane-name", "reserved-key /kind → crossplane-kind"},
		},
		"ReservedAndIllegal": {
			reason:   "A trusted label for a reserved key should obey the profile as all do, and an untrusted one should first be told that the key is reserved.",
			provider: "hetzner",
			patterns: []string{"work space", "zone!"},
			labels:   []string{"work space", "+=zone!"},
			refused:  []string{"reserved-key work space → plexsphere:work space!", "key-character-class +zone! → zone!!"},
		},
		"ReservedPrefix": {
			reason:   "A prefix that the provider keeps to itself should be so for trusted labels, too.",
			provider: "aws",
			patterns: []string{"aws:*"},
			labels:   []string{"+=aws:x"},
			refused:  []string{"reserved-prefix +aws:x → aws:x!"},
		},
		"ReservedPrefixOfFormat": {
			reason:   "No format should make a key that the provider keeps to itself.",
			provider: "aws",
			format:   new(profile.NewFormat(new("aws:"), nil, false)),
			labels:   []string{"x"},
			refused:  []string{"reserved-prefix x → aws:x"},
		},
		"TrustedFirst": {
			reason:   "Trusted labels should take slots first, each kind sorted by qualified key.",
			provider: "aws",
			patterns: []string{"y"},
			labels:   []string{"a", "+b", "c", "+y"},
			tags:     []string{"+b → plexsphere:b", "+y → plexsphere:y!", "a → plexsphere:a", "c → plexsphere:c"},
		},
		"TrustedWinsCollision": {
			reason:   "If nothing is reserved, a trusted label should win the key that two come to, though the other one's source is later.",
			provider: "gcp",
			labels:   []string{"a.b@1", "+a/b"},
			tags:     []string{"+a/b → plexsphere_a_b"},
			refused:  []string{"key-collision a.b → plexsphere_a_b"},
		},
		"LaterTrustedWinsCollision": {
			reason:   "Of two trusted labels the one of the later source should win, also a reserved key.",
			provider: "gcp",
			patterns: []string{"a*"},
			labels:   []string{"+a.b@1", "+a/b"},
			tags:     []string{"+a.b → plexsphere_a_b!"},
			refused:  []string{"key-collision +a/b → plexsphere_a_b!"},
		},
		"FormatsPrefixOfKey": {
			reason:   "A reserved key that the prefix begins with is a key, not the beginning of others.",
			provider: "aws",
			format:   new(profile.NewFormat(new("p_"), nil, false)),
			patterns: []string{"plex"},
			labels:   []string{"=p_", "=plex", "x"},
			tags:     []string{"p_ → p_", "x → p_x"},
			refused:  []string{"reserved-key plex → plex!"},
		},
		"EntriesInOtherCase": {
			reason:   "Where entries compare without case, two keys that differ in it are two, since their values may be others.",
			provider: "digitalocean",
			labels:   []string{"A", "a"},
			tags:     []string{"A → plexsphere:A", "a → plexsphere:a"},
		},
		"Overridden": {
			reason:     "A trusted label stands after all if the one that took its place claims a reserved key, and not otherwise.",
			provider:   "gcp",
			patterns:   []string{"plexsphere_a_b", "c"},
			labels:     []string{"a.b@1", "c@1", "d@1"},
			overridden: []string{"+a.b", "+c", "+d"},
			tags:       []string{"+a.b → plexsphere_a_b!", "+c → plexsphere_c!", "d → plexsphere_d"},
			refused:    []string{"reserved-key a.b → plexsphere_a_b!", "reserved-key c → plexsphere_c!"},
		},
		"StarAlone": {
			reason:   "If every key is reserved, only trusted labels should be left.",
			provider: "openstack",
			patterns: []string{"*"},
			labels:   []string{"a", "+b"},
			tags:     []string{"+b → plexsphere:b!"},
			refused:  []string{"reserved-key a → plexsphere:a!"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			formats := map[string]profile.Format{}
			if tc.format != nil {
				formats[tc.provider] = *tc.format
			}

			tr := tags.NewTransformer(labels(tc.labels...), formats)
			tr.Reserve(tc.patterns, "plexsphere:", labels(tc.claims...))
			tr.Overridden(labels(tc.overridden...))

			if want := len(tc.labels) == 0; tr.Empty() != want {
				t.Errorf("\n%s\nEmpty(): want %t, got %t", tc.reason, want, tr.Empty())
			}

			// What was transformed once is kept.
			for range 2 {
				var got, refused []string

				d := tr.Transform(profile.Of(tc.provider))
				for _, t := range d.Tags {
					got = append(got, short(t))
				}

				for _, r := range d.Refused {
					refused = append(refused, string(r.Reason)+" "+short(r.Tag))
				}

				if diff := cmp.Diff(tc.tags, got) + cmp.Diff(tc.refused, refused); diff != "" {
					t.Errorf("\n%s\nTransform(%s): -want, +got:\n%s", tc.reason, tc.provider, diff)
				}
			}
		})
	}
}

// TestTransformAll tests what holds for all profiles: the cap is each resource's own, so it
// isn't looked at, and what one makes of labels is not taken for what another does.
// TestFormatValues tests what becomes of the values of labels.
func TestFormatValues(t *testing.T) {
	cases := map[string]struct {
		reason, provider, value, want string
		refused                       profile.SkipReason
	}{
		"Formatted":      {reason: "A value should be checked as its format makes it.", provider: "gcp", value: "Team A/b", want: "team_a_b"},
		"Longest":        {reason: "Where several strings match, the longest should be replaced, in one pass.", provider: "gcp", value: "//a", want: "-a"},
		"OtherProvider":  {reason: "Other providers should get the value as it is.", provider: "aws", value: "Team A/b", want: "Team A/b"},
		"StillRefused":   {reason: "What a format doesn't mend should be refused.", provider: "gcp", value: "a!", want: "a!", refused: profile.ValueCharacterClass},
		"TooLong":        {reason: "The formatted value has to fit.", provider: "gcp", value: strings.Repeat("//", 40), want: strings.Repeat("-", 40)},
		"GrownTooLong":   {reason: "One that a format makes too long should be refused.", provider: "gcp", value: strings.Repeat("%", 40), want: strings.Repeat("pc", 40), refused: profile.ValueTooLong},
		"ProvidersAsTag": {reason: "The key stays as it is.", provider: "gcp", value: "", want: ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tr := tags.NewTransformer([]tags.Label{{QualifiedKey: "K", TagKey: "k", Value: tc.value}}, nil)
			tr.FormatValues(map[string]profile.Format{"gcp": profile.NewFormat(nil, map[string]string{" ": "_", "/": "_", "//": "-", "%": "pc"}, true)})

			want := tags.Tag{Label: tags.Label{QualifiedKey: "K", TagKey: "k", Value: tc.value}, Key: "k", Value: tc.want}
			got := tr.Transform(profile.Of(tc.provider))

			if tc.refused != "" {
				if diff := cmp.Diff([]tags.Refused{{Tag: want, Reason: tc.refused}}, got.Refused); diff != "" || len(got.Tags) > 0 {
					t.Errorf("\n%s\nTransform(...): got tags %v, refused -want, +got:\n%s", tc.reason, got.Tags, diff)
				}

				return
			}

			if diff := cmp.Diff([]tags.Tag{want}, got.Tags); diff != "" || len(got.Refused) > 0 {
				t.Errorf("\n%s\nTransform(...): got refused %v, tags -want, +got:\n%s", tc.reason, got.Refused, diff)
			}
		})
	}
}

func TestTransformAll(t *testing.T) {
	all := make([]string, 100)
	for i := range all {
		all[i] = fmt.Sprintf("k%02d", i)
	}

	tr, empty := tags.NewTransformer(labels(all...), nil), tags.NewTransformer(nil, nil)

	for _, p := range slices.Concat(profile.Contract.Profiles(), profile.Cloud.Profiles()) {
		d := tr.Transform(p)
		if kept, refused := d.Fit(p.MaxTags); len(d.Tags) != 100 || len(kept) != p.MaxTags && p.MaxTags < 100 || len(kept)+len(refused) != 100 {
			t.Errorf("Transform(%s): want 100 tags, %d of which fit, got %d, and %d of them fit", p.Name, p.MaxTags, len(d.Tags), len(kept))
		}

		if slices.ContainsFunc(d.Tags, func(t tags.Tag) bool {
			return t.Key != tags.NewTransformer([]tags.Label{t.Label}, nil).Transform(p).Tags[0].Key
		}) {
			t.Errorf("Transform(%s): want the keys of this profile, got %v", p.Name, d.Tags)
		}
	}

	if !empty.Empty() {
		t.Error("Empty(): want true without labels")
	}

	empty.Reserve([]string{"a"}, "", labels("=a"))

	if empty.Empty() {
		t.Error("Empty(): a label that is refused has to be told of")
	}
}

// TestTrustedSlots is about more labels than a resource may have tags.
func TestTrustedSlots(t *testing.T) {
	all := []string{"+y", "+z"}
	for i := range 60 {
		all = append(all, fmt.Sprintf("a%02d", i))
	}

	tr := tags.NewTransformer(labels(all...), nil)
	tr.Reserve([]string{"z"}, "plexsphere:", nil)

	want := []string{"y", "z"}
	for i := range 48 {
		want = append(want, fmt.Sprintf("a%02d", i))
	}

	wantSkipped := []tags.SkippedLabel{}
	for i := 48; i < 60; i++ {
		wantSkipped = append(wantSkipped, tags.SkippedLabel{QualifiedKey: fmt.Sprintf("a%02d", i), TagKey: fmt.Sprintf("plexsphere:a%02d", i), Provider: "aws", Reason: profile.CountCap})
	}

	p := profile.Of("aws")
	kept, refused := tr.Transform(p).Fit(p.MaxTags)

	got := make([]string, len(kept))
	for i, tag := range kept {
		got[i] = tag.QualifiedKey
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nTrusted labels should have slots before all others.\nFit(50): -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(wantSkipped, tags.Skips(p.Name, refused)); diff != "" {
		t.Errorf("\nThe highest qualified keys of untrusted labels should be skipped.\nFit(50): -want skipped, +got skipped:\n%s", diff)
	}
}

// TestFit tells two labels of one qualified key apart, which skipped labels don't.
func TestFit(t *testing.T) {
	tr := tags.NewTransformer(labels("=env", "env@1"), nil)
	tr.Reserve([]string{"zone"}, tags.CloudTagPrefix, labels("zone@2"))
	d := tr.Transform(profile.Of("aws"))

	a := tags.Tag{Label: label("=env"), Key: "env", Value: "user"}
	b := tags.Tag{Label: label("env@1"), Key: "plexsphere:env", Value: "user"}
	z := tags.Refused{Tag: tags.Tag{Label: label("zone@2"), Key: "plexsphere:zone", Value: "user", Reserved: true}, Reason: profile.ReservedKey}

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
		"One":      {reason: "What comes last doesn't fit.", slots: 1, want: want{Kept: []tags.Tag{a}, Refused: []tags.Refused{{Tag: b, Reason: profile.CountCap}, z}}},
		"None":     {reason: "Nothing fits.", slots: 0, want: want{Kept: []tags.Tag{}, Refused: []tags.Refused{{Tag: a, Reason: profile.CountCap}, {Tag: b, Reason: profile.CountCap}, z}}},
		"Negative": {reason: "More slots can be reserved than a resource has.", slots: -1, want: want{Kept: []tags.Tag{}, Refused: []tags.Refused{{Tag: a, Reason: profile.CountCap}, {Tag: b, Reason: profile.CountCap}, z}}},
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

func BenchmarkCloudTags(b *testing.B) {
	set := make(tags.PropagatingLabelSet, 50)
	for i := range 50 {
		set[fmt.Sprintf("acme:checkout/label-%02d", i)] = "some value of a label"
	}

	for _, p := range profile.Contract.Profiles() {
		b.Run(p.Name, func(b *testing.B) {
			b.ReportAllocs()

			for b.Loop() {
				tags.CloudTags(p.Name, set)
			}
		})
	}
}
