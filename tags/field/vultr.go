package field

import (
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// vultr is vultr/crossplane-provider-vultr. No document limits what is in a tag.
//
// Not tags: labels of node pools (Kubernetes labels).
var vultr = family{
	Family:  Family{Name: "vultr", Profile: profile.Generic, Upjet: true},
	domains: []string{"vultr.upbound.io", "vultr.m.upbound.io"},
	fields:  []*candidate{at("tags", "tags").words("=")},
}
