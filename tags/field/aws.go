package field

import "google.golang.org/protobuf/types/known/structpb"

// awsTags is the tags map that the Terraform providers of AWS report twice: once with
// the provider's default tags, and once without.
var awsTags = at("tags", "tagsAll", "tags")

// launchedToo makes an Auto Scaling group pass a tag on to the instances that it
// launches. The API wants to be told, and the group has no tags that its instances
// must not have.
var launchedToo = map[string]*structpb.Value{"propagateAtLaunch": structpb.NewBoolValue(true)}

// aws is crossplane-contrib/provider-upjet-aws, and provider-jet-aws before it. Unless
// it runs with --skip-default-tags, it adds tags of its own to each kind whose
// Terraform tags are a map: see AddExternalTagsField in its
// config/overrides.go, and TagInitializer in pkg/config/resource.go of
// crossplane/upjet. It adds no tags to resources that are only observed.
//
// Not tags of the resource itself: computeResources.tags, ecsTarget.tags,
// rootBlockDevice.tags, volumeTags, tagSpecifications and resourceTags (of
// what the resource makes); filter.tags and filters.resourceTags (filters);
// labels of an EKS NodeGroup (Kubernetes labels); metadata of S3 objects
// (HTTP headers); actions.tagging (a switch).
var aws = upjet("aws", "aws", awsTags).
	adding("tags").
	usually(awsTags).
	// Its tags, where there are any, are the deprecated twin of tag.
	kind("autoscaling/AutoscalingGroup", at("tag", "tag").as(KeyValueList).with(launchedToo)).
	// A resource group of Inspector selects EC2 instances by its tags.
	without("inspector/ResourceGroup").
	// These are tags, not resources that have some.
	without(`autoscaling/GroupTag cognitoidentity/CognitoIdentityPoolProviderPrincipalTag dynamodb/Tag ec2/Tag
		servicecatalog/TagOption transfer/Tag`)
