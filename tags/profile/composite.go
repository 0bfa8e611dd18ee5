package profile

import "math"

// Composite returns the profile of fields that hand labels on to composed composite resources. It is no
// provider's, and admits all labels unchanged: the Composition of such a resource makes tags of them.
func Composite() *Profile { return &composite }

var composite = Profile{
	Name:          "composite",
	KeyClass:      classOf("any characters, but not none", `^[\s\S]`),
	MaxTags:       math.MaxInt32,
	HandsLabelsOn: true,
}
