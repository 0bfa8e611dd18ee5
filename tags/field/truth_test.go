package field_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/field"
)

// Fields as the table of TestTruth writes them: paths are below spec.forProvider
// and status.atProvider.

func not() field.Field { return field.Field{Shape: field.None} }

func tagMap(path string, observed ...string) field.Field {
	return field.Field{Path: "spec.forProvider." + path, Shape: field.Map, Observed: atProvider(observed)}
}

func tagList(path, key, value string, observed ...string) field.Field {
	return field.Field{
		Path: "spec.forProvider." + path, Shape: field.KeyValueList, Key: key, Value: value,
		Atomic: true, Observed: atProvider(observed),
	}
}

func with(f field.Field, extra map[string]*structpb.Value) field.Field {
	f.Extra = extra
	return f
}

func tagSet(separator string, observed ...string) field.Field {
	return field.Field{
		Path: "spec.forProvider.tags", Shape: field.StringList, Separator: separator, MaxLength: 255,
		Observed: atProvider(observed),
	}
}

func atomic(f field.Field) field.Field {
	f.Atomic = true
	return f
}

func atProvider(paths []string) []string {
	var out []string
	for _, p := range paths {
		out = append(out, "status.atProvider."+p)
	}

	return out
}

// TestTruth is what providers' and clouds' documents say of kinds that are easily
// got wrong. It is written by hand: no rule may make it.
func TestTruth(t *testing.T) {
	propagate := map[string]*structpb.Value{"propagateAtLaunch": structpb.NewBoolValue(true)}

	cases := []struct {
		group, version, kind string

		want   field.Field
		reason string
	}{
		// AWS.
		{"ec2.aws.m.upbound.io", "v1beta1", "VPC", tagMap("tags", "tagsAll", "tags"), "The plain case. tagsAll has the tags that the provider config adds, too."},
		{"ec2.aws.upbound.io", "v1beta1", "VPC", tagMap("tags", "tagsAll", "tags"), "The same, cluster scoped."},
		{"ec2.aws.m.upbound.io", "v1beta1", "Route", not(), "A route is part of a route table, and has no tags."},
		{"inspector.aws.m.upbound.io", "v1beta1", "ResourceGroup", not(), "Inspector Classic assesses the EC2 instances that have these tags."},
		{"inspector.aws.upbound.io", "v1beta1", "ResourceGroup", not(), "The same, cluster scoped."},
		{"resourcegroups.aws.m.upbound.io", "v1beta1", "Group", tagMap("tags", "tagsAll", "tags"), "Another service's resource group, whose tags are its own."},
		{"autoscaling.aws.m.upbound.io", "v1beta1", "AutoscalingGroup", with(tagList("tag", "key", "value", "tag"), propagate), "aws_autoscaling_group has tag blocks, in which propagate_at_launch is required."},
		{"autoscaling.aws.upbound.io", "v1beta1", "AutoscalingGroup", with(tagList("tag", "key", "value", "tag"), propagate), "Its tags, a list of objects without fields, is the deprecated twin."},
		{"autoscaling.aws.upbound.io", "v1beta2", "AutoscalingGroup", with(tagList("tag", "key", "value", "tag"), propagate), "Later versions have no twin."},
		{"autoscaling.aws.upbound.io", "v1beta3", "AutoscalingGroup", with(tagList("tag", "key", "value", "tag"), propagate), "Later versions have no twin."},
		{"autoscaling.aws.m.upbound.io", "v1beta1", "GroupTag", not(), "The resource is one tag of a group."},
		{"ec2.aws.m.upbound.io", "v1beta1", "Tag", not(), "The resource is one tag of another."},
		{"dynamodb.aws.m.upbound.io", "v1beta1", "Tag", not(), "The resource is one tag of a table."},
		{"transfer.aws.m.upbound.io", "v1beta1", "Tag", not(), "The resource is one tag of a server."},
		{"servicecatalog.aws.m.upbound.io", "v1beta1", "TagOption", not(), "What tags users of the catalogue may choose."},
		{"ec2.aws.m.upbound.io", "v1beta1", "Instance", tagMap("tags", "tagsAll", "tags"), "Not volumeTags, which fight with rootBlockDevice.tags."},
		{"ec2.aws.upbound.io", "v1beta2", "Instance", tagMap("tags", "tagsAll", "tags"), "Not rootBlockDevice.tags, which are the volume's."},
		{"ec2.aws.m.upbound.io", "v1beta1", "SpotInstanceRequest", tagMap("tags", "tagsAll", "tags"), "Those of the request; the instance has its own."},
		{"ec2.aws.m.upbound.io", "v1beta1", "LaunchTemplate", tagMap("tags", "tagsAll", "tags"), "tagSpecifications are of what is launched."},
		{"batch.aws.m.upbound.io", "v1beta1", "ComputeEnvironment", tagMap("tags", "tagsAll", "tags"), "computeResources.tags are of instances, and a change of them may replace the environment."},
		{"cloudwatchevents.aws.m.upbound.io", "v1beta1", "Target", not(), "ecsTarget.tags are of the tasks that an event starts."},
		{"ecr.aws.m.upbound.io", "v1beta1", "RepositoryCreationTemplate", not(), "resourceTags are of repositories that it will make. A template has none."},
		{"imagebuilder.aws.m.upbound.io", "v1beta1", "InfrastructureConfiguration", tagMap("tags", "tagsAll", "tags"), "resourceTags are of what a build makes."},
		{"s3.aws.m.upbound.io", "v1beta1", "BucketMetric", not(), "filter.tags says which objects are measured."},
		{"s3.aws.m.upbound.io", "v1beta1", "BucketAnalyticsConfiguration", not(), "filter.tags is a filter."},
		{"s3.aws.m.upbound.io", "v1beta1", "BucketIntelligentTieringConfiguration", not(), "filter.tags is a filter."},
		{"securityhub.aws.upbound.io", "v1beta2", "Insight", not(), "filters.resourceTags is a filter, with a comparison."},
		{"guardduty.aws.m.upbound.io", "v1beta1", "MalwareProtectionPlan", tagMap("tags", "tagsAll", "tags"), "actions.tagging turns on the tagging of objects that were scanned."},
		{"s3.aws.m.upbound.io", "v1beta1", "Object", tagMap("tags", "tagsAll", "tags"), "metadata are HTTP headers."},
		{"s3.aws.m.upbound.io", "v1beta1", "ObjectCopy", tagMap("tags", "tagsAll", "tags"), "metadata are HTTP headers."},
		{"eks.aws.m.upbound.io", "v1beta1", "NodeGroup", tagMap("tags", "tagsAll", "tags"), "labels are Kubernetes labels."},
		{"aws.m.upbound.io", "v1beta1", "ProviderConfig", not(), "Not a managed resource."},

		// Classic AWS.
		{"s3.aws.crossplane.io", "v1beta1", "Bucket", tagList("tagging.tagSet", "key", "value"), "As the S3 API has it."},
		{"kms.aws.crossplane.io", "v1alpha1", "Key", tagList("tags", "tagKey", "tagValue"), "As the KMS API calls them."},
		{"redshift.aws.crossplane.io", "v1alpha1", "Cluster", tagList("tags", "tag", "value"), "As the provider calls them, for some reason."},
		{"autoscaling.aws.crossplane.io", "v1beta1", "AutoScalingGroup", with(tagList("tags", "key", "value", "tags"), map[string]*structpb.Value{
			"propagateAtLaunch": structpb.NewBoolValue(true), "resourceType": structpb.NewStringValue("auto-scaling-group"),
		}), "The API takes the type of what is tagged with each tag, and only knows this one."},
		{"ec2.aws.crossplane.io", "v1beta1", "VPC", tagList("tags", "key", "value"), "A list, atomic, to which the provider adds its own."},
		{"ec2.aws.crossplane.io", "v1alpha1", "Volume", tagMap("tags"), "tagSpecifications are of the request. What it reports is a list, not a map."},
		{"ec2.aws.crossplane.io", "v1alpha1", "VPCEndpoint", tagMap("tags"), "As a volume."},
		{"ec2.aws.crossplane.io", "v1alpha1", "TransitGateway", tagList("tags", "key", "value", "tags"), "tags are beside tagSpecifications."},
		{"ec2.aws.crossplane.io", "v1alpha1", "Instance", tagList("tags", "key", "value", "tags"), "tags are beside tagSpecifications."},
		{"ec2.aws.crossplane.io", "v1alpha1", "LaunchTemplateVersion", not(), "launchTemplateData.tagSpecifications are of what is launched."},
		{"batch.aws.crossplane.io", "v1alpha1", "ComputeEnvironment", tagMap("tags"), "computeResources.tags are of instances."},
		{"eks.aws.crossplane.io", "v1alpha1", "NodeGroup", tagMap("tags"), "labels are Kubernetes labels."},
		{"cognitoidentity.aws.crossplane.io", "v1alpha1", "IdentityPool", tagMap("identityPoolTags"), "As the Cognito API calls them."},
		{"cognitoidentityprovider.aws.crossplane.io", "v1alpha1", "UserPool", tagMap("userPoolTags"), "As the Cognito API calls them."},
		{"iam.aws.crossplane.io", "v1beta1", "Role", tagList("tags", "key", "value"), "Only the key is required, but we have a value."},
		{"sqs.aws.crossplane.io", "v1beta1", "Queue", tagMap("tags"), "Some are maps."},

		// Azure.
		{"azure.m.upbound.io", "v1beta1", "ResourceGroup", tagMap("tags", "tags"), "The one kind that is in the group without a service."},
		{"azure.upbound.io", "v1beta1", "ResourceGroup", tagMap("tags", "tags"), "The same, cluster scoped."},
		{"apimanagement.azure.m.upbound.io", "v1beta1", "NamedValue", not(), "A list of words by which named values are filtered."},
		{"apimanagement.azure.upbound.io", "v1beta2", "NamedValue", not(), "The same, in a later version."},
		{"apimanagement.azure.m.upbound.io", "v1beta1", "Tag", not(), "API Management has a catalogue of tags of its own."},
		{"apimanagement.azure.m.upbound.io", "v1beta1", "APITag", not(), "Puts one of the catalogue's tags to an API."},
		{"apimanagement.azure.m.upbound.io", "v1beta1", "ProductTag", not(), "Puts one of the catalogue's tags to a product."},
		{"apimanagement.azure.m.upbound.io", "v1beta1", "Management", tagMap("tags", "tags"), "The service itself is an ordinary resource."},
		{"consumption.azure.m.upbound.io", "v1beta1", "BudgetSubscription", not(), "filter.tag says which costs are counted."},
		{"containerservice.azure.m.upbound.io", "v1beta1", "KubernetesCluster", tagMap("tags", "tags"), "defaultNodePool.tags are of the pool."},
		{"network.azure.m.upbound.io", "v1beta1", "DNSZone", tagMap("tags", "tags"), "soaRecord.tags are metadata of the record."},
		{"network.azure.m.upbound.io", "v1beta1", "PrivateDNSZone", tagMap("tags", "tags"), "soaRecord.tags are metadata of the record."},
		{"network.azure.m.upbound.io", "v1beta1", "DNSARecord", tagMap("tags", "tags"), "Metadata of the record set, which Azure Resource Manager treats as its tags."},
		{"keyvault.azure.m.upbound.io", "v1beta1", "Secret", tagMap("tags", "tags"), "At most 15, but tags."},
		{"containerapp.azure.m.upbound.io", "v1beta1", "EnvironmentDaprComponent", not(), "metadata configures the component."},
		{"storage.azure.m.upbound.io", "v1beta1", "Account", tagMap("tags", "tags"), "An ordinary resource."},
		{"storage.azure.m.upbound.io", "v1beta1", "Container", not(), "metadata are HTTP headers. Only the account is a resource of its own."},
		{"network.azure.m.upbound.io", "v1beta1", "PrivateDNSResolverForwardingRule", not(), "metadata is the service's."},
		{"eventgrid.azure.m.upbound.io", "v1beta1", "EventSubscription", not(), "A list of words by which subscriptions are filtered."},
		{"securityinsights.azure.m.upbound.io", "v1beta1", "SentinelWatchlist", not(), "A list of words by which watchlists are filtered."},
		{"network.azure.m.upbound.io", "v1beta1", "VirtualHubRouteTable", not(), "Labels of route tables group them: routes propagate to all of a label."},
		{"search.azure.m.upbound.io", "v1beta1", "Service", tagMap("tags", "tags"), "An ordinary resource."},

		// Google Cloud.
		{"storage.gcp.m.upbound.io", "v1beta1", "Bucket", tagMap("labels", "effectiveLabels", "terraformLabels", "labels"), "The plain case. effectiveLabels are all that there are."},
		{"sql.gcp.m.upbound.io", "v1beta1", "DatabaseInstance", tagMap("settings.userLabels", "settings.userLabels"), "The only labels that an instance has."},
		{"sql.gcp.upbound.io", "v1beta2", "DatabaseInstance", tagMap("settings.userLabels", "settings.userLabels"), "The same, cluster scoped."},
		{"container.gcp.m.upbound.io", "v1beta1", "Cluster", tagMap("resourceLabels", "effectiveLabels", "terraformLabels", "resourceLabels"), "nodeConfig has Kubernetes labels, network tags and guest metadata."},
		{"container.gcp.m.upbound.io", "v1beta1", "NodePool", tagMap("nodeConfig.resourceLabels", "nodeConfig.resourceLabels"), "The only Google Cloud labels that a pool has, and updated in place."},
		{"cloudrun.gcp.m.upbound.io", "v1beta1", "V2Service", tagMap("labels", "effectiveLabels", "terraformLabels", "labels"), "A change of template.labels would make a new revision."},
		{"cloudrun.gcp.m.upbound.io", "v1beta1", "V2Job", tagMap("labels", "effectiveLabels", "terraformLabels", "labels"), "template.labels are of its executions."},
		{"cloudrun.gcp.m.upbound.io", "v1beta1", "Service", tagMap("metadata.labels", "metadata.effectiveLabels", "metadata.terraformLabels", "metadata.labels"), "The labels of a Knative service become Google Cloud labels."},
		{"cloudrun.gcp.m.upbound.io", "v1beta1", "DomainMapping", not(), "metadata.labels are immutable, and nothing is billed."},
		{"monitoring.gcp.m.upbound.io", "v1beta1", "NotificationChannel", tagMap("userLabels", "userLabels"), "labels are its configuration, e.g. the e-mail address."},
		{"monitoring.gcp.m.upbound.io", "v1beta1", "UptimeCheckConfig", tagMap("userLabels", "userLabels"), "monitoredResource.labels name what is checked."},
		{"monitoring.gcp.m.upbound.io", "v1beta1", "AlertPolicy", tagMap("userLabels", "userLabels"), "The user's labels."},
		{"monitoring.gcp.m.upbound.io", "v1beta1", "MetricDescriptor", not(), "labels is the schema of the metric."},
		{"logging.gcp.m.upbound.io", "v1beta1", "Metric", not(), "metricDescriptor.labels is the schema of the metric."},
		{"cloudidentity.gcp.m.upbound.io", "v1beta1", "Group", not(), "A label with no value says of which type the group is, from a fixed list."},
		{"compute.gcp.m.upbound.io", "v1beta1", "Instance", tagMap("labels", "effectiveLabels", "terraformLabels", "labels"), "tags are network tags; metadata has SSH keys and start-up scripts."},
		{"compute.gcp.upbound.io", "v1beta2", "InstanceFromTemplate", tagMap("labels", "effectiveLabels", "terraformLabels", "labels"), "As an instance."},
		{"compute.gcp.m.upbound.io", "v1beta1", "InstanceTemplate", tagMap("labels", "effectiveLabels", "terraformLabels", "labels"), "Of the instances, but the only ones. Immutable."},
		{"notebooks.gcp.m.upbound.io", "v1beta1", "Instance", tagMap("labels", "effectiveLabels", "terraformLabels", "labels"), "As an instance of Compute Engine."},
		{"compute.gcp.m.upbound.io", "v1beta1", "Route", not(), "tags are the network tags of the instances that the route is for."},
		{"compute.gcp.m.upbound.io", "v1beta1", "ProjectMetadata", not(), "metadata of all instances of a project, e.g. SSH keys."},
		{"compute.gcp.m.upbound.io", "v1beta1", "PacketMirroring", not(), "mirroredResources.tags select instances."},
		{"compute.gcp.m.upbound.io", "v1beta1", "InstanceGroupManager", not(), "allInstancesConfig.labels override those of instances."},
		{"cloudbuild.gcp.m.upbound.io", "v1beta1", "Trigger", not(), "tags annotate the trigger, and build.tags its builds: words, not labels."},
		{"pubsub.gcp.m.upbound.io", "v1beta1", "Topic", tagMap("labels", "effectiveLabels", "terraformLabels", "labels"), "tags are Resource Manager tags: tagKeys/123 with the value tagValues/456."},
		{"secretmanager.gcp.m.upbound.io", "v1beta1", "Secret", tagMap("labels", "effectiveLabels", "terraformLabels", "labels"), "tags are Resource Manager tags."},
		{"firestore.gcp.m.upbound.io", "v1beta1", "Database", not(), "It has Resource Manager tags only."},
		{"cloudplatform.gcp.m.upbound.io", "v1beta1", "Folder", not(), "It has Resource Manager tags only."},
		{"cloudplatform.gcp.m.upbound.io", "v1beta1", "Project", tagMap("labels", "effectiveLabels", "terraformLabels", "labels"), "tags are Resource Manager tags."},
		{"bigquery.gcp.m.upbound.io", "v1beta1", "Dataset", tagMap("labels", "effectiveLabels", "terraformLabels", "labels"), "resourceTags are Resource Manager tags."},
		{"bigquery.gcp.m.upbound.io", "v1beta1", "AnalyticsHubListingSubscription", not(), "destinationDataset.labels are of the dataset that it makes."},
		{"alloydb.gcp.m.upbound.io", "v1beta1", "Cluster", tagMap("labels", "effectiveLabels", "terraformLabels", "labels"), "automatedBackupPolicy.labels are of backups."},
		{"storage.gcp.m.upbound.io", "v1beta1", "BucketObject", not(), "metadata are HTTP headers."},
		{"containeraws.gcp.m.upbound.io", "v1beta1", "Cluster", not(), "controlPlane.tags are AWS tags, of a Google resource."},
		{"containerazure.gcp.m.upbound.io", "v1beta1", "NodePool", not(), "config.tags are Azure tags, of a Google resource."},
		{"containeraws.gcp.upbound.io", "v1beta2", "NodePool", not(), "config.labels are Kubernetes labels."},
		{"tags.gcp.m.upbound.io", "v1beta1", "TagKey", not(), "The resource is a Resource Manager tag."},

		// OpenStack.
		{"compute.openstack.m.crossplane.io", "v1alpha1", "InstanceV2", tagMap("metadata", "allMetadata", "metadata"), "Nova's tags have at most 60 characters and no slash."},
		{"blockstorage.openstack.m.crossplane.io", "v1alpha1", "VolumeV3", tagMap("metadata", "metadata"), "Cinder's metadata is for users."},
		{"sharedfilesystem.openstack.m.crossplane.io", "v1alpha1", "ShareV2", tagMap("metadata", "allMetadata", "metadata"), "Manila's metadata is for users."},
		{"compute.openstack.m.crossplane.io", "v1alpha1", "AggregateV2", not(), "metadata says to the scheduler what runs there."},
		{"networking.openstack.m.crossplane.io", "v1alpha1", "PortV2", tagSet("=", "allTags", "tags"), "Neutron has tags, of one string. allTags has others', too."},
		{"networking.openstack.crossplane.io", "v1alpha1", "NetworkV2", tagSet("=", "allTags", "tags"), "The same, cluster scoped."},
		{"networking.openstack.m.crossplane.io", "v1alpha1", "RouterInterfaceV2", not(), "It is a port, but has no tags here."},
		{"lb.openstack.m.crossplane.io", "v1alpha1", "LoadbalancerV2", tagSet("=", "tags"), "Octavia has tags, of one string."},
		{"images.openstack.m.crossplane.io", "v1alpha1", "ImageV2", tagSet("=", "tags"), "properties say how an image is to be used."},
		{"identity.openstack.m.crossplane.io", "v1alpha1", "ProjectV3", tagSet("=", "tags"), "Keystone has tags, of one string."},
		{"orchestration.openstack.m.crossplane.io", "v1alpha1", "StackV1", not(), "At most 80 characters and no comma."},
		{"containerinfra.openstack.m.crossplane.io", "v1alpha1", "ClusterV1", not(), "labels are parameters of Magnum's driver."},
		{"objectstorage.openstack.m.crossplane.io", "v1alpha1", "ContainerV1", not(), "metadata are HTTP headers, whose case Swift changes."},
		{"keymanager.openstack.m.crossplane.io", "v1alpha1", "SecretV1", not(), "Barbican wants lower case keys, and metadata is the user's."},

		// DigitalOcean.
		{"droplet.digitalocean.m.crossplane.io", "v1alpha1", "Droplet", tagSet(":", "tags"), "A set of words, in which a colon is allowed and an equals sign isn't."},
		{"gradientai.digitalocean.m.crossplane.io", "v1alpha1", "Agent", atomic(tagSet(":", "tags")), "The one list that isn't a set."},
		{"networking.digitalocean.m.crossplane.io", "v1alpha1", "Firewall", not(), "It protects every Droplet that has one of the tags."},
		{"monitor.digitalocean.m.crossplane.io", "v1alpha1", "Alert", not(), "It watches every Droplet that has one of the tags."},
		{"kubernetes.digitalocean.m.crossplane.io", "v1alpha1", "NodePool", tagSet(":", "tags"), "labels are Kubernetes labels."},
		{"digitalocean.digitalocean.m.crossplane.io", "v1alpha1", "Tag", not(), "The resource is a tag."},
		{"spaces.digitalocean.m.crossplane.io", "v1alpha1", "BucketObject", not(), "metadata are HTTP headers."},

		// Hetzner.
		{"server.hetzner.m.crossplane.io", "v1alpha1", "Server", tagMap("labels", "labels"), "All of Hetzner Cloud has labels."},
		{"server.hcloud.crossplane.io", "v1alpha1", "Server", tagMap("labels", "labels"), "Another provider."},
		{"cloud.hetzner.crossplane.io", "v1alpha1", "Server", tagMap("labels"), "A third one, which reports none."},
		{"server.hetzner.m.crossplane.io", "v1alpha1", "FirewallAttachment", not(), "A relation, not a resource."},

		// Nothing to tag.
		{"kubernetes.crossplane.io", "v1alpha2", "Object", not(), "What is in the manifest is Kubernetes'."},
		{"helm.m.crossplane.io", "v1beta1", "Release", not(), "A Helm release is no resource of a cloud."},
		{"tf.upbound.io", "v1beta1", "Workspace", not(), "What Terraform makes we don't see."},
		{"postgresql.sql.m.crossplane.io", "v1alpha1", "Database", not(), "A database in a server has no tags, whoever runs the server."},
		{"aws.vault.upbound.io", "v1alpha1", "SecretBackend", not(), "Vault's, though AWS is in the name of the group."},
		{"applications.azuread.upbound.io", "v1beta1", "Application", not(), "Tags of an Entra application turn features of it on and off."},
		{"nop.crossplane.io", "v1alpha1", "NopResource", not(), "There is nothing."},
		{"", "v1", "ConfigMap", not(), "Kubernetes itself."},
		{"networking.k8s.io", "v1", "Ingress", not(), "Kubernetes itself."},
	}

	seen := make(map[schema.GroupVersionKind]bool)

	for _, tc := range cases {
		gvk := schema.GroupVersionKind{Group: tc.group, Version: tc.version, Kind: tc.kind}
		if seen[gvk] {
			t.Errorf("%s is there twice", gvk)
		}

		seen[gvk] = true

		got, ok := field.BuiltIn().Locate(field.Kind{GroupVersionKind: gvk})
		if !ok {
			t.Errorf("%s: not located\n%s", gvk, tc.reason)
		}

		if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
			t.Errorf("%s: -want, +got:\n%s\n%s", gvk, diff, tc.reason)
		}
	}
}

func TestFamilyOf(t *testing.T) {
	cases := []struct {
		group  string
		want   field.Family
		ok     bool
		reason string
	}{
		{"ec2.aws.upbound.io", field.Family{Name: "aws", Profile: "aws"}, true, "Cluster scoped."},
		{"ec2.aws.m.upbound.io", field.Family{Name: "aws", Profile: "aws"}, true, "Namespaced."},
		{"aws.m.upbound.io", field.Family{Name: "aws", Profile: "aws"}, true, "The family's own domain."},
		{"ec2.aws.crossplane.io", field.Family{Name: "aws-classic", Profile: "aws"}, true, "Another provider of the same cloud."},
		{"azure.upbound.io", field.Family{Name: "azure", Profile: "azure"}, true, "Resource groups are in the family's own domain."},
		{"network.azure.m.upbound.io", field.Family{Name: "azure", Profile: "azure"}, true, "Namespaced."},
		{"storage.gcp.upbound.io", field.Family{Name: "gcp", Profile: "gcp"}, true, "Cluster scoped."},
		{"container.gcp-beta.upbound.io", field.Family{Name: "gcp", Profile: "gcp"}, true, "The provider of what is not yet in the other."},
		{"storage.gcp.crossplane.io", field.Family{Name: "gcp", Profile: "gcp"}, true, "The provider before the ones of today."},
		{"containeraws.gcp.m.upbound.io", field.Family{Name: "gcp", Profile: "gcp"}, true, "Google's, though AWS is in it."},
		{"containerazure.gcp.upbound.io", field.Family{Name: "gcp", Profile: "gcp"}, true, "Google's, though Azure is in it."},
		{"networking.openstack.crossplane.io", field.Family{Name: "openstack", Profile: "openstack"}, true, "Cluster scoped."},
		{"droplet.digitalocean.m.crossplane.io", field.Family{Name: "digitalocean", Profile: "digitalocean"}, true, "Namespaced."},
		{"server.hcloud.crossplane.io", field.Family{Name: "hetzner", Profile: "hetzner"}, true, "The providers call the cloud by different names."},
		{"cloud.hetzner.crossplane.io", field.Family{Name: "hetzner", Profile: "hetzner"}, true, "The providers call the cloud by different names."},
		{"gcp.vault.m.upbound.io", field.Family{Name: "unmanaged"}, true, "Vault's, though GCP is in it."},
		{"applications.azuread.upbound.io", field.Family{Name: "unmanaged"}, true, "Not of azure: labels match as a whole."},
		{"apps", field.Family{Name: "unmanaged"}, true, "Kubernetes itself."},
		{"", field.Family{Name: "unmanaged"}, true, "Kubernetes itself."},
		{"notaws.upbound.io", field.Family{}, false, "A suffix, but not of whole labels."},
		{"aws.upbound.io.example.org", field.Family{}, false, "Not a suffix."},
		{"aws.example.org", field.Family{}, false, "Platform teams call their own groups by clouds, too."},
		{"infrastructure.cluster.x-k8s.io", field.Family{}, false, "Cluster API is not of Kubernetes itself."},
		{"upbound.io", field.Family{}, false, "Less than a domain."},
		{".", field.Family{}, false, "Not a group."},
	}

	for _, tc := range cases {
		got, ok := field.FamilyOf(tc.group)
		if got != tc.want || ok != tc.ok {
			t.Errorf("FamilyOf(%q): want %v, %t, got %v, %t\n%s", tc.group, tc.want, tc.ok, got, ok, tc.reason)
		}
	}
}
