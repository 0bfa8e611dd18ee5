package field

// osok is oracle/oci-service-operator, whose API groups are the services of Oracle Cloud.
//
// Not tags of the resource itself: definedTags (their namespaces must exist before).
var osok = family{
	Family: Family{Name: "osok", Profile: "oci", Native: true},
	fields: []*candidate{at(".spec.freeformTags", ".status.freeformTags").request(untried)},
}
