package tags

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// providersKeys are the keys of tags that Crossplane's providers set. Nobody else may set them.
var providersKeys = []string{"crossplane-kind", "crossplane-name", "crossplane-providerconfig"}

// ProvidersKeySet returns the keys of ProvidersKeys as a set that ignores case.
func ProvidersKeySet() profile.KeySet { return providersSet }

var providersSet = profile.NewFoldedKeySet(providersKeys...)

// HasReservedKey reports whether the set reserved has a key of the label l: its qualified key or its tag key, before any format.
// With workspace reserved, it is true of the label workspace, whose tag key is plexsphere:workspace.
func HasReservedKey(reserved profile.KeySet, l Label) bool {
	return reserved.Has(l.QualifiedKey) || reserved.Has(l.TagKey)
}

// ReservedTagKeys returns the patterns of tag keys for patterns of reserved keys: with and without the prefix, and with and
// without the format f. On Google Cloud, platform/* leads to platform/*, platform_*, plexsphere:platform/* and
// plexsphere_platform_*. They are in lower case, since reserved keys ignore case on every cloud: even clouds that tell `Env`
// from `env` don't do so in their access policies.
func ReservedTagKeys(f profile.Format, reserved []string, prefix string) []string {
	patterns := make([]string, 0, 4*len(reserved))

	for _, pattern := range reserved {
		patterns = append(patterns, f.Patterns(pattern, prefix)...)

		// The same with the key prefix, again without and with the format.
		patterns = append(patterns, f.Patterns(prefix+pattern, prefix)...)
	}

	for i, p := range patterns {
		patterns[i] = profile.FoldKey(p)
	}

	slices.Sort(patterns)

	return slices.Compact(patterns)
}

// ProvidersKeys returns the keys of tags that Crossplane's providers set, such as crossplane-name.
func ProvidersKeys() []string { return slices.Clone(providersKeys) }
