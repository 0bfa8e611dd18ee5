package profile

// ovh has the limits of OVHcloud for tags of IAM resources.
var ovh = cloud{contract: &Profile{
	Name:       "ovh",
	Source:     "https://github.com/ovh/terraform-provider-ovh/blob/a1ae5bcee34bfe693ffc152f057b26cdf9160f46/docs/resources/iam_resource_tags.md#L54",
	Guess:      "number",
	Key:        Length{Runes: 128},
	Value:      Length{Runes: 256},
	KeyClass:   ovhClass,
	ValueClass: ovhClass,
	MaxTags:    50,
	Reserved:   []string{"ovh:"},
}}

var ovhClass = charsOf("ASCII letters and digits and _ . : / = + @ -", `[0-9A-Za-z_.:/=+@\-]`)
