package stamp

import (
	"fmt"
	"strconv"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A LimitError says that resources have no tag slots for labels of trusted sources, which may never be missing, or for
// any labels if the limit policy is ApplyStrict.
type LimitError struct {
	head string

	// resources, each with the labels that it lacks slots for, as messages show them.
	resources []string
}

// Error names the labels and resources, as many as an event has room for.
func (e *LimitError) Error() string { return words.Items(e.head, e.resources, 0, words.MaxError) }

// maxAdded is the most bytes that labels add to composite resources and to items of lists: Crossplane takes no larger
// response, and one label can be in a thousand items.
const maxAdded = 4 << 20

// tooMuch returns the error of labels that add more bytes, with a way to add fewer.
func tooMuch(labels, mend string) error {
	return &LimitError{head: fmt.Sprintf("%s take more than %d bytes, which is more than Crossplane takes of a function: include fewer labels, or %s", labels, maxAdded, mend)}
}

// Each label counts entrySize bytes in each item of a list, besides its key and its value, and all labels may count
// maxInItems bytes. To decide on a label takes about as much memory, whether the label is written or not.
const (
	entrySize  = 64
	maxInItems = 64 << 20
)

// tooManyItems returns the error of so many labels in each of so many items of a list.
func tooManyItems(items, labels int) error {
	return &LimitError{head: fmt.Sprintf("%d labels in each of %d items are too much: in all items of lists together, labels may take %d bytes, "+
		"and each takes its key, its value and %d more: include fewer labels, or make fewer items", labels, items, maxInItems, entrySize)}
}

// sizeInItem returns how many bytes the labels count in an item of a list.
func (l *Labels) sizeInItem() (size int) {
	for i := range l.all {
		size += entrySize + len(l.all[i].Key) + len(l.all[i].Value)
	}

	return size
}

// limits collect the resources that lack tag slots, each once: for labels of trusted sources, and, if the limits are
// strict, for any labels.
type limits struct {
	strict        bool
	lacking, over shortages
}

type shortages struct {
	resources []string

	// last is the plan of the last of the resources.
	last *plan
}

// add adds the labels that the plan p has no tag slots for, in words of messages, unless the resource of the plan whole
// is there: "owner" on composed resource "bucket" (aws: at most 50 tags on a resource).
func (s *shortages) add(whole, p *plan, labels string) {
	if s.last != whole {
		s.last = whole
		s.resources = append(s.resources, fmt.Sprintf("%s on composed resource %q (%s: %s)", labels, words.Shorten(p.Resource, words.MaxName), p.Provider, p.decision.limit()))
	}
}

// add adds the labels that the plan p has no tag slots for. The plan is of a whole resource, or of a field for launched
// resources. An Instance counts once, even if its tags and volumeTags both lack slots.
func (l *limits) add(whole, p *plan) {
	if d := p.decision; d != nil && d.lacking > 0 {
		l.lacking.add(whole, p, words.Names(words.Map(d.lackingKeys, strconv.Quote), d.lacking))
	}

	if !l.strict || !p.done || whole.HandsOn {
		return
	}

	slotless := 0

	for i := range p.judged {
		if p.judged[i].lacksSlot() {
			slotless++
		}
	}

	if slotless > 0 {
		l.over.add(whole, p, strconv.Itoa(slotless))
	}
}

// exceeded returns a LimitError, if a limit is exceeded.
func (l *limits) exceeded() error {
	switch {
	case len(l.lacking.resources) > 0:
		return &LimitError{"no tag slots for labels of trusted sources: ", l.lacking.resources}
	case len(l.over.resources) > 0:
		return &LimitError{"limitPolicy ApplyStrict: too many labels: ", l.over.resources}
	default:
		return nil
	}
}
