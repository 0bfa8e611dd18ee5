package field

// alibaba is crossplane-contrib/provider-upjet-alibabacloud. Since v0.2.0 it adds tags
// of its own to each kind whose Terraform tags are a map: see AddExternalTagsField in its
// config/overrides.go.
//
// Not tags of the resource itself: volumeTags of an instance (the disks'); lifecycleRule.tags
// of a bucket (a filter); labels of a node pool (Kubernetes labels). The tags of a
// Kubernetes node pool go to its instances, and are billed there.
var alibaba = family{
	Family: Family{Name: "alibaba", Profile: "alibaba", Upjet: true},
	adds:   "tags",
	fields: []*candidate{at("tags", "tags")},
	kinds: map[string][]*candidate{
		// Its tags are those of the instances that are launched.
		"ecs/LaunchTemplate": {at("templateTags", "templateTags")},
	},
}
