package locate

import (
	"cmp"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// WhyGeneric says why the generic tag profile applies. It has one of the two fields, or none if a provider's profile applies.
type WhyGeneric struct {
	// Provider is a provider that has no tag profile, such as my-cloud. The input, the XR or a class names it.
	Provider string

	// Group is the API group of a kind whose provider is unknown, such as acme.example.org. For the core group, it is v1.
	Group string
}

// whyGeneric says why the generic tag profile applies to resources of the kind k. provider is the result of providerOf for the provider that
// an entry of tagFields names, or "". Only an entry asks for a second tag system, such as gcp-tags.
func whyGeneric(provider, entryProvider string, k *TargetKind) WhyGeneric {
	switch {
	case provider == "":
		return WhyGeneric{Group: cmp.Or(k.Tagged().Group, k.Tagged().Version)}
	case !profile.Has(provider), entryProvider == "" && profile.IsSecondSystem(provider):
		return WhyGeneric{Provider: provider}
	default:
		return WhyGeneric{}
	}
}
