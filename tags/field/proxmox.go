package field

// proxmox is valkiriaaquatica/provider-proxmox-bpg, whose first releases had API groups directly
// under crossplane.io, and joekky/provider-proxmox, which has no tags. Proxmox VE puts tags in order, and a list in another one is a difference
// that never ends, says the documentation of the provider. A tag is one word without = and :,
// so that key and value are apart by what a tag may have.
var proxmox = family{
	Family: Family{Name: "proxmox", Profile: "proxmox", Upjet: true},
	fields: []*candidate{at("tags", "tags").words("_").sorted()},
}
