package resolve

import (
	"maps"
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
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

// maxStandard is how many bytes a standard may have. To decode more takes seconds.
const maxStandard = 256 << 10

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

// A LimitError says that there are more labels of trusted sources than a set may have. None of these is ever left out.
type LimitError struct{ error }

// cut leaves out the labels beyond maxLabels and counts them as the surplus. Labels of trusted sources stay first, and then
// those with the lowest keys. The labels that may not have their reserved keys have a thousand places of their own. The
// error is a LimitError.
func (m *merged) cut() error {
	slices.SortFunc(m.set.Claims, tags.Label.Compare)
	m.set.Claims = slices.CompactFunc(m.set.Claims, func(a, b tags.Label) bool { return a.Compare(b) == 0 })
	m.set.Claims = m.set.Claims[:m.keep(len(m.set.Claims))]

	slices.SortFunc(m.set.Labels, tags.Label.Compare)

	if len(m.set.Labels) <= maxLabels {
		return nil
	}

	trusted := make(map[string]int)
	for _, l := range m.set.Labels {
		if l.Trusted {
			trusted[l.Source.Name]++
		}
	}

	if err := tooMany(trusted, maxLabels, "labels of trusted sources", "narrow its include"); err != nil {
		return &LimitError{err}
	}

	slices.SortStableFunc(m.set.Labels, tags.Label.CompareTrust)

	m.set.Labels = m.set.Labels[:m.keep(len(m.set.Labels))]
	slices.SortFunc(m.set.Labels, tags.Label.Compare)

	return nil
}

// keep returns how many of n labels stay, and adds the others to the surplus.
func (m *merged) keep(n int) int {
	m.set.Cut += max(n-maxLabels, 0)

	return min(n, maxLabels)
}

// dropCut leaves out of the labels of all resources those that the set has lost. The lowest of all labels of a resource are
// among the lowest that the set had.
func (p *PerResource) dropCut(m *merged) {
	kept := make(map[string]bool, len(m.set.Labels)+len(m.set.Claims))
	for _, l := range slices.Concat(m.set.Labels, m.set.Claims) {
		kept[l.TagKey] = true
	}

	p.all = slices.DeleteFunc(p.all, func(t entry) bool { return !t.differs() && !kept[t.TagKey] })
}

// A bound leaves out the labels of one source that can't be among the lowest of any set: all behind the first maxLabels and
// one, which tells that there are too many. The labels of a source come in the order of their keys.
type bound struct {
	reserved       profile.KeySet
	labels, claims int

	// left is how many labels were left out.
	left int
}

// admits counts the label, and reports whether it can be in a set.
func (b *bound) admits(l tags.Label) bool {
	n := &b.labels
	if !l.Trusted && tags.Claims(b.reserved, l) {
		n = &b.claims
	}

	*n++
	if *n <= maxLabels+1 {
		return true
	}

	b.left++

	return false
}
