package field

import (
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// exoscale is exoscale/provider-exoscale, lucj/provider-jet-exoscale before it, and
// vshn/provider-exoscale, which has no tags. The labels of a node pool are labels of its
// nodes, too, so that they have the syntax of Kubernetes. The instances of the oldest
// provider have tags in the place of labels.
var exoscale = family{
	Family:      Family{Name: "exoscale", Profile: profile.Generic, Upjet: true},
	domains:     []string{"exoscale.exoscale.ch", "exoscale.m.exoscale.ch", "exoscale.jet.crossplane.io"},
	handwritten: []string{"exoscale.crossplane.io"},
	fields:      []*candidate{at("labels", "labels"), at("tags", "tags")},
}
