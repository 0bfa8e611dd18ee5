package tags

// azure is what Azure admits, and its services are what
// https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources#limitations
// says.
var azure = cloud{
	contract: &azureContract,
	services: []service{
		narrow(azureContract, func(p *Profile) { p.Key = Length{Runes: 128} }, "storage.azure.*/Account"),
		narrow(azureContract, func(p *Profile) { p.KeyClass, p.Format = trafficManagerClass, noColon }, "network.azure.*/TrafficManagerProfile"),
		narrow(azureContract, func(p *Profile) { p.KeyClass, p.Format = frontDoorClass, noColon },
			"network.azure.*/FrontDoor*", "network.azure.*/FrontdoorFirewallPolicy", "cdn.azure.*/Frontdoor*"),
		narrow(azureContract, func(p *Profile) { p.KeyClass, p.Format, p.MaxTags = dnsZoneClass, noColon, 15 },
			"network.azure.*/DNS*", "network.azure.*/PrivateDNS*"),
		narrow(azureContract, func(p *Profile) { p.MaxTags = 15 },
			"cdn.azure.*/*", "automation.azure.*/*", "keyvault.azure.*/Certificate", "keyvault.azure.*/Key", "keyvault.azure.*/Secret",
			"operationalinsights.azure.*/LogAnalyticsSavedSearch"),
	},
}

// azureContract is what
// https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources says.
var azureContract = Profile{
	Name:     "azure",
	Key:      Length{Runes: 512},
	Value:    Length{Runes: 256},
	KeyClass: charsOf(`anything but < > % & \ ? / and control characters`, `[^\p{Cc}<>%&\\?/]`),
	MaxTags:  50,
	Reserved: []string{"azure", "microsoft", "windows"},
	FoldKeys: true,
	Format:   NewFormat(nil, map[string]string{"/": "."}, false),
}

// noColon is the key format of services that refuse the colon, too.
var noColon = NewFormat(nil, map[string]string{"/": ".", ":": "."}, false)

var (
	frontDoorClass = charsOf(`anything but < > % & \ ? / # : and control characters`, `[^\p{Cc}<>%&\\?/#:]`)

	trafficManagerClass = classOf(`anything but < > % & \ ? / # : space and control characters, not starting with a digit`,
		`^([^\p{Cc}\p{Nd}<>%&\\?/#: ][^\p{Cc}<>%&\\?/#: ]*)?$`)

	dnsZoneClass = classOf("ASCII letters and digits and - _ . not starting with a digit", `^([A-Za-z\-_.][0-9A-Za-z\-_.]*)?$`)
)
