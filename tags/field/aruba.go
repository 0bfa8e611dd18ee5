package field

// aruba is Arubacloud/crossplane-provider-arubacloud. A tag is one word of at least 4
// characters, which is what key=value has.
var aruba = family{
	Family: Family{Name: "aruba", Profile: "aruba", Upjet: true},
	fields: []*candidate{at("tags", "tags").words("=")},
	kinds: map[string][]*candidate{
		// The group of newer releases is the domain itself.
		"Cloudserver Keypair": {at("tags", "tags").words("=").request(replaces)},
	},
}
