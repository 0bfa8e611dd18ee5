package field

var hetznerLabels = at("labels", "labels")

// hetzner is miaits/provider-hetzner and transacid/provider-hcloud;
// mrsimonemms/provider-hetzner is the one without Upjet.
var hetzner = upjet("hetzner", "hetzner", hetznerLabels).
	usually(hetznerLabels)
