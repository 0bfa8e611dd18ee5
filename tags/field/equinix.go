package field

// equinix is crossplane-contrib/provider-jet-equinix and provider-tf-equinix-metal, and
// provider-equinix-metal before them. No document limits what is in a tag.
//
// Not tags: instanceParameters.tags of a request for servers (the servers').
var equinix = family{
	Family: Family{Name: "equinix", Profile: "generic", Upjet: true},
	fields: []*candidate{at("tags", "tags").words("=")},
}
