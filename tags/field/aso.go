package field

// asoTags are what an owner of the resource wrote, and the tags that Azure reports.
var asoTags = at(".spec.tags", ".status.tags")

// aso is Azure/azure-service-operator, whose API groups are the services of Azure Resource
// Manager. Later versions of a kind have the same field, which is a map that many may write to.
// Azure takes tags without making the resource anew, by the documents of Resource Manager.
//
// Not tags of the resource itself: agentPoolProfiles.tags of a ManagedCluster (the
// pools'), properties_tags of a Workbook (its content); tags of a NamedValue of API
// Management (a list of words, which filter).
var aso = family{
	Family: Family{Name: "aso", Profile: "azure", Native: true},
	fields: []*candidate{asoTags},
	kinds: map[string][]*candidate{
		// The data of a configuration store: applications read settings by these tags.
		"appconfiguration/KeyValue appconfiguration/Snapshot": none,

		// Resource Manager calls these tags deprecated, and keeps them for who has some.
		"notificationhubs/NamespacesAuthorizationRule notificationhubs/NotificationHubsAuthorizationRule": none,
	},
}
