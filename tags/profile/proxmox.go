package profile

// proxmox has the limits of Proxmox VE, by the format pve-tag. A tag is one word, and Proxmox puts it in lower
// case: capitals would be a difference for ever. The lengths and the number are the generic profile's.
var proxmox = cloud{contract: changed(genericContract, func(p *Profile) {
	p.Name, p.Guess = "proxmox", "lengths, number"
	p.Source = "https://git.proxmox.com/?p=pve-common.git;a=blob;f=src/PVE/JSONSchema.pm"
	p.KeyClass, p.EntryClass, p.Separator = proxmoxClass, proxmoxClass, "_"
	p.ValueClass = charsOf("ASCII letters in lower case, digits and _ + . -", `[0-9a-z_+.\-]`)
	p.FoldEntries = true
	p.Format = NewFormat(nil, map[string]string{":": ".", "/": "."}, true)
})}

var proxmoxClass = classOf("ASCII letters in lower case, digits and _ + . - starting with a letter, digit or _", `^([0-9a-z_][0-9a-z_+.\-]*)?$`)
