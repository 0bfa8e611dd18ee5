package field

var azureTags = at("tags", "tags")

// azure is crossplane-contrib/provider-upjet-azure, and provider-jet-azure before it.
//
// Not tags: tags lists of strings (API Management's filters); filter.tag (a
// budget's filter); defaultNodePool.tags (the pool's); soaRecord.tags and
// metadata (of the service, not of the resource); labels lists (Event
// Grid's, Sentinel's and virtual hub route tables' filters and routes).
var azure = upjet("azure", "azure", azureTags).
	usually(azureTags).
	// API Management's own catalogue of tags.
	without("apimanagement/APIOperationTag apimanagement/APITag apimanagement/ProductTag apimanagement/Tag")

// azureClassic is crossplane-contrib/provider-azure, which was before them.
//
// Not tags: ipTags of a public address (they choose how it is routed), metadata of containers
// and record sets (of the service, not of the resource).
var azureClassic = handwritten("azure-classic", "azure", azureTags).
	// These have no spec.forProvider.
	kind("network/VirtualNetwork", at(".spec.tags")).
	kind("storage/Account", at(".spec.storageAccountSpec.tags"))
