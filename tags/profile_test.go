package tags_test

import (
	"fmt"
	"os"
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

		for _, provider := range []string{p.Name, strings.ToUpper(p.Name), strings.ToUpper(p.Name[:1]) + p.Name[1:]} {
			if got := tags.ProfileOf(provider); got != p {
				t.Errorf("\nEvery profile should be found by its name, in any case.\nProfileOf(%q): want %s, got %s", provider, p.Name, got.Name)
			}
		}
	}

	if diff := cmp.Diff(names, got); diff != "" {
		t.Errorf("\nProfiles and their names should come in the same order.\nProfiles(): -want, +got:\n%s", diff)
	}

	for _, provider := range []string{"no-such-cloud", "", " aws", "awsx", "hetz"} {
		if got := tags.ProfileOf(provider).Name; got != tags.Generic {
			t.Errorf("\nThe whole name should have to match.\nProfileOf(%q): want generic, got %s", provider, got)
		}
	}
}

func TestRulesProfileOf(t *testing.T) {
	contract := map[string]*tags.Profile{}
	for _, p := range tags.Contract.Profiles() {
		contract[p.Name] = p
	}

	// most is how many tags a resource of the kind may have by the rules of its cloud.
	for _, tc := range []struct {
		provider, group, kind string
		narrow                bool
		most                  int
	}{
		{"aws", "ec2.aws.m.upbound.io", "VPC", false, 50},
		{"aws", "s3.aws.m.upbound.io", "Object", true, 10},
		{"AWS", "s3.aws.crossplane.io", "BucketObject", true, 10},
		{"aws", "s3.aws.m.upbound.io", "Bucket", false, 50},
		{"aws", "rds.aws.upbound.io", "Instance", true, 50},
		{"azure", "s3.aws.m.upbound.io", "Object", false, 50},
		{"azure", "cdn.azure.upbound.io", "FrontdoorProfile", true, 50},
		{"azure", "cdn.azure.upbound.io", "Profile", true, 15},
		{"azure", "network.azure.upbound.io", "PrivateDNSZone", true, 15},
		{"azure", "network.azure.upbound.io", "VirtualNetwork", false, 50},
		{"openstack", "compute.openstack.m.crossplane.io", "InstanceV2", true, 128},
		{"openstack", "identity.openstack.m.crossplane.io", "ProjectV3", true, 80},
		{"openstack", "", "", false, 50},
		{"gcp", "s3.aws.m.upbound.io", "Object", false, 64},
		{"no-such-cloud", "s3.aws.m.upbound.io", "Object", false, 32},
	} {
		if got := tags.Contract.ProfileOf(tc.provider, tc.group, tc.kind); got != tags.ProfileOf(tc.provider) || got != contract[got.Name] {
			t.Errorf("\nBy the contract, kinds should not matter.\nContract.ProfileOf(%s, %s, %s): got %+v", tc.provider, tc.group, tc.kind, got)
		}

		got := tags.Cloud.ProfileOf(tc.provider, tc.group, tc.kind)
		if got.Narrow != tc.narrow || got.MaxTags != tc.most || got.Name != tags.ProfileOf(tc.provider).Name {
			t.Errorf("\nBy the rules of the cloud, some kinds should have other limits.\nCloud.ProfileOf(%s, %s, %s): want %d tags, narrow %t, got %+v", tc.provider, tc.group, tc.kind, tc.most, tc.narrow, got)
		}
	}
}

// TestLimits compares what an operator reads of all limits, and what becomes of labels
// around them, with testdata/limits.txt.
func TestLimits(t *testing.T) {
	got := &strings.Builder{}

	set := tags.PropagatingLabelSet{}
	for _, key := range []string{
		"platform/env", "acme:check.out/owner", "Team Name", "9", "a,b", "a#b", "a@b+c=d", "größe", "aws:x", "rds:x", "azure-x", "windowsx", "googx", "goog-partner-solution",
		"hetzner.cloud/x", "hetzner-x", strings.Repeat("k", 60), strings.Repeat("k", 120), strings.Repeat("k", 244), strings.Repeat("k", 500), strings.Repeat("p", 200) + "/n",
	} {
		set[key] = "v"
	}

	for i, value := range []string{"", "Prod", "a b", "a/b", "-a", "a-", "a,b", "é", "<", strings.Repeat("v", 64), strings.Repeat("v", 256), strings.Repeat("é", 128)} {
		set[fmt.Sprintf("value%02d", i)] = value
	}

	for _, r := range []tags.Rules{tags.Contract, tags.Cloud} {
		for _, p := range r.Profiles() {
			fmt.Fprintf(got, "%s %s\n", r, p.Name)

			for _, reason := range tags.SkipReasons() {
				fmt.Fprintf(got, "  %s: %s\n", reason, p.Limit(reason))
			}

			fmt.Fprintf(got, "  Team is team: %t\n", p.KeySet("Team*").Has("team") && p.Fold("Team") == "team")

			// Neither the key prefix nor the cap is what this is about.
			kept, refused := tags.NewTransformer(set.Labels(""), nil).Transform(p).Fit(len(set))
			for _, t := range kept {
				fmt.Fprintf(got, "  %.32q = %.16q → %.32q\n", t.QualifiedKey, t.Value, t.Key)
			}

			for _, r := range refused {
				fmt.Fprintf(got, "  %.32q = %.16q: %s\n", r.QualifiedKey, r.Value, r.Reason)
			}
		}
	}

	const file = "testdata/limits.txt"

	if *tags.Update {
		if err := os.WriteFile(file, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("\n%s is what the limits should be. With -update, it is written.\n-want, +got:\n%s", file, diff)
	}

	if limit := tags.ProfileOf("aws").Limit("no-such-reason"); limit != "" {
		t.Errorf("\nWhat is no reason has no limit.\nLimit(...): got %q", limit)
	}
}

func TestProfileSkip(t *testing.T) {
	want := tags.SkippedLabel{QualifiedKey: "platform/env", TagKey: "plexsphere:platform/env", Provider: "aws", Reason: "count-cap"}
	got := tags.ProfileOf("AWS").Skip(tags.Tag{Label: tags.Label{QualifiedKey: "platform/env", TagKey: "env", Value: "prod"}, Key: "plexsphere:platform/env"}, tags.CountCap)

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nA skipped label should carry both keys, the profile and the reason.\nSkip(...): -want, +got:\n%s", diff)
	}
}

func TestLength(t *testing.T) {
	for _, tc := range []struct {
		reason   string
		length   tags.Length
		text     string
		admitted []string
		refused  []string
	}{
		{"A limit in runes should count runes, however many bytes each takes.", tags.Length{Runes: 3}, "3 characters", []string{"", "abc", "ééé", "😀😀😀", "\xff\xff\xff"}, []string{"abcd", "éééé", "e\u0301e\u0301"}},
		{"A limit in bytes should count bytes, however few runes they make.", tags.Length{Bytes: 3}, "3 bytes", []string{"", "abc", "éa", "€"}, []string{"abcd", "éé", "😀"}},
		{"Both limits should hold if there are both.", tags.Length{Runes: 3, Bytes: 4}, "3 characters and 4 bytes", []string{"", "abc", "éé", "😀"}, []string{"abcd", "ééa", "😀a"}},
		{"What is before a slash should have a limit of its own.", tags.Length{Runes: 3, Prefix: 4}, "3 characters, and 4 before a /", []string{"abc", "abcd/abc", "éééé/", "/abc"}, []string{"abcd", "abcde/a", "a/abcd", "a/b/cd"}},
		{"Zero should be no limit.", tags.Length{}, "0 characters", []string{"", strings.Repeat("€", 10000)}, nil},
	} {
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
