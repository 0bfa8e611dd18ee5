package field

// capa is kubernetes-sigs/cluster-api-provider-aws. By the code of its controllers, only these two
// kinds change what is theirs alone, in place.
//
// Not tags of the resource itself: network.vpc.tags (the controller writes them);
// oidcIdentityProviderConfig.tags (of one part of a control plane); labels (Kubernetes labels).
var capa = family{
	Family: Family{Name: "capa", Profile: "aws", Native: true},
	fields: []*candidate{
		at(".spec.additionalTags").request("most changes make new versions of launch templates, and replace the instances"),
		at(".spec.template.spec.additionalTags").request(ofTemplate),
	},
	kinds: map[string][]*candidate{
		"AWSFargateProfile AWSMachine": {at(".spec.additionalTags")},
		"AWSMachineTemplate":           {at(".spec.template.spec.additionalTags").once(refusedByHook)},
		"ROSAMachinePool":              {at(".spec.additionalTags").once(refusedByHook)},

		// The webhook of this one refuses a change in a way that stops all of the composite resource.
		"AWSClusterTemplate": none,
	},
}

// capz is kubernetes-sigs/cluster-api-provider-azure, whose controllers change tags in place.
//
// Not tags of the resource itself: networkSpec.vnet.tags (the controller writes them); resources
// of AzureASOManaged kinds, a list of objects of Azure Service Operator.
var capz = family{
	Family: Family{Name: "capz", Profile: "azure", Native: true},
	fields: []*candidate{at(".spec.additionalTags").request(untried), at(".spec.template.spec.additionalTags").request(ofTemplate)},
	kinds: map[string][]*candidate{
		"AzureCluster AzureMachine AzureMachinePool AzureManagedControlPlane AzureManagedMachinePool": {at(".spec.additionalTags")},
		"AzureClusterTemplate AzureMachineTemplate":                                                   {at(".spec.template.spec.additionalTags").once(refusedByHook)},
	},
}

// capg is kubernetes-sigs/cluster-api-provider-gcp.
//
// Not labels: nodeNetwork.tags and additionalNetworkTags (network tags); resourceManagerTags;
// kubernetesLabels.
var capg = family{
	Family: Family{Name: "capg", Profile: "gcp", Native: true},
	fields: []*candidate{
		at(".spec.additionalLabels").request("a change of a GCPMachinePool makes a new instance template, and the labels of a GCPManagedCluster never reach GKE"),
		at(".spec.template.spec.additionalLabels").request(ofTemplate),
	},
	kinds: map[string][]*candidate{
		"GCPCluster GCPMachine GCPManagedMachinePool": {at(".spec.additionalLabels")},
		"GCPMachineTemplate":                          {at(".spec.template.spec.additionalLabels").once(refusedByHook)},

		// The webhooks of these refuse a change in a way that stops all of the composite resource.
		"GCPClusterTemplate GCPManagedClusterTemplate": none,
	},
}

// capo is kubernetes-sigs/cluster-api-provider-openstack, whose webhooks refuse all changes but a
// few. Tags of a cluster are also those of its servers: Nova admits 60 characters.
//
// Not tags of the resource itself: tags of a machine or a server, which are Nova's and may have no
// slash, where its metadata may have more.
var capo = family{
	Family: Family{Name: "capo", Profile: "openstack", Native: true},
	fields: []*candidate{
		at(".spec.serverMetadata").as(Map, KeyValueList).once(refusedByHook),
		at(".spec.template.spec.serverMetadata").as(Map, KeyValueList).once(refusedByHook),
	},
	kinds: map[string][]*candidate{
		"OpenStackCluster":         {at(".spec.tags").words("=").upTo(60).once(refusedByHook)},
		"OpenStackClusterTemplate": {at(".spec.template.spec.tags").words("=").upTo(60).once(refusedByHook)},
	},
}

// capdo is kubernetes-sigs/cluster-api-provider-digitalocean. A machine's tags are used at
// creation only, and its webhook refuses a change of a template.
var capdo = family{
	Family: Family{Name: "capdo", Profile: "digitalocean", Native: true},
	kinds: map[string][]*candidate{
		"DOMachine":         {at(".spec.additionalTags").words(":")},
		"DOMachineTemplate": {at(".spec.template.spec.additionalTags").words(":").once(refusedByHook)},
	},
}
