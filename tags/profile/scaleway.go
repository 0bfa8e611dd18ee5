package profile

// scaleway has the limits of Scaleway. Its documents have none for most services: these limits are the
// generic profile's.
var scaleway = cloud{
	contract: &scalewayContract,
	always: []service{
		// The comments of tags in the API of https://www.scaleway.com/developers/api/iam.
		narrow(scalewayContract, func(p *Profile) { p.MaxTags = 10 }, "iam.scaleway.*/*"),

		// Tags with these keys set taints and labels of a pool's nodes, by
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
