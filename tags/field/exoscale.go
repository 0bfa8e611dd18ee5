package field

// exoscale is exoscale/provider-exoscale, lucj/provider-jet-exoscale before it, and
// vshn/provider-exoscale, which has no tags. The labels of a node pool are labels of its
// nodes, too, so that they have the syntax of Kubernetes. The instances of the oldest
// provider have tags in the place of labels.
var exoscale = family{
	Family: Family{Name: "exoscale", Profile: "generic", Upjet: true},
	fields: []*candidate{at("labels", "labels"), at("tags", "tags")},
}
