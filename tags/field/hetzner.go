package field

var hetznerLabels = at("labels", "labels")

// hetzner is miaits/provider-hetzner and transacid/provider-hcloud;
// mrsimonemms/provider-hetzner is the one without Upjet.
var hetzner = family{
	Family: Family{Name: "hetzner", Profile: "hetzner", Upjet: true},
	fields: []*candidate{hetznerLabels},
	usual:  hetznerLabels,
}
