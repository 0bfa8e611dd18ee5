package field

// maas is Marouan-chak/provider-upjet-maas. What it has on network interfaces, block devices
// and VM hosts are words, by which a machine can be asked for: one that nobody asks for
// changes nothing.
//
// Not tags of the resource itself: partitions.tags (of each partition).
var maas = family{
	Family: Family{Name: "maas", Profile: "generic", Upjet: true},
	fields: []*candidate{at("tags", "tags").words("=")},
}
