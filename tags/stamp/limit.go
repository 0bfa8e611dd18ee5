package stamp

import (
	"fmt"
	"strconv"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A LimitError says that resources have no tag slots for labels of trusted sources, which
// are never missing, or for any labels if the limit policy is ApplyStrict.
type LimitError struct {
	head string

	// resources with the labels that they have no slots for, as messages put them.
	resources []string
}

// Error says which labels are too many on which resources: as many of these as an event has
// room for.
func (e *LimitError) Error() string { return words.Items(e.head, e.resources, 0, words.MaxError) }

// maxAdded is the most bytes that labels add to all composite resources that they are handed on to, and to all items of
// lists: what a response may have, since Crossplane takes no larger one. One label can be in a thousand of them.
const maxAdded = 4 << 20

// tooMuch is the error of labels that add more, in words of messages, and says how there can be fewer.
func tooMuch(labels, mend string) error {
	return &LimitError{head: fmt.Sprintf("%s take more than %d bytes, which is more than Crossplane takes of a function: include fewer labels, or %s", labels, maxAdded, mend)}
}

// entrySize is how many bytes a label counts in an item of a list, beside its key and its value, and maxInItems how many
// all labels may count in all items of lists. What a label takes there while tags are decided on is about as much, be it
// written or not.
const (
	entrySize  = 64
	maxInItems = 64 << 20
)

// tooManyItems is the error of so many labels in each of so many items of a list.
func tooManyItems(items, labels int) error {
	return &LimitError{head: fmt.Sprintf("%d labels in each of %d items are too much: in all items of lists together, labels may take %d bytes, "+
		"and each takes its key, its value and %d more: include fewer labels, or make fewer items", labels, items, maxInItems, entrySize)}
}

// sizeInItem is how many bytes the labels count in an item of a list.
func (l *Labels) sizeInItem() (size int) {
	for i := range l.all {
		size += entrySize + len(l.all[i].Key) + len(l.all[i].Value)
	}

	return size
}

// limits are the resources that lack tag slots, as messages put them, each once: for labels of trusted sources, and, if the
// limits are strict, for any labels.
type limits struct {
	strict        bool
	lacking, over shortages
}

type shortages struct {
	resources []string

	// last is the resource's own plan of the last of them.
	last *plan
}

// add so many labels, in words of messages, that p has no tag slots for, unless the resource with its own plan is there.
func (s *shortages) add(own, p *plan, labels string) {
	if s.last != own {
		s.last = own
		s.resources = append(s.resources, fmt.Sprintf("%s on composed resource %q (%s: %s)", labels, words.Shorten(p.Resource, words.MaxName), p.Provider, p.decision.limit()))
	}
}

// add what p has no slots for, the resource's own plan or one for what that launches.
func (l *limits) add(own, p *plan) {
	if d := p.decision; d != nil && d.lacking > 0 {
		l.lacking.add(own, p, words.Names(words.Map(d.lackingKeys, strconv.Quote), d.lacking))
	}

	if !l.strict || !p.done || own.HandsOn {
		return
	}

	slotless := 0

	for i := range p.judged {
		if p.judged[i].lacksSlot() {
			slotless++
		}
	}

	if slotless > 0 {
		l.over.add(own, p, strconv.Itoa(slotless))
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
