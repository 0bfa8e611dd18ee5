package stamp

import (
	"fmt"
	"strconv"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A LimitError says that labels exceed a limit, so that the run fails. For example, a label of a trusted source has no tag slot on a
// resource. With limitPolicy ApplyStrict, the run fails if any label has none.
type LimitError struct {
	// head begins the message, such as "limitPolicy ApplyStrict: too many labels: ".
	head string

	// resources has a text for each resource without slots: see shortages.
	resources []string
}

// Error returns a message with the labels and resources. It leaves out resources beyond words.MaxError bytes.
func (e *LimitError) Error() string {
	return words.Items(e.head, e.resources, len(e.resources), words.MaxError)
}

// maxMemoryBytes is the most bytes of labels in all items of all lists. It limits the memory of a run before its items are made. A label counts once for each item, even if it isn't written there: its key, its value, and entrySize for all the rest.
const (
	entrySize      = 64
	maxMemoryBytes = 64 << 20
)

// tooManyMemoryBytes returns a LimitError for so many labels in each of so many items. The caller counts the bytes, for maxMemoryBytes.
func tooManyMemoryBytes(items, labels int) error {
	return &LimitError{head: fmt.Sprintf("%d labels in each of %d items are too much: in all items of lists together, labels may take %d bytes, "+
		"and each takes its key, its value and %d more: include fewer labels, or make fewer items", labels, items, maxMemoryBytes, entrySize)}
}

// sizeInItem returns the bytes of the labels in one item of a list, for maxMemoryBytes.
func (l *Labels) sizeInItem() (size int) {
	for i := range l.all {
		size += entrySize + len(l.all[i].Key) + len(l.all[i].Value)
	}

	return size
}

// limits collects the resources that have no tag slots for all of their labels.
type limits struct {
	// trusted has the resources on which labels of trusted sources lack slots.
	trusted shortages

	// overCap has the resources on which labels of any source lack slots. It is filled only if isStrict is true.
	overCap shortages

	// isStrict reports whether limitPolicy is ApplyStrict.
	isStrict bool
}

// shortages has a text for each resource without tag slots: "owner" on composed resource "bucket" (aws: at most 50 tags on a resource).
type shortages struct {
	resources []string

	// last is the resourcePlan of the resource that the last text is about.
	last *Plan
}

// add adds a text for the resource of resourcePlan, unless the last text is about this resource: an Instance has one text, even if both
// tags and volumeTags lack slots. labels has the keys of labels or their number, for the field of the plan p. The text has p's limit.
func (s *shortages) add(resourcePlan, p *Plan, labels string) {
	if s.last != resourcePlan {
		s.last = resourcePlan
		s.resources = append(s.resources, fmt.Sprintf("%s on composed resource %q (%s: %s)", labels, words.Shorten(p.Resource, words.MaxName), p.Provider, p.decision.limitText()))
	}
}

// add adds the resource of resourcePlan if the plan p lacks tag slots. p is resourcePlan itself, or the plan of one of the resource's
// fields for launched resources.
func (l *limits) add(resourcePlan, p *Plan) {
	if d := p.decision; d != nil && len(d.trustedWithoutSlot) > 0 {
		l.trusted.add(resourcePlan, p, words.Names(words.Map(d.trustedWithoutSlot, strconv.Quote)))
	}

	count := 0

	// limitPolicy is about tags. Labels that are handed on to a composite resource are no tags yet, and a field that can't be written gets
	// none.
	if l.isStrict && p.getsDecidedTags && !resourcePlan.HandsLabelsOn {
		for i := range p.allRecords {
			if p.allRecords[i].LacksSlot() {
				count++
			}
		}
	}

	if count > 0 {
		l.overCap.add(resourcePlan, p, strconv.Itoa(count))
	}
}

// limitError returns a LimitError if any resource has too few tag slots, or nil.
func (l *limits) limitError() error {
	switch {
	case len(l.trusted.resources) > 0:
		return &LimitError{"no tag slots for labels of trusted sources: ", l.trusted.resources}
	case len(l.overCap.resources) > 0:
		return &LimitError{"limitPolicy ApplyStrict: too many labels: ", l.overCap.resources}
	default:
		return nil
	}
}
