package tags

import (
	"slices"
	"strings"
)

// providersKeys are the keys of the tags that the providers of Crossplane set
// themselves. Nobody else may.
var providersKeys = []string{"crossplane-kind", "crossplane-name", "crossplane-providerconfig"}

// MatchesKey is true if the supplied pattern is the key, or the beginning of it and a
// *.
func MatchesKey(pattern, key string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(key, prefix)
	}

	return key == pattern
}

// A reservation is keys that only trusted sources may claim.
type reservation struct {
	patterns []string

	// prefix that labels' keys get.
	prefix string
}

// Claims is true if the supplied label claims a key that matches one of the supplied
// patterns, before any format is applied to it.
func Claims(patterns []string, l Label) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		return MatchesKey(p, l.QualifiedKey) || MatchesKey(p, l.TagKey)
	})
}

// forFormat returns what says whether a tag key has come to be a reserved one of the
// supplied profile, or what the format makes of one. The key of an unreserved label
// may be different from a reserved one, but no longer so once both are formatted.
func (r *reservation) forFormat(p *Profile, f Format) func(tagKey string) bool {
	patterns := ReservedTagKeys(p, f, r.patterns, r.prefix)

	return func(tagKey string) bool {
		tagKey = p.Fold(tagKey)
		return slices.ContainsFunc(patterns, func(p string) bool { return MatchesKey(p, tagKey) })
	}
}

// ReservedTagKeys returns the patterns of tag keys of the supplied profile that come
// of the supplied patterns of reserved keys, unformatted and formatted. They are in
// lower case if keys that differ only in case are one key.
func ReservedTagKeys(p *Profile, f Format, reserved []string, prefix string) []string {
	patterns := make([]string, 0, 3*len(reserved))

	for _, pattern := range reserved {
		key, star := strings.CutSuffix(pattern, "*")

		suffix, keys := "", []string{key}
		if star {
			suffix, keys = "*", f.extensions(key)
		}

		patterns = append(patterns, p.Fold(key)+suffix)

		for _, k := range keys {
			patterns = append(patterns,
				p.Fold(f.key(Label{TagKey: k, Unprefixed: true}))+suffix,
				p.Fold(f.key(Label{QualifiedKey: k, TagKey: prefix + k}))+suffix)
		}
	}

	return patterns
}

// ProvidersKeys returns the keys of the tags that the providers of Crossplane set
// themselves.
func ProvidersKeys() []string { return slices.Clone(providersKeys) }

// isProviders is true if the supplied key is one that providers set themselves.
func (p *Profile) isProviders(tagKey string) bool {
	return slices.Contains(providersKeys, p.Fold(tagKey))
}
