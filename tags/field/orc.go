package field

// orc is k-orc/openstack-resource-controller. A resource that is imported has no spec.resource,
// and the API server refuses one that gets it.
//
// Not tags of the resource itself: tags of a Server, which are Nova's: see openstack.
var orc = family{
	Family: Family{Name: "orc", Profile: "openstack", Native: true},
	fields: []*candidate{at(".spec.resource.tags", ".status.resource.tags").words("=").within()},
	kinds: map[string][]*candidate{
		"Server": {at(".spec.resource.metadata", ".status.resource.metadata").as(KeyValueList).within()},
		"Volume": {at(".spec.resource.metadata", ".status.resource.metadata").as(KeyValueList).once(refusedByRule).within()},
	},
}
