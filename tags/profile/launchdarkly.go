package profile

// launchdarkly has the limits of LaunchDarkly, by the validators of
// https://github.com/launchdarkly/terraform-provider-launchdarkly. A tag is one word of 1 to 64 characters.
var launchdarkly = cloud{contract: &Profile{
	Name:       "launchdarkly",
	Key:        Length{Runes: 64},
	Entry:      Length{Runes: 64},
	EntryClass: launchdarklyClass,
	Separator:  "_",
	KeyClass:   launchdarklyClass,
	ValueClass: launchdarklyClass,
	MaxTags:    32,
	Format:     noColon,
}}

var launchdarklyClass = charsOf("ASCII letters and digits and _ . -", `[0-9A-Za-z_.\-]`)
