package tags

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// providersKeys are the keys of the tags that the providers of Crossplane set
// themselves. Nobody else may.
var providersKeys = []string{"crossplane-kind", "crossplane-name", "crossplane-providerconfig"}

// ProvidersKeySet are the keys of ProvidersKeys, in any case.
func ProvidersKeySet() profile.KeySet { return providersSet }

var providersSet = profile.NewFoldedKeySet(providersKeys...)

// Claims is true if the label l has a key of the set reserved, before any format is applied to
// it.
func Claims(reserved profile.KeySet, l Label) bool {
	return reserved.Has(l.QualifiedKey) || reserved.Has(l.TagKey)
}

// ReservedTagKeys returns the patterns of tag keys, with and without the format f, that the
// patterns of reserved keys come to. They are in lower case, since reserved keys compare without
// case on every provider: clouds that tell keys apart by case don't do so in their access policies.
func ReservedTagKeys(f profile.Format, reserved []string, prefix string) []string {
	patterns := make([]string, 0, 4*len(reserved))

	for _, pattern := range reserved {
		patterns = append(patterns, f.Patterns(pattern, prefix)...)

		// The qualified key of a label, in both forms.
		patterns = append(patterns, f.Patterns(prefix+pattern, prefix)...)
	}

	for i, p := range patterns {
		patterns[i] = profile.FoldKey(p)
	}

	slices.Sort(patterns)

	return slices.Compact(patterns)
}

// ProvidersKeys returns the keys of the tags that the providers of Crossplane set
// themselves.
func ProvidersKeys() []string { return slices.Clone(providersKeys) }
