package profile

// azure has the limits of Azure.
var azure = cloud{contract: &Profile{
	Name:     "azure",
	Source:   "https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources",
	Key:      Length{Runes: 512},
	Value:    Length{Runes: 256},
	KeyClass: charsOf(`anything but < > % & \ ? / and control characters`, `[^\p{Cc}<>%&\\?/]`),
	MaxTags:  50,
	Reserved: []string{"azure", "microsoft", "windows"},
	FoldKeys: true,
	Format:   noSlash,
}}.
	apiService("storage", func(p *Profile) { p.Source, p.Key = azureLimits, Length{Runes: 128} }, "storage.azure.*/Account", "storage.azure.com/StorageAccount").
	apiService("traffic-manager", func(p *Profile) { p.Source, p.KeyClass, p.Format = azureLimits, trafficManagerClass, noColon }, "network.azure.*/TrafficManagerProfile").
	apiService("front-door", func(p *Profile) { p.Source, p.KeyClass, p.Format = azureLimits, frontDoorClass, noColon },
		"network.azure.*/FrontDoor*", "network.azure.*/FrontdoorFirewallPolicy", "cdn.azure.*/Frontdoor*",
		"network.frontdoor.azure.com/WebApplicationFirewallPolicy", "cdn.azure.com/AfdEndpoint").

	// A Profile of Azure Service Operator belongs to Front Door or to CDN.
	apiService("cdn", func(p *Profile) { p.Source, p.KeyClass, p.Format, p.MaxTags = azureLimits, frontDoorClass, noColon, 15 }, "cdn.azure.com/Profile").
	apiService("dns", func(p *Profile) { p.Source, p.KeyClass, p.Format, p.MaxTags = azureLimits, dnsZoneClass, noColon, 15 },
		"network.azure.*/DNS*", "network.azure.*/PrivateDNS*", "network.azure.com/DnsZone*", "network.azure.com/PrivateDnsZone*").
	apiService("automation, cdn, keyvault, operationalinsights", func(p *Profile) { p.Source, p.MaxTags = azureLimits, 15 },
		"cdn.azure.*/*", "automation.azure.*/*", "keyvault.azure.*/Certificate", "keyvault.azure.*/Key", "keyvault.azure.*/Secret",
		"operationalinsights.azure.*/LogAnalyticsSavedSearch").

	// Azure compares tag names without case, but stores these in lower case. So its Terraform
	// provider refuses capitals: see TagsWithLowerCaseKeys.
	service("datashare, maintenance", func(p *Profile) {
		p.Source = "https://github.com/hashicorp/terraform-provider-azurerm/blob/main/internal/services/datashare/data_share_account_resource.go"
		p.KeyClass, p.Format = azureLowerClass, lowerNoSlash
	},
		"datashare.azure.*/Account", "maintenance.azure.*/MaintenanceConfiguration").

	// The tags by which the controller finds its own resources.
	service("cluster-api", func(p *Profile) {
		p.Source = "https://github.com/kubernetes-sigs/cluster-api-provider-azure/blob/69ec3a40a818ccbc32b8ce88c84609404d8cb7a2/api/v1beta1/tags.go#L102"
		p.Taken = []string{"kubernetes.io_cluster_*", "sigs.k8s.io_cluster-api-provider-azure_*"}
	}, clusterAPI("Azure*")...).

	// The tags that the controller sets itself.
	service("karpenter", func(p *Profile) {
		p.Source = "https://github.com/Azure/karpenter-provider-azure/blob/352646f599290c3a6d2f9710fb535a7b288f88ed/pkg/providers/launchtemplate/tags.go#L30"
		p.Taken = []string{"compute.aks.billing", "karpenter.azure.com_aksmachine_nodeclaim", "karpenter.azure.com_cluster", "karpenter.sh_nodepool"}
	}, "karpenter.azure.com/AKSNodeClass")

// azureLimits is the document with the limits of services.
const azureLimits = "https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources#limitations"

var (
	azureLowerClass = charsOf(`anything but capitals, < > % & \ ? / and control characters`, `[^\p{Cc}\p{Lu}\p{Lt}Ⅰ-ⅯⒶ-Ⓩ<>%&\\?/]`)

	frontDoorClass = charsOf(`anything but < > % & \ ? / # : and control characters`, `[^\p{Cc}<>%&\\?/#:]`)

	trafficManagerClass = classOf(`anything but < > % & \ ? / # : space and control characters, not starting with a digit`,
		`^([^\p{Cc}\p{Nd}<>%&\\?/#: ][^\p{Cc}<>%&\\?/#: ]*)?$`)

	dnsZoneClass = classOf("ASCII letters and digits and - _ . not starting with a digit", `^([A-Za-z\-_.][0-9A-Za-z\-_.]*)?$`)
)
