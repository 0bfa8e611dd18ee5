package profile

// launchdarkly has the limits of LaunchDarkly. A tag is one word of 1 to 64 characters.
var launchdarkly = cloud{contract: &Profile{
	Name:       "launchdarkly",
	Source:     "https://github.com/launchdarkly/terraform-provider-launchdarkly/blob/96625c9e3a5573e47efeca94c7b73b6a01d02a64/launchdarkly/framework_validators.go#L23",
	Guess:      "number",
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
