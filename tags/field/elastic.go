package field

import (
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// elastic is crossplane-contrib/provider-upjet-ec, and provider-jet-ec before it, of Elastic
// Cloud, whose deployments have tags.
var elastic = family{
	Family:  Family{Name: "elastic", Profile: profile.Generic, Upjet: true},
	domains: []string{"elasticcloud.crossplane.io", "ec.jet.crossplane.io"},
	fields:  []*candidate{at("tags", "tags")},
}
