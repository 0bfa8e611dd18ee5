package stamp

import (
	"fmt"
	"strconv"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// maxLimitKeys is more keys of labels than an error about limits has room for.
const maxLimitKeys = 64

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

func newLimits(in *v1beta1.CloudTags) *limits {
	return &limits{
		lacking: &LimitError{head: "no tag slots for labels of trusted sources: "},
		over:    &LimitError{head: "limitPolicy ApplyStrict: too many labels: "},
		policy:  in.LimitPolicy,
	}
}

// add what the plan for a resource, or those for what it launches, have no slots for.
func (l *limits) add(p *plan, launched []*plan) {
	if q := first(p, launched, func(q *plan) bool { return q.lacking > 0 }); q != nil {
		l.lacking.add(q, words.Names(words.Map(q.lackingKeys, strconv.Quote), q.lacking))
	}

	if l.policy != v1beta1.LimitPolicyApplyStrict {
		return
	}

	if q := first(p, launched, func(q *plan) bool { return q.countSlotless() > 0 }); q != nil {
		l.over.add(q, strconv.Itoa(q.countSlotless()))
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

// first of the plan for a resource and those for what it launches of which the function
// is true, or nil if it is of none.
func first(own *plan, launched []*plan, is func(*plan) bool) *plan {
	if is(own) {
		return own
	}

	for _, q := range launched {
		if is(q) {
			return q
		}
	}

	return nil
}

// add the resource of the supplied plan, which has no slots for the supplied labels.
func (e *LimitError) add(p *plan, labels string) {
	e.resources = append(e.resources, overLimit{resource: p.Resource, provider: p.Provider, limit: p.countLimit(), labels: labels})
}

// Error says which labels are too many on which resources: as many of these as an event has
// room for.
func (e *LimitError) Error() string {
	items := words.Map(e.resources, func(r overLimit) string {
		return fmt.Sprintf("%s on composed resource %q (%s: %s)", r.labels, words.Shorten(r.resource, words.MaxName), r.provider, r.limit)
	})

	return words.Items(e.head, items, 0, words.MaxError)
}
