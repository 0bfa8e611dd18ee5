package profile

// grafana has the limits of Grafana Cloud for labels of stacks, its word for tags.
var grafana = cloud{contract: &Profile{
	Name:       "grafana",
	Source:     "https://grafana.com/docs/grafana-cloud/developer-resources/api-reference/cloud-api",
	Key:        Length{Runes: 63},
	Value:      Length{Runes: 63},
	KeyClass:   charsOf("ASCII letters and digits and / . _ -", `[0-9A-Za-z/._\-]`),
	ValueClass: classOf("ASCII letters and digits and / . _ - not empty", `^[0-9A-Za-z/._\-]+$`),
	MaxTags:    10,
	Format:     colonToDot,
}}
