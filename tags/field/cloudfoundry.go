package field

// cloudfoundry is SAP/crossplane-provider-cloudfoundry. It gives every resource labels of its
// own: see BuildMetadata in its internal/clients/metadata.
//
// Not tags: tags of a ServiceInstance (applications read them in VCAP_SERVICES).
var cloudfoundry = family{
	Family: Family{Name: "cloudfoundry", Profile: "cloudfoundry"},
	adds:   "labels",
	fields: []*candidate{at("labels", "labels")},
}
