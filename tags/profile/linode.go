package profile

// linode has the limits of Akamai's Linode. A tag is one word of 3 to 50 characters. Tags compare without case.
var linode = cloud{contract: &Profile{
	Name:        "linode",
	Source:      "https://techdocs.akamai.com/linode-api/reference/post-tag",
	Guess:       "characters, number",
	Key:         Length{Runes: 50},
	Entry:       Length{Runes: 50},
	EntryClass:  classOf("at least 3 characters", `^(?s:.{3,})$`),
	Separator:   "=",
	KeyClass:    strict,
	MaxTags:     50,
	FoldEntries: true,
}}
