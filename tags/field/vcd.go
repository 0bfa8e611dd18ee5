package field

// vcd is ankasoftco/provider-vcd, of VMware Cloud Director. Its tenants search by metadata,
// which is the nearest that it has to tags: any keys, any values.
//
// Not tags: catalogItemMetadata (deprecated: of what a catalogue's item is a template of, and
// metadata beside it is its own); securityTags of machines (security groups of the firewall
// select by them).
var vcd = family{
	Family: Family{Name: "vcd", Profile: "generic", Upjet: true},
	fields: []*candidate{at("metadata", "metadata")},
}
