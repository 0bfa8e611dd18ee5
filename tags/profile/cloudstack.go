package profile

// cloudstack is what Apache CloudStack admits, by
// https://docs.cloudstack.apache.org/en/latest/adminguide/management.html, which has lengths
// only: characters are as the generic profile has them.
var cloudstack = cloud{contract: &Profile{
	Name:     "cloudstack",
	Key:      Length{Runes: 255},
	Value:    Length{Runes: 255},
	KeyClass: strict,
	MaxTags:  50,
}}
