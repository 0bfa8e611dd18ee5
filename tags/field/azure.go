package field

var azureTags = at("tags", "tags")

// azure is crossplane-contrib/provider-upjet-azure, and provider-jet-azure before it.
//
// Not tags: tags lists of strings (API Management's filters); filter.tag (a
// budget's filter); defaultNodePool.tags (the pool's); soaRecord.tags and
// metadata (of the service, not of the resource); labels lists (Event
// Grid's, Sentinel's and virtual hub route tables' filters and routes).
var azure = family{
	Family: Family{Name: "azure", Profile: "azure", Upjet: true},
	fields: []*candidate{azureTags},
	usual:  azureTags,
	kinds: map[string][]*candidate{
		// API Management's own catalogue of tags.
		"apimanagement/APIOperationTag apimanagement/APITag apimanagement/ProductTag apimanagement/Tag": none,
	},
}

// azureClassic is crossplane-contrib/provider-azure, which was before them.
//
// Not tags: ipTags of a public address (they choose how it is routed), metadata of containers
// and record sets (of the service, not of the resource).
var azureClassic = family{
	Family: Family{Name: "azure-classic", Profile: "azure"},
	fields: []*candidate{azureTags},
	kinds: map[string][]*candidate{
		// These have no spec.forProvider.
		"network/VirtualNetwork": {at(".spec.tags")},
		"storage/Account":        {at(".spec.storageAccountSpec.tags")},
	},
}
