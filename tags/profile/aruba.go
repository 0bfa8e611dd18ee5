package profile

// aruba has the limits of Aruba Cloud. A tag is one word of at least four characters, by the errors in the
// tests of https://github.com/Arubacloud/terraform-provider-arubacloud. Nothing else is known: the other
// limits are the generic profile's.
var aruba = cloud{contract: &Profile{
	Name:       "aruba",
	Key:        Length{Runes: 63},
	Value:      Length{Runes: 255},
	EntryClass: classOf("at least 4 characters", `^(?s:.{4,})$`),
	Separator:  "=",
	KeyClass:   strict,
	MaxTags:    32,
}}
