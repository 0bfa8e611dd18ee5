package profile

// ovh is what OVHcloud admits as tags of IAM resources, by
// https://help.ovhcloud.com/csm/en-iam-tags. A number isn't said.
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
