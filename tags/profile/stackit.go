package profile

// stackit is what STACKIT's resource manager admits as labels, which is what it calls tags, by
// https://docs.stackit.cloud. A number isn't said. networkArea places a project in a network.
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
