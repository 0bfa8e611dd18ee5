package profile

// exoscaleSKS has the limits of Exoscale for labels of clusters and node pools. Kubernetes nodes get these
// labels, too. Exoscale's API has no limits for labels of other resources: they have the generic profile.
var exoscaleSKS = narrow(genericContract, "exoscale-sks", func(p *Profile) {
	p.Source = "https://community.exoscale.com/product/compute/containers/how-to/nodepool-labels"
	p.Key, p.KeyClass = Length{Runes: 63, BeforeSlash: 253}, kubernetesClass
	p.Value = Length{Runes: 128}
	p.ValueClass = charsOf("ASCII letters and digits and . _ - / # : @", `[0-9A-Za-z._\-/#:@]`)
	p.Format = colonToDot
}, "compute.exoscale.*/SKS*", "sks.exoscale.*/*")
