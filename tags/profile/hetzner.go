package profile

// hetzner has the limits of Hetzner Cloud for labels, its word for tags.
var hetzner = cloud{
	contract: &hetznerContract,
	api: changed(hetznerContract, func(p *Profile) {
		p.Key.BeforeSlash = 253
		p.KeyClass = classOf("ASCII letters and digits and - _ . with a letter or digit at both ends, and one / between two such parts",
			"^("+hetznerPart+"(/"+hetznerPart+")?)?$")
		p.ValueClass = hetznerValueClass
		p.Reserved, p.Format = []string{"hetzner.cloud/"}, colonToDot
	}),
}

// hetznerContract also admits the colon and the slash in the keys of all our tags.
var hetznerContract = Profile{
	Name:     "hetzner",
	Source:   "https://docs.hetzner.cloud/reference/cloud#labels",
	Key:      Length{Runes: 63},
	Value:    Length{Runes: 63},
	KeyClass: strict,
	MaxTags:  64,
}

// hetznerPart matches a value, and either side of the slash in a key.
const hetznerPart = `[0-9A-Za-z]([0-9A-Za-z\-_.]*[0-9A-Za-z])?`

var hetznerValueClass = classOf("ASCII letters and digits and - _ . with a letter or digit at both ends", "^("+hetznerPart+")?$")
