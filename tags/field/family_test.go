package field_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/field"
)

func TestFamilyOf(t *testing.T) {
	cases := []struct {
		group  string
		want   field.Family
		ok     bool
		reason string
	}{
		{"ec2.aws.upbound.io", field.Family{Name: "aws", Profile: "aws", Upjet: true}, true, "Cluster scoped."},
		{"ec2.aws.m.upbound.io", field.Family{Name: "aws", Profile: "aws", Upjet: true}, true, "Namespaced."},
		{"aws.m.upbound.io", field.Family{Name: "aws", Profile: "aws", Upjet: true}, true, "The family's own domain."},
		{"ec2.aws.crossplane.io", field.Family{Name: "aws-classic", Profile: "aws"}, true, "Another provider of the same cloud."},
		{"azure.upbound.io", field.Family{Name: "azure", Profile: "azure", Upjet: true}, true, "Resource groups are in the family's own domain."},
		{"network.azure.m.upbound.io", field.Family{Name: "azure", Profile: "azure", Upjet: true}, true, "Namespaced."},
		{"resources.azapi.m.upbound.io", field.Family{Name: "azapi", Profile: "azure", Upjet: true}, true, "Another provider of the same cloud."},
		{"storage.gcp.upbound.io", field.Family{Name: "gcp", Profile: "gcp", Upjet: true}, true, "Cluster scoped."},
		{"container.gcp-beta.upbound.io", field.Family{Name: "gcp", Profile: "gcp", Upjet: true}, true, "The provider of what is not yet in the other."},
		{"storage.gcp.crossplane.io", field.Family{Name: "gcp-classic", Profile: "gcp"}, true, "The provider before the ones of today."},
		{"containeraws.gcp.m.upbound.io", field.Family{Name: "gcp", Profile: "gcp", Upjet: true}, true, "Google's, though AWS is in it."},
		{"containerazure.gcp.upbound.io", field.Family{Name: "gcp", Profile: "gcp", Upjet: true}, true, "Google's, though Azure is in it."},
		{"networking.openstack.crossplane.io", field.Family{Name: "openstack", Profile: "openstack", Upjet: true}, true, "Cluster scoped."},
		{"droplet.digitalocean.m.crossplane.io", field.Family{Name: "digitalocean", Profile: "digitalocean", Upjet: true}, true, "Namespaced."},
		{"server.hcloud.crossplane.io", field.Family{Name: "hetzner", Profile: "hetzner", Upjet: true}, true, "The providers call the cloud by different names."},
		{"cloud.hetzner.crossplane.io", field.Family{Name: "hetzner", Profile: "hetzner"}, true, "The providers call the cloud by different names."},
		{"gcp.vault.m.upbound.io", field.Family{Name: "unmanaged"}, true, "Vault's, though GCP is in it."},
		{"applications.azuread.upbound.io", field.Family{Name: "unmanaged"}, true, "Not of azure: labels match as a whole."},
		{"apps", field.Family{Name: "unmanaged"}, true, "Kubernetes itself."},
		{"", field.Family{Name: "unmanaged"}, true, "Kubernetes itself."},
		{"notaws.upbound.io", field.Family{}, false, "A suffix, but not of whole labels."},
		{"aws.upbound.io.example.org", field.Family{}, false, "Not a suffix."},
		{"aws.example.org", field.Family{}, false, "Platform teams call their own groups by clouds, too."},
		{"infrastructure.cluster.x-k8s.io", field.Family{Name: "unmanaged"}, true, "Who has this kind in a group of many, nobody knows."},
		{"cluster.x-k8s.io", field.Family{Name: "unmanaged"}, true, "Cluster API itself."},
		{"ec2.services.k8s.aws", field.Family{Name: "ack", Profile: "aws", Native: true}, true, "Not Crossplane's."},
		{"network.azure.com", field.Family{Name: "aso", Profile: "azure", Native: true}, true, "Not Crossplane's."},
		{"karpenter.azure.com", field.Family{Name: "karpenter-azure", Profile: "azure", Native: true}, true, "A subdomain of someone else's."},
		{"azure.microsoft.com", field.Family{}, false, "The first version of Azure Service Operator."},
		{"compute.cnrm.cloud.google.com", field.Family{Name: "kcc", Profile: "gcp", Native: true}, true, "Config Connector's kinds."},
		{"core.cloud.google.com", field.Family{}, false, "Others have kinds there, too."},
		{"k8s.aws", field.Family{}, false, "Several have subdomains."},
		{"elbv2.k8s.aws", field.Family{Name: "aws-lbc", Profile: "aws", Native: true}, true, "The load balancer controller, not ACK's service of that name."},
		{"eks.amazonaws.com", field.Family{}, false, "A group of which we know two kinds."},
		{"upbound.io", field.Family{}, false, "Less than a domain."},
		{".", field.Family{}, false, "Not a group."},
	}

	for _, tc := range cases {
		got, ok := field.FamilyOf(schema.GroupKind{Group: tc.group, Kind: "Thing"})
		if got != tc.want || ok != tc.ok {
			t.Errorf("FamilyOf(%q): want %v, %t, got %v, %t\n%s", tc.group, tc.want, tc.ok, got, ok, tc.reason)
		}
	}
}

// The kinds of all providers of Cluster API are in the same groups.
func TestFamilyOfKind(t *testing.T) {
	for name, want := range map[string]string{
		"infrastructure.cluster.x-k8s.io/v1beta2 AWSMachine":             "capa",
		"infrastructure.cluster.x-k8s.io/v1beta2 ROSAMachinePool":        "capa",
		"controlplane.cluster.x-k8s.io/v1beta2 AWSManagedControlPlane":   "capa",
		"infrastructure.cluster.x-k8s.io/v1beta1 AzureASOManagedCluster": "capz",
		"infrastructure.cluster.x-k8s.io/v1beta1 GCPMachine":             "capg",
		"infrastructure.cluster.x-k8s.io/v1beta1 OpenStackMachine":       "capo",
		"infrastructure.cluster.x-k8s.io/v1beta1 DOMachine":              "capdo",
		"infrastructure.cluster.x-k8s.io/v1beta1 DockerMachine":          "unmanaged",
		"infrastructure.cluster.x-k8s.io/v1beta2 OCIMachine":             "capoci",
		"infrastructure.cluster.x-k8s.io/v1beta1 OscMachine":             "caposc",
		"infrastructure.cluster.x-k8s.io/v1beta1 VSphereMachine":         "unmanaged",
		"infrastructure.cluster.x-k8s.io/v1beta1 HCloudMachine":          "unmanaged",
		"controlplane.cluster.x-k8s.io/v1beta1 KubeadmControlPlane":      "unmanaged",
		"eks.amazonaws.com/v1 NodeClass":                                 "karpenter-aws",
		"eks.amazonaws.com/v1 IngressClassParams":                        "aws-lbc",
	} {
		if got, _ := field.FamilyOf(kindOf(name).GroupKind()); got.Name != want {
			t.Errorf("FamilyOf(%s): want %s, got %s", name, want, got.Name)
		}
	}
}
