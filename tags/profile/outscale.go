package profile

// outscale has the limits of 3DS Outscale, by https://docs.outscale.com/api#createtags. The document has
// lengths only: the characters are the generic profile's.
var outscale = cloud{contract: &Profile{
	Name:     "outscale",
	Key:      Length{Runes: 255},
	Value:    Length{Runes: 255},
	KeyClass: strict,
	MaxTags:  50,
}}
