package field

// linode is linode/provider-linode, and crossplane-contrib/provider-jet-linode before it. A tag
// is one word of 3 to 50 characters, says the API reference.
//
// Not tags of the resource itself: labels of a node pool (Kubernetes labels); pool.tags of
// a cluster (the pool's); externalPoolTags (they say which pools are someone else's, who
// gives these such a tag); metadata (of a guest, or an object).
var linode = family{
	Family: Family{Name: "linode", Profile: "linode", Upjet: true},
	fields: []*candidate{at("tags", "tags").words("=").upTo(50)},
}
