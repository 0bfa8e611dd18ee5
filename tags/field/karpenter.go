package field

// inHash is why node classes are tagged on request only.
const inHash = "tags are part of the hash by which Karpenter finds out that nodes are to be replaced"

// karpenterAWS is aws/karpenter-provider-aws.
var karpenterAWS = family{
	Family: Family{Name: "karpenter-aws", Profile: "aws", Native: true},
	fields: []*candidate{at(".spec.tags").request(inHash)},
}

// karpenterAzure is Azure/karpenter-provider-azure, which leaves the tags out of the hash and
// changes those of nodes that are there.
var karpenterAzure = family{
	Family: Family{Name: "karpenter-azure", Profile: "azure", Native: true},
	fields: []*candidate{at(".spec.tags")},
}

// karpenterGCP is cloudpilot-ai/karpenter-provider-gcp. Not labels: networkTags.
var karpenterGCP = family{
	Family: Family{Name: "karpenter-gcp", Profile: "gcp", Native: true},
	fields: []*candidate{at(".spec.labels").request(inHash)},
}
