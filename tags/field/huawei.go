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
	Family:  Family{Name: "huawei", Profile: "huawei", Upjet: true},
	domains: []string{"huaweicloud.crossplane.io", "huaweicloud.m.crossplane.io"},
	fields:  []*candidate{huaweiTags},
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
	Family:  Family{Name: "flexibleengine", Profile: "flexibleengine", Upjet: true},
	domains: []string{"flexibleengine.upbound.io", "flexibleengine.m.upbound.io"},
	fields:  []*candidate{huaweiTags},
	kinds: map[string][]*candidate{
		// Predefined tags, not a resource that has some.
		"tms/Tags": none,
	},
	immutable: map[string]refusal{
		"dli/FlinksqlJob":   refused("huaweicloud/terraform-provider-huaweicloud dli/resource_huaweicloud_dli_flinksql_job.go: TagsForceNewSchema, at 50dafa0e00d6"),
		"dli/Queue":         refused("FlexibleEngineCloud/terraform-provider-flexibleengine flexibleengine/resource_flexibleengine_dli_queue_v1.go: tags ForceNew, v1.38.0"),
		"dms/KafkaInstance": refused("FlexibleEngineCloud/terraform-provider-flexibleengine flexibleengine/resource_flexibleengine_dms_kafka_instance.go: TagsForceNewSchema, v1.38.0"),
		"drs/Job":           refused("huaweicloud/terraform-provider-huaweicloud drs/resource_huaweicloud_drs_job.go: TagsForceNewSchema, at 50dafa0e00d6"),
	},
}

// opentelekom is opentelekomcloud/provider-opentelekomcloud, and wilaris/provider-opentelekomcloud,
// whose kinds are namespaced, in groups without an m.
//
// Not tags: labels and k8sTags of clusters and nodes (Kubernetes labels, of which a change
// replaces the cluster); tags of an API and of an image, and labels of a group of hosts, which
// are lists of words; tag of a database, which is deprecated; ltsCustomTag, accessConfig
// (of logs); lifecycleRule.tag (a filter); metadata.
var opentelekom = family{
	Family:  Family{Name: "opentelekom", Profile: "opentelekom", Upjet: true},
	domains: []string{"opentelekomcloud.crossplane.io", "opentelekomcloud.m.crossplane.io"},
	fields:  []*candidate{huaweiTags},
	kinds: map[string][]*candidate{
		"cce/NodePoolV3": {at("userTags", "userTags")},

		// A change replaces the job.
		"drs/TaskV3": {at("tags", "tags").request()},

		// Those of wilaris: its API refuses a change.
		"network/SecurityGroup": {at("tags", "tags").kept()},

		// Predefined tags, and those of other resources.
		"tms/*": none,
	},
	immutable: map[string]refusal{
		"lb/ListenerV3":    refused("opentelekomcloud/terraform-provider-opentelekomcloud elb/v3/resource_opentelekomcloud_lb_listener_v3.go: tags ForceNew, v1.36.23 to v1.37.1"),
		"vpcep/EndpointV1": refused("opentelekomcloud/terraform-provider-opentelekomcloud vpcep/resource_opentelekomcloud_vpcep_endpoint_v1.go: no Update, v1.36.23"),
		"vpcep/ServiceV1":  refused("opentelekomcloud/terraform-provider-opentelekomcloud vpcep/resource_opentelekomcloud_vpcep_service_v1.go: tags ForceNew, v1.36.23"),
		"cce/NodePoolV3":   refusedOnce("opentelekomcloud/terraform-provider-opentelekomcloud cce/resource_opentelekomcloud_cce_node_pool_v3.go: user_tags ForceNew, v1.36.23, until provider-opentelekomcloud v0.7.1"),
	},
}
