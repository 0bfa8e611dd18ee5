package field

// cloudstack is PlaytikaOSS/provider-cloudstack and TeraSky-OSS/provider-cloudstack.
//
// Not tags: metadata of profiles of machines.
var cloudstack = family{
	Family:  Family{Name: "cloudstack", Profile: "cloudstack", Upjet: true},
	domains: []string{"cloudstack.playtika.com", "cloudstack.terasky.com"},
	fields:  []*candidate{at("tags", "tags")},
	immutable: map[string]refusal{
		"/IPAddress": refused("cloudstack/terraform-provider-cloudstack cloudstack/resource_cloudstack_ipaddress.go: no Update, v0.5.0"),
	},
}
