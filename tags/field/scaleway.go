package field

// scaleway is scaleway/crossplane-provider-scaleway, and octo-technology/provider-jet-scaleway
// before it. A tag is one word, for which Scaleway's documents have key=value; buckets and
// objects have the map of Amazon S3. No document limits a tag's length.
//
// Not tags: labels of a Kubernetes pool (Kubernetes labels), volumes.tags of a template of
// instances (the volumes'), lifecycleRule.tags of a bucket (a filter), metadata of an
// object (HTTP headers).
var scaleway = family{
	Family: Family{Name: "scaleway", Profile: "scaleway", Upjet: true},
	fields: []*candidate{at("tags", "tags").words("=").as(Map, StringList)},
	kinds: map[string][]*candidate{
		"k8s/Pool": {
			at("tags", "tags").words("=").request("each becomes a label of the pool's nodes, and those that start with taint= or noprefix= mean more"),
		},
	},
}
