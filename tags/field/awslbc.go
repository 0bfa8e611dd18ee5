package field

// tagsLoadBalancers is why kinds that are no resources of AWS themselves are tagged on request only.
const tagsLoadBalancers = "the tags are those of the load balancers that others make with it"

// awsLBC is kubernetes-sigs/aws-load-balancer-controller. Its kinds have the tags of the load
// balancers of Ingresses and Gateways. Only a GlobalAccelerator is a resource of AWS itself.
//
// Not tags: subnets.tags of IngressClassParams, which select subnets.
var awsLBC = native("aws-lbc", "aws",
	at(".spec.tags").as(Map, KeyValueList).request(tagsLoadBalancers),
	at(".spec.defaultConfiguration.tags").request(tagsLoadBalancers),
).
	kind("GlobalAccelerator", at(".spec.tags"))
