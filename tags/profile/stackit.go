package profile

// stackit has the limits of STACKIT's resource manager for labels, its word for tags. networkArea places a
// project in a network.
var stackit = cloud{contract: &Profile{
	Name:       "stackit",
	Source:     "https://github.com/stackitcloud/terraform-provider-stackit/blob/0da566e296b5d8aaa6ea2adf79f93eac3e8907f0/docs/resources/resourcemanager_project.md",
	Guess:      "number",
	Key:        Length{Runes: 64},
	Value:      Length{Runes: 64},
	KeyClass:   stackitClass,
	ValueClass: stackitClass,
	MaxTags:    50,
	Taken:      []string{"networkArea"},
	Format:     underscores,
}}

var stackitClass = charsOf("German letters, digits and _ -", `[0-9A-ZÄÖÜa-zäöüß_\-]`)
