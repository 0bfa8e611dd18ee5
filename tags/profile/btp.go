package profile

// btp has the limits of SAP Business Technology Platform for labels, its word for tags. The characters are the
// generic profile's.
var btp = cloud{contract: &Profile{
	Name:     "btp",
	Source:   "https://github.com/SAP/crossplane-provider-btp/blob/e521853646fb692a67e377aaff2b80289fe5ae9c/apis/account/v1alpha1/subaccount_types.go#L34",
	Guess:    "characters",
	Key:      Length{Runes: 63},
	Value:    Length{Runes: 63},
	KeyClass: strict,
	MaxTags:  10,
}}
