package field

// gridscale is PlatformRelay/provider-gridscale and dNationCloud/provider-gridscale, of which
// the latter has certificates in a group of another name. A label is one word. No document
// limits what is in it.
//
// Not tags: nodePool.labels (Kubernetes labels).
var gridscale = family{
	Family: Family{Name: "gridscale", Profile: "generic", Upjet: true},
	fields: []*candidate{at("labels", "labels").words("=")},
}
