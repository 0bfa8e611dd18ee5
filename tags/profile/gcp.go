package profile

// gcp has the limits of Google Cloud for labels, its word for tags.
var gcp = cloud{
	contract: &gcpContract,
	always: []service{
		// The labels of an object of https://github.com/GoogleCloudPlatform/k8s-config-connector are also
		// Kubernetes labels, and the controller has three of its own.
		narrow(gcpContract, func(p *Profile) {
			p.KeyClass = classOf("ASCII letters in lower case, digits and - _ starting with a letter and ending with a letter or digit", "^([a-z]("+gcpASCII+"*"+gcpEnd+")?)?$")
			p.ValueClass = classOf("ASCII letters in lower case, digits and - _ with a letter or digit at both ends", "^("+ended(gcpEnd, gcpASCII)+")?$")
			p.Taken = []string{"cnrm-lease-expiration", "cnrm-lease-holder-id", "managed-by-cnrm"}
		}, "*.cnrm.cloud.google.com/*").named("config-connector"),

		// The labels by which https://github.com/kubernetes-sigs/cluster-api-provider-gcp finds its own
		// resources.
		narrow(gcpContract, func(p *Profile) { p.Taken = []string{"capg-*"} }, clusterAPI("GCP*")...).named("cluster-api"),

		// The CRD of https://github.com/cloudpilot-ai/karpenter-provider-gcp.
		narrow(gcpContract, func(p *Profile) { p.MaxTags = 20 }, "karpenter.k8s.gcp/GCENodeClass").named("karpenter"),
	},
}

// gcpContract has the limits in https://cloud.google.com/resource-manager/docs/labels-overview.
var gcpContract = Profile{
	Name:       "gcp",
	Key:        Length{Runes: 63, Bytes: 128},
	Value:      Length{Runes: 63, Bytes: 128},
	KeyClass:   classOf("letters without case or in lower case, numbers, _ and -, starting with a letter", `^([\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_\-]*)?$`),
	ValueClass: charsOf("letters without case or in lower case, numbers, _ and -", `[\p{Ll}\p{Lo}\p{N}_\-]`),
	MaxTags:    64,
	Reserved:   []string{"goog"},
	Unreserved: []string{"goog-partner-solution"},
	Format:     lowerUnderscores,
}

const (
	gcpEnd   = `[0-9a-z]`
	gcpASCII = `[0-9a-z_\-]`
)
