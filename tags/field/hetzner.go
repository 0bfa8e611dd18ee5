package field

var hetznerLabels = at("labels", "labels")

// hetzner is miaits/provider-hetzner and transacid/provider-hcloud;
// mrsimonemms/provider-hetzner is the one without Upjet.
var hetzner = family{
	Family:      Family{Name: "hetzner", Profile: "hetzner", Upjet: true},
	domains:     []string{"hetzner.crossplane.io", "hetzner.m.crossplane.io", "hcloud.crossplane.io", "hcloud.m.crossplane.io"},
	handwritten: []string{"cloud.hetzner.crossplane.io"},
	configs: map[string]configs{
		"cloud.hetzner.crossplane.io": {group: "hetzner.crossplane.io", version: "v1alpha1"},
	},
	fields: []*candidate{hetznerLabels},
	fills: map[string]filling{
		// Their labels are optional and computed, without a default: see
		// internal/firewall/resource.go and internal/loadbalancer/resource.go of
		// hetznercloud/terraform-provider-hcloud. Those of other kinds are not computed, or have an
		// empty default.
		"firewall/Firewall":     leavesCloud,
		"network/Firewall":      leavesCloud,
		"loadbalancer/Balancer": leavesCloud,
	},
	usual: hetznerLabels,
}
