package profile

// upcloud has the limits of UpCloud for labels, its word for tags.
var upcloud = cloud{contract: &Profile{
	Name:     "upcloud",
	Source:   "https://github.com/UpCloudLtd/terraform-provider-upcloud/blob/67632e69c630bb80470fd3a6d62e6ce85e9ed730/internal/utils/labels.go#L91",
	Guess:    "number",
	Key:      Length{Runes: 32},
	Value:    Length{Runes: 255},
	KeyClass: classOf("at least 2 characters of printable ASCII, not starting with _", `^([ -^`+"`"+`-~][ -~]+)?$`),
	MaxTags:  50,
	Reserved: []string{"_"},
}}
