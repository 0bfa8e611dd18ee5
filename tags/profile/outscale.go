package profile

// outscale is what 3DS Outscale admits, by https://docs.outscale.com/api#createtags, which has
// lengths only: characters are as the generic profile has them.
var outscale = cloud{contract: &Profile{
	Name:     "outscale",
	Key:      Length{Runes: 255},
	Value:    Length{Runes: 255},
	KeyClass: strict,
	MaxTags:  50,
}}
