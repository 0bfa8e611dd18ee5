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
				t.Errorf("\nEvery profile should be found by its name, in any case.\nProfileOf(%q): want %s, got %s", provider, p.Name, got.Name)
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

func TestRulesProfileOf(t *testing.T) {
	contract := map[string]*profile.Profile{}
	for _, p := range profile.Contract.Profiles() {
		if !p.Narrow {
			contract[p.Name] = p
		}
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
		{"azure", "storage.azure.com", "StorageAccount", true, 50},
		{"azure", "network.azure.com", "DnsZone", true, 15},
		{"azure", "network.azure.com", "PrivateDnsZone", true, 15},
		{"azure", "network.azure.com", "TrafficManagerProfile", true, 50},
		{"azure", "network.frontdoor.azure.com", "WebApplicationFirewallPolicy", true, 50},
		{"azure", "cdn.azure.com", "Profile", true, 15},
		{"azure", "cdn.azure.com", "AfdEndpoint", true, 50},
		{"azure", "network.azure.com", "VirtualNetwork", false, 50},
		{"aws", "rds.services.k8s.aws", "DBInstance", true, 50},
		{"openstack", "compute.openstack.m.crossplane.io", "InstanceV2", true, 128},
		{"openstack", "openstack.k-orc.cloud", "Server", true, 128},
		{"openstack", "identity.openstack.m.crossplane.io", "ProjectV3", true, 80},
		{"openstack", "", "", false, 50},
		{"gcp", "s3.aws.m.upbound.io", "Object", false, 64},
		{"no-such-cloud", "s3.aws.m.upbound.io", "Object", false, 32},
	} {
		if got := profile.Contract.ProfileOf(tc.provider, tc.group, tc.kind); got != profile.Of(tc.provider) || got != contract[got.Name] {
			t.Errorf("\nBy the contract, kinds should not matter.\nContract.ProfileOf(%s, %s, %s): got %+v", tc.provider, tc.group, tc.kind, got)
		}

		got := profile.Cloud.ProfileOf(tc.provider, tc.group, tc.kind)
		if got.Narrow != tc.narrow || got.MaxTags != tc.most || got.Name != profile.Of(tc.provider).Name {
			t.Errorf("\nBy the rules of the cloud, some kinds should have other limits.\nCloud.ProfileOf(%s, %s, %s): want %d tags, narrow %t, got %+v", tc.provider, tc.group, tc.kind, tc.most, tc.narrow, got)
		}
	}
}

// TestAlwaysNarrow names kinds that have limits of their own by any rules.
func TestAlwaysNarrow(t *testing.T) {
	const plain = "plexsphere:platform/env"

	for _, tc := range []struct {
		reason, provider, group, kind string

		// most tags that a resource may have, and what becomes of plexsphere:platform/env.
		most int
		key  string
	}{
		{"The users of Scaleway's IAM have ten tags.", "scaleway", "iam.scaleway.m.upbound.io", "User", 10, plain},
		{"The objects of OSS have ten tags.", "alibaba", "oss.alibabacloud.crossplane.io", "BucketObject", 10, plain},
		{"The objects of Yandex Object Storage have ten tags.", "yandex", "storage.yandex-cloud.m.jet.crossplane.io", "Object", 10, "plexsphere_platform_env"},
		{"OBS admits less than Huawei's other services.", "huawei", "obs.huaweicloud.crossplane.io", "Bucket", 10, "plexsphere_platform_env"},
		{"Volumes have ten tags.", "opentelekom", "evs.opentelekomcloud.crossplane.io", "VolumeV3", 10, "plexsphere_platform_env"},
		{"Labels of node pools are those of Kubernetes.", "exoscale", "compute.exoscale.m.exoscale.ch", "SKSNodepool", 32, "plexsphere.platform/env"},
		{"Pools have 43 tags.", "databricks", "compute.databricks.crossplane.io", "InstancePool", 43, "plexsphere:platform.env"},
		{"Pipelines have 25 tags.", "databricks", "compute.databricks.m.crossplane.io", "Pipeline", 25, "plexsphere:platform.env"},
		{"Cluster API provider AWS.", "aws", "infrastructure.cluster.x-k8s.io", "AWSMachinePool", 50, plain},
		{"Cluster API provider AWS, too.", "aws", "controlplane.cluster.x-k8s.io", "ROSAControlPlane", 50, plain},
		{"Karpenter.", "aws", "karpenter.k8s.aws", "EC2NodeClass", 50, plain},
		{"The load balancer controller.", "aws", "", "Service", 50, plain},
		{"HyperShift has 25 tags.", "aws", "hypershift.openshift.io", "HostedCluster", 25, plain},
		{"Cluster API provider Azure.", "azure", "infrastructure.cluster.x-k8s.io", "AzureCluster", 50, "plexsphere:platform.env"},
		{"Maintenance configurations admit no capitals.", "azure", "maintenance.azure.m.upbound.io", "MaintenanceConfiguration", 50, "plexsphere:platform.env"},
		{"Data shares admit no capitals, either.", "azure", "datashare.azure.upbound.io", "Account", 50, "plexsphere:platform.env"},
		{"Karpenter on Azure.", "azure", "karpenter.azure.com", "AKSNodeClass", 50, "plexsphere:platform.env"},
		{"Config Connector.", "gcp", "storage.cnrm.cloud.google.com", "StorageBucket", 64, "plexsphere_platform_env"},
		{"Karpenter on Google Cloud has 20 labels.", "gcp", "karpenter.k8s.gcp", "GCENodeClass", 20, "plexsphere_platform_env"},
		{"Cluster API provider OpenStack: Nova admits no slash.", "openstack", "infrastructure.cluster.x-k8s.io", "OpenStackCluster", 50, "plexsphere:platform.env"},
	} {
		for _, r := range []profile.Rules{profile.Contract, profile.Cloud} {
			p := r.ProfileOf(tc.provider, tc.group, tc.kind)
			if !p.Narrow || p.MaxTags != tc.most || p.Name != profile.Of(tc.provider).Name {
				t.Errorf("\n%s\n%s.ProfileOf(%s, %s, %s): want a narrow profile with %d tags, got %+v", tc.reason, r, tc.provider, tc.group, tc.kind, tc.most, p)
			}

			got, _ := tags.NewTransformer(tags.PropagatingLabelSet{"platform/env": "prod"}.Labels(tags.CloudTagPrefix), nil).Transform(p).Fit(p.MaxTags)
			if len(got) != 1 || got[0].Key != tc.key {
				t.Errorf("\n%s\nTransform(...) for %s %s: want key %q, got %+v", tc.reason, tc.group, tc.kind, tc.key, got)
			}
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
		for _, r := range profile.Rules("").RefusersOf(name) {
			fmt.Fprintf(got, "API %s (%s)\n%s", name, r.Service, limitsOf(r.Profile, set))
		}
	}

	tagstest.Text(t, "testdata/limits.txt", got.String())

	if limit := profile.Of("aws").Limit("no-such-reason"); limit != "" {
		t.Errorf("\nWhat is no reason has no limit.\nLimit(...): got %q", limit)
	}
}

// limitsOf returns what an operator reads of the limits of the supplied profile, and what
// becomes of the supplied labels, in a line for each fate.
func limitsOf(p *profile.Profile, set tags.PropagatingLabelSet) string {
	out := &strings.Builder{}

	for _, reason := range profile.SkipReasons() {
		fmt.Fprintf(out, "  %s: %s\n", reason, p.Limit(reason))
	}

	fmt.Fprintf(out, "  Team is team: %t\n", p.KeySet("Team*").Has("team") && p.Fold("Team") == "team")

	// Neither the key prefix nor the cap is what this is about.
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
		fates[string(r.Reason)] = append(fates[string(r.Reason)], text(r.Tag))
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
		{"What is before a slash should have a limit of its own.", profile.Length{Runes: 3, Prefix: 4}, "3 characters, and 4 before a /", []string{"abc", "abcd/abc", "éééé/", "/abc"}, []string{"abcd", "abcde/a", "a/abcd", "a/b/cd"}},
		{"Zero should be no limit.", profile.Length{}, "0 characters", []string{"", strings.Repeat("€", 10000)}, nil},
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
