package field_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/field"
)

func TestConfigOf(t *testing.T) {
	config := func(group, version, kind, name string) field.ConfigRef {
		return field.ConfigRef{GroupVersionKind: schema.GroupVersionKind{Group: group, Version: version, Kind: kind}, Name: name}
	}

	namespaced := config("aws.m.upbound.io", "v1beta1", "ProviderConfig", "prod")
	namespaced.Namespaced = true

	ofShared := config("opentelekomcloud.crossplane.io", "v1alpha1", "ProviderConfig", "prod")
	ofShared.Namespaced = true

	cases := map[string]struct {
		reason, group, kind, namespace, refKind, refName string

		want field.ConfigRef
		none bool
	}{
		"V1":             {reason: "A provider for v1 has configs in the cluster.", group: "ec2.aws.upbound.io", kind: "VPC", refName: "prod", want: config("aws.upbound.io", "v1beta1", "ProviderConfig", "prod")},
		"V1Default":      {reason: "Its resources have the config default if they name none.", group: "ec2.aws.upbound.io", kind: "VPC", want: config("aws.upbound.io", "v1beta1", "ProviderConfig", "default")},
		"V1NoSuchKind":   {reason: "It has no other kinds of configs.", group: "ec2.aws.upbound.io", kind: "VPC", refKind: "ClusterProviderConfig", refName: "x", none: true},
		"V2":             {reason: "A provider for v2 has configs in namespaces.", group: "ec2.aws.m.upbound.io", kind: "VPC", refKind: "ProviderConfig", refName: "prod", want: namespaced},
		"V2Cluster":      {reason: "And in the cluster.", group: "ec2.aws.m.upbound.io", kind: "VPC", refKind: "ClusterProviderConfig", refName: "prod", want: config("aws.m.upbound.io", "v1beta1", "ClusterProviderConfig", "prod")},
		"V2Default":      {reason: "Its resources have that in the cluster if they name none.", group: "ec2.aws.m.upbound.io", kind: "VPC", want: config("aws.m.upbound.io", "v1beta1", "ClusterProviderConfig", "default")},
		"V2WithoutKind":  {reason: "So they do if they name one, but no kind.", group: "ec2.aws.m.upbound.io", kind: "VPC", refName: "prod", want: config("aws.m.upbound.io", "v1beta1", "ClusterProviderConfig", "prod")},
		"OwnDomain":      {reason: "Resources can be in the provider's own domain.", group: "azure.m.upbound.io", kind: "ResourceGroup", want: config("azure.m.upbound.io", "v1beta1", "ClusterProviderConfig", "default")},
		"OtherOfCloud":   {reason: "Providers of one cloud have configs of their own.", group: "container.gcp-beta.upbound.io", kind: "Cluster", refName: "x", want: config("gcp-beta.upbound.io", "v1beta1", "ProviderConfig", "x")},
		"NewestVersion":  {reason: "Of several versions the newest should be asked for.", group: "ec2.aws.crossplane.io", kind: "VPC", refName: "x", want: config("aws.crossplane.io", "v1beta1", "ProviderConfig", "x")},
		"Elsewhere":      {reason: "groups.txt says where the configs of a provider for v2 are, if not in its domain.", group: "server.m.upcloud.com", kind: "Server", want: config("provider.m.upcloud.com", "v1beta1", "ClusterProviderConfig", "default")},
		"SharedV1":       {reason: "Of two providers in one group, that for v1 has the resources in no namespace whose reference has no kind.", group: "compute.opentelekomcloud.crossplane.io", kind: "InstanceV2", refName: "prod", want: config("opentelekomcloud.crossplane.io", "v1beta1", "ProviderConfig", "prod")},
		"SharedV2":       {reason: "That for v2 has those in a namespace, and its kinds have versions of their own.", group: "network.opentelekomcloud.crossplane.io", kind: "VPC", namespace: "a", refName: "prod", want: config("opentelekomcloud.crossplane.io", "v1alpha1", "ClusterProviderConfig", "prod")},
		"SharedV2Kind":   {reason: "It has those whose reference has a kind, too: nobody may trust what is in a namespace.", group: "network.opentelekomcloud.crossplane.io", kind: "VPC", refKind: "ProviderConfig", refName: "prod", want: ofShared},
		"SharedOther":    {reason: "A namespaced twin is no shared group.", group: "compute.opentelekomcloud.m.crossplane.io", kind: "InstanceV2", namespace: "a", want: config("opentelekomcloud.m.crossplane.io", "v1beta1", "ClusterProviderConfig", "default")},
		"Native":         {reason: "Other controllers than Crossplane's have no configs.", group: "ec2.services.k8s.aws", kind: "VPC", none: true},
		"Unmanaged":      {reason: "What has no tags has no account's tags.", group: "kubernetes.crossplane.io", kind: "Object", none: true},
		"UnknownGroup":   {reason: "Of an unknown provider nobody knows the configs.", group: "ec2.example.org", kind: "VPC", none: true},
		"UnknownRefKind": {reason: "A kind that the provider doesn't have is none of its configs.", group: "ec2.aws.m.upbound.io", kind: "VPC", refKind: "Secret", refName: "x", none: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := field.ConfigOf(schema.GroupKind{Group: tc.group, Kind: tc.kind}, tc.namespace, tc.refKind, tc.refName)
			if diff := cmp.Diff(tc.want, got); diff != "" || ok == tc.none {
				t.Errorf("\n%s\nConfigOf(...): got %t, -want, +got:\n%s", tc.reason, ok, diff)
			}
		})
	}
}

// TestConfigs tests that all providers of Crossplane have configs, and none that the index doesn't
// have though it has their group.
func TestConfigs(t *testing.T) {
	without, groups := make(map[string]bool), make(map[string]bool)

	for gvk := range field.BuiltIn().All() {
		groups[gvk.Group] = groups[gvk.Group] || gvk.Kind == "ProviderConfig"
	}

	for gvk, e := range field.BuiltIn().All() {
		f, _ := field.FamilyOf(gvk.GroupKind())
		if f.Native || f.Profile == "" || field.IsSettings(gvk.Kind) || e[len(e)-1].Field.Shape == field.None {
			continue
		}

		for _, ref := range []struct{ namespace, kind string }{{"", ""}, {"a", ""}, {"", "ProviderConfig"}, {"a", "ClusterProviderConfig"}} {
			c, ok := field.ConfigOf(gvk.GroupKind(), ref.namespace, ref.kind, "")
			if _, known := field.BuiltIn().Known(c.GroupVersionKind); ok && groups[c.Group] && !known {
				t.Errorf("%s in namespace %q, whose reference has kind %q: no release has %s", gvk, ref.namespace, ref.kind, c.GroupVersionKind)
			}

			if !ok && ref.kind == "" {
				without[f.Name+" "+gvk.Group] = true
			}
		}
	}

	for group := range without {
		t.Errorf("no config of %s", group)
	}
}
