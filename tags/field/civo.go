package field

// civo is crossplane-contrib/provider-civo, whose kinds have no spec.forProvider, and the
// generated providers of upbound and upsidr. A tag is one word. No document limits what is in it.
//
// Not tags: labels of pools (Kubernetes labels).
var civo = family{
	Family: Family{Name: "civo", Profile: "generic", Upjet: true},
	fields: []*candidate{at("tags", "tags").words("="), at(".spec.instanceConfig.tags").words("=")},
}
