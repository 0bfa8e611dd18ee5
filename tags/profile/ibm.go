package profile

// ibm has the limits of IBM Cloud. A tag is one word of at most 128 characters, and a colon parts key and value.
var ibm = cloud{contract: &Profile{
	Name:        "ibm",
	Source:      "https://cloud.ibm.com/docs/account?topic=account-tag",
	Guess:       "number",
	Key:         Length{Runes: 128},
	Entry:       Length{Runes: 128},
	EntryClass:  ibmClass,
	KeyClass:    ibmClass,
	ValueClass:  ibmClass,
	MaxTags:     50,
	FoldEntries: true,
	Format:      noSlash,
}}

var ibmClass = charsOf("ASCII letters and digits, space and : _ . -", `[0-9A-Za-z :_.\-]`)
