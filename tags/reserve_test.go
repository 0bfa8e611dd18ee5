package tags_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

func TestHasReservedKey(t *testing.T) {
	patterns := profile.NewFoldedKeySet("workspace", "entigo:*", "plexsphere:zone")

	cases := map[string]struct {
		reason string
		label  tags.Label
		want   bool
	}{
		"QualifiedKey":    {reason: "The qualified key should be looked at.", label: tags.Label{QualifiedKey: "workspace", TagKey: "plexsphere:workspace"}, want: true},
		"TagKey":          {reason: "The tag key should be looked at.", label: tags.Label{QualifiedKey: "zone", TagKey: "plexsphere:zone"}, want: true},
		"TagKeyOnly":      {reason: "A reserved tag key does not reserve the qualified key under another prefix.", label: tags.Label{QualifiedKey: "zone", TagKey: "acme:zone"}},
		"BeginningOfKey":  {reason: "The beginning of the qualified key should be looked at.", label: tags.Label{QualifiedKey: "entigo:x", TagKey: "plexsphere:entigo:x"}, want: true},
		"Unprefixed":      {reason: "A tag key that got no prefix should be looked at.", label: tags.Label{QualifiedKey: "entigo:x", TagKey: "entigo:x", GivesTagKey: true}, want: true},
		"OtherCase":       {reason: "Case should not matter.", label: tags.Label{QualifiedKey: "Entigo:X", TagKey: "plexsphere:Entigo:X"}, want: true},
		"Neither":         {reason: "Other keys should be free.", label: tags.Label{QualifiedKey: "workspaces", TagKey: "plexsphere:workspaces"}},
		"NeitherInTheEnd": {reason: "Only beginnings should be looked at.", label: tags.Label{QualifiedKey: "my-workspace", TagKey: "plexsphere:my-workspace"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tags.HasReservedKey(patterns, tc.label); got != tc.want {
				t.Errorf("\n%s\nHasReservedKey(..., %+v): want %t, got %t", tc.reason, tc.label, tc.want, got)
			}
		})
	}

	if tags.HasReservedKey(profile.KeySet{}, tags.Label{}) {
		t.Error("\nIf nothing is reserved, no key is.\nHasReservedKey(..., ...): want false, got true")
	}
}

func TestReservedTagKeys(t *testing.T) {
	bare := profile.NewFormat(new(""), nil, false)

	for pattern, want := range map[string][]string{
		"owner":           {"owner", "plexsphere:owner"},
		"plexsphere:env*": {"env*", "plexsphere:env*", "plexsphere:plexsphere:env*"},
		"PlexSphere:env":  {"env", "plexsphere:env", "plexsphere:plexsphere:env"}, // The key prefix, too, ignores case.
	} {
		if diff := cmp.Diff(want, tags.ReservedTagKeys(bare, []string{pattern}, "plexsphere:")); diff != "" {
			t.Errorf("ReservedTagKeys(%q): -want, +got:\n%s", pattern, diff)
		}
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

func TestReadsAsReserved(t *testing.T) {
	cases := map[string]struct {
		reason    string
		provider  string
		separator string
		label     tags.Label
		want      bool
	}{
		"ValueEndsKey": {
			reason:   "The value goes on with what makes the entry look like that of a reserved key.",
			provider: "digitalocean", separator: ":",
			label: tags.Label{QualifiedKey: "entigo", TagKey: "entigo", Value: "zone:zone-2", GivesTagKey: true},
			want:  true,
		},
		"ValueEndsKeyInOtherCase": {
			reason:   "The provider doesn't tell entries apart by case.",
			provider: "digitalocean", separator: ":",
			label: tags.Label{QualifiedKey: "Entigo", TagKey: "Entigo", Value: "Zone:zone-2", GivesTagKey: true},
			want:  true,
		},
		"KeyBeginsWithKey": {
			reason:   "Whoever cuts the entry at the first separator reads a reserved key.",
			provider: "openstack", separator: "=",
			label: tags.Label{QualifiedKey: "zone=a", TagKey: "zone=a", Value: "b", GivesTagKey: true},
			want:  true,
		},
		"Prefixed": {
			reason:   "The key prefix is part of the key that a reserved one comes to.",
			provider: "openstack", separator: "=",
			label: tags.Label{QualifiedKey: "zone=a", TagKey: "plexsphere:zone=a", Value: "b"},
			want:  true,
		},
		"ProvidersKey": {
			reason:   "Nobody may set the keys of providers, trusted or not.",
			provider: "openstack", separator: "=",
			label: tags.Label{QualifiedKey: "crossplane-name=x", TagKey: "crossplane-name=x", Value: "y", GivesTagKey: true, Trusted: true},
			want:  true,
		},
		"Trusted": {
			reason:   "A trusted label may have any key that isn't the providers'.",
			provider: "openstack", separator: "=",
			label: tags.Label{QualifiedKey: "zone", TagKey: "zone", Value: "a=b", GivesTagKey: true, Trusted: true},
		},
		"TrustedKey": {
			reason:   "The key of a trusted label counts, reserved or not.",
			provider: "openstack", separator: "=",
			label: tags.Label{QualifiedKey: "env=dev", TagKey: "env=dev", Value: "x", GivesTagKey: true},
			want:  true,
		},
		"TrustedKeyOfTrusted": {
			reason:   "A platform may do what it likes with its own keys.",
			provider: "openstack", separator: "=",
			label: tags.Label{QualifiedKey: "env=dev", TagKey: "env=dev", Value: "x", GivesTagKey: true, Trusted: true},
		},
		"TrustedKeyInOtherCase": {
			reason:   "The provider doesn't tell entries apart by case, so the whole key of the label can be the trusted one.",
			provider: "digitalocean", separator: ":",
			label: tags.Label{QualifiedKey: "Env", TagKey: "Env", Value: "x", GivesTagKey: true},
			want:  true,
		},
		"Classifier": {
			reason:   "A key that matchCloudTags names counts, too.",
			provider: "openstack", separator: "=",
			label: tags.Label{QualifiedKey: "managed=yes", TagKey: "managed=yes", Value: "x", GivesTagKey: true},
			want:  true,
		},
		"OtherKey": {
			reason:   "A key that isn't reserved may go on with anything else.",
			provider: "openstack", separator: "=",
			label: tags.Label{QualifiedKey: "region", TagKey: "region", Value: "zone=a", GivesTagKey: true},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			platform := tags.Label{QualifiedKey: "env", TagKey: "env", Value: "prod", GivesTagKey: true, Trusted: true}
			tr := tags.NewTransformer([]tags.Label{platform, tc.label}, nil)
			tr.Reserve([]string{"zone", "entigo:zone"}, "plexsphere:", nil)
			tr.SetClassifiers([]string{"managed"})

			d := tr.Transform(profile.Of(tc.provider))
			if len(d.Tags) != 2 {
				t.Fatalf("\n%s\nTransform(...): want two tags, got %v", tc.reason, d)
			}

			i := slices.IndexFunc(d.Tags, func(t tags.Tag) bool { return t.QualifiedKey == tc.label.QualifiedKey })
			if key, got := d.ReadsAsReserved(d.Tags[i], tc.separator); got != tc.want {
				t.Errorf("\n%s\nReadsAsReserved(...): want %t, got %t, as %q", tc.reason, tc.want, got, key)
			}
		})
	}
}

// keyOf returns the tag key of the label l, if that is the only one and nothing is reserved.
func keyOf(l tags.Label, p *profile.Profile, formats map[string]profile.Format) string {
	d := tags.NewTransformer([]tags.Label{l}, formats).Transform(p)
	if len(d.Tags) > 0 {
		return d.Tags[0].Key
	}

	return d.Skipped[0].Key
}

// checkForgery draws a reserved key, a format that replaces some of the strings olds, and labels that
// are after the key of a trusted label with the reserved key. None may have it.
func checkForgery(t *rapid.T, olds *rapid.Generator[string]) {
	t.Helper()

	p := rapid.SampledFrom(profile.Contract.Profiles()).Draw(t, "profile")
	prefix := rapid.SampledFrom([]string{"", "plexsphere:", "p/", "Z"}).Draw(t, "prefix")
	news := rapid.SampledFrom([]string{"", "-", "_", "b", ":", "zo"})
	ends := rapid.StringOfN(rapid.SampledFrom([]rune("zoneZB/.-_:")), 0, 4, -1)

	formats := map[string]profile.Format{}

	if rapid.Bool().Draw(t, "format of the input") {
		var formatPrefix *string
		if rapid.Bool().Draw(t, "prefix of the format") {
			formatPrefix = new(rapid.SampledFrom([]string{"", "plexsphere_", "zo"}).Draw(t, "format prefix"))
		}

		replace := rapid.MapOfN(olds, news, 0, 3).Draw(t, "replace")
		formats[p.Name] = profile.NewFormat(formatPrefix, replace, rapid.Bool().Draw(t, "lowercase"))
	}

	key := rapid.SampledFrom([]string{"zone", "Zone", "entigo:", "ab/c.d", "crossplane-kind"}).Draw(t, "reserved")
	patterns, instance := []string{key}, key

	if rapid.Bool().Draw(t, "star") {
		patterns, instance = []string{key + "*"}, key+ends.Draw(t, "end of the reserved key")
	}

	// Tag keys of trusted labels with the reserved key, in both forms.
	victims := []string{
		keyOf(tags.Label{QualifiedKey: instance, TagKey: prefix + instance}, p, formats),
		keyOf(tags.Label{QualifiedKey: strings.TrimPrefix(instance, prefix), TagKey: instance, GivesTagKey: true}, p, formats),
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
	sources := []*tags.Source{{}, {Position: 1}, {Position: 2}}
	refused := []tags.Label{}

	add := func(l tags.Label) {
		l.Source = sources[rapid.IntRange(0, 2).Draw(t, "source")]

		if tags.HasReservedKey(profile.NewFoldedKeySet(patterns...), l) {
			refused = append(refused, l)
			return
		}

		byTagKey[l.TagKey] = l
	}

	for range rapid.IntRange(1, 8).Draw(t, "labels") {
		k := mutate.Draw(t, "change")(mutate.Draw(t, "change")(rapid.SampledFrom(bases).Draw(t, "key")))
		add(tags.Label{QualifiedKey: k, TagKey: prefix + k, Value: "forged"})
		add(tags.Label{QualifiedKey: strings.TrimPrefix(k, prefix), TagKey: k, Value: "forged", GivesTagKey: true})
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

	d := tr.Transform(p)

	for _, tag := range d.Tags {
		folded := strings.ToLower(tag.Key)

		if slices.Contains(tags.ProvidersKeys(), folded) {
			t.Errorf("\nNo label should have a provider's key.\nTransform(%s) of %+v: got tag %+v", p.Name, labels, tag)
		}

		if tag.Trusted {
			continue
		}

		if profile.NewKeySet(strings.ToLower(patterns[0])).Has(folded) || profile.NewKeySet(patterns[0]).Has(tag.QualifiedKey) {
			t.Errorf("\nNo untrusted label should have a reserved key.\nTransform(%s) of %+v with %q reserved: got tag %+v", p.Name, labels, patterns, tag)
		}

		for _, v := range victims {
			if strings.EqualFold(v, folded) {
				t.Errorf("\nNo untrusted label should have the key that a trusted one of a reserved key has.\nTransform(%s) of %+v with %q reserved: got tag %+v, which is what %q comes to", p.Name, labels, patterns, tag, instance)
			}
		}
	}

	// A trusted value stands, unless the p refuses it whoever sets it.
	if platform {
		alone := tags.NewTransformer([]tags.Label{byTagKey[prefix+instance]}, formats)
		alone.Reserve(patterns, prefix, nil)

		for _, want := range alone.Transform(p).Tags {
			if !slices.Contains(d.Tags, want) {
				t.Errorf("\nThe trusted label should have its tag, whatever others set.\nTransform(%s) of %+v with %q reserved: want tag %+v, got %+v", p.Name, labels, patterns, want, d.Tags)
			}
		}
	}

	if got := len(d.Tags) + len(d.Skipped); got != len(labels)+len(refused) {
		t.Errorf("\nEach label should be a tag or skipped.\nTransform(%s): want %d, got %d", p.Name, len(labels)+len(refused), got)
	}
}

// TestNoForgery draws formats that replace single characters.
func TestNoForgery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkForgery(t, rapid.SampledFrom([]string{":", "/", ".", "-", "_", "z", "Z", "e"}))
	})
}

// TestNoForgeryByLongReplacements draws formats that replace more than one character,
// so also what begins before the star of an entry and ends after it.
func TestNoForgeryByLongReplacements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkForgery(t, rapid.SampledFrom([]string{":z", "zo", "ne", "/c", "entigo:z", "e", ":", "onez", "plexsphere:z", "s"}))
	})
}
