package profile

// linode is what Akamai's Linode admits: a tag is one word of 3 to 50 characters, by
// https://techdocs.akamai.com/linode-api/reference/post-tag, and case doesn't tell tags apart.
var linode = cloud{contract: &Profile{
	Name:        "linode",
	Key:         Length{Runes: 50},
	Entry:       Length{Runes: 50},
	EntryClass:  classOf("at least 3 characters", `^(?s:.{3,})$`),
	Separator:   "=",
	KeyClass:    strict,
	MaxTags:     50,
	FoldEntries: true,
}}
