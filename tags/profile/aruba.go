package profile

// aruba is Aruba Cloud: a tag is one word of at least four characters, by the errors in the
// tests of https://github.com/Arubacloud/terraform-provider-arubacloud. Nothing else is known,
// and as the generic profile has it.
var aruba = cloud{contract: &Profile{
	Name:       "aruba",
	Key:        Length{Runes: 63},
	Value:      Length{Runes: 255},
	EntryClass: classOf("at least 4 characters", `^(?s:.{4,})$`),
	Separator:  "=",
	KeyClass:   strict,
	MaxTags:    32,
}}
