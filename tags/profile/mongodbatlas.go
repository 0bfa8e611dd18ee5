package profile

// mongodbatlas has the limits of MongoDB Atlas.
var mongodbatlas = cloud{contract: &Profile{
	Name:       "mongodbatlas",
	Source:     "https://www.mongodb.com/docs/atlas/tags",
	Key:        Length{Runes: 255},
	Value:      Length{Runes: 255},
	KeyClass:   charsOf("letters, digits, space and ; @ _ - . +", `[\p{L}\p{Nd} ;@_\-.+]`),
	ValueClass: classOf("letters, digits, space and ; @ _ - . + not empty", `^[\p{L}\p{Nd} ;@_\-.+]+$`),
	MaxTags:    50,
	Format:     noColon,
}}
