package field

import "github.com/plexsphere/function-cloud-tags/tags"

// nebius is upbound/provider-upjet-nebius. No document limits labels.
//
// Not tags: managedDisk.labels (the disk's), template.metadata.labels of a group of nodes
// (Kubernetes labels).
var nebius = family{
	Family:  Family{Name: "nebius", Profile: tags.Generic, Upjet: true},
	domains: []string{"nebius.upbound.io", "nebius.m.upbound.io"},
	fields:  []*candidate{at("labels", "labels")},
}
