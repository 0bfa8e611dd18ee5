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
	usual:  hetznerLabels,
}
