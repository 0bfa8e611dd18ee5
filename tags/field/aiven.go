package field

// aiven is joonvena/provider-aiven.
var aiven = family{
	Family:  Family{Name: "aiven", Profile: "aiven", Upjet: true},
	domains: []string{"aiven.crossplane.io"},
	fields:  []*candidate{at("tag", "tag").as(KeyValueList)},
}
