package profile_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

func TestProfiles(t *testing.T) {
	names := profile.Names()

	if !slices.IsSorted(names) {
		t.Errorf("\nProfiles should be sorted by name.\nProfileNames(): got %q", names)
	}

	for _, name := range []string{"aws", "generic", "hetzner", "openstack"} {
		if !slices.Contains(names, name) {
			t.Errorf("\nThe profiles of the contract should be there.\nProfileNames(): got %q, without %s", names, name)
		}
	}

	got := []string{}

	for _, p := range profile.Contract.Profiles() {
		got = append(got, p.Name)

		if p.Narrow {
			continue
		}

		for _, provider := range []string{p.Name, strings.ToUpper(p.Name), strings.ToUpper(p.Name[:1]) + p.Name[1:]} {
			if got := profile.Of(provider); got != p {
				t.Errorf("\nEvery profile should be found by its name, ignoring case.\nProfileOf(%q): want %s, got %s", provider, p.Name, got.Name)
			}
		}
	}

	if diff := cmp.Diff(names, slices.Compact(got)); diff != "" {
		t.Errorf("\nProfiles and their names should come in the same order.\nProfiles(): -want, +got:\n%s", diff)
	}

	for _, provider := range []string{"no-such-cloud", "", " aws", "awsx", "hetz"} {
		if got := profile.Of(provider).Name; got != profile.Generic {
			t.Errorf("\nThe whole name should have to match.\nProfileOf(%q): want generic, got %s", provider, got)
		}
	}
}

// TestRulesProfileOf writes, for some kinds, the caps and the tag keys of platform/env by the contract's and
// by the clouds' rules. It names the kinds that have limits of their own.
func TestRulesProfileOf(t *testing.T) {
	var cases []struct{ Provider, Group, Kind, Reason string }

	tagstest.ReadYAML(t, "testdata/kinds.yaml", &cases)

	got := &strings.Builder{}

	for _, tc := range cases {
		fmt.Fprintf(got, "%s %s/%s", tc.Provider, tc.Group, tc.Kind)

		for _, r := range []profile.Rules{profile.Contract, profile.Cloud} {
			p := r.ProfileOf(tc.Provider, tc.Group, tc.Kind)
			fits, _ := tags.NewTransformer(tags.PropagatingLabelSet{"platform/env": "prod"}.Labels(tags.CloudTagPrefix), nil).Transform(p).Fit(p.MaxTags)

			fmt.Fprintf(got, "\n  %s: %s, narrow %t, %d tags", r, p.Name, p.Narrow, p.MaxTags)

			for _, tag := range fits {
				fmt.Fprintf(got, ", %s", tag.Key)
			}

			if all := profile.Of(tc.Provider); p.Name != all.Name || !p.Narrow && r == profile.Contract && p != all {
				t.Errorf("\n%s\n%s.ProfileOf(%s, %s, %s): got %+v", tc.Reason, r, tc.Provider, tc.Group, tc.Kind, p)
			}
		}

		fmt.Fprintln(got)
	}

	tagstest.Text(t, "testdata/kinds.txt", got.String())
}

// TestLimits writes the messages of all limits, and the fates of labels around them, to testdata/limits.txt.
func TestLimits(t *testing.T) {
	got := &strings.Builder{}

	set := tags.PropagatingLabelSet{}
	for _, key := range []string{
		"platform/env", "acme:check.out/owner", "Team Name", "9", "a,b", "a#b", "a@b+c=d", "größe", "aws:x", "rds:x", "azure-x", "windowsx", "googx", "goog-partner-solution",
		"hetzner.cloud/x", "hetzner-x", "_sys_x", "qcs:x", "project-x", "Name", "networkArea", "k", "k_", "kubernetes.io/cluster/x", "http://k", strings.Repeat("k", 60), strings.Repeat("k", 120), strings.Repeat("k", 244), strings.Repeat("k", 500), strings.Repeat("p", 200) + "/n",
	} {
		set[key] = "v"
	}

	for i, value := range []string{"", "Prod", "a b", "a/b", "-a", "a-", "a,b", "é", "<", " a", "https://v", "{{v}}", strings.Repeat("v", 44), strings.Repeat("v", 64), strings.Repeat("v", 256), strings.Repeat("é", 128)} {
		set[fmt.Sprintf("value%02d", i)] = value
	}

	seen := make(map[*profile.Profile]bool)

	for _, r := range []profile.Rules{profile.Contract, profile.Cloud} {
		for _, p := range r.Profiles() {
			if !seen[p] {
				seen[p] = true

				fmt.Fprintf(got, "%s %s\n%s", r, p.Name, limitsOf(p, set))
			}
		}
	}

	for _, name := range profile.Names() {
		for _, r := range profile.Rules("").RefusingAPIs(name) {
			fmt.Fprintf(got, "API %s (%s)\n%s", name, r.Service, limitsOf(r.Profile, set))
		}
	}

	tagstest.Text(t, "testdata/limits.txt", got.String())

	if limit := profile.Of("aws").Limit("no-such-reason"); limit != "" {
		t.Errorf("\nAn unknown reason has no limit.\nLimit(...): got %q", limit)
	}
}

// limitsOf returns the messages of the profile's limits, and a line for each fate with its labels.
func limitsOf(p *profile.Profile, set tags.PropagatingLabelSet) string {
	out := &strings.Builder{}

	for _, reason := range profile.SkipReasons() {
		fmt.Fprintf(out, "  %s: %s\n", reason, p.Limit(reason))
	}

	fmt.Fprintf(out, "  Team is team: %t\n", p.KeySet("Team*").Has("team") && p.Fold("Team") == "team")

	// The labels get no key prefix, and there is a slot for each.
	kept, refused := tags.NewTransformer(set.Labels(""), nil).Transform(p).Fit(len(set))
	fates := make(map[string][]string)

	text := func(t tags.Tag) string {
		if strings.HasPrefix(t.QualifiedKey, "value") {
			return fmt.Sprintf("= %.16q", t.Value)
		}

		return fmt.Sprintf("%.32q", t.QualifiedKey)
	}

	for _, t := range kept {
		if t.Key == t.QualifiedKey {
			fates["kept"] = append(fates["kept"], text(t))
		} else {
			fates["kept as another"] = append(fates["kept as another"], fmt.Sprintf("%s → %.32q", text(t), t.Key))
		}
	}

	for _, r := range refused {
		fates[string(r.Reason)] = append(fates[string(r.Reason)], text(*r.Tag))
	}

	for _, fate := range slices.Sorted(maps.Keys(fates)) {
		fmt.Fprintf(out, "  %s %s\n", fate, strings.Join(fates[fate], ", "))
	}

	return out.String()
}

func TestLength(t *testing.T) {
	for _, tc := range []struct {
		reason   string
		length   profile.Length
		text     string
		admitted []string
		refused  []string
	}{
		{"A limit in runes should count runes, however many bytes each takes.", profile.Length{Runes: 3}, "3 characters", []string{"", "abc", "ééé", "😀😀😀", "\xff\xff\xff"}, []string{"abcd", "éééé", "e\u0301e\u0301"}},
		{"A limit in bytes should count bytes, however few runes they make.", profile.Length{Bytes: 3}, "3 bytes", []string{"", "abc", "éa", "€"}, []string{"abcd", "éé", "😀"}},
		{"Both limits should hold if there are both.", profile.Length{Runes: 3, Bytes: 4}, "3 characters and 4 bytes", []string{"", "abc", "éé", "😀"}, []string{"abcd", "ééa", "😀a"}},
		{"What is before a slash should have a limit of its own.", profile.Length{Runes: 3, BeforeSlash: 4}, "3 characters, and 4 before a /", []string{"abc", "abcd/abc", "éééé/", "/abc"}, []string{"abcd", "abcde/a", "a/abcd", "a/b/cd"}},
		{"Zero should be no limit.", profile.Length{}, "0 characters", []string{"", strings.Repeat("€", 10000)}, nil},
	} {
		for _, s := range tc.refused {
			if got := tc.length.Of(s); got == tc.length || (got.Runes > 0) != (tc.length.Runes > 0) || (got.Bytes > 0) != (tc.length.Bytes > 0) {
				t.Errorf("\n%s\nOf(%q): want the length in the units of %s, got %s", tc.reason, s, tc.length, got)
			}
		}

		if diff := cmp.Diff(tc.text, tc.length.String()); diff != "" {
			t.Errorf("\n%s\nString(): -want, +got:\n%s", tc.reason, diff)
		}

		for _, s := range append(tc.admitted, tc.refused...) {
			if want := slices.Contains(tc.admitted, s); tc.length.Admits(s) != want {
				t.Errorf("\n%s\nAdmits(%q): want %t, got %t", tc.reason, s, want, !want)
			}
		}
	}
}

// TestMeant finds the provider that a name probably means.
func TestMeant(t *testing.T) {
	cases := map[string]struct{ reason, want string }{
		"hetzer":          {"A character is missing.", "hetzner"},
		"hetznr-cloud":    {"An alias can be misspelled, too.", "hetzner"},
		"AMAZON":          {"An alias compares without case.", "aws"},
		"google":          {"So does everybody call that cloud.", "gcp"},
		"Google Cloud":    {"What stands between words doesn't count.", "gcp"},
		"microsoft_azure": {"Nor does an underscore.", "azure"},
		"hcloud":          {"The provider's own name is an alias.", "hetzner"},
		"awss":            {"A character is too many.", "aws"},
		"asw":             {"Two have changed places.", "aws"},
		"azrue":           {"So they have in a longer name.", "azure"},
		"openstck":        {"The same of a long name.", "openstack"},
		"opnstck":         {"Two edits are a slip.", "openstack"},
		"opnstk":          {"Three aren't.", ""},
		"geenric":         {"The generic profile has a name, too.", "generic"},
		"kvm":             {"Two edits of three characters make another word: it isn't ibm.", ""},
		"acme-cloud":      {"A cloud of somebody's own is none of these.", ""},
		"vsphere":         {"Nor is a cloud without a profile.", ""},
		"aws":             {"A name that has a profile means itself.", ""},
		"Hetzner":         {"It does so in capitals, too.", ""},
		"gcp-tags":        {"A second tag system has a profile.", ""},
		"":                {"Nothing means nothing.", ""},
	}

	for name, tc := range cases {
		if got := profile.Meant(name); got != tc.want {
			t.Errorf("%s\nMeant(%q): want %q, got %q", tc.reason, name, tc.want, got)
		}
	}
}
