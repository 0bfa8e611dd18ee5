package profile

// cloudfoundry has the limits of Cloud Foundry for labels, its word for tags.
var cloudfoundry = cloud{contract: &Profile{
	Name:       "cloudfoundry",
	Source:     "https://v3-apidocs.cloudfoundry.org/#metadata",
	Guess:      "number",
	Key:        Length{Runes: 63, BeforeSlash: 253},
	Value:      Length{Runes: 63},
	KeyClass:   kubernetesClass,
	ValueClass: hetznerValueClass,
	MaxTags:    50,
	Reserved:   []string{"cloudfoundry.org/"},
	Format:     colonToDot,
}}
