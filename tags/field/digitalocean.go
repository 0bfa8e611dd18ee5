package field

// digitalocean is crossplane-contrib/provider-upjet-digitalocean. A tag is one word of at
// most 255 letters, digits, colons, dashes and underscores, says the tags
// chapter of its API reference.
//
// Not tags: labels of a node pool (Kubernetes labels), metadata of an object
// in Spaces.
var digitalocean = family{
	Family: Family{Name: "digitalocean", Profile: "digitalocean", Upjet: true},
	fields: []*candidate{at("tags", "tags").words(":")},
	kinds: map[string][]*candidate{
		// They select by tag: a firewall protects, and an alert watches, every
		// Droplet that has one of theirs.
		"networking/Firewall": none,
		"monitor/Alert":       none,

		// A tag, not a resource that has some.
		"digitalocean/Tag": none,
	},
}
