package field

// Labels as Google's Terraform provider reports them: all labels, the labels that
// it manages, and the labels of the resource.
var (
	gcpLabels     = at("labels", "effectiveLabels", "terraformLabels", "labels")
	gcpUserLabels = at("userLabels", "userLabels")

	// The settings of Cloud SQL have the only labels that an instance has.
	gcpSettings = at("settings.userLabels", "settings.userLabels")
)

// gcp is crossplane-contrib/provider-upjet-gcp, upbound/provider-upjet-gcp-beta, and
// provider-jet-gcp before them.
//
// Not labels of the resource itself: tags lists (network tags; of a Cloud
// Build Trigger, build tags); tags maps and resourceTags (Resource Manager
// tags: see secondSystems); metadata (of a guest, or
// of a stored object); nodeConfig.labels and config.labels (Kubernetes
// labels); template.labels (a new label would make a new revision of a
// Cloud Run service); labels of automatedBackupPolicy, destinationDataset
// and allInstancesConfig (of what the resource makes); labels of
// monitoredResource and metricDescriptor (of what is measured);
// controlPlane.tags and config.tags (the tags of another cloud, in which Google
// manages a cluster).
var gcp = upjet("gcp", "gcp",
	gcpUserLabels, // Where there are both, labels are something else: see NotificationChannel.
	gcpLabels,
	at("resourceLabels", "effectiveLabels", "terraformLabels", "resourceLabels"),
).
	usually(gcpLabels).
	kind("sql/DatabaseInstance", gcpSettings).
	// The only Google Cloud labels that a node pool has. A change of them
	// updates the pool in place.
	kind("container/NodePool", at("nodeConfig.resourceLabels", "nodeConfig.resourceLabels")).
	// The metadata of a Knative service is Kubernetes metadata, but Cloud
	// Run makes its labels the labels of the service.
	kind("cloudrun/Service", at("metadata.labels", "metadata.effectiveLabels", "metadata.terraformLabels", "metadata.labels")).
	// The labels of a channel are its configuration, e.g. the address that
	// is notified; labels of a metric are the metric's schema.
	kind("monitoring/NotificationChannel monitoring/UptimeCheckConfig", gcpUserLabels).
	without("monitoring/MetricDescriptor logging/Metric").
	// Its label is one of a few, and says the type of the group.
	without("cloudidentity/Group").
	// Immutable, and nothing that is billed.
	without("cloudrun/DomainMapping").
	// These are tags, not resources that have some.
	without("datacatalog/Tag datacatalog/TagTemplate tags/*")

// gcpClassic is crossplane-contrib/provider-gcp and crossplane-contrib/provider-gcp-beta, which
// were before them. It adds labels of its
// own to databases: see cloudsqlTagger in its pkg/controller/database/cloudsql.go.
//
// Not labels: config of a NodePool (network tags, Kubernetes labels and guest metadata),
// sourceTags and targetTags of a Firewall (network tags).
var gcpClassic = handwritten("gcp-classic", "gcp", gcpLabels, at("resourceLabels", "resourceLabels")).
	adding("settings.userLabels").
	kind("database/CloudSQLInstance", gcpSettings).
	// It has no spec.forProvider.
	kind("storage/Bucket", at(".spec.labels"))
