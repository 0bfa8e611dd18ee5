package field

import "google.golang.org/protobuf/types/known/structpb"

// awsClassic is crossplane-contrib/provider-aws. Its lists are all atomic. Before v0.45.0
// it added tags of its own to many of them (commit cf4baab2e); the releases of
// today add none. The provider of shailsirohi/provider-aws-controlapi is older still, and has
// one kind.
//
// Not tags: computeResources.tags, tagSpecifications (of what is made; the
// tags are beside them), labels of an EKS NodeGroup (Kubernetes labels). A
// LaunchTemplateVersion has only those of what is launched.
var awsClassic = family{
	Family:  Family{Name: "aws-classic", Profile: "aws"},
	domains: []string{"aws.crossplane.io", "awscontrolapi.crossplane.io"},
	fields: []*candidate{
		at("tags", "tags").as(Map, KeyValueList),
		at("tagging.tagSet", "tagging.tagSet").as(KeyValueList), // S3 buckets.
		at("identityPoolTags", "identityPoolTags"),              // Cognito.
		at("userPoolTags", "userPoolTags"),
	},
	kinds: map[string][]*candidate{
		// The API takes the type and the ID of what is tagged with each tag.
		// The type is always this one. The ID is that of the group itself,
		// which has none before it is created: the API doesn't require it, and
		// the provider doesn't compare it.
		"autoscaling/AutoScalingGroup": {at("tags", "tags").as(KeyValueList).with(map[string]*structpb.Value{
			"propagateAtLaunch": structpb.NewBoolValue(true),
			"resourceType":      structpb.NewStringValue("auto-scaling-group"),
		}, "resourceID")},
	},
	// The late initialization of each kind is its own: see in.Tags in pkg/clients, and in
	// pkg/controller/kms/key/setup.go.
	fills: map[string]filling{
		"eks/Cluster": fillsMissing, // if in.Tags == nil
		"iam/Role":    fillsMissing,
		"iam/User":    fillsMissing,
		"sqs/Queue":   fillsMissing,

		"ec2/Address":                fillsEmpty, // if len(in.Tags) == 0
		"ec2/InternetGateway":        fillsEmpty,
		"ec2/RouteTable":             fillsEmpty,
		"ec2/SecurityGroup":          fillsEmpty,
		"ec2/Subnet":                 fillsEmpty,
		"eks/FargateProfile":         fillsEmpty,
		"eks/IdentityProviderConfig": fillsEmpty,
		"eks/NodeGroup":              fillsEmpty,
		"elasticloadbalancing/ELB":   fillsEmpty,
		"kms/Key":                    fillsEmpty,
		"redshift/Cluster":           fillsEmpty, // Whatever is there is overwritten.
	},
	launches: map[string][]launch{
		// The controller of LaunchTemplate only ever changes which version is the default one:
		// see ModifyLaunchTemplate. A LaunchTemplateVersion can't change.
		"ec2/LaunchTemplate":        {launched("launchTemplateData.tagSpecifications[].tags", "instances and their volumes", atCreation)},
		"ec2/LaunchTemplateVersion": {launched("launchTemplateData.tagSpecifications[].tags", "instances and their volumes", atCreation)},
		"ec2/Instance":              {launched("tagSpecifications[].tags", "volumes", atCreation)},
		"batch/ComputeEnvironment":  {launched("computeResources.tags", "instances", replaces)},
	},
}
