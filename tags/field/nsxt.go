package field

// nsxt is ankasoftco/provider-nsxt, whose API groups are directly under crossplane.io. A tag
// of NSX-T is a scope and a tag, which are what others call a key and a value. Groups of NSX-T
// may select by them, and firewalls and load balancers by the groups: only ones that name the
// tag's scope and tag, or no scope and the tag alone.
//
// Not tags of the resource itself: tag of a rule, defaultRule, port, bgpConfig or vrfConfig (of
// a part, each of which has its own tags); logicalPortTag (of the port of a machine, whose tags are
// beside it).
//
// The group dns.crossplane.io is shared with Smana/provider-tailscale, and
// loadbalancer.crossplane.io with vra.
var nsxt = family{
	Family: Family{Name: "nsxt", Profile: "generic", Upjet: true},
	fields: []*candidate{at("tag", "tag").as(KeyValueList)},
}
