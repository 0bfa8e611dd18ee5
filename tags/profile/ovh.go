package profile

// ovh has the limits of OVHcloud for tags of IAM resources, by https://help.ovhcloud.com/csm/en-iam-tags. A
// cap isn't documented.
var ovh = cloud{contract: &Profile{
	Name:       "ovh",
	Key:        Length{Runes: 128},
	Value:      Length{Runes: 256},
	KeyClass:   ovhClass,
	ValueClass: ovhClass,
	MaxTags:    50,
	Reserved:   []string{"ovh:"},
}}

var ovhClass = charsOf("ASCII letters and digits and _ . : / = + @ -", `[0-9A-Za-z_.:/=+@\-]`)
