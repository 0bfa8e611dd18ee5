package field

import (
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// ionos is ionos-cloud/provider-upjet-ionoscloud, and crossplane-provider-ionoscloud before
// it, which has no tags. No document limits labels.
//
// Not tags: labels of node pools (Kubernetes labels); metadata of objects (HTTP headers), and
// metadata.labels of what a set of servers makes.
var ionos = family{
	Family:      Family{Name: "ionos", Profile: profile.Generic, Upjet: true},
	domains:     []string{"ionoscloud.io", "m.ionoscloud.io"},
	handwritten: []string{"ionoscloud.crossplane.io"},
	configs: map[string]configs{
		"ionoscloud.io":   {group: "upjet-ionoscloud.ionoscloud.io", version: "v1beta1"},
		"m.ionoscloud.io": {group: "upjet-ionoscloud.m.ionoscloud.io", version: "v1beta1", namespaced: true},
	},
	fields: []*candidate{
		at("label", "label").as(KeyValueList), // Servers.
		at("tags", "tags"),                    // Buckets and objects.
	},
}
