package profile

// cloudstack has the limits of Apache CloudStack, by
// https://docs.cloudstack.apache.org/en/latest/adminguide/management.html. The document has lengths only:
// the characters are the generic profile's.
var cloudstack = cloud{contract: &Profile{
	Name:     "cloudstack",
	Key:      Length{Runes: 255},
	Value:    Length{Runes: 255},
	KeyClass: strict,
	MaxTags:  50,
}}
