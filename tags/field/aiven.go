package field

import (
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// aiven is joonvena/provider-aiven.
var aiven = family{
	Family:  Family{Name: "aiven", Profile: profile.Generic, Upjet: true},
	domains: []string{"aiven.crossplane.io"},
	fields:  []*candidate{at("tag", "tag").as(KeyValueList)},
}
