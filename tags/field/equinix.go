package field

import (
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// equinix is crossplane-contrib/provider-jet-equinix and provider-tf-equinix-metal, and
// provider-equinix-metal before them. No document limits what is in a tag.
//
// Not tags: instanceParameters.tags of a request for servers (the servers').
var equinix = family{
	Family:      Family{Name: "equinix", Profile: profile.Generic, Upjet: true},
	domains:     []string{"equinix.jet.crossplane.io", "equinixmetal.jet.crossplane.io"},
	handwritten: []string{"metal.equinix.com"},
	fields:      []*candidate{at("tags", "tags").words("=")},
	immutable: map[string]refusal{
		"reserved/IpBlock": refused("equinix/terraform-provider-metal metal/resource_metal_reserved_ip_block.go: tags ForceNew, v3.2.0"),
	},
}
