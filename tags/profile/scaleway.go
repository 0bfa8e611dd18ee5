package profile

// scaleway is Scaleway, whose documents have no limits for most services: what isn't known
// is as the generic profile has it.
var scaleway = cloud{
	contract: &scalewayContract,
	always: []service{
		// The comments of tags in the API of https://www.scaleway.com/developers/api/iam.
		narrow(scalewayContract, func(p *Profile) { p.MaxTags = 10 }, "iam.scaleway.*/*"),

		// The tags of node pools that set taints, and labels without a prefix, by
		// https://www.scaleway.com/docs/kubernetes/reference-content/managing-tags.
		narrow(scalewayContract, func(p *Profile) { p.Taken = []string{"noprefix", "taint"} }, "k8s.scaleway.*/Pool"),
	},
}

var scalewayContract = Profile{
	Name:     "scaleway",
	Key:      Length{Runes: 63},
	Value:    Length{Runes: 255},
	KeyClass: strict,
	MaxTags:  32,
}
