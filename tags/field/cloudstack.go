package field

// cloudstack is PlaytikaOSS/provider-cloudstack and TeraSky-OSS/provider-cloudstack.
//
// Not tags: metadata of profiles of machines.
var cloudstack = family{
	Family:  Family{Name: "cloudstack", Profile: "cloudstack", Upjet: true},
	domains: []string{"cloudstack.playtika.com", "cloudstack.terasky.com"},
	fields:  []*candidate{at("tags", "tags")},
}
