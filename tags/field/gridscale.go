package field

import (
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// gridscale is PlatformRelay/provider-gridscale and dNationCloud/provider-gridscale, of which
// the latter has certificates in a group of another name. A label is one word. No document
// limits what is in it.
//
// Not tags: nodePool.labels (Kubernetes labels).
var gridscale = family{
	Family: Family{Name: "gridscale", Profile: profile.Generic, Upjet: true},
	domains: []string{
		"gridscale.platformrelay.io", "gridscale.m.platformrelay.io",
		"gridscale.crossplane.io", "ssl.crossplane.io",
	},
	configs: map[string]configs{
		"ssl.crossplane.io": {group: "gridscale.crossplane.io", version: "v1beta1"},
	},
	fields: []*candidate{at("labels", "labels").words("=")},
	immutable: map[string]refusal{
		"*/Certificate": refused("gridscale/terraform-provider-gridscale gridscale/resource_gridscale_sslcert.go: labels ForceNew, v1.26.0 to v2.2.3"),
	},
}
