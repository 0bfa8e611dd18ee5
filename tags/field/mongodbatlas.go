package field

// mongodbatlas is crossplane-contrib/provider-mongodbatlas.
//
// Not tags: labels of clusters (deprecated for tags, and one of them is the provider's own);
// labels of database users (nothing is billed by them).
var mongodbatlas = family{
	Family: Family{Name: "mongodbatlas", Profile: "mongodbatlas", Upjet: true},
	fields: []*candidate{at("tags", "tags").as(Map, KeyValueList)},
}
