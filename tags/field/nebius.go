package field

import (
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// nebius is upbound/provider-upjet-nebius. No document limits labels.
//
// Not tags: managedDisk.labels (the disk's), template.metadata.labels of a group of nodes
// (Kubernetes labels).
var nebius = family{
	Family:  Family{Name: "nebius", Profile: profile.Generic, Upjet: true},
	domains: []string{"nebius.upbound.io", "nebius.m.upbound.io"},
	fields:  []*candidate{at("labels", "labels")},
	immutable: map[string]refusal{
		"compute/NvlInstanceGroup": refused("nebius/terraform-provider-nebius generated/nebius/compute/v1/nvlinstancegroup_service.tfgen.go: labels RequiresReplace, v0.6.22"),
		"iam/AccessPermit":         refused("nebius/terraform-provider-nebius generated/nebius/iam/v1/access_permit_service.tfgen.go: labels RequiresReplace, v0.6.22"),
		"iam/GroupMembership":      refused("nebius/terraform-provider-nebius generated/nebius/iam/v1/group_membership_service.tfgen.go: labels RequiresReplace, v0.6.22"),
		"kms/AsymmetricKey":        refused("nebius/terraform-provider-nebius generated/nebius/kms/v1/asymmetric_key_service.tfgen.go: labels RequiresReplace, v0.6.22"),
		"kms/SymmetricKey":         refused("nebius/terraform-provider-nebius generated/nebius/kms/v1/symmetric_key_service.tfgen.go: labels RequiresReplace, v0.6.22"),
		"mysterybox/SecretVersion": refused("nebius/terraform-provider-nebius generated/nebius/mysterybox/v1/secret_version_service.tfgen.go: labels RequiresReplace, v0.6.22"),
	},
}
