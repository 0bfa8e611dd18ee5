package field

// aiven is joonvena/provider-aiven.
var aiven = family{
	Family: Family{Name: "aiven", Profile: "generic", Upjet: true},
	fields: []*candidate{at("tag", "tag").as(KeyValueList)},
}
