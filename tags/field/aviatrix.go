package field

// aviatrix is aviatrix/crossplane-provider-aviatrix. Gateways hand their tags on to the cloud
// that they are in, and are refused in any but AWS and Azure, says the provider's documentation.
// Which one it is the kind doesn't say.
var aviatrix = family{
	Family: Family{Name: "aviatrix", Profile: "generic", Upjet: true},
	fields: []*candidate{at("tags", "tags").request()},
}
