package resolve

import (
	"maps"
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// These limits keep one composite resource from taking all of the function's time. No cloud admits more than 64 tags on a resource.
const (
	// maxLabels is the most labels of a LabelSet.
	maxLabels = 1000

	// maxPatterns is the most patterns that include, removeTags and ignoreTags may read from fields and expressions, together.
	maxPatterns = 1000

	// maxPatternText is the most bytes of a text with patterns in YAML: a thousand patterns of usual length.
	maxPatternText = 64 << 10

	// maxPatternTexts is the most bytes of such texts of all objects that one include reads: to read more takes seconds.
	maxPatternTexts = 256 << 10

	// maxStandard is the most bytes of a standard, an input that the input extends. To decode more takes seconds.
	maxStandard = 256 << 10
)

// tooManyError returns an error if the sum of the counts is above the limit, and otherwise nil. The error names the largest count:
// "there are 1001 patterns, and at most 1000 are allowed: removeTags[0] has the most, 501: shorten the list". Here, things is
// "patterns", and advice is "shorten the list".
func tooManyError(counts map[string]int, limit int, things, advice string) error {
	total := 0
	for _, n := range counts {
		total += n
	}

	if total <= limit {
		return nil
	}

	largest := slices.MaxFunc(slices.Sorted(maps.Keys(counts)), func(a, b string) int { return counts[a] - counts[b] })

	return errors.Errorf("there are %d %s, and at most %d are allowed: %s has the most, %d: %s", total, things, limit, largest, counts[largest], advice)
}

// A LimitError says that trusted sources give more than 1,000 labels. Resolve and LabelSetOf return a *LimitError. No label of a trusted
// source is ever left out.
type LimitError struct{ error }

// leaveOutSurplus leaves out the labels beyond maxLabels, and counts them in LeftOut. Labels with keys of trusted sources stay, and of the others the
// labels with the lowest keys: of 2 trusted labels and the untrusted labels a0000 to a0999, it leaves out a0998 and a0999. Denied has a
// limit of its own, also maxLabels. If there are too many trusted labels, the error is a LimitError.
func (m *mergedLabels) leaveOutSurplus() error {
	slices.SortFunc(m.set.Denied, tags.Label.Compare)
	m.set.Denied = slices.CompactFunc(m.set.Denied, func(a, b tags.Label) bool { return a.Compare(b) == 0 })
	m.set.Denied = m.keepFirst(m.set.Denied)

	slices.SortFunc(m.set.Labels, tags.Label.Compare)

	if len(m.set.Labels) <= maxLabels {
		return nil
	}

	// A label that has won over a trusted label counts as this label. It may be skipped on some cloud, and then the trusted label becomes the tag.
	trustedSources := make(map[string]*tags.Source) // By tag keys.
	for _, l := range slices.Concat(m.set.Overridden, m.set.Labels) {
		if l.Trusted {
			trustedSources[l.TagKey] = l.Source
		}
	}

	trustedCounts := make(map[string]int) // By the names of sources.
	for _, source := range trustedSources {
		trustedCounts[source.Name]++
	}

	if err := tooManyError(trustedCounts, maxLabels, "labels of trusted sources", "narrow its include"); err != nil {
		return &LimitError{err}
	}

	// Trusted labels come first.
	slices.SortStableFunc(m.set.Labels, func(a, b tags.Label) int {
		return tags.CompareTrust(trustedSources[a.TagKey] != nil, trustedSources[b.TagKey] != nil)
	})

	m.set.Labels = m.keepFirst(m.set.Labels)
	slices.SortFunc(m.set.Labels, tags.Label.Compare)

	return nil
}

// keepFirst returns the first maxLabels of the labels, and adds the number of the others to LeftOut.
func (m *mergedLabels) keepFirst(labels []tags.Label) []tags.Label {
	m.set.LeftOut += max(len(labels)-maxLabels, 0)

	return labels[:min(len(labels), maxLabels)]
}

// dropLeftOut drops those labels of p that leaveOutSurplus has left out of the set common. Then common is full, and the set of each
// resource has all keys of common, so it has no room for these labels, either. Labels that differ per resource aren't in common, and stay.
func (p *PerResource) dropLeftOut(common *mergedLabels) {
	kept := make(map[string]bool, len(common.set.Labels)+len(common.set.Denied))
	for _, l := range slices.Concat(common.set.Labels, common.set.Denied) {
		kept[l.TagKey] = true
	}

	p.labels = slices.DeleteFunc(p.labels, func(scoped *scopedLabel) bool { return !scoped.differs() && !kept[scoped.TagKey] })
}

// An objectLimit admits the first maxLabels+1 labels of one object, so that an object with a million labels doesn't fill the memory. The
// last of them is one too many: by it, leaveOutSurplus sees that there are more than maxLabels.
type objectLimit struct {
	reserved profile.KeySet

	// deniedCount counts the untrusted labels with reserved keys so far, and labelCount all other labels.
	labelCount, deniedCount int
}

// countAndAdmit counts the label, and reports whether it is one of the first maxLabels+1 of its count.
func (s *objectLimit) countAndAdmit(l tags.Label) bool {
	count := &s.labelCount
	if !l.Trusted && tags.HasReservedKey(s.reserved, l) {
		count = &s.deniedCount
	}

	*count++

	return *count <= maxLabels+1
}

// leftOut returns how many labels countAndAdmit has refused.
func (s *objectLimit) leftOut() int {
	return max(s.labelCount-maxLabels-1, 0) + max(s.deniedCount-maxLabels-1, 0)
}
