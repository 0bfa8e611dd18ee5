package profile

// btp is what SAP Business Technology Platform admits as labels, which is what it calls tags, by
// the CRDs of https://github.com/SAP/crossplane-provider-btp. Characters are as the generic
// profile has them.
var btp = cloud{contract: &Profile{
	Name:     "btp",
	Key:      Length{Runes: 63},
	Value:    Length{Runes: 63},
	KeyClass: strict,
	MaxTags:  10,
}}
