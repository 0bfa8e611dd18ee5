package profile

// upcloud has the limits of UpCloud for labels, its word for tags, by the validators of
// https://github.com/UpCloudLtd/terraform-provider-upcloud.
var upcloud = cloud{contract: &Profile{
	Name:     "upcloud",
	Key:      Length{Runes: 32},
	Value:    Length{Runes: 255},
	KeyClass: classOf("at least 2 characters of printable ASCII, not starting with _", `^([ -^`+"`"+`-~][ -~]+)?$`),
	MaxTags:  50,
	Reserved: []string{"_"},
}}
