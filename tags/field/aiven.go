package field

import "github.com/plexsphere/function-cloud-tags/tags"

// aiven is joonvena/provider-aiven.
var aiven = family{
	Family:  Family{Name: "aiven", Profile: tags.Generic, Upjet: true},
	domains: []string{"aiven.crossplane.io"},
	fields:  []*candidate{at("tag", "tag").as(KeyValueList)},
}
