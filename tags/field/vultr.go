package field

// vultr is vultr/crossplane-provider-vultr. No document limits what is in a tag.
//
// Not tags: labels of node pools (Kubernetes labels).
var vultr = family{
	Family: Family{Name: "vultr", Profile: "generic", Upjet: true},
	fields: []*candidate{at("tags", "tags").words("=")},
}
