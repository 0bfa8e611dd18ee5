package field_test

import (
	"testing"

	"github.com/plexsphere/function-cloud-tags/tags/field"
)

// TestFamilyOf is about API groups below others, and about groups of several families. Which family
// each group of groups.txt is of, TestGroups tests.
func TestFamilyOf(t *testing.T) {
	for _, tc := range []struct{ kind, want, reason string }{
		{"ec2.aws.upbound.io/v1 Thing", "aws", "Cluster scoped."},
		{"ec2.aws.m.upbound.io/v1 Thing", "aws", "Namespaced."},
		{"aws.m.upbound.io/v1 Thing", "aws", "The family's own domain."},
		{"ec2.aws.crossplane.io/v1 Thing", "aws-classic", "Another provider of the same cloud."},
		{"azure.upbound.io/v1 Thing", "azure", "Resource groups are in the family's own domain."},
		{"containeraws.gcp.m.upbound.io/v1 Thing", "gcp", "Google's, though AWS is in it."},
		{"cloud.hetzner.crossplane.io/v1 Thing", "hetzner", "The providers call the cloud by different names."},
		{"gcp.vault.m.upbound.io/v1 Thing", "unmanaged", "Vault's, though GCP is in it."},
		{"applications.azuread.upbound.io/v1 Thing", "unmanaged", "Not of azure: labels match as a whole."},
		{"apps/v1 Thing", "unmanaged", "Kubernetes itself."},
		{"v1 Thing", "unmanaged", "Kubernetes itself."},
		{"notaws.upbound.io/v1 Thing", "", "A suffix, but not of whole labels."},
		{"aws.upbound.io.example.org/v1 Thing", "", "Not a suffix."},
		{"karpenter.azure.com/v1 Thing", "karpenter-azure", "A subdomain of someone else's."},
		{"azure.microsoft.com/v1 Thing", "", "The first version of Azure Service Operator."},
		{"elbv2.k8s.aws/v1 Thing", "aws-lbc", "The load balancer controller, not ACK's service of that name."},
		{"upbound.io/v1 Thing", "", "Less than a domain."},
		{"./v1 Thing", "", "Not a group."},
		{"infrastructure.cluster.x-k8s.io/v1beta2 AWSMachine", "capa", "The kind's name says whose it is."},
		{"controlplane.cluster.x-k8s.io/v1beta2 AWSManagedControlPlane", "capa", "The kind's name says whose it is."},
		{"infrastructure.cluster.x-k8s.io/v1beta1 AzureASOManagedCluster", "capz", "The kind's name says whose it is."},
		{"infrastructure.cluster.x-k8s.io/v1beta1 DockerMachine", "unmanaged", "The kind's name says whose it is."},
		{"infrastructure.cluster.x-k8s.io/v1beta1 VSphereMachine", "unmanaged", "The kind's name says whose it is."},
		{"controlplane.cluster.x-k8s.io/v1beta1 KubeadmControlPlane", "unmanaged", "The kind's name says whose it is."},
		{"eks.amazonaws.com/v1 NodeClass", "karpenter-aws", "The kind's name says whose it is."},
		{"eks.amazonaws.com/v1 IngressClassParams", "aws-lbc", "The kind's name says whose it is."},
	} {
		if got, ok := field.FamilyOf(kindOf(tc.kind).GroupKind()); got.Name != tc.want || ok != (tc.want != "") {
			t.Errorf("FamilyOf(%s): want %q, got %v, %t\n%s", tc.kind, tc.want, got, ok, tc.reason)
		}
	}
}
