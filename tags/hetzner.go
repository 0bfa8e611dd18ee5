package tags

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
		KeyClass: Class{
			Name:  "ASCII letters and digits and - _ . with a letter or digit at both ends, and one / between two such parts",
			chars: labelChars, start: alphanumeric, end: alphanumeric, segments: true,
		},
		ValueClass: Class{
			Name:  "ASCII letters and digits and - _ . with a letter or digit at both ends",
			chars: labelChars, start: alphanumeric, end: alphanumeric,
		},
		MaxTags:  64,
		Reserved: []string{"hetzner.cloud/"},
		Format:   NewFormat(nil, map[string]string{":": "."}, false),
	},
}
