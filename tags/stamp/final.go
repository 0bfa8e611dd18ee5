package stamp

import (
	"maps"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
)

// A Final is what the tag field of a resource has in the end, whoever has set it: labels, earlier
// steps, or other systems whose tags ignoreTags keeps.
type Final struct {
	// Resource is the name of the composed resource, and Provider that of its tag profile.
	Resource, Provider string

	// Tags by key. What is in the field and is no tag is not among them.
	Tags map[string]string
}

// finalOf p, whose resource becomes what is passed. It has no tags if they can't be read.
func finalOf(p *plan, becomes object.Object) Final {
	f := Final{Resource: p.Resource, Provider: p.Profile.Name, Tags: make(map[string]string)}

	value, err := becomes.At(p.target.Field.Path)
	if err != nil {
		return f
	}

	// All strings are tags, and those of labels are told by their keys.
	keys := p.Keys
	keys.Patterns = profile.NewKeySet("*")

	set, err := tagset.Read(value, p.target.Field, &keys)
	if err != nil {
		return f
	}

	maps.Insert(f.Tags, set.Texts())

	return f
}
