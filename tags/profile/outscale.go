package profile

// outscale has the limits of 3DS Outscale. The characters are the generic profile's.
var outscale = cloud{contract: &Profile{
	Name:     "outscale",
	Source:   "https://github.com/outscale/osc-api/blob/56e948e208ae511b1330728656e6e31aa2f43e59/outscale.yaml#L9873",
	Guess:    "characters, number",
	Key:      Length{Runes: 255},
	Value:    Length{Runes: 255},
	KeyClass: strict,
	MaxTags:  50,
}}
