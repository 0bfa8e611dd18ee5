package locate

import (
	"cmp"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// Unprofiled is what has no tag profile of its own, so that the generic one applies. It has one of
// the fields, or none if a profile is known.
type Unprofiled struct {
	// Provider that the input, the composite resource or a class names.
	Provider string

	// Group is the API group, if nobody names a provider and nobody knows one that the group is
	// of. Of the core group it is the version.
	Group string
}

// unprofiled says why the generic tag profile applies to resources of the kind and the provider.
func unprofiled(provider string, k *Kind) Unprofiled {
	switch {
	case provider == "":
		of := k.Tagged()
		return Unprofiled{Group: cmp.Or(of.Group, of.Version)}
	case !profile.Has(provider):
		return Unprofiled{Provider: provider}
	default:
		return Unprofiled{}
	}
}
