package field

// aviatrix is aviatrix/crossplane-provider-aviatrix. Gateways hand their tags on to the cloud
// that they are in, says the provider's documentation.
var aviatrix = family{
	Family: Family{Name: "aviatrix", Profile: "generic", Upjet: true},
	fields: []*candidate{at("tags", "tags").request("gateways are refused with tags in other clouds than AWS and Azure, and the kind doesn't say which cloud it is")},
}
