package field

// vra is ankasoftco/provider-vra, whose API groups are directly under crossplane.io, and
// anka-software/provider-jet-vra before it. VMware Aria Automation, once vRealize Automation,
// places machines by constraints, which name tags of zones, computes, networks and profiles:
// a tag that no constraint names changes nothing.
//
// The group loadbalancer.crossplane.io is shared with nsxt, and storage.crossplane.io with
// ankasoftco/provider-vsphere.
var vra = family{
	Family: Family{Name: "vra", Profile: "generic", Upjet: true},
	fields: []*candidate{at("tags", "tags").as(KeyValueList)},
}
