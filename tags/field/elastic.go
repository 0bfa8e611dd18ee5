package field

// elastic is crossplane-contrib/provider-upjet-ec, and provider-jet-ec before it, of Elastic
// Cloud, whose deployments have tags.
var elastic = family{
	Family: Family{Name: "elastic", Profile: "generic", Upjet: true},
	fields: []*candidate{at("tags", "tags")},
}
