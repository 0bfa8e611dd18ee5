package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/locate"
)

// planReserved plans what becomes of the tags of t that have reserved keys, and of no others.
func (s *Stamper) planReserved(t *locate.Target, l *Labels) *plan {
	p := newPlan(t, l)
	p.done = true

	set, _, err := desired(t, l)
	if err != nil {
		return p // It is left alone, as what has no tags.
	}

	p.decision = decideReserved(&State{Labels: l, Tags: set, Earlier: s.Earlier[t.Name]})
	p.Trusted, p.Notes, p.judged = p.decision.trusted, p.decision.notes, p.decision.judge(nil)

	if set.Changed() {
		p.Stamped, err = write(t, &l.Keys, set)
		p.failsBy(err)
	}

	return p
}

// decideReserved decides on the tags of s that have reserved keys, and on no others.
func decideReserved(s *State) *Decision {
	d := &Decision{State: s}
	d.takeAway()

	claimed := d.respelled

	for e := range d.Tags.All() {
		if i, ok := s.Labels.labelOf(e); ok && s.Labels.all[i].Reserved {
			claimed = append(claimed, i)
		}
	}

	for _, i := range claimed {
		d.Tags.Put(d.entry(i))
	}

	return d
}
