package field

// yandex is yandex-cloud/crossplane-provider-yc and tagesjump/provider-upjet-yc.
//
// Not labels of the resource itself: labels of computeInstance, egress, ingress,
// instanceTemplate and snapshotSpec, targetGroupLabels, instanceTagsPool.tags (of what the
// resource makes, or of rules); nodeLabels (Kubernetes labels); tags of a function (those of its
// version), and of hostParameters; metadata of instances (a guest's); lifecycleRule.filter.tag
// (a filter).
var yandex = family{
	Family: Family{Name: "yandex", Profile: "yandex", Upjet: true},
	fields: []*candidate{
		at("labels", "labels"),
		at("tags", "tags"), // Buckets, objects and queues, as Amazon's have them.
	},
}
