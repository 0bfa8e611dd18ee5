package stamp

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A LimitError says that resources have no tag slots for labels of trusted sources, which
// are never missing, or for any labels if the limit policy is ApplyStrict.
type LimitError struct {
	head      string
	resources []overLimit
}

type overLimit struct {
	resource, provider, limit string

	// labels that the resource has no slot for, in the words of the message.
	labels string
}

// limits are the resources that lack tag slots.
type limits struct {
	// lacking have none for labels of trusted sources, and over none for some label, which only
	// matters under ApplyStrict.
	lacking, over *LimitError

	policy v1beta1.LimitPolicy
}

func newLimits(policy v1beta1.LimitPolicy) *limits {
	return &limits{
		lacking: &LimitError{head: "no tag slots for labels of trusted sources: "},
		over:    &LimitError{head: "limitPolicy ApplyStrict: too many labels: "},
		policy:  policy,
	}
}

// add what the plans for a resource and for what it launches have no slots for: what the first of them lacks.
func (l *limits) add(plans []*plan) {
	if i := slices.IndexFunc(plans, func(p *plan) bool { return p.decision != nil && p.decision.lacking > 0 }); i >= 0 {
		d := plans[i].decision
		l.lacking.add(plans[i], words.Names(words.Map(d.lackingKeys, strconv.Quote), d.lacking))
	}

	if l.policy != v1beta1.LimitPolicyApplyStrict {
		return
	}

	if i := slices.IndexFunc(plans, func(p *plan) bool { return len(p.slotless()) > 0 }); i >= 0 {
		l.over.add(plans[i], strconv.Itoa(len(plans[i].slotless())))
	}
}

// exceeded returns the LimitError, if there is one.
func (l *limits) exceeded() error {
	switch {
	case len(l.lacking.resources) > 0:
		return l.lacking
	case len(l.over.resources) > 0:
		return l.over
	default:
		return nil
	}
}

// add the resource of p, which has no slots for the labels.
func (e *LimitError) add(p *plan, labels string) {
	e.resources = append(e.resources, overLimit{resource: p.Resource, provider: p.Provider, limit: p.decision.limit(), labels: labels})
}

// Error says which labels are too many on which resources: as many of these as an event has
// room for.
func (e *LimitError) Error() string {
	items := words.Map(e.resources, func(r overLimit) string {
		return fmt.Sprintf("%s on composed resource %q (%s: %s)", r.labels, words.Shorten(r.resource, words.MaxName), r.provider, r.limit)
	})

	return words.Items(e.head, items, 0, words.MaxError)
}

// slotless returns the positions of the labels that the resource has no tag slot for.
func (p *plan) slotless() (positions []int) {
	if !p.done || p.decision == nil {
		return nil
	}

	for i, f := range p.decision.fates {
		if f == open {
			positions = append(positions, i)
		}
	}

	return positions
}

// lacksSlot is true if the resource has no tag slot for the label at position i.
func (p *plan) lacksSlot(i int) bool {
	return p.done && p.decision != nil && i < len(p.decision.fates) && p.decision.fates[i] == open
}
