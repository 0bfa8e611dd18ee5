package profile

// stackit has the limits of STACKIT's resource manager for labels, its word for tags, by
// https://docs.stackit.cloud. A cap isn't documented. networkArea places a project in a network.
var stackit = cloud{contract: &Profile{
	Name:       "stackit",
	Key:        Length{Runes: 64},
	Value:      Length{Runes: 64},
	KeyClass:   stackitClass,
	ValueClass: stackitClass,
	MaxTags:    50,
	Taken:      []string{"networkArea"},
	Format:     underscores,
}}

var stackitClass = charsOf("German letters, digits and _ -", `[0-9A-ZÄÖÜa-zäöüß_\-]`)
