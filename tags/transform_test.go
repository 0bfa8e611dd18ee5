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
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// label returns the label of a short text. A + stands before trusted labels, a = before tag keys, and an @ before the source.
func label(text string) tags.Label {
	text, source, _ := strings.Cut(text, "@")
	key, trusted := strings.CutPrefix(text, "+")
	key, unprefixed := strings.CutPrefix(key, "=")

	l := tags.Label{QualifiedKey: key, TagKey: "plexsphere:" + key, Value: "user", Trusted: trusted, GivesTagKey: unprefixed}
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

// A transformCase is labels that a profile makes tags of.
type transformCase struct {
	Name, Reason, Provider string

	// Format of keys in the place of the profile's, if there is one.
	Format *struct {
		Prefix    *string
		Replace   map[string]string
		Lowercase bool
	}

	// Patterns of reserved keys.
	Patterns []string

	// Classifiers are the tag keys that matchCloudTags names.
	Classifiers []string

	// Overridden are trusted labels that others have taken the place of.
	Labels, Denied, Overridden []string
}

// TestTransform tests the tags of labels, and the reasons to skip labels.
func TestTransform(t *testing.T) {
	var cases []transformCase

	tagstest.ReadYAML(t, "testdata/transform.yaml", &cases)

	g := tagstest.NewGolden(t)

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			formats := map[string]profile.Format{}
			if f := tc.Format; f != nil {
				formats[tc.Provider] = profile.NewFormat(f.Prefix, f.Replace, f.Lowercase)
			}

			tr := tags.NewTransformer(labels(tc.Labels...), formats)
			tr.Reserve(tc.Patterns, "plexsphere:", labels(tc.Denied...))
			tr.SetClassifiers(tc.Classifiers)
			tr.SetOverridden(labels(tc.Overridden...))

			if want := len(tc.Labels) == 0; tr.Empty() != want {
				t.Errorf("\n%s\nEmpty(): want %t, got %t", tc.Reason, want, tr.Empty())
			}

			// The second time, the result was kept.
			for range 2 {
				got := []string{}

				d := tr.Transform(profile.Of(tc.Provider))
				for _, t := range d.Tags {
					got = append(got, short(t))
				}

				for _, r := range d.Skipped {
					got = append(got, string(r.Reason)+" "+short(*r.Tag))
				}

				g.Check(t, tc.Reason, got)
			}
		})
	}
}

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
			tr.SetValueFormats(map[string]profile.Format{"gcp": profile.NewFormat(nil, map[string]string{" ": "_", "/": "_", "//": "-", "%": "pc"}, true)})

			want := tags.Tag{Label: tags.Label{QualifiedKey: "K", TagKey: "k", Value: tc.value}, Key: "k", Value: tc.want}
			got := tr.Transform(profile.Of(tc.provider))

			if tc.refused != "" {
				if diff := cmp.Diff([]tags.Judged{{Tag: &want, Fate: tags.Skipped, Reason: tc.refused}}, got.Skipped); diff != "" || len(got.Tags) > 0 {
					t.Errorf("\n%s\nTransform(...): got tags %v, refused -want, +got:\n%s", tc.reason, got.Tags, diff)
				}

				return
			}

			if diff := cmp.Diff([]tags.Tag{want}, got.Tags); diff != "" || len(got.Skipped) > 0 {
				t.Errorf("\n%s\nTransform(...): got refused %v, tags -want, +got:\n%s", tc.reason, got.Skipped, diff)
			}
		})
	}
}

// TestTransformAll tests what holds for all profiles: the cap is each resource's own, so
// Transform doesn't apply it, and one profile's tags are not another's.
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

	if diff := cmp.Diff(wantSkipped, tags.SkippedLabels(p.Name, refused)); diff != "" {
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
	z := tags.Judged{Tag: &tags.Tag{Label: label("zone@2"), Key: "plexsphere:zone", Value: "user", Reserved: true}, Fate: tags.Skipped, Reason: profile.ReservedKey}

	type want struct {
		Kept    []tags.Tag
		Skipped []tags.Judged
	}

	cases := map[string]struct {
		reason string
		slots  int
		want   want
	}{
		"Enough":   {reason: "What the profile admits fits.", slots: 2, want: want{Kept: []tags.Tag{a, b}, Skipped: []tags.Judged{z}}},
		"One":      {reason: "What comes last doesn't fit.", slots: 1, want: want{Kept: []tags.Tag{a}, Skipped: []tags.Judged{{Tag: &b, Fate: tags.Skipped, Reason: profile.CountCap}, z}}},
		"None":     {reason: "Nothing fits.", slots: 0, want: want{Kept: []tags.Tag{}, Skipped: []tags.Judged{{Tag: &a, Fate: tags.Skipped, Reason: profile.CountCap}, {Tag: &b, Fate: tags.Skipped, Reason: profile.CountCap}, z}}},
		"Negative": {reason: "More slots can be reserved than a resource has.", slots: -1, want: want{Kept: []tags.Tag{}, Skipped: []tags.Judged{{Tag: &a, Fate: tags.Skipped, Reason: profile.CountCap}, {Tag: &b, Fate: tags.Skipped, Reason: profile.CountCap}, z}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := want{}
			got.Kept, got.Skipped = d.Fit(tc.slots)

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
