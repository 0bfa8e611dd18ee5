package field

var azureTags = at("tags", "tags")

// azure is crossplane-contrib/provider-upjet-azure, and provider-jet-azure before it.
//
// Not tags: tags lists of strings (API Management's filters); filter.tag (a
// budget's filter); defaultNodePool.tags (the pool's); soaRecord.tags and
// metadata (of the service, not of the resource); labels lists (Event
// Grid's, Sentinel's and virtual hub route tables' filters and routes).
var azure = family{
	Family:  Family{Name: "azure", Profile: "azure", Upjet: true},
	domains: []string{"azure.upbound.io", "azure.m.upbound.io"},
	retired: []string{"azure.jet.crossplane.io"},
	fields:  []*candidate{azureTags},
	usual:   azureTags,
	kinds: map[string][]*candidate{
		// API Management's own catalogue of tags.
		"apimanagement/APIOperationTag": none,
		"apimanagement/APITag":          none,
		"apimanagement/ProductTag":      none,
		"apimanagement/Tag":             none,
	},
	launches: map[string][]launch{
		// Other node pools are resources of their own.
		"containerservice/KubernetesCluster": {launched("defaultNodePool.tags", "nodes of the default pool", inPlace)},
	},
	immutable: map[string]refusal{
		"customproviders/CustomProvider":                   refused("hashicorp/terraform-provider-azurerm customproviders/custom_provider_resource.go: TagsForceNew, v3.95.0 to v4.80.0"),
		"keyvault/ManagedStorageAccount":                   refused("hashicorp/terraform-provider-azurerm keyvault/key_vault_managed_storage_account_resource.go: TagsForceNew, v3.95.0 to v4.80.0"),
		"keyvault/ManagedStorageAccountSASTokenDefinition": refused("hashicorp/terraform-provider-azurerm keyvault/key_vault_managed_storage_account_sas_token_definition_resource.go: TagsForceNew, v3.95.0 to v4.80.0"),
		"machinelearningservices/ComputeInstance":          refused("hashicorp/terraform-provider-azurerm machinelearning/machine_learning_compute_instance_resource.go: TagsForceNew, v3.95.0 to v4.80.0"),
		"machinelearningservices/SynapseSpark":             refused("hashicorp/terraform-provider-azurerm machinelearning/machine_learning_synapse_spark_resource.go: TagsForceNew, v3.95.0 to v4.80.0"),
		"operationalinsights/LogAnalyticsSavedSearch":      refused("hashicorp/terraform-provider-azurerm loganalytics/log_analytics_saved_search_resource.go: TagsForceNew, v3.95.0 to v4.80.0"),
		"oracle/AutonomousDatabaseCloneFromBackup":         refused("hashicorp/terraform-provider-azurerm oracle/oracle_autonomous_database_clone_from_backup_resource.go: TagsForceNew, v4.54.0 to v4.80.0"),
		"oracle/AutonomousDatabaseCloneFromDatabase":       refused("hashicorp/terraform-provider-azurerm oracle/oracle_autonomous_database_clone_from_database_resource.go: TagsForceNew, v4.54.0 to v4.80.0"),
		"machinelearningservices/ComputeCluster":           refusedOnce("hashicorp/terraform-provider-azurerm machinelearning/machine_learning_compute_cluster_resource.go: TagsForceNew, v3.95.0 to v3.117.1, all that provider-upjet-azure v1 has"),
	},
}

// azureClassic is crossplane-contrib/provider-azure, which was before them.
//
// Not tags: ipTags of a public address (they choose how it is routed), metadata of containers
// and record sets (of the service, not of the resource).
var azureClassic = family{
	Family:      Family{Name: "azure-classic", Profile: "azure"},
	handwritten: []string{"azure.crossplane.io"},
	fields:      []*candidate{azureTags},
	kinds: map[string][]*candidate{
		// These have no spec.forProvider.
		"network/VirtualNetwork": {at(".spec.tags")},
		"storage/Account":        {at(".spec.storageAccountSpec.tags")},
	},
}

// azapi is upbound/provider-upjet-azapi, whose kinds but Resource are parts of others.
var azapi = family{
	Family:  Family{Name: "azapi", Profile: "azure", Upjet: true},
	domains: []string{"azapi.upbound.io", "azapi.m.upbound.io"},
	fields:  []*candidate{azureTags},
}
