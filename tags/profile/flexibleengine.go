package profile

// flexibleengine is what Orange's Flexible Engine admits, by
// https://docs.prod-cloud-ocb.orange-business.com/api/waf/waf_02_0086.html, which is shared by
// several clouds.
var flexibleengine = cloud{contract: &Profile{
	Name:       "flexibleengine",
	Key:        Length{Runes: 36},
	Value:      Length{Runes: 43},
	KeyClass:   flexibleengineClass,
	ValueClass: flexibleengineClass,
	MaxTags:    10,
	Format:     noSlash,
}}

var flexibleengineClass = charsOf(`anything but = * < > \ , | / and control characters`, `[^\p{Cc}=*<>\\,|/]`)
