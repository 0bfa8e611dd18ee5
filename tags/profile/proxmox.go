package profile

// proxmox has the limits of Proxmox VE, by the format pve-tag. A tag is one word, and Proxmox puts it in lower
// case: capitals would be a difference for ever.
var proxmox = cloud{contract: &Profile{
	Name:        "proxmox",
	Source:      "https://git.proxmox.com/?p=pve-common.git;a=blob;f=src/PVE/JSONSchema.pm",
	Guess:       "lengths, number",
	Key:         Length{Runes: 63},
	Value:       Length{Runes: 255},
	EntryClass:  proxmoxClass,
	Separator:   "_",
	KeyClass:    proxmoxClass,
	ValueClass:  charsOf("ASCII letters in lower case, digits and _ + . -", `[0-9a-z_+.\-]`),
	MaxTags:     32,
	FoldEntries: true,
	Format:      NewFormat(nil, map[string]string{":": ".", "/": "."}, true),
}}

var proxmoxClass = classOf("ASCII letters in lower case, digits and _ + . - starting with a letter, digit or _", `^([0-9a-z_][0-9a-z_+.\-]*)?$`)
