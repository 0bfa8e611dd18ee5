package field

import (
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// vra is ankasoftco/provider-vra, whose API groups are directly under crossplane.io, and
// anka-software/provider-jet-vra before it. VMware Aria Automation, once vRealize Automation,
// places machines by constraints, which name tags of zones, computes, networks and profiles:
// a tag that no constraint names changes nothing.
//
// The group loadbalancer.crossplane.io is shared with nsxt, and storage.crossplane.io with
// ankasoftco/provider-vsphere.
var vra = family{
	Family: Family{Name: "vra", Profile: profile.Generic, Upjet: true},
	domains: []string{
		"vra.jet.crossplane.io",

		"blockdevice.crossplane.io", "blueprint.crossplane.io", "catalogitementitlement.crossplane.io",
		"catalogsourceblueprint.crossplane.io", "catalogsourceentitlement.crossplane.io",
		"cloudaccount.crossplane.io", "contentsource.crossplane.io", "deployment.crossplane.io",
		"fabric.crossplane.io", "flavorprofile.crossplane.io", "imageprofile.crossplane.io",
		"integration.crossplane.io", "loadbalancer.crossplane.io", "machine.crossplane.io", "network.crossplane.io", "project.crossplane.io",
		"storage.crossplane.io", "vra.crossplane.io", "zone.crossplane.io",
	},
	only: map[string][]string{
		"loadbalancer.crossplane.io": {"LoadBalancer"},
		"storage.crossplane.io":      {"Profile*"},
	},
	configs: map[string]configs{
		"vra.jet.crossplane.io": {group: "vra.jet.crossplane.io", version: "v1alpha1"},
		"*":                     {group: "vra.crossplane.io", version: "v1beta1"},
	},
	fields: []*candidate{at("tags", "tags").as(KeyValueList)},
}
