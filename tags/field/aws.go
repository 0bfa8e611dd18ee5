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
// crossplane/upjet, which leaves alone what is only observed.
//
// Not tags of the resource itself: computeResources.tags, ecsTarget.tags,
// rootBlockDevice.tags, volumeTags, tagSpecifications and resourceTags (of
// what the resource makes); filter.tags and filters.resourceTags (filters);
// labels of an EKS NodeGroup (Kubernetes labels); metadata of S3 objects
// (HTTP headers); actions.tagging (a switch).
var aws = family{
	Family:  Family{Name: "aws", Profile: "aws", Upjet: true},
	domains: []string{"aws.upbound.io", "aws.m.upbound.io"},
	retired: []string{"aws.jet.crossplane.io"},
	adds:    "tags",
	fields:  []*candidate{awsTags},
	usual:   awsTags,
	kinds: map[string][]*candidate{
		// Its tags, where there are any, are the deprecated twin of tag.
		"autoscaling/AutoscalingGroup": {at("tag", "tag").as(KeyValueList).with(launchedToo)},

		// A resource group of Inspector selects EC2 instances by its tags.
		"inspector/ResourceGroup": none,

		// These are tags, not resources that have some.
		"autoscaling/GroupTag": none,
		"cognitoidentity/CognitoIdentityPoolProviderPrincipalTag": none,
		"dynamodb/Tag":             none,
		"ec2/Tag":                  none,
		"servicecatalog/TagOption": none,
		"transfer/Tag":             none,
	},
	launches: map[string][]launch{
		// The API refuses tags of volumes and tags of block devices at once, which each would
		// remove what the other has: see tagsSchemaConflictsWith in the Terraform provider's
		// ec2_instance.go. Those of block devices are only there if a step wants them.
		"ec2/Instance": {
			launched("volumeTags", "all volumes that are attached", inPlace).unless(blockDeviceTags...),
			launched("rootBlockDevice.tags", "the root volume", inPlace).ifAny(blockDeviceTags...),
			launched("ebsBlockDevice[].tags", "the volume", atCreation),
		},

		// The API also admits network-interface, which costs nothing, and
		// spot-instances-request. A launch fails if it makes nothing of the type, as one that
		// isn't spot, or has a network interface that is there already. See
		// LaunchTemplateTagSpecificationRequest in the API reference of EC2.
		"ec2/LaunchTemplate": {
			launched("tagSpecifications[].tags", "instances and their volumes", nextLaunch).of("resourceType", "instance", "volume"),
		},

		// See UpdateService in the API reference of ECS: tasks that run keep what they have.
		"ecs/Service": {switchedOn("propagateTags", "SERVICE", "tasks", nextLaunch)},

		"imagebuilder/InfrastructureConfiguration": {
			launched("resourceTags", "instances and volumes of a build", nextLaunch),
		},

		"batch/ComputeEnvironment":       {launched("computeResources.tags", "instances", replaces)},
		"ec2/SpotFleetRequest":           {launched("launchSpecification[].tags", "instances", replaces)},
		"ec2/SpotInstanceRequest":        {launched("rootBlockDevice.tags", "the root volume", replaces), launched("volumeTags", "volumes", atCreation)},
		"cloudwatchevents/Target":        {launched("ecsTarget.tags", "tasks", needsRole)},
		"pipes/Pipe":                     {launched("targetParameters.ecsTaskParameters.tags", "tasks", needsRole)},
		"scheduler/Schedule":             {launched("target.ecsParameters.tags", "tasks", needsRole)},
		"ecr/RepositoryCreationTemplate": {launched("resourceTags", "repositories", needsRole)},
	},
	immutable: map[string]refusal{
		"fis/ExperimentTemplate":      refused("hashicorp/terraform-provider-aws internal/service/fis/experiment_template.go: TagsSchemaForceNew, at 01f431114674 (2025 or later)"),
		"ivs/RecordingConfiguration":  refused("hashicorp/terraform-provider-aws internal/service/ivs/recording_configuration.go: TagsSchemaForceNew, no Update, at 00a35305dc1b (2026)"),
		"ssm/Activation":              refused("hashicorp/terraform-provider-aws internal/service/ssm/activation.go: TagsSchemaForceNew, no Update, at 013f1736b904 (2026)"),
		"macie2/ClassificationJob":    refusedOnce("hashicorp/terraform-provider-aws internal/service/macie2/classification_job.go: TagsSchemaForceNew, until 5.82.2 (2024-12), all that provider-upjet-aws v1 has"),
		"macie2/CustomDataIdentifier": refusedOnce("hashicorp/terraform-provider-aws internal/service/macie2/custom_data_identifier.go: TagsSchemaForceNew, until 5.82.2 (2024-12), all that provider-upjet-aws v1 has"),
		"macie2/FindingsFilter":       refusedOnce("hashicorp/terraform-provider-aws internal/service/macie2/findings_filter.go: TagsSchemaForceNew, until 5.82.2 (2024-12), all that provider-upjet-aws v1 has"),
		"macie2/Member":               refusedOnce("hashicorp/terraform-provider-aws internal/service/macie2/member.go: TagsSchemaForceNew, until 5.82.2 (2024-12), all that provider-upjet-aws v1 has"),
	},
}

// blockDeviceTags are the tags of an instance's block devices.
var blockDeviceTags = []string{"rootBlockDevice.tags", "ebsBlockDevice.tags"}
