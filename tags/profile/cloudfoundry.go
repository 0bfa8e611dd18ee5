package profile

// cloudfoundry is what Cloud Foundry admits as labels, which is what it calls tags, by
// https://v3-apidocs.cloudfoundry.org/#metadata. A number isn't said.
var cloudfoundry = cloud{contract: &Profile{
	Name:       "cloudfoundry",
	Key:        Length{Runes: 63, Prefix: 253},
	Value:      Length{Runes: 63},
	KeyClass:   kubernetesClass,
	ValueClass: hetznerValueClass,
	MaxTags:    50,
	Reserved:   []string{"cloudfoundry.org/"},
	Format:     noColonOnly,
}}
