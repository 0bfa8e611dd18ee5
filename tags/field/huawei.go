package field

// Huawei's own Terraform provider, and those of the clouds that run its software, say tags to
// what is billed.
var huaweiTags = at("tags", "tags")

// huawei is huaweicloud/provider-huaweicloud.
//
// Not tags of the resource itself: labels of Cloud Container Engine and of a ModelArts pool
// (Kubernetes labels); gcBandwidth.tags, resources.tags (of what the resource makes);
// metadata (a guest's, or a pool's).
var huawei = family{
	Family: Family{Name: "huawei", Profile: "huawei", Upjet: true},
	fields: []*candidate{huaweiTags},
	kinds: map[string][]*candidate{
		"ces/ResourceGroup":  none, // What the group selects.
		"smn/MessagePublish": none, // Parameters of the message.
	},
}

// flexibleengine is FlexibleEngineCloud/provider-flexibleengine, which reports no tags.
//
// Not tags: labels of Cloud Container Engine (Kubernetes labels); tags of an API and of an
// image, which are lists of words; metadata.
var flexibleengine = family{
	Family: Family{Name: "flexibleengine", Profile: "flexibleengine", Upjet: true},
	fields: []*candidate{huaweiTags},
	kinds: map[string][]*candidate{
		// Predefined tags, not a resource that has some.
		"tms/Tags": none,
	},
}

// opentelekom is opentelekomcloud/provider-opentelekomcloud, and wilaris/provider-opentelekomcloud,
// whose kinds are namespaced, in groups without an m.
//
// Not tags: labels and k8sTags of clusters and nodes (Kubernetes labels, whose change
// replaces the cluster); tags of an API and of an image, and labels of a group of hosts, which
// are lists of words; tag of a database, which is deprecated; ltsCustomTag, accessConfig
// (of logs); lifecycleRule.tag (a filter); metadata.
var opentelekom = family{
	Family: Family{Name: "opentelekom", Profile: "opentelekom", Upjet: true},
	fields: []*candidate{huaweiTags},
	kinds: map[string][]*candidate{
		"cce/NodePoolV3": {at("userTags", "userTags")},
		"drs/TaskV3":     {at("tags", "tags").request(replaces)},

		// Those of wilaris.
		"network/SecurityGroup": {at("tags", "tags").kept("the API refuses any change")},

		// Predefined tags, and those of other resources.
		"tms/*": none,
	},
}
