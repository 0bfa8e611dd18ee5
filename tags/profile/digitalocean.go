package profile

// digitalocean has the limits of DigitalOcean. A tag is one word of key, colon and value.
var digitalocean = cloud{contract: &Profile{
	Name:        "digitalocean",
	Source:      "https://docs.digitalocean.com/reference/api/digitalocean/#tag/Tags",
	Guess:       "number",
	Key:         Length{Runes: 255},
	Entry:       Length{Runes: 255},
	KeyClass:    digitaloceanClass,
	ValueClass:  digitaloceanClass,
	MaxTags:     50,
	FoldEntries: true,
	Format:      NewFormat(nil, map[string]string{"/": "-", ".": "-"}, false),
}}

var digitaloceanClass = charsOf("ASCII letters and digits and : - _", `[0-9A-Za-z:\-_]`)
