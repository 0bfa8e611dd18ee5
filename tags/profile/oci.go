package profile

// oci has the limits of Oracle Cloud Infrastructure for freeform tags. Its documents don't agree whether keys
// compare without case, so no two keys may differ in case only.
var oci = cloud{contract: &Profile{
	Name:     "oci",
	Source:   "https://docs.oracle.com/iaas/Content/Tagging/Concepts/taggingoverview.htm",
	Key:      Length{Runes: 100},
	Value:    Length{Runes: 256},
	KeyClass: charsOf("printable ASCII but . and space", `[!-\-/-~]`),
	MaxTags:  10,
	FoldKeys: true,
}}
