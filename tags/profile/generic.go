package profile

// Generic is the name of the tag profile of every provider that has none of its
// own.
const Generic = "generic"

// generic is what all providers that we know admit. It applies to providers that we don't know.
var generic = cloud{contract: &genericContract, always: []service{exoscaleSKS, harness, ionosObjects, palette}}

var genericContract = Profile{
	Name:     Generic,
	Key:      Length{Runes: 63},
	Value:    Length{Runes: 255},
	KeyClass: strict,
	MaxTags:  32,
}

// strict is the class of keys that the contract has where it admits least.
var strict = charsOf("ASCII letters and digits and - _ . : /", `[0-9A-Za-z\-_.:/]`)
