package profile

// cloudstack has the limits of Apache CloudStack. The characters are the generic profile's.
var cloudstack = cloud{contract: &Profile{
	Name:     "cloudstack",
	Source:   "https://docs.cloudstack.apache.org/en/latest/adminguide/management.html",
	Guess:    "characters, number",
	Key:      Length{Runes: 255},
	Value:    Length{Runes: 255},
	KeyClass: strict,
	MaxTags:  50,
}}
