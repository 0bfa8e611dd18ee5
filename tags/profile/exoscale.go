package profile

// exoscaleSKS is what Exoscale admits as labels of clusters and node pools, which become those
// of Kubernetes nodes, by https://community.exoscale.com/product/compute/containers/how-to/nodepool-labels.
// Its API has no limits for the labels of other resources: they have the generic profile.
var exoscaleSKS = narrow(genericContract, func(p *Profile) {
	p.Key, p.KeyClass = Length{Runes: 63, Prefix: 253}, kubernetesClass
	p.Value = Length{Runes: 128}
	p.ValueClass = charsOf("ASCII letters and digits and . _ - / # : @", `[0-9A-Za-z._\-/#:@]`)
	p.Format = noColonOnly
}, "compute.exoscale.*/SKS*", "sks.exoscale.*/*").named("exoscale-sks")
