package field

// btp is SAP/crossplane-provider-btp, of SAP Business Technology Platform. The labels of its
// accounts and service instances may have several values each.
//
// Not labels: parameters of environments and services (of what is in them).
var btp = family{
	Family: Family{Name: "btp", Profile: "btp"},
	fields: []*candidate{at("labels", "labels").as(MapOfLists)},
}
