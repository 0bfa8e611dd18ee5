package profile

// btp has the limits of SAP Business Technology Platform for labels, its word for tags, by the CRDs of
// https://github.com/SAP/crossplane-provider-btp. Its characters are the generic profile's.
var btp = cloud{contract: &Profile{
	Name:     "btp",
	Key:      Length{Runes: 63},
	Value:    Length{Runes: 63},
	KeyClass: strict,
	MaxTags:  10,
}}
