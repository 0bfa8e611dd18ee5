package field

// nebius is upbound/provider-upjet-nebius. No document limits labels.
//
// Not tags: managedDisk.labels (the disk's), template.metadata.labels of a group of nodes
// (Kubernetes labels).
var nebius = family{
	Family: Family{Name: "nebius", Profile: "generic", Upjet: true},
	fields: []*candidate{at("labels", "labels")},
}
