package resolve

import (
	"maps"
	"slices"

	"github.com/crossplane/function-sdk-go/errors"
)

// maxLabels is how many labels a set may have, and maxPatterns how many patterns fields may hold. A
// resource has 64 tags at most, but whoever writes a composite resource could make both so long
// that nobody else's runs get their turn.
const (
	maxLabels   = 1000
	maxPatterns = 1000
)

// maxText is how many bytes a text of patterns in YAML may have: a thousand patterns of usual length. To parse more takes long.
const maxText = 64 << 10

// tooMany returns an error that names who has most if all together have more than the limit. It
// says of what, and how there can be fewer.
func tooMany(of map[string]int, limit int, what, mend string) error {
	all, most := 0, ""

	for _, name := range slices.Sorted(maps.Keys(of)) {
		all += of[name]

		if most == "" || of[name] > of[most] {
			most = name
		}
	}

	if all <= limit {
		return nil
	}

	return errors.Errorf("there are %d %s, and at most %d are allowed: %s has the most, %d: %s", all, what, limit, most, of[most], mend)
}

// check that the set isn't too large. Labels that may not have their reserved keys count, too,
// since each is a skipped one.
func (m *merged) check() error {
	if len(m.labels)+len(m.claims) <= maxLabels {
		return nil
	}

	of := make(map[string]int)
	claimed := make(map[string]bool)

	for _, l := range m.labels {
		of[l.Source.Name]++
	}

	for _, l := range m.claims {
		if !claimed[l.TagKey] {
			claimed[l.TagKey] = true
			of[l.Source.Name]++
		}
	}

	return tooMany(of, maxLabels, "labels", "narrow its include")
}

// checkPatterns that fields hold aren't too many.
func (r *resolver) checkPatterns() error {
	return tooMany(r.patterns, maxPatterns, "patterns of keys in fields", "shorten the list that it reads")
}
