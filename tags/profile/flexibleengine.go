package profile

// flexibleengine has the limits of Orange's Flexible Engine, by
// https://docs.prod-cloud-ocb.orange-business.com/api/waf/waf_02_0086.html. Several clouds share this
// document.
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
