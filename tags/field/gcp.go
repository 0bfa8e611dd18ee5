package field

// Labels as Google's Terraform provider reports them: what there is, what it
// manages of that, and what the resource says of that.
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
// tags, whose keys are IDs of other resources); metadata (guest metadata, or
// that of a stored object); nodeConfig.labels and config.labels (Kubernetes
// labels); template.labels (a new label would make a new revision of a
// Cloud Run service); labels of automatedBackupPolicy, destinationDataset
// and allInstancesConfig (of what the resource makes); labels of
// monitoredResource and metricDescriptor (of what is measured);
// controlPlane.tags and config.tags (the tags of another cloud, in which Google
// manages a cluster).
var gcp = family{
	Family: Family{Name: "gcp", Profile: "gcp", Upjet: true},
	domains: []string{
		"gcp.upbound.io", "gcp.m.upbound.io", "gcp-beta.upbound.io", "gcp-beta.m.upbound.io",
	},
	retired: []string{
		"gcp.jet.crossplane.io",
		"cloudiot.gcp.upbound.io", // Gone with IoT Core. Its devices and registries had no labels.
	},
	fields: []*candidate{
		gcpUserLabels, // Where there are both, labels are something else: see NotificationChannel.
		gcpLabels,
		at("resourceLabels", "effectiveLabels", "terraformLabels", "resourceLabels"),
	},
	usual: gcpLabels,
	kinds: map[string][]*candidate{
		"sql/DatabaseInstance": {gcpSettings},

		// The only Google Cloud labels that a node pool has. A change of them
		// updates the pool in place.
		"container/NodePool": {at("nodeConfig.resourceLabels", "nodeConfig.resourceLabels")},

		// The metadata of a Knative service is Kubernetes metadata, but Cloud
		// Run makes its labels the labels of the service.
		"cloudrun/Service": {at("metadata.labels", "metadata.effectiveLabels", "metadata.terraformLabels", "metadata.labels")},

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
	launches: map[string][]launch{
		// Other node pools are resources of their own. Where the default one is removed, the
		// provider has nothing that it could change: see nodePoolNodeConfigUpdate in the
		// Terraform provider's resource_container_cluster.go.
		"container/Cluster": {launched("nodeConfig.resourceLabels", "nodes of the default pool", inPlace).unless("removeDefaultNodePool")},

		"compute/Instance":                   {launched("bootDisk.initializeParams.labels", "the boot disk", replaces)},
		"compute/InstanceFromTemplate":       {launched("bootDisk.initializeParams.labels", "the boot disk", replaces)},
		"compute/InstanceTemplate":           {launched("disk[].labels", "disks", replaces)},
		"compute/RegionInstanceTemplate":     {launched("disk[].labels", "disks", replaces)},
		"compute/InstanceGroupManager":       {launched("allInstancesConfig.labels", "instances", replaces)},
		"compute/RegionInstanceGroupManager": {launched("allInstancesConfig.labels", "instances", replaces)},
		"cloudrun/V2Job":                     {launched("template.labels", "executions", replaces)},
		"cloudrun/V2Service":                 {launched("template.labels", "revisions", replaces)},
	},
	immutable: map[string]refusal{
		"beyondcorp/AppGateway":                     refused("hashicorp/terraform-provider-google beyondcorp/resource_beyondcorp_app_gateway.go: effective_labels ForceNew, v5.19.0 to v7.39.0"),
		"bigquery/Job":                              refused("hashicorp/terraform-provider-google bigquery/resource_bigquery_job.go: effective_labels ForceNew, v5.19.0 to v7.39.0"),
		"compute/InstanceTemplate":                  refused("hashicorp/terraform-provider-google compute/resource_compute_instance_template.go: effective_labels ForceNew, v5.19.0 to v7.39.0"),
		"dataflow/Job":                              refused("hashicorp/terraform-provider-google dataflow/resource_dataflow_job.go: resourceDataflowJobTypeCustomizeDiff forces a new batch job, v7.39.0"),
		"dataproc/Job":                              refused("hashicorp/terraform-provider-google dataproc/resource_dataproc_job.go: effective_labels ForceNew, v5.19.0 to v7.39.0"),
		"dataproc/WorkflowTemplate":                 refused("hashicorp/terraform-provider-google dataproc/resource_dataproc_workflow_template.go: effective_labels ForceNew, v5.19.0 to v7.39.0"),
		"datastream/PrivateConnection":              refused("hashicorp/terraform-provider-google datastream/resource_datastream_private_connection.go: effective_labels ForceNew, v5.19.0 to v7.39.0"),
		"developerconnect/ConnectGitRepositoryLink": refused("hashicorp/terraform-provider-google developerconnect/resource_developer_connect_git_repository_link.go: effective_labels ForceNew, v6.43.0 to v7.39.0"),
		"mlengine/Model":                            refused("hashicorp/terraform-provider-google mlengine/resource_ml_engine_model.go: effective_labels ForceNew, v5.19.0 to v7.39.0"),
		"tpu/Node":                                  refused("hashicorp/terraform-provider-google tpu/resource_tpu_node.go: effective_labels ForceNew, v5.19.0 to v6.47.0"),
	},
}

// gcpClassic is crossplane-contrib/provider-gcp and crossplane-contrib/provider-gcp-beta, which
// were before them. It adds labels of its
// own to databases: see cloudsqlTagger in its pkg/controller/database/cloudsql.go.
//
// Not labels: config of a NodePool (network tags, Kubernetes labels and guest metadata),
// sourceTags and targetTags of a Firewall (network tags).
var gcpClassic = family{
	Family:      Family{Name: "gcp-classic", Profile: "gcp"},
	handwritten: []string{"gcp.crossplane.io", "beta.gcp.crossplane.io"},
	adds:        "settings.userLabels",
	fields:      []*candidate{gcpLabels, at("resourceLabels", "resourceLabels")},
	kinds: map[string][]*candidate{
		"database/CloudSQLInstance": {gcpSettings},
		"storage/Bucket":            {at(".spec.labels")}, // It has no spec.forProvider.
	},
}
