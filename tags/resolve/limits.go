package resolve

import (
	"maps"
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// maxLabels is how many labels a set may have, and maxPatterns how many patterns fields may hold. A resource has at most 64
// tags. Without these limits, the author of one composite resource could keep the function from all others.
const (
	maxLabels   = 1000
	maxPatterns = 1000
)

// maxText is how many bytes a text of patterns in YAML may have: a thousand patterns of usual length. To parse more takes long.
const maxText = 64 << 10

// maxStandard is how many bytes a standard may have. To decode more takes seconds.
const maxStandard = 256 << 10

// tooMany returns an error if the counts together are above the limit. The error names the largest count. For example:
// "there are 1001 patterns of keys in fields and expressions, and at most 1000 are allowed: removeTags[0] has the most, 501: shorten the list
// that it reads". things are the words for what is counted, and mend says how to have fewer.
func tooMany(counts map[string]int, limit int, things, mend string) error {
	all, largest := 0, ""

	for _, name := range slices.Sorted(maps.Keys(counts)) {
		all += counts[name]

		if largest == "" || counts[name] > counts[largest] {
			largest = name
		}
	}

	if all <= limit {
		return nil
	}

	return errors.Errorf("there are %d %s, and at most %d are allowed: %s has the most, %d: %s", all, things, limit, largest, counts[largest], mend)
}

// A LimitError says that there are more labels of trusted sources than a set may have. No label of a trusted source is ever left
// out.
type LimitError struct{ error }

// cut leaves out the labels beyond maxLabels, and counts them. Labels of trusted sources stay first, and then the lowest keys:
// of 2 trusted labels and a0000 to a0999, a0998 and a0999 go. Denied labels have maxLabels places of their own. The error is
// a LimitError.
func (m *merged) cut() error {
	slices.SortFunc(m.set.Denied, tags.Label.Compare)
	m.set.Denied = slices.CompactFunc(m.set.Denied, func(a, b tags.Label) bool { return a.Compare(b) == 0 })
	m.set.Denied = m.set.Denied[:m.keep(len(m.set.Denied))]

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

// keep returns how many of n labels stay, and adds the others to Cut.
func (m *merged) keep(n int) int {
	m.set.Cut += max(n-maxLabels, 0)

	return min(n, maxLabels)
}

// dropCut leaves out the labels that the set m has lost, since no resource can have them either: a resource has all labels of m,
// and perhaps more.
func (p *PerResource) dropCut(m *merged) {
	kept := make(map[string]bool, len(m.set.Labels)+len(m.set.Denied))
	for _, l := range slices.Concat(m.set.Labels, m.set.Denied) {
		kept[l.TagKey] = true
	}

	p.all = slices.DeleteFunc(p.all, func(t scopedLabel) bool { return !t.differs() && !kept[t.TagKey] })
}

// A bound leaves out labels of one source that no set can have: after maxLabels, in the order of their keys, it admits one more
// label, by which cut sees a surplus.
type bound struct {
	reserved       profile.KeySet
	labels, denied int

	// leftOut is how many labels were left out.
	leftOut int
}

// admits counts the label, and reports whether it can be in a set: it is false from the label number maxLabels+2 of a
// source.
func (b *bound) admits(l tags.Label) bool {
	n := &b.labels
	if !l.Trusted && tags.HasReservedKey(b.reserved, l) {
		n = &b.denied
	}

	*n++
	if *n <= maxLabels+1 {
		return true
	}

	b.leftOut++

	return false
}
