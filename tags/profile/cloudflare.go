package profile

// cloudflare has the limits of Cloudflare for tags of DNS records. A tag is one word of name, colon and value.
// Names compare without case. The lengths are the generic profile's.
var cloudflare = cloud{contract: &Profile{
	Name:       "cloudflare",
	Source:     "https://developers.cloudflare.com/dns/manage-dns-records/reference/record-attributes",
	Guess:      "lengths, number",
	Key:        Length{Runes: 63},
	Value:      Length{Runes: 255},
	KeyClass:   charsOf("ASCII letters and digits and - _", `[0-9A-Za-z\-_]`),
	ValueClass: charsOf("graphic characters", `[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]`),
	MaxTags:    32,
	FoldKeys:   true,
	Format:     underscores,
}}
