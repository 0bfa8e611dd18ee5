package profile

// aws has the limits of AWS.
var aws = cloud{
	contract:     &awsContract,
	api:          &awsAPI,
	services:     []service{awsLoadBalancers(*changed(awsAPI, func(p *Profile) { p.ReservedValues = awsRefusing.ReservedValues }))},
	refuses:      []service{awsLoadBalancers(awsRefusing)},
	table:        awsCloudTable,
	refusesTable: awsRefusingTable,
	always: []service{
		// The validation of additionalTags, and the tags by which the controller finds its own resources.
		narrow(awsContract, "cluster-api", func(p *Profile) {
			p.Source = "https://github.com/kubernetes-sigs/cluster-api-provider-aws/blob/2cf09d78547d32975570a4b9ba5496bdfe26abeb/api/v1beta2/tags.go#L77"
			p.KeyClass, p.ValueClass = awsASCIIClass, awsASCIIClass
			p.Taken = []string{"Name", "kubernetes.io/cluster/*", "sigs.k8s.io/cluster-api-provider-aws/*"}
		}, clusterAPI("AWS*", "ROSA*")...),

		narrow(awsContract, "karpenter", func(p *Profile) {
			p.Source = "https://github.com/aws/karpenter-provider-aws/blob/1d927085dd81a9df9301e613f371dac5b4d16bfe/pkg/apis/v1/ec2nodeclass.go#L106"
			p.Taken = []string{"eks:eks-cluster-name", "karpenter.k8s.aws/ec2nodeclass", "karpenter.sh/nodeclaim", "karpenter.sh/nodepool", "kubernetes.io/cluster*"}
		}, "karpenter.k8s.aws/EC2NodeClass", "eks.amazonaws.com/NodeClass"),

		awsLoadBalancers(awsContract),

		// The tags of volumes that the driver sets itself, and values that it reads as templates.
		narrow(awsContract, "ebs-csi", func(p *Profile) {
			p.Source = "https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/429e202e589798e55c0f8ddcc81b2850b7f000d0/pkg/cloud/cloud.go#L126"
			p.ValueClass = charsOf("", `[^\p{Cc}]`).without("anything but control characters and {{", `\{\{`)
			p.Taken = []string{"CSIVolumeName", "CSIVolumeSnapshotName", "ebs.csi.aws.com/*", "kubernetes.io*"}
		}, "storage.k8s.io/*", "snapshot.storage.k8s.io/*"),

		narrow(awsContract, "hypershift", func(p *Profile) {
			p.Source = "https://github.com/openshift/hypershift/blob/3ee9615567acffaf3e3ee25c2ca2942d650565cf/api/hypershift/v1beta1/aws.go#L407"
			p.KeyClass = charsOf("ASCII letters and digits and + - = . _ : / @", awsNoSpace)
			p.ValueClass = classOf("ASCII letters and digits and + - = . _ : / @ not empty", "^"+awsNoSpace+"+$")
			p.MaxTags = 25
		}, "hypershift.openshift.io/*"),
	},
}

// awsLoadBalancers returns the profile without the tags by which AWS Load Balancer Controller finds its own
// resources.
func awsLoadBalancers(p Profile) service {
	return narrow(p, "load-balancer-controller", func(p *Profile) {
		p.Source = "https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/225f44568848eb25f13e304a5f1cc68c0cd9415d/pkg/deploy/tracking/provider.go#L15"
		p.Taken = []string{"elbv2.k8s.aws/cluster", "ingress.k8s.aws/resource", "ingress.k8s.aws/stack", "service.k8s.aws/resource", "service.k8s.aws/stack"}
	}, "elbv2.k8s.aws/*", "gateway.k8s.aws/*", "aga.k8s.aws/*", "eks.amazonaws.com/IngressClassParams", "/Service", "networking.k8s.io/Ingress")
}

// clusterAPI returns patterns of these kinds in the API groups that all providers of Cluster API share.
func clusterAPI(names ...Pattern) []Pattern {
	var kinds []Pattern

	for _, group := range []Pattern{"infrastructure", "controlplane", "bootstrap"} {
		for _, name := range names {
			kinds = append(kinds, group+".cluster.x-k8s.io/"+name)
		}
	}

	return kinds
}

var awsContract = Profile{
	Name:     "aws",
	Source:   "https://docs.aws.amazon.com/tag-editor/latest/userguide/tagging.html",
	Key:      Length{Runes: 128},
	Value:    Length{Runes: 256},
	KeyClass: awsClass,
	MaxTags:  50,
	Reserved: []string{"aws:"},
}

// awsAPI admits in values the characters of keys, as many services do. EC2 admits all.
var awsAPI = *changed(awsContract, func(p *Profile) { p.ValueClass = awsClass })

// awsRefusing admits in values what load balancers are known to admit.
var awsRefusing = *changed(awsContract, func(p *Profile) {
	p.ValueClass = charsOf("letters, numbers, white space and + - = . _ : / @", `[\p{L}\p{N}\p{Z}\s+\-=._:/@]`)
	p.ReservedValues = []string{"aws:*"}
})

var awsClass = charsOf("letters, digits, space and + - = . _ : / @", `[\p{L}\p{Nd} +\-=._:/@]`)

// awsASCIIClass is the class of services that admit ASCII letters only.
var awsASCIIClass = charsOf("ASCII letters and digits, space and + - = . _ : / @", `[0-9A-Za-z +\-=._:/@]`)

const awsNoSpace = `[0-9A-Za-z+\-=._:/@]`
