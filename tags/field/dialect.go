package field

import (
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
)

// A Family is the providers whose kinds speak of cloud tags in the same way.
type Family struct {
	// Name of the family, e.g. aws-classic.
	Name string

	// Profile that the tags of its kinds have, or empty if its kinds are never
	// tagged because they are no resources of a cloud.
	Profile string
}

// FamilyOf returns the family of the provider that the supplied API group belongs
// to. It returns false if the group is of no provider that we know.
func FamilyOf(group string) (Family, bool) {
	d, _, ok := dialectOf(group)
	return d.Family, ok
}

// A dialect says which fields of a family's kinds carry cloud tags. What no
// candidate names does not, however much it looks like it.
type dialect struct {
	Family

	// domains of the family's API groups, and of all groups that are subdomains
	// of them.
	domains []string

	// fields of all kinds but the ones below, the preferred one first.
	fields []candidate

	// kinds that have other fields, or none, by service and kind. The service is
	// what an API group has before the domain: that of ec2.aws.upbound.io is ec2.
	// A kind of * is every other kind of the service.
	kinds map[string][]candidate
}

// A candidate is a field that carries a kind's cloud tags if the kind has it, and
// in one of the supplied shapes.
type candidate struct {
	// path below spec.forProvider.
	path string

	shapes []Shape

	// observed are the paths below status.atProvider at which a provider can
	// report the tags that the cloud has, the most complete one first. They count
	// if they are there in the same shape.
	observed []string

	// extra is what an entry of a KeyValueList must have besides key and value, if
	// its type has such a field.
	extra map[string]*structpb.Value

	// spare fields of a KeyValueList's entry are left alone. An entry with any
	// other field, or that requires a spare one, is something else than a tag.
	spare []string

	// separator and maxLength of the entries of a StringList.
	separator string
	maxLength int
}

// none is what a kind has that has no tag field.
var none []candidate

// unknown is the dialect of the providers that we don't know: their tags, and if
// there are none, their labels.
//
// Lists of strings count as tags only. No cloud that we know has tags in a list of
// strings that is called labels: Event Grid's, Sentinel's and virtual hub route
// tables' filter and route.
var unknown = dialect{
	fields: []candidate{
		{path: "tags", shapes: []Shape{Map, KeyValueList, StringList}, observed: []string{"tagsAll", "allTags", "tags"}, extra: launchedToo, separator: "="},
		{path: "labels", shapes: []Shape{Map, KeyValueList}, observed: []string{"effectiveLabels", "labels"}},
	},
}

// launchedToo makes an Auto Scaling group pass a tag on to the instances that it
// launches. The API wants to be told, and the group has no tags that its instances
// must not have.
var launchedToo = map[string]*structpb.Value{"propagateAtLaunch": structpb.NewBoolValue(true)}

// Candidates that several kinds share.
var (
	// The tags map that the Terraform providers of AWS report twice: once with
	// the provider's default tags, and once without.
	awsTags = candidate{path: "tags", shapes: []Shape{Map}, observed: []string{"tagsAll", "tags"}}

	// Labels as Google's Terraform provider reports them: what there is, what it
	// manages of that, and what the resource says of that.
	gcpLabels     = candidate{path: "labels", shapes: []Shape{Map}, observed: []string{"effectiveLabels", "terraformLabels", "labels"}}
	gcpUserLabels = candidate{path: "userLabels", shapes: []Shape{Map}, observed: []string{"userLabels"}}

	// The settings of Cloud SQL have the only labels that an instance has.
	gcpSettings = candidate{path: "settings.userLabels", shapes: []Shape{Map}, observed: []string{"settings.userLabels"}}

	// Metadata of Nova, Cinder and Manila, to which the cloud adds its own.
	openstackMetadata = candidate{path: "metadata", shapes: []Shape{Map}, observed: []string{"allMetadata", "metadata"}}

	// Tags of Neutron, Octavia, Glance and Keystone: one string of at most 255
	// characters, by their API references. Older releases of Neutron have 60.
	openstackTags = candidate{path: "tags", shapes: []Shape{StringList}, observed: []string{"allTags", "tags"}, separator: "=", maxLength: 255}
)

// dialects is what we know of providers: which API groups are whose, and which of
// their kinds' fields carry cloud tags. What looks like tags but isn't is said in
// comments, with the reason.
var dialects = []dialect{
	{
		// crossplane-contrib/provider-upjet-aws, and provider-jet-aws before it.
		//
		// Not tags of the resource itself: computeResources.tags, ecsTarget.tags,
		// rootBlockDevice.tags, volumeTags, tagSpecifications and resourceTags (of
		// what the resource makes); filter.tags and filters.resourceTags (filters);
		// labels of an EKS NodeGroup (Kubernetes labels); metadata of S3 objects
		// (HTTP headers); actions.tagging (a switch).
		Family:  Family{Name: "aws", Profile: "aws"},
		domains: []string{"aws.upbound.io", "aws.m.upbound.io", "aws.jet.crossplane.io"},
		fields:  []candidate{awsTags},
		kinds: map[string][]candidate{
			// Its tags, where there are any, are the deprecated twin of tag.
			"autoscaling/AutoscalingGroup": {{path: "tag", shapes: []Shape{KeyValueList}, observed: []string{"tag"}, extra: launchedToo}},

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
	},
	{
		// crossplane-contrib/provider-aws. Its lists are all atomic, and it adds
		// crossplane-kind, -name and -providerconfig to many of them.
		//
		// Not tags: computeResources.tags, tagSpecifications (of what is made; the
		// tags are beside them), labels of an EKS NodeGroup (Kubernetes labels). A
		// LaunchTemplateVersion has only those of what is launched.
		Family:  Family{Name: "aws-classic", Profile: "aws"},
		domains: []string{"aws.crossplane.io"},
		fields: []candidate{
			{path: "tags", shapes: []Shape{Map, KeyValueList}, observed: []string{"tags"}},
			{path: "tagging.tagSet", shapes: []Shape{KeyValueList}, observed: []string{"tagging.tagSet"}}, // S3 buckets.
			{path: "identityPoolTags", shapes: []Shape{Map}, observed: []string{"identityPoolTags"}},      // Cognito.
			{path: "userPoolTags", shapes: []Shape{Map}, observed: []string{"userPoolTags"}},
		},
		kinds: map[string][]candidate{
			// The API takes the type and the ID of what is tagged with each tag.
			// The type is always this one. The ID is that of the group itself,
			// which has none before it is created: the API doesn't require it, and
			// the provider doesn't compare it.
			"autoscaling/AutoScalingGroup": {{
				path: "tags", shapes: []Shape{KeyValueList}, observed: []string{"tags"},
				extra: map[string]*structpb.Value{
					"propagateAtLaunch": structpb.NewBoolValue(true),
					"resourceType":      structpb.NewStringValue("auto-scaling-group"),
				},
				spare: []string{"resourceID"},
			}},
		},
	},
	{
		// crossplane-contrib/provider-upjet-azure, provider-jet-azure and
		// provider-azure before it.
		//
		// Not tags: tags lists of strings (API Management's filters); filter.tag (a
		// budget's filter); defaultNodePool.tags (the pool's); soaRecord.tags and
		// metadata (of the service, not of the resource); labels lists (Event
		// Grid's, Sentinel's and virtual hub route tables' filters and routes).
		Family:  Family{Name: "azure", Profile: "azure"},
		domains: []string{"azure.upbound.io", "azure.m.upbound.io", "azure.jet.crossplane.io", "azure.crossplane.io"},
		fields:  []candidate{{path: "tags", shapes: []Shape{Map}, observed: []string{"tags"}}},
		kinds: map[string][]candidate{
			// API Management's own catalogue of tags.
			"apimanagement/APIOperationTag": none,
			"apimanagement/APITag":          none,
			"apimanagement/ProductTag":      none,
			"apimanagement/Tag":             none,
		},
	},
	{
		// crossplane-contrib/provider-upjet-gcp, upbound/provider-upjet-gcp-beta,
		// provider-jet-gcp and provider-gcp before them.
		//
		// Not labels of the resource itself: tags lists (network tags; of a Cloud
		// Build Trigger, build tags); tags maps and resourceTags (Resource Manager
		// tags, whose keys are IDs of other resources); metadata (guest metadata, or
		// that of a stored object); nodeConfig.labels and config.labels (Kubernetes
		// labels); template.labels (a new label would make a new revision of a
		// Cloud Run service); labels of automatedBackupPolicy, destinationDataset
		// and allInstancesConfig (of what the resource makes); labels of
		// monitoredResource and metricDescriptor (of what is measured);
		// controlPlane.tags and config.tags (the tags of another cloud, in which Google
		// manages a cluster).
		Family: Family{Name: "gcp", Profile: "gcp"},
		domains: []string{
			"gcp.upbound.io", "gcp.m.upbound.io", "gcp-beta.upbound.io", "gcp-beta.m.upbound.io",
			"gcp.jet.crossplane.io", "gcp.crossplane.io",
		},
		fields: []candidate{
			gcpUserLabels, // Where there are both, labels are something else: see NotificationChannel.
			gcpLabels,
			{path: "resourceLabels", shapes: []Shape{Map}, observed: []string{"effectiveLabels", "terraformLabels", "resourceLabels"}},
		},
		kinds: map[string][]candidate{
			"sql/DatabaseInstance":      {gcpSettings},
			"database/CloudSQLInstance": {gcpSettings},

			// The only Google Cloud labels that a node pool has. A change of them
			// updates the pool in place.
			"container/NodePool": {{path: "nodeConfig.resourceLabels", shapes: []Shape{Map}, observed: []string{"nodeConfig.resourceLabels"}}},

			// The metadata of a Knative service is Kubernetes metadata, but Cloud
			// Run makes its labels the labels of the service.
			"cloudrun/Service": {{
				path: "metadata.labels", shapes: []Shape{Map},
				observed: []string{"metadata.effectiveLabels", "metadata.terraformLabels", "metadata.labels"},
			}},

			// The labels of a channel are its configuration, e.g. the address that
			// is notified; those of a metric are the metric's schema.
			"monitoring/NotificationChannel": {gcpUserLabels},
			"monitoring/UptimeCheckConfig":   {gcpUserLabels},
			"monitoring/MetricDescriptor":    none,
			"logging/Metric":                 none,

			// One of a few labels that say which type of group it is.
			"cloudidentity/Group": none,

			// Immutable, and nothing that is billed.
			"cloudrun/DomainMapping": none,

			// These are tags, not resources that have some.
			"datacatalog/Tag":         none,
			"datacatalog/TagTemplate": none,
			"tags/*":                  none,
		},
	},
	{
		// crossplane-contrib/provider-openstack. What doesn't count is more than
		// what does: metadata of an AggregateV2 drives the scheduler, that of Swift
		// is HTTP headers, that of Barbican is the user's; labels of Magnum are
		// driver parameters; properties of an image describe its use; tags of a
		// server are Nova's, which may have 60 characters and no slash, where its
		// metadata may have 255; tags of a Heat stack may have no comma and 80
		// characters, and are handed on to what is in it.
		Family:  Family{Name: "openstack", Profile: "openstack"},
		domains: []string{"openstack.crossplane.io", "openstack.m.crossplane.io"},
		kinds: map[string][]candidate{
			"blockstorage/VolumeV3":    {openstackMetadata},
			"compute/InstanceV2":       {openstackMetadata},
			"identity/ProjectV3":       {openstackTags},
			"images/ImageV2":           {openstackTags},
			"lb/*":                     {openstackTags},
			"networking/*":             {openstackTags},
			"sharedfilesystem/ShareV2": {openstackMetadata},
		},
	},
	{
		// crossplane-contrib/provider-upjet-digitalocean. A tag is one word of at
		// most 255 letters, digits, colons, dashes and underscores, says the tags
		// chapter of its API reference.
		//
		// Not tags: labels of a node pool (Kubernetes labels), metadata of an object
		// in Spaces.
		Family:  Family{Name: "digitalocean", Profile: "digitalocean"},
		domains: []string{"digitalocean.crossplane.io", "digitalocean.m.crossplane.io"},
		fields:  []candidate{{path: "tags", shapes: []Shape{StringList}, observed: []string{"tags"}, separator: ":", maxLength: 255}},
		kinds: map[string][]candidate{
			// They select by tag: a firewall protects, and an alert watches, every
			// Droplet that has one of theirs.
			"networking/Firewall": none,
			"monitor/Alert":       none,

			// A tag, not a resource that has some.
			"digitalocean/Tag": none,
		},
	},
	{
		// miaits/provider-hetzner, mrsimonemms/provider-hetzner and
		// transacid/provider-hcloud.
		Family:  Family{Name: "hetzner", Profile: "hetzner"},
		domains: []string{"hetzner.crossplane.io", "hetzner.m.crossplane.io", "hcloud.crossplane.io", "hcloud.m.crossplane.io"},
		fields:  []candidate{{path: "labels", shapes: []Shape{Map}, observed: []string{"labels"}}},
	},
	{
		// What makes no resources of a cloud, or none that we could tag: whatever
		// it calls tags or labels, a cloud bills and searches nothing by it.
		Family: Family{Name: "unmanaged"},
		domains: []string{
			// Crossplane itself.
			"apiextensions.crossplane.io", "ops.crossplane.io", "pkg.crossplane.io", "protection.crossplane.io",

			// Kubernetes itself has groups without a dot, too: see dialectOf.
			"k8s.io",

			"ansible.crossplane.io",
			"argocd.crossplane.io", "argocd.m.crossplane.io",
			"azuread.upbound.io", "azuread.m.upbound.io", // Tags of an Entra application turn features of it on and off.
			"datadog.upbound.io",
			"github.upbound.io", "github.m.upbound.io",
			"gitlab.crossplane.io", "gitlab.m.crossplane.io",
			"grafana.crossplane.io", "grafana.m.crossplane.io",
			"helm.crossplane.io", "helm.m.crossplane.io",
			"http.crossplane.io", "http.m.crossplane.io",
			"kafka.crossplane.io", "kafka.m.crossplane.io",
			"keycloak.crossplane.io", "keycloak.m.crossplane.io",
			"kubernetes.crossplane.io", "kubernetes.m.crossplane.io",
			"nop.crossplane.io",
			"opentofu.upbound.io", "opentofu.m.upbound.io",
			"sql.crossplane.io", "sql.m.crossplane.io",
			"tf.upbound.io", "tf.m.upbound.io", "tf.crossplane.io",
			"vault.upbound.io", "vault.m.upbound.io",
		},
	},
}

// dialectsByDomain are the dialects by their domains.
var dialectsByDomain = byDomain(dialects)

func byDomain(ds []dialect) map[string]*dialect {
	m := make(map[string]*dialect)

	for i := range ds {
		for _, domain := range ds[i].domains {
			m[domain] = &ds[i]
		}
	}

	return m
}

// dialectOf returns the dialect of the supplied API group, and the service that the
// group is of: whole DNS labels before the dialect's domain. It returns false, and
// the unknown dialect, if the group is of no provider that we know.
func dialectOf(group string) (d *dialect, service string, ok bool) {
	// Only Kubernetes itself has groups without a dot: core, apps, batch and so on.
	if !strings.Contains(group, ".") {
		return dialectsByDomain["k8s.io"], group, true
	}

	for domain := group; ; {
		if d, ok := dialectsByDomain[domain]; ok {
			return d, strings.TrimSuffix(group[:len(group)-len(domain)], "."), true
		}

		_, parent, found := strings.Cut(domain, ".")
		if !found {
			return &unknown, "", false
		}

		domain = parent
	}
}

// candidates for the tag field of the supplied kind.
func (d *dialect) candidates(service, kind string) []candidate {
	for _, key := range [...]string{service + "/" + kind, service + "/*"} {
		if c, ok := d.kinds[key]; ok {
			return c
		}
	}

	return d.fields
}
