package profile

// gcp has the limits of Google Cloud for labels, its word for tags.
var gcp = cloud{contract: &Profile{
	Name:       "gcp",
	Source:     "https://cloud.google.com/resource-manager/docs/labels-overview",
	Key:        Length{Runes: 63, Bytes: 128},
	Value:      Length{Runes: 63, Bytes: 128},
	KeyClass:   classOf("letters without case or in lower case, numbers, _ and -, starting with a letter", `^([\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_\-]*)?$`),
	ValueClass: charsOf("letters without case or in lower case, numbers, _ and -", `[\p{Ll}\p{Lo}\p{N}_\-]`),
	MaxTags:    64,
	Reserved:   []string{"goog"},
	Unreserved: []string{"goog-partner-solution"},
	Format:     lowerUnderscores,
}}.
	// The labels of an object of Config Connector are also Kubernetes labels, and the controller has three of
	// its own.
	service("config-connector", func(p *Profile) {
		p.Source = "https://github.com/GoogleCloudPlatform/k8s-config-connector/blob/13d73dd58015a59527b0ab6f9746b4a706612007/pkg/label/label.go#L47 https://github.com/GoogleCloudPlatform/k8s-config-connector/blob/1a764d551d254744f5d8bf407692251db5a8e774/pkg/lease/leaser/leaser.go"
		p.KeyClass = classOf("ASCII letters in lower case, digits and - _ starting with a letter and ending with a letter or digit", "^([a-z]("+gcpASCII+"*"+gcpEnd+")?)?$")
		p.ValueClass = classOf("ASCII letters in lower case, digits and - _ with a letter or digit at both ends", "^("+ended(gcpEnd, gcpASCII)+")?$")
		p.Taken = []string{"cnrm-lease-expiration", "cnrm-lease-holder-id", "managed-by-cnrm"}
	}, "*.cnrm.cloud.google.com/*").

	// The labels by which the controller finds its own resources.
	service("cluster-api", func(p *Profile) {
		p.Source = "https://github.com/kubernetes-sigs/cluster-api-provider-gcp/blob/5e0bb3b249cab59aa2720f03094a172fd153666b/api/v1beta1/labels.go#L101"
		p.Taken = []string{"capg-*"}
	}, clusterAPI("GCP*")...).
	service("karpenter", func(p *Profile) {
		p.Source, p.MaxTags = "https://github.com/cloudpilot-ai/karpenter-provider-gcp/blob/417f047b117521aba6d3ab120dac538a92161bf4/pkg/apis/v1alpha1/gcenodeclass.go#L70", 20
	}, "karpenter.k8s.gcp/GCENodeClass")

const (
	gcpEnd   = `[0-9a-z]`
	gcpASCII = `[0-9a-z_\-]`
)
