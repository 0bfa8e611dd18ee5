package stamp

import (
	"fmt"
	"slices"
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

// maxHandedOn is the most bytes of labels that are handed on to all composite resources together: what a response may
// have, since Crossplane takes no larger one. One label can be handed on to a thousand of them.
const maxHandedOn = 4 << 20

var errTooMuchHandedOn = &LimitError{head: fmt.Sprintf("labels that are handed on (tagFields, shape Labels) take more than %d bytes, which is more than "+
	"Crossplane takes of a function: include fewer labels, or hand them on to fewer resources", maxHandedOn)}

// handedOn is how many bytes the labels that p has written take about, if it hands them on.
func (p *plan) handedOn() (size int) {
	if !p.target.Profile.HandsOn || p.Stamped.IsZero() {
		return 0
	}

	for key, value := range p.Active {
		size += len(key) + len(value) + entryBytes
	}

	return size
}

// entryBytes are those of an entry of a map beside its key and its value.
const entryBytes = 8

// limits are the resources that lack tag slots: for labels of trusted sources, and for any labels, which only
// matters if the limits are strict.
type limits struct {
	strict        bool
	lacking, over []string
}

// add what the plans for a resource and for what it launches have no slots for: what the first of them lacks.
func (l *limits) add(plans []*plan) {
	if i := slices.IndexFunc(plans, func(p *plan) bool { return p.decision != nil && p.decision.lacking > 0 }); i >= 0 {
		d := plans[i].decision
		l.lacking = append(l.lacking, plans[i].lacks(words.Names(words.Map(d.lackingKeys, strconv.Quote), d.lacking)))
	}

	if !l.strict || plans[0].target.Profile.HandsOn {
		return
	}

	if i := slices.IndexFunc(plans, func(p *plan) bool { return len(p.slotless()) > 0 }); i >= 0 {
		l.over = append(l.over, plans[i].lacks(strconv.Itoa(len(plans[i].slotless()))))
	}
}

// exceeded returns a LimitError, if a limit is exceeded.
func (l *limits) exceeded() error {
	switch {
	case len(l.lacking) > 0:
		return &LimitError{"no tag slots for labels of trusted sources: ", l.lacking}
	case len(l.over) > 0:
		return &LimitError{"limitPolicy ApplyStrict: too many labels: ", l.over}
	default:
		return nil
	}
}

// lacks is how messages put the labels that the resource has no slots for.
func (p *plan) lacks(labels string) string {
	return fmt.Sprintf("%s on composed resource %q (%s: %s)", labels, words.Shorten(p.Resource, words.MaxName), p.Provider, p.decision.limit())
}

// slotless returns the positions of the labels that the resource has no tag slot for.
func (p *plan) slotless() (positions []int) {
	if !p.done || p.decision == nil {
		return nil
	}

	for i, f := range p.decision.states {
		if f == open {
			positions = append(positions, i)
		}
	}

	return positions
}

// lacksSlot is true if the resource has no tag slot for the label at position i.
func (p *plan) lacksSlot(i int) bool {
	return p.done && p.decision != nil && i < len(p.decision.states) && p.decision.states[i] == open
}
