package field

// capa is kubernetes-sigs/cluster-api-provider-aws. By the code of its controllers, only these two
// kinds change what is theirs alone, in place.
//
// Not tags of the resource itself: network.vpc.tags (the controller writes them);
// oidcIdentityProviderConfig.tags (of one part of a control plane); labels (Kubernetes labels).
var capa = native("capa", "aws",
	at(".spec.additionalTags").request("most changes make new versions of launch templates, and replace the instances"),
	at(".spec.template.spec.additionalTags").request(ofTemplate),
).
	kind("AWSFargateProfile AWSMachine", at(".spec.additionalTags")).
	kind("AWSMachineTemplate", at(".spec.template.spec.additionalTags").once(refusedByHook)).
	kind("ROSAMachinePool", at(".spec.additionalTags").once(refusedByHook)).
	// The webhook of this one refuses a change in a way that stops all of the composite resource.
	without("AWSClusterTemplate")

// capz is kubernetes-sigs/cluster-api-provider-azure, whose controllers change tags in place.
//
// Not tags of the resource itself: networkSpec.vnet.tags (the controller writes them); resources
// of AzureASOManaged kinds, a list of objects of Azure Service Operator.
var capz = native("capz", "azure", at(".spec.additionalTags").request(untried), at(".spec.template.spec.additionalTags").request(ofTemplate)).
	kind("AzureCluster AzureMachine AzureMachinePool AzureManagedControlPlane AzureManagedMachinePool", at(".spec.additionalTags")).
	kind("AzureClusterTemplate AzureMachineTemplate", at(".spec.template.spec.additionalTags").once(refusedByHook))

// capg is kubernetes-sigs/cluster-api-provider-gcp.
//
// Not labels: nodeNetwork.tags and additionalNetworkTags (network tags); resourceManagerTags;
// kubernetesLabels.
var capg = native("capg", "gcp",
	at(".spec.additionalLabels").request("a change of a GCPMachinePool makes a new instance template, and the labels of a GCPManagedCluster never reach GKE"),
	at(".spec.template.spec.additionalLabels").request(ofTemplate),
).
	kind("GCPCluster GCPMachine GCPManagedMachinePool", at(".spec.additionalLabels")).
	kind("GCPMachineTemplate", at(".spec.template.spec.additionalLabels").once(refusedByHook)).
	// The webhooks of these refuse a change in a way that stops all of the composite resource.
	without("GCPClusterTemplate GCPManagedClusterTemplate")

// capo is kubernetes-sigs/cluster-api-provider-openstack, whose webhooks refuse all changes but a
// few. Tags of a cluster are also tags of its servers: Nova admits 60 characters.
//
// Not tags of the resource itself: tags of a machine or a server, which are Nova's and may have no
// slash, where its metadata may have more.
var capo = native("capo", "openstack",
	at(".spec.serverMetadata").as(Map, KeyValueList).once(refusedByHook),
	at(".spec.template.spec.serverMetadata").as(Map, KeyValueList).once(refusedByHook),
).
	kind("OpenStackCluster", at(".spec.tags").words("=").upTo(60).once(refusedByHook)).
	kind("OpenStackClusterTemplate", at(".spec.template.spec.tags").words("=").upTo(60).once(refusedByHook))

// capdo is kubernetes-sigs/cluster-api-provider-digitalocean. A machine's tags are used at
// creation only, and its webhook refuses a change of a template.
var capdo = native("capdo", "digitalocean").
	kind("DOMachine", at(".spec.additionalTags").words(":")).
	kind("DOMachineTemplate", at(".spec.template.spec.additionalTags").words(":").once(refusedByHook))
