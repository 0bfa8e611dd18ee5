package field

import "google.golang.org/protobuf/types/known/structpb"

// awsClassic is crossplane-contrib/provider-aws. Its lists are all atomic. Before v0.45.0
// it added tags of its own to many of them (commit cf4baab2e); the releases of
// today add none. The provider of shailsirohi/provider-aws-controlapi is older still, and has
// one kind.
//
// Not tags: computeResources.tags, tagSpecifications (of what is made; the
// tags are beside them), labels of an EKS NodeGroup (Kubernetes labels). A
// LaunchTemplateVersion has only tags of what is launched.
var awsClassic = handwritten("aws-classic", "aws",
	at("tags", "tags").as(Map, KeyValueList),
	at("tagging.tagSet", "tagging.tagSet").as(KeyValueList), // S3 buckets.
	at("identityPoolTags", "identityPoolTags"),              // Cognito.
	at("userPoolTags", "userPoolTags"),
).
	// The API takes the type and the ID of the tagged resource with each
	// tag. The type is always this one. The group itself has no ID before
	// it is created: the API doesn't require it, and the provider doesn't
	// compare it.
	kind("autoscaling/AutoScalingGroup", at("tags", "tags").as(KeyValueList).with(map[string]*structpb.Value{
		"propagateAtLaunch": structpb.NewBoolValue(true),
		"resourceType":      structpb.NewStringValue("auto-scaling-group"),
	}, "resourceID"))
