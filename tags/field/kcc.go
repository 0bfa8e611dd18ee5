package field

import (
	_ "embed"
	"slices"
	"strings"
)

// kccLabelled are the kinds whose labels of the object are cloud tags.
//
//go:embed kcc.txt
var kccLabelled string

// unread is why labels of the spec are used on request only, but for some kinds below.
const unread = "nobody has read what the controller does with the labels, as with all alpha versions"

// kcc is GoogleCloudPlatform/k8s-config-connector. Whether labels of the object become labels at
// Google, no schema says: the kinds whose labels do are listed. Labels with a slash in the key, such as
// labels of Crossplane and other tools, are left out. If a listed kind has labels in its spec, too,
// these replace the labels of the object.
//
// Not labels of the resource itself: tags, sourceTags, targetTags and networkTags (network
// tags; of a CloudBuildTrigger, build tags; of an attached cluster, another cloud's);
// resourceManagerTags; nodeConfig.labels and namespaceLabels (Kubernetes labels);
// nodeConfig.resourceLabels of a ContainerCluster, automatedBackupPolicy.labels and
// disk.labels (of what the resource makes); template.labels of a RunService (a new
// label would make a new revision).
var kcc = native("kcc", "gcp", at(".spec.labels").as(Map, KeyValueList).request(unread)).
	adding("."+kubernetesLabels, "managed-by-cnrm", "cnrm-lease-holder-id", "cnrm-lease-expiration").
	kind(strings.Join(slices.Collect(rows(kccLabelled)), " "), at("."+kubernetesLabels)).
	kind(`BatchJob BigQueryJob ComputeInstanceTemplate DataflowJob DataplexMetadataJob DataprocWorkflowTemplate
		EdgeContainerVpnConnection EdgeNetworkNetwork EdgeNetworkSubnet`,
		at("."+kubernetesLabels).request("a later change fails in the controller, again and again")).
	// These ignore labels of the object and have labels of their own.
	kind(`AssetSavedQuery ComposerEnvironment ManagedKafkaCluster MemorystoreInstance NotebookInstance
		SecureSourceManagerInstance Workstation WorkstationCluster WorkstationConfig`,
		at(".spec.labels").as(Map, KeyValueList).onlyIn("v1alpha1").request(unread), at(".spec.labels").as(Map, KeyValueList)).
	// The only labels that a node pool has. A change of them updates the pool in place.
	kind("ContainerNodePool", at(".spec.nodeConfig.resourceLabels")).
	// Labels of these schedule virtual machines and can't change, or are metadata that
	// clients read.
	without("ComputeNodeTemplate ServiceDirectoryEndpoint ServiceDirectoryService").
	// These copy the labels with a slash, too, which Google refuses: those that
	// Crossplane sets break them already.
	without(`ConfigDeliveryFleetPackage DataprocBatch DataprocSession DataprocSessionTemplate
		NetworkSecurityAuthzPolicy NetworkServicesServiceBinding WorkflowsExecution`).
	// Labels of these say which type of group it is, or what is measured.
	without("CloudIdentityGroup MonitoringMetricDescriptor")
