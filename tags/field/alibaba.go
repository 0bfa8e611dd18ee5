package field

// alibaba is crossplane-contrib/provider-upjet-alibabacloud. Since v0.2.0 it adds tags
// of its own to each kind whose Terraform tags are a map: see AddExternalTagsField in its
// config/overrides.go.
//
// Not tags of the resource itself: volumeTags of an instance (the disks'); lifecycleRule.tags
// of a bucket (a filter); labels of a node pool (Kubernetes labels). The tags of a
// Kubernetes node pool go to its instances, and are billed there.
var alibaba = family{
	Family:  Family{Name: "alibaba", Profile: "alibaba", Upjet: true},
	domains: []string{"alibabacloud.crossplane.io", "alibabacloud.m.crossplane.io"},
	adds:    "tags",
	fields:  []*candidate{at("tags", "tags")},
	launches: map[string][]launch{
		"ecs/Instance":       {launched("volumeTags", "all disks that are attached", inPlace)},
		"ecs/LaunchTemplate": {launched("tags", "instances", nextLaunch)},
	},
	kinds: map[string][]*candidate{
		// Its tags are those of the instances that are launched.
		"ecs/LaunchTemplate": {at("templateTags", "templateTags")},
	},
	immutable: map[string]refusal{
		"ecs/ImagePipeline": refused("aliyun/terraform-provider-alicloud alicloud/resource_alicloud_ecs_image_pipeline.go: tags ForceNew, v1.247.0"),
	},
}

// alibabaClassic is crossplane-contrib/provider-jet-alibaba and provider-alibaba before
// it, which add no tags of their own.
var alibabaClassic = family{
	Family:      Family{Name: "alibaba-classic", Profile: "alibaba", Upjet: true},
	domains:     []string{"alicloud.jet.crossplane.io"},
	handwritten: []string{"alibaba.crossplane.io"},
	fields:      []*candidate{at("tags", "tags")},
}
