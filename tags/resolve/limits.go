package resolve

import (
	"maps"
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// Without these limits, the author of one composite resource could keep the function busy, and all others waiting. No resource
// has more than 64 tags.
const (
	// maxLabels is how many labels a set may have.
	maxLabels = 1000

	// maxPatterns is how many patterns of keys fields and expressions may give together.
	maxPatterns = 1000

	// maxPatternText is how many bytes a text of patterns in YAML may have: a thousand patterns of usual length.
	maxPatternText = 64 << 10

	// maxStandard is how many bytes a standard may have. To decode more takes seconds.
	maxStandard = 256 << 10
)

// tooManyError returns an error if the counts together are above the limit, and otherwise nil. The error names the largest count.
// For example, with the things "patterns" and the advice "shorten the list", it is "there are 1001 patterns, and at most 1000 are
// allowed: removeTags[0] has the most, 501: shorten the list".
func tooManyError(counts map[string]int, limit int, things, advice string) error {
	total, largest := 0, ""

	for _, name := range slices.Sorted(maps.Keys(counts)) {
		total += counts[name]

		if largest == "" || counts[name] > counts[largest] {
			largest = name
		}
	}

	if total <= limit {
		return nil
	}

	return errors.Errorf("there are %d %s, and at most %d are allowed: %s has the most, %d: %s", total, things, limit, largest, counts[largest], advice)
}

// A LimitError says that trusted sources give more labels than a set may have. No label of a trusted source is ever left out.
type LimitError struct{ error }

// leaveOutSurplus leaves out the labels beyond maxLabels, and counts them. Labels of trusted sources stay first, and then the
// lowest keys. For example, of 2 trusted labels and the untrusted a0000 to a0999, a0998 and a0999 are left out. Denied labels have
// maxLabels places of their own. The error is a LimitError.
func (m *mergedLabels) leaveOutSurplus() error {
	slices.SortFunc(m.set.Denied, tags.Label.Compare)
	m.set.Denied = slices.CompactFunc(m.set.Denied, func(a, b tags.Label) bool { return a.Compare(b) == 0 })
	m.set.Denied = m.set.Denied[:m.limitCount(len(m.set.Denied))]

	slices.SortFunc(m.set.Labels, tags.Label.Compare)

	if len(m.set.Labels) <= maxLabels {
		return nil
	}

	trustedCounts := make(map[string]int)
	for _, l := range m.set.Labels {
		if l.Trusted {
			trustedCounts[l.Source.Name]++
		}
	}

	if err := tooManyError(trustedCounts, maxLabels, "labels of trusted sources", "narrow its include"); err != nil {
		return &LimitError{err}
	}

	slices.SortStableFunc(m.set.Labels, tags.Label.CompareTrust) // Trusted labels come first.

	m.set.Labels = m.set.Labels[:m.limitCount(len(m.set.Labels))]
	slices.SortFunc(m.set.Labels, tags.Label.Compare)

	return nil
}

// limitCount returns how many of n labels may stay: at most maxLabels. It adds the number of the others to LeftOut.
func (m *mergedLabels) limitCount(n int) int {
	m.set.LeftOut += max(n-maxLabels, 0)

	return min(n, maxLabels)
}

// dropLeftOut drops labels that leaveOutSurplus has left out of common. The set common has only labels that are the same for all
// composed resources. If these are too many already, they are too many for each resource, too.
func (p *PerResource) dropLeftOut(common *mergedLabels) {
	kept := make(map[string]bool, len(common.set.Labels)+len(common.set.Denied))
	for _, l := range slices.Concat(common.set.Labels, common.set.Denied) {
		kept[l.TagKey] = true
	}

	p.labels = slices.DeleteFunc(p.labels, func(scoped scopedLabel) bool { return !scoped.differs() && !kept[scoped.TagKey] })
}

// A sourceLimit admits the first maxLabels+1 labels of one source, in the order of their keys, and counts the others. One label
// more than a set may have tells leaveOutSurplus that there are too many.
type sourceLimit struct {
	reserved profile.KeySet

	// labels and denied are the numbers of labels so far, without and with a reserved key that their source may not set.
	labels, denied int

	// leftOut is how many labels were left out.
	leftOut int
}

// countAndAdmit counts the label, and reports whether it is one of the first maxLabels+1 of the source.
func (s *sourceLimit) countAndAdmit(l tags.Label) bool {
	count := &s.labels
	if !l.Trusted && tags.HasReservedKey(s.reserved, l) {
		count = &s.denied
	}

	*count++
	if *count <= maxLabels+1 {
		return true
	}

	s.leftOut++

	return false
}
