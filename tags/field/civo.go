package field

import (
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// civo is crossplane-contrib/provider-civo, whose kinds have no spec.forProvider, and the
// generated providers of upbound and upsidr. A tag is one word. No document limits what is in it.
//
// Not tags: labels of pools (Kubernetes labels).
var civo = family{
	Family:      Family{Name: "civo", Profile: profile.Generic, Upjet: true},
	domains:     []string{"civo.upbound.io", "civo.m.upbound.io"},
	handwritten: []string{"civo.crossplane.io"},
	fields:      []*candidate{at("tags", "tags").words("="), at(".spec.instanceConfig.tags").words("=")},
}
