package field

// onAWS is why kinds are tagged on request only that can be of other clouds.
const onAWS = "tags are part of what says that a cluster is on AWS"

// hypershift is openshift/hypershift. Not tags: labels of a HostedCluster (Kubernetes labels).
var hypershift = family{
	Family: Family{Name: "hypershift", Profile: "aws", Native: true},
	fields: []*candidate{at(".spec.platform.aws.resourceTags").as(KeyValueList).with(nil, "overridePolicy").request(onAWS).within()},
	kinds: map[string][]*candidate{
		"HostedControlPlane": none, // The controller copies a HostedCluster's.
	},
}

// hive is openshift/hive. Not tags: labels
// (Kubernetes labels); userTags of Google (Resource Manager tags, which have IDs) and tags
// (network tags).
var hive = family{
	Family: Family{Name: "hive", Profile: "aws", Native: true},
	fields: []*candidate{at(".spec.platform.aws.userTags").request(onAWS).within()},
	kinds: map[string][]*candidate{
		"DNSZone":           {at(".spec.aws.additionalTags").as(KeyValueList).request(onAWS).within()},
		"ClusterDeployment": {at(".spec.platform.aws.userTags").once(refusedByHook).within()},
	},
}
