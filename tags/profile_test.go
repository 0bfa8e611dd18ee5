package tags_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags"
)

func TestProfiles(t *testing.T) {
	names := tags.ProfileNames()

	if !slices.IsSorted(names) {
		t.Errorf("\nProfiles should be sorted by name.\nProfileNames(): got %q", names)
	}

	for _, name := range []string{"aws", "generic", "hetzner", "openstack"} {
		if !slices.Contains(names, name) {
			t.Errorf("\nThe profiles of the contract should be there.\nProfileNames(): got %q, without %s", names, name)
		}
	}

	got := []string{}
	for _, p := range tags.Contract.Profiles() {
		got = append(got, p.Name)
	}

	if diff := cmp.Diff(names, got); diff != "" {
		t.Errorf("\nProfiles and their names should come in the same order.\nProfiles(): -want, +got:\n%s", diff)
	}

}

func TestProfileOf(t *testing.T) {
	cases := map[string]struct {
		reason   string
		provider string
		want     string
	}{
		"AWS":              {reason: "The profile should be found by its name.", provider: "aws", want: "aws"},
		"Hetzner":          {reason: "The profile should be found by its name.", provider: "hetzner", want: "hetzner"},
		"OpenStack":        {reason: "The profile should be found by its name.", provider: "openstack", want: "openstack"},
		"Generic":          {reason: "The profile should be found by its name.", provider: "generic", want: "generic"},
		"Capitals":         {reason: "Case should not matter.", provider: "HETZNER", want: "hetzner"},
		"MixedCase":        {reason: "Case should not matter.", provider: "OpenStack", want: "openstack"},
		"GenericInCapital": {reason: "Case should not matter.", provider: "Generic", want: "generic"},
		"Unknown":          {reason: "A provider without a profile should get the generic one.", provider: "no-such-cloud", want: "generic"},
		"Empty":            {reason: "No provider should get the generic profile.", provider: "", want: "generic"},
		"Space":            {reason: "Space should not be trimmed.", provider: " aws", want: "generic"},
		"Longer":           {reason: "The whole name should have to match.", provider: "awsx", want: "generic"},
		"Shorter":          {reason: "The whole name should have to match.", provider: "hetz", want: "generic"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tags.ProfileOf(tc.provider).Name); diff != "" {
				t.Errorf("\n%s\nProfileOf(%q): -want, +got:\n%s", tc.reason, tc.provider, diff)
			}
		})
	}
}

func TestProfileOfAll(t *testing.T) {
	for _, p := range tags.Contract.Profiles() {
		for _, provider := range []string{p.Name, strings.ToUpper(p.Name), strings.ToUpper(p.Name[:1]) + p.Name[1:]} {
			if got := tags.ProfileOf(provider); got != p {
				t.Errorf("\nEvery profile should be found by its name, in any case.\nProfileOf(%q): want %s, got %s", provider, p.Name, got.Name)
			}
		}
	}
}

func TestProfileLimit(t *testing.T) {
	// What an operator reads, with the numbers of the contract.
	cases := map[string]struct {
		reason  string
		profile string
		want    map[tags.SkipReason]string
	}{
		"AWS": {
			reason:  "The limits of AWS should be put in a few words.",
			profile: "aws",
			want: map[tags.SkipReason]string{
				"reserved-prefix":     "reserved: aws:",
				"key-too-long":        "at most 128 characters",
				"value-too-long":      "at most 256 characters",
				"key-character-class": "allowed: letters, digits, space and + - = . _ : / @",
				"count-cap":           "at most 50 tags on a resource",
				"no-such-reason":      "",
			},
		},
		"Hetzner": {
			reason:  "The limits of Hetzner should be put in a few words.",
			profile: "hetzner",
			want: map[tags.SkipReason]string{
				"key-too-long":        "at most 63 characters",
				"value-too-long":      "at most 63 characters",
				"key-character-class": "allowed: ASCII letters and digits and - _ . : /",
				"count-cap":           "at most 64 tags on a resource",
			},
		},
		"OpenStack": {
			reason:  "OpenStack's limits are in bytes.",
			profile: "openstack",
			want: map[tags.SkipReason]string{
				"key-too-long":        "at most 255 bytes",
				"value-too-long":      "at most 255 bytes",
				"key-character-class": "allowed: anything but control characters",
				"count-cap":           "at most 50 tags on a resource",
			},
		},
		"Generic": {
			reason:  "The limits of a generic provider should be put in a few words.",
			profile: "generic",
			want: map[tags.SkipReason]string{
				"key-too-long":        "at most 63 characters",
				"value-too-long":      "at most 255 characters",
				"key-character-class": "allowed: ASCII letters and digits and - _ . : /",
				"count-cap":           "at most 32 tags on a resource",
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := make(map[tags.SkipReason]string, len(tc.want))
			for r := range tc.want {
				got[r] = tags.ProfileOf(tc.profile).Limit(r)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nLimit(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestProfileSkip(t *testing.T) {
	want := tags.SkippedLabel{QualifiedKey: "platform/env", TagKey: "plexsphere:platform/env", Provider: "aws", Reason: "count-cap"}
	got := tags.ProfileOf("AWS").Skip(tags.Tag{QualifiedKey: "platform/env", Key: "plexsphere:platform/env", Value: "prod", Source: &tags.Source{Position: 3}}, tags.CountCap)

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nA skipped label should carry both keys, the profile and the reason.\nSkip(...): -want, +got:\n%s", diff)
	}
}

func TestLength(t *testing.T) {
	type want struct {
		text     string
		admitted []string
		refused  []string
	}

	cases := map[string]struct {
		reason string
		length tags.Length
		want   want
	}{
		"Runes": {
			reason: "A limit in runes should count runes, however many bytes each takes.",
			length: tags.Length{Runes: 3},
			want: want{
				text:     "3 characters",
				admitted: []string{"", "abc", "ééé", "😀😀😀", "\xff\xff\xff"},
				refused:  []string{"abcd", "éééé", "e\u0301e\u0301"},
			},
		},
		"Bytes": {
			reason: "A limit in bytes should count bytes, however few runes they make.",
			length: tags.Length{Bytes: 3},
			want: want{
				text:     "3 bytes",
				admitted: []string{"", "abc", "éa", "€"},
				refused:  []string{"abcd", "éé", "😀"},
			},
		},
		"Both": {
			reason: "Both limits should hold if there are both.",
			length: tags.Length{Runes: 3, Bytes: 4},
			want: want{
				text:     "3 characters and 4 bytes",
				admitted: []string{"", "abc", "éé", "😀"},
				refused:  []string{"abcd", "ééa", "😀a"},
			},
		},
		"None": {
			reason: "Zero should be no limit.",
			length: tags.Length{},
			want: want{
				text:     tags.Length{}.String(),
				admitted: []string{"", strings.Repeat("€", 10000)},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want.text, tc.length.String()); diff != "" {
				t.Errorf("\n%s\nString(): -want, +got:\n%s", tc.reason, diff)
			}

			for _, s := range tc.want.admitted {
				if !tc.length.Admits(s) {
					t.Errorf("\n%s\nAdmits(%q): want true, got false", tc.reason, s)
				}
			}

			for _, s := range tc.want.refused {
				if tc.length.Admits(s) {
					t.Errorf("\n%s\nAdmits(%q): want false, got true", tc.reason, s)
				}
			}
		})
	}
}
