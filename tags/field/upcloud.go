package field

// upcloud is UpCloudLtd/crossplane-provider-upcloud, and provider-upcloud before it.
//
// Not tags: tags of a server, by which UpCloud controls who may use it.
var upcloud = family{
	Family:  Family{Name: "upcloud", Profile: "upcloud", Upjet: true},
	domains: []string{"upcloud.com", "m.upcloud.com"},
	configs: map[string]configs{
		"upcloud.com":   {group: "provider.upcloud.com", version: "v1beta1"},
		"m.upcloud.com": {group: "provider.m.upcloud.com", version: "v1beta1", namespaced: true},
	},
	fields: []*candidate{at("labels", "labels")},
	kinds: map[string][]*candidate{
		// A change replaces the group and its nodes.
		"uks/KubernetesNodeGroup": {at("labels", "labels").request()},
	},
	immutable: map[string]refusal{
		"uks/KubernetesNodeGroup": refused("UpCloudLtd/terraform-provider-upcloud internal/service/kubernetes/node_group.go: labels RequiresReplace, v5.31.1"),
	},
}
