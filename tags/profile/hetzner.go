package profile

// hetzner is what Hetzner Cloud admits as labels, which is what it calls tags, by
// https://docs.hetzner.cloud/reference/cloud#labels.
var hetzner = cloud{
	// But with the colon and the slash that the keys of all our tags have.
	contract: &Profile{
		Name:     "hetzner",
		Key:      Length{Runes: 63},
		Value:    Length{Runes: 63},
		KeyClass: strict,
		MaxTags:  64,
	},
	api: &Profile{
		Name:  "hetzner",
		Key:   Length{Runes: 63, Prefix: 253},
		Value: Length{Runes: 63},
		KeyClass: classOf("ASCII letters and digits and - _ . with a letter or digit at both ends, and one / between two such parts",
			"^("+hetznerPart+"(/"+hetznerPart+")?)?$"),
		ValueClass: hetznerValueClass,
		MaxTags:    64,
		Reserved:   []string{"hetzner.cloud/"},
		Format:     noColonOnly,
	},
}

// hetznerPart is what a value is, and what is on either side of the slash in a key.
const hetznerPart = `[0-9A-Za-z]([0-9A-Za-z\-_.]*[0-9A-Za-z])?`

var hetznerValueClass = classOf("ASCII letters and digits and - _ . with a letter or digit at both ends", "^("+hetznerPart+")?$")
