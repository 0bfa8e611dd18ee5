package profile

// Generic is the name of the tag profile of all providers without a profile of their own.
const Generic = "generic"

// generic has limits that all known providers admit. It applies to unknown providers.
var generic = cloud{contract: &genericContract, always: []service{exoscaleSKS, harness, ionosObjects, palette}}

var genericContract = Profile{
	Name:     Generic,
	Guess:    "all limits, as no known provider admits less",
	Key:      Length{Runes: 63},
	Value:    Length{Runes: 255},
	KeyClass: strict,
	MaxTags:  32,
}

// strict is the narrowest class of keys in the contract.
var strict = charsOf("ASCII letters and digits and - _ . : /", `[0-9A-Za-z\-_.:/]`)
