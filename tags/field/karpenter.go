package field

// karpenterAWS is aws/karpenter-provider-aws. The tags of a node class are part of the hash by
// which Karpenter finds out that nodes are to be replaced.
var karpenterAWS = family{
	Family: Family{Name: "karpenter-aws", Profile: "aws", Native: true},
	fields: []*candidate{at(".spec.tags").request()},
}

// karpenterAzure is Azure/karpenter-provider-azure, which leaves the tags out of the hash and
// changes those of nodes that are there.
var karpenterAzure = family{
	Family: Family{Name: "karpenter-azure", Profile: "azure", Native: true},
	fields: []*candidate{at(".spec.tags")},
}

// karpenterGCP is cloudpilot-ai/karpenter-provider-gcp. The labels of a node class are part of the
// hash. Not labels: networkTags.
var karpenterGCP = family{
	Family: Family{Name: "karpenter-gcp", Profile: "gcp", Native: true},
	fields: []*candidate{at(".spec.labels").request()},
}
