package tags

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// providersKeys are the keys of tags that Crossplane's providers set. No label may set them.
var providersKeys = []string{"crossplane-kind", "crossplane-name", "crossplane-providerconfig"}

var providersKeySet = profile.NewFoldedKeySet(providersKeys...)

// ProvidersKeys returns the keys of tags that Crossplane's providers set, such as crossplane-name.
func ProvidersKeys() []string { return slices.Clone(providersKeys) }

// ProvidersKeySet returns the keys of ProvidersKeys as a set that ignores case.
func ProvidersKeySet() profile.KeySet { return providersKeySet }

// HasReservedKey reports whether the qualified key or the tag key of the label l is in the set reserved. The patterns workspace and
// plexsphere:workspace both reserve the label workspace. For keys in a key format, see ReservedTagKeys.
func HasReservedKey(reserved profile.KeySet, l Label) bool {
	return reserved.Has(l.QualifiedKey) || reserved.Has(l.TagKey)
}

// ReservedTagKeys returns patterns of the tag keys that only trusted labels may have on a cloud with the key format f. A reserved key
// counts with and without the key prefix, and each of these with and without the key format. On Google Cloud, platform/* gives
// platform/*, platform_*, plexsphere:platform/* and plexsphere_platform_*.
//
// The patterns are in lower case, since reserved keys ignore case on every cloud. If env is reserved, so is Env: on AWS, the
// condition key aws:ResourceTag/env of an IAM policy also matches a tag Env.
func ReservedTagKeys(f profile.Format, reserved []string, prefix string) []string {
	patterns := make([]string, 0, 8*len(reserved)) // Enough for most key formats.

	for _, pattern := range reserved {
		for _, p := range []string{pattern, prefix + pattern} { // platform/* and plexsphere:platform/*
			patterns = append(patterns, f.Patterns(p, prefix)...)                                   // f may replace capitals.
			patterns = append(patterns, f.Patterns(profile.FoldKey(p), profile.FoldKey(prefix))...) // PLEXSPHERE:env has the prefix, too, ignoring case.
		}
	}

	for i, p := range patterns {
		patterns[i] = profile.FoldKey(p)
	}

	slices.Sort(patterns)

	return slices.Compact(patterns)
}
