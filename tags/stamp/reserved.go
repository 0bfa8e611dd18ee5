package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/locate"
)

// planReserved plans the tags of t with reserved keys, and no others. With the reserved key owner, it takes owner: me
// from an item to which labels don't go, and leaves env: prod there.
func (s *Stamper) planReserved(t *locate.Target, l *Labels) *plan {
	p := newPlan(t, l)
	p.done = true

	set, _, err := desired(t, l)
	if err != nil {
		return p // A field without tags is left alone.
	}

	p.decision = decideReserved(&State{Labels: l, Tags: set, Earlier: s.Earlier[t.Name]})
	p.Trusted, p.Notes, p.judged = p.decision.trusted, p.decision.notes, p.decision.judge(nil)

	if set.Changed() {
		p.Stamped, err = write(t, &l.Keys, set)
		p.failsBy(err)
	}

	return p
}

// decideReserved decides on the tags of s with reserved keys, and on no others: owner: me goes, or becomes owner:
// team-a if a trusted label has this value.
func decideReserved(s *State) *Decision {
	d := &Decision{State: s}
	d.takeAway()

	positions := d.respelled

	for e := range d.Tags.All() {
		if i, ok := s.Labels.labelOf(e); ok && s.Labels.all[i].Reserved {
			positions = append(positions, i)
		}
	}

	for _, i := range positions {
		d.Tags.Put(d.entry(i))
	}

	return d
}
