package field

// awsLBC is kubernetes-sigs/aws-load-balancer-controller. Its kinds say what tags the load
// balancers have that Ingresses and Gateways make, but for a GlobalAccelerator, which is one itself.
//
// Not tags: subnets.tags of IngressClassParams, which select subnets.
var awsLBC = family{
	Family: Family{Name: "aws-lbc", Profile: "aws", Native: true},
	fields: []*candidate{
		at(".spec.tags").as(Map, KeyValueList).request(),
		at(".spec.defaultConfiguration.tags").request(),
	},
	kinds: map[string][]*candidate{
		"GlobalAccelerator": {at(".spec.tags")},
	},
}
