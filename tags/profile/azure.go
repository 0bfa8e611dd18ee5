package profile

// azure has the limits of Azure. Its services have the limits in
// https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources#limitations.
var azure = cloud{
	contract: &azureContract,
	services: []service{
		narrow(azureContract, func(p *Profile) { p.Key = Length{Runes: 128} }, "storage.azure.*/Account", "storage.azure.com/StorageAccount"),
		narrow(azureContract, func(p *Profile) { p.KeyClass, p.Format = trafficManagerClass, noColon }, "network.azure.*/TrafficManagerProfile").named("traffic-manager"),
		narrow(azureContract, func(p *Profile) { p.KeyClass, p.Format = frontDoorClass, noColon },
			"network.azure.*/FrontDoor*", "network.azure.*/FrontdoorFirewallPolicy", "cdn.azure.*/Frontdoor*",
			"network.frontdoor.azure.com/WebApplicationFirewallPolicy", "cdn.azure.com/AfdEndpoint").named("front-door"),

		// A Profile of Azure Service Operator belongs to Front Door or to CDN.
		narrow(azureContract, func(p *Profile) { p.KeyClass, p.Format, p.MaxTags = frontDoorClass, noColon, 15 }, "cdn.azure.com/Profile"),

		narrow(azureContract, func(p *Profile) { p.KeyClass, p.Format, p.MaxTags = dnsZoneClass, noColon, 15 },
			"network.azure.*/DNS*", "network.azure.*/PrivateDNS*", "network.azure.com/DnsZone*", "network.azure.com/PrivateDnsZone*").named("dns"),
		narrow(azureContract, func(p *Profile) { p.MaxTags = 15 },
			"cdn.azure.*/*", "automation.azure.*/*", "keyvault.azure.*/Certificate", "keyvault.azure.*/Key", "keyvault.azure.*/Secret",
			"operationalinsights.azure.*/LogAnalyticsSavedSearch"),
	},
	always: []service{
		// Azure compares tag names without case, but stores these in lower case. So its Terraform
		// provider refuses capitals: TagsWithLowerCaseKeys in data_share_account_resource.go and
		// the documents of the resource azurerm_maintenance_configuration in
		// https://github.com/hashicorp/terraform-provider-azurerm.
		narrow(azureContract, func(p *Profile) { p.KeyClass, p.Format = azureLowerClass, lowerNoSlash },
			"datashare.azure.*/Account", "maintenance.azure.*/MaintenanceConfiguration"),

		// The tags by which https://github.com/kubernetes-sigs/cluster-api-provider-azure finds
		// its own resources.
		narrow(azureContract, func(p *Profile) {
			p.Taken = []string{"kubernetes.io_cluster_*", "sigs.k8s.io_cluster-api-provider-azure_*"}
		}, clusterAPI("Azure*")...).named("cluster-api"),

		// The tags that https://github.com/Azure/karpenter-provider-azure sets itself.
		narrow(azureContract, func(p *Profile) {
			p.Taken = []string{"compute.aks.billing", "karpenter.azure.com_aksmachine_nodeclaim", "karpenter.azure.com_cluster", "karpenter.sh_nodepool"}
		}, "karpenter.azure.com/AKSNodeClass").named("karpenter"),
	},
}

// azureContract has the limits in
// https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources.
var azureContract = Profile{
	Name:     "azure",
	Key:      Length{Runes: 512},
	Value:    Length{Runes: 256},
	KeyClass: charsOf(`anything but < > % & \ ? / and control characters`, `[^\p{Cc}<>%&\\?/]`),
	MaxTags:  50,
	Reserved: []string{"azure", "microsoft", "windows"},
	FoldKeys: true,
	Format:   noSlash,
}

var (
	azureLowerClass = charsOf(`anything but capitals, < > % & \ ? / and control characters`, `[^\p{Cc}\p{Lu}\p{Lt}Ⅰ-ⅯⒶ-Ⓩ<>%&\\?/]`)

	frontDoorClass = charsOf(`anything but < > % & \ ? / # : and control characters`, `[^\p{Cc}<>%&\\?/#:]`)

	trafficManagerClass = classOf(`anything but < > % & \ ? / # : space and control characters, not starting with a digit`,
		`^([^\p{Cc}\p{Nd}<>%&\\?/#: ][^\p{Cc}<>%&\\?/#: ]*)?$`)

	dnsZoneClass = classOf("ASCII letters and digits and - _ . not starting with a digit", `^([A-Za-z\-_.][0-9A-Za-z\-_.]*)?$`)
)
