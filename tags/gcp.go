package tags

// gcp is what Google Cloud admits as labels, which is what it calls tags, by
// https://cloud.google.com/resource-manager/docs/labels-overview.
var gcp = cloud{contract: &Profile{
	Name:       "gcp",
	Key:        Length{Runes: 63, Bytes: 128},
	Value:      Length{Runes: 63, Bytes: 128},
	KeyClass:   classOf("letters without case or in lower case, numbers, _ and -, starting with a letter", `^([\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_\-]*)?$`),
	ValueClass: charsOf("letters without case or in lower case, numbers, _ and -", `[\p{Ll}\p{Lo}\p{N}_\-]`),
	MaxTags:    64,
	Reserved:   []string{"goog"},
	Unreserved: []string{"goog-partner-solution"},
	Format:     NewFormat(nil, map[string]string{":": "_", "/": "_", ".": "_", " ": "_", "@": "_", "+": "_", "=": "_"}, true),
}}
