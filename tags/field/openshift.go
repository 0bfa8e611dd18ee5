package field

// onAWS is why kinds are tagged on request only that can be of other clouds.
const onAWS = "tags are part of what says that a cluster is on AWS"

// hypershift is openshift/hypershift. Not tags: labels of a HostedCluster (Kubernetes labels).
var hypershift = native("hypershift", "aws", at(".spec.platform.aws.resourceTags").as(KeyValueList).with(nil, "overridePolicy").request(onAWS).within()).
	// The controller copies a HostedCluster's.
	without("HostedControlPlane")

// hive is openshift/hive. Not tags: labels
// (Kubernetes labels); userTags of Google (Resource Manager tags, which have IDs) and tags
// (network tags).
var hive = native("hive", "aws", at(".spec.platform.aws.userTags").request(onAWS).within()).
	kind("DNSZone", at(".spec.aws.additionalTags").as(KeyValueList).request(onAWS).within()).
	kind("ClusterDeployment", at(".spec.platform.aws.userTags").once(refusedByHook).within())
