package field

// ionos is ionos-cloud/provider-upjet-ionoscloud, and crossplane-provider-ionoscloud before
// it, which has no tags. No document limits labels of servers. The Terraform provider's schema admits only ASCII lower-case letters
// and digits in them, but Upjet runs it in process, without that check.
//
// Not tags: labels of node pools (Kubernetes labels); metadata of objects (HTTP headers), and
// metadata.labels of what a set of servers makes.
var ionos = family{
	Family: Family{Name: "ionos", Profile: "generic", Upjet: true},
	fields: []*candidate{
		at("label", "label").as(KeyValueList), // Servers.
		at("tags", "tags"),                    // Buckets and objects.
	},
}
