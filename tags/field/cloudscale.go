package field

import (
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// cloudscale is vshn/provider-cloudscale, which has users of the object storage with tags, and
// buckets without.
var cloudscale = family{
	Family:      Family{Name: "cloudscale", Profile: profile.Generic},
	handwritten: []string{"cloudscale.crossplane.io"},
	fields:      []*candidate{at("tags", "tags")},
}
