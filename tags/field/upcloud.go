package field

// upcloud is UpCloudLtd/crossplane-provider-upcloud, and provider-upcloud before it.
//
// Not tags: tags of a server, by which UpCloud controls who may use it.
var upcloud = family{
	Family: Family{Name: "upcloud", Profile: "upcloud", Upjet: true},
	fields: []*candidate{at("labels", "labels")},
	kinds: map[string][]*candidate{
		"uks/KubernetesNodeGroup": {at("labels", "labels").request(replaces)},
	},
}
