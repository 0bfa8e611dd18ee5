package profile

// scaleway has the generic profile's limits: the documents of Scaleway have none for most services.
var scaleway = cloud{contract: changed(genericContract, func(p *Profile) { p.Name, p.Guess = "scaleway", "all limits: the documents have none" })}.
	service("iam", func(p *Profile) { p.Source, p.MaxTags = "https://www.scaleway.com/developers/api/iam", 10 }, "iam.scaleway.*/*").

	// Tags with these keys set taints and labels of a pool's nodes.
	service("k8s", func(p *Profile) {
		p.Source = "https://www.scaleway.com/docs/kubernetes/reference-content/managing-tags"
		p.Taken = []string{"noprefix", "taint"}
	}, "k8s.scaleway.*/Pool")
