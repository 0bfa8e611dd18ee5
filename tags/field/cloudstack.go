package field

// cloudstack is PlaytikaOSS/provider-cloudstack and TeraSky-OSS/provider-cloudstack.
//
// Not tags: metadata of profiles of machines.
var cloudstack = family{
	Family: Family{Name: "cloudstack", Profile: "cloudstack", Upjet: true},
	fields: []*candidate{at("tags", "tags")},
}
