package resolve

import (
	"maps"
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
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

	// maxJudgeCost is the most that a judge costs, in nanoseconds. Thousands of labels that no tag profile admits cost as much.
	maxJudgeCost = 300_000_000

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

// A judge says which labels are denied, and which are left out first.
type judge struct {
	input *v1beta1.CloudTags

	// reserved keys, which only trusted sources may set.
	reserved profile.KeySet

	// profiles of all clouds judge labels. They are nil until admits needs them.
	profiles []*tags.Transformed

	// answers of admits so far, and their cost.
	answers map[judgedLabel]bool
	cost    int
}

// A judgedLabel has the parts of a label from which its other parts follow, but for source and trust.
type judgedLabel struct {
	tagKey, value string
	givesTagKey   bool
}

func newJudge(input *v1beta1.CloudTags) *judge {
	return &judge{input: input, reserved: profile.NewFoldedKeySet(input.ReservedKeys...), answers: make(map[judgedLabel]bool)}
}

// denies reports whether the label has a reserved key, and isn't trusted.
func (j *judge) denies(l tags.Label) bool { return !l.Trusted && tags.HasReservedKey(j.reserved, l) }

// admits reports whether the label could be a tag on any cloud, or is trusted. No cloud has a place for a value of 300 characters. All labels
// for which there is no room in maxJudgeCost count as admitted.
func (j *judge) admits(l tags.Label) bool {
	if l.Trusted {
		return true
	}

	judged := judgedLabel{l.TagKey, l.Value, l.GivesTagKey}
	if isAdmitted, isKnown := j.answers[judged]; isKnown {
		return isAdmitted
	}

	if j.profiles == nil {
		j.makeProfiles()
	}

	isAdmitted := false
	costOfProfile := 700 + 12*len(l.TagKey) + len(l.Value) // It was measured. Formats and most character classes are for keys.

	for i := 0; i < len(j.profiles) && !isAdmitted; i++ {
		if j.cost += costOfProfile; j.cost > maxJudgeCost {
			return true
		}

		_, reason := j.profiles[i].Judge(l)
		isAdmitted = reason == ""
	}

	j.answers[judged] = isAdmitted

	return isAdmitted
}

// makeProfiles makes the profiles of all clouds, services and second tag systems. A composed composite resource admits all labels, so its profile
// counts only if an entry of tagFields hands labels on.
func (j *judge) makeProfiles() {
	all := slices.Concat(j.input.ProfileRules.Profiles(), words.Map(profile.SecondSystems(), profile.Of))
	if j.input.HandsLabelsOn() {
		all = append(all, profile.Composite())
	}

	j.profiles = words.Map(all, (&LabelSet{}).Transformer(j.input).Transform)
}

// leaveOutSurplus leaves out the labels beyond maxLabels, and counts them in LeftOut. Labels with keys of trusted sources stay. Labels
// that no tag profile admits go first, and then the labels with the highest keys: if there are 2 trusted labels and the untrusted labels a0000
// to a0999, it leaves out a0998 and a0999, or a0000 and a0001 if these have values of 300 characters. Denied has a limit of its own, also
// maxLabels. If there are too many trusted labels, the error is a LimitError.
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

	var trusted, admitted, refused []tags.Label

	for _, l := range m.set.Labels {
		switch {
		case trustedSources[l.TagKey] != nil:
			trusted = append(trusted, l)
		case m.admits(l):
			admitted = append(admitted, l)
		default:
			refused = append(refused, l)
		}
	}

	m.set.Labels = m.keepFirst(slices.Concat(trusted, admitted, refused))
	slices.SortFunc(m.set.Labels, tags.Label.Compare)

	return nil
}

// keepFirst returns the first maxLabels of the labels, and adds the number of the others to LeftOut.
func (m *mergedLabels) keepFirst(labels []tags.Label) []tags.Label {
	m.set.LeftOut += max(len(labels)-maxLabels, 0)

	return labels[:min(len(labels), maxLabels)]
}

// dropLeftOut drops those labels of p that leaveOutSurplus has left out of the set common. Then common is full, and the set of each
// resource has all keys of common, so it has no room for these labels, either, whatever values a resource has for these keys. Labels that differ per resource aren't in common, and stay.
func (p *PerResource) dropLeftOut(common *mergedLabels) {
	kept := make(map[string]bool, len(common.set.Labels)+len(common.set.Denied))
	for _, l := range slices.Concat(common.set.Labels, common.set.Denied) {
		kept[l.TagKey] = true
	}

	p.labels = slices.DeleteFunc(p.labels, func(scoped *scopedLabel) bool { return !scoped.differs() && !kept[scoped.TagKey] })
}

// An objectLimit admits the first maxLabels+1 labels of one object, so that an object with a million labels doesn't fill the memory. The
// last of them is one too many: by it, leaveOutSurplus sees that there are more than maxLabels. Labels that leaveOutSurplus leaves out first
// take no place of others.
type objectLimit struct {
	*judge

	// size is the number of the object's labels. Some of them may not be included.
	size int

	// deniedCount counts the untrusted labels with reserved keys so far, refusedCount those that no tag profile admits, and labelCount all
	// other labels.
	labelCount, refusedCount, deniedCount int
}

// countAndAdmit counts the label, and reports whether it is one of the first maxLabels+1 of its count.
func (s *objectLimit) countAndAdmit(l tags.Label) bool {
	count := &s.labelCount

	switch isLeftOutAnyway := s.labelCount > maxLabels; {
	case s.denies(l):
		count = &s.deniedCount
	case s.size > maxLabels+1 && !isLeftOutAnyway && !s.admits(l):
		count = &s.refusedCount
	}

	*count++

	return *count <= maxLabels+1
}

// leftOut returns how many labels countAndAdmit has refused.
func (s *objectLimit) leftOut() (sum int) {
	for _, count := range []int{s.labelCount, s.refusedCount, s.deniedCount} {
		sum += max(count-maxLabels-1, 0)
	}

	return sum
}
