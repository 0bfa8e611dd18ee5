package field

// hypershift is openshift/hypershift. Tags are part of what says that a cluster is on AWS. Not
// tags: labels of a HostedCluster (Kubernetes labels).
var hypershift = family{
	Family: Family{Name: "hypershift", Profile: "aws", Native: true},
	fields: []*candidate{at(".spec.platform.aws.resourceTags").as(KeyValueList).with(nil, "overridePolicy").request().within()},
	kinds: map[string][]*candidate{
		"HostedControlPlane": none, // The controller copies a HostedCluster's.
	},
}

// hive is openshift/hive. Tags are part of what says that a cluster is on AWS. Not tags: labels
// (Kubernetes labels); userTags of Google (Resource Manager tags, which have IDs) and tags
// (network tags).
var hive = family{
	Family: Family{Name: "hive", Profile: "aws", Native: true},
	fields: []*candidate{at(".spec.platform.aws.userTags").request().within()},
	kinds: map[string][]*candidate{
		"DNSZone": {at(".spec.aws.additionalTags").as(KeyValueList).request().within()},

		// The webhook refuses a change.
		"ClusterDeployment": {at(".spec.platform.aws.userTags").once().within()},
	},
}
