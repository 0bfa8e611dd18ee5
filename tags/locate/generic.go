package locate

import (
	"cmp"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// WhyGeneric says why the generic tag profile applies. It has one of the two fields, or none if a provider's profile applies.
type WhyGeneric struct {
	// Provider is a name that no profile has. It comes from the input, the composite resource or a class.
	Provider string

	// Group is the API group of a kind without a known provider. For the core group, it is the version v1.
	Group string
}

// whyGeneric says why the generic tag profile applies to resources of the kind. For example, it returns the provider
// `my-cloud` of an input that names it, or the group acme.example.org of a kind that no family has.
func whyGeneric(provider string, k *TargetKind) WhyGeneric {
	switch {
	case provider == "":
		tagged := k.Tagged()
		return WhyGeneric{Group: cmp.Or(tagged.Group, tagged.Version)}
	case !profile.Has(provider):
		return WhyGeneric{Provider: provider}
	default:
		return WhyGeneric{}
	}
}
