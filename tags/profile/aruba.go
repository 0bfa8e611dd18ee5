package profile

// aruba has the limits of Aruba Cloud. A tag is one word of at least four characters. The other limits are the
// generic profile's.
var aruba = cloud{contract: &Profile{
	Name:       "aruba",
	Source:     "https://github.com/Arubacloud/terraform-provider-arubacloud/blob/ce9cef0e179d8ee2f5af44c0628f6fcc07f0e423/examples/test/security/README.md#L23",
	Guess:      "lengths of keys and values, characters, number",
	Key:        Length{Runes: 63},
	Value:      Length{Runes: 255},
	EntryClass: classOf("at least 4 characters", `^(?s:.{4,})$`),
	Separator:  "=",
	KeyClass:   strict,
	MaxTags:    32,
}}
