package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/locate"
)

// planReserved returns a plan for an item of a list that gets no labels. It decides only on the item's tags with reserved keys. If owner
// is a reserved key, it removes owner: me, and leaves env: prod.
func (s *Stamper) planReserved(t *locate.Target, l *Labels) *plan {
	p := newPlan(t, l)
	p.decisionHolds = true

	set, _, err := desiredTags(t, l)
	if err != nil {
		return p // A field that can't be read is left alone.
	}

	p.decision = decideReserved(&State{Target: t, Labels: l, Tags: set, EarlierTrustedTags: s.EarlierTrustedTags[t.Name]})
	p.Trusted, p.Notes, p.allRecords = p.decision.trusted, p.decision.notes, p.decision.completeRecords(nil)

	if set.Changed() {
		p.Stamped, err = writeField(t, &l.Keys, set)
		p.recordMismatch(err)
	}

	return p
}

// decideReserved decides on the tags of s with reserved keys, and on no other tags. It removes owner: me. With the trusted label owner:
// team-a, the tag becomes owner: team-a instead.
func decideReserved(s *State) *Decision {
	d := &Decision{State: s}
	d.removeReserved()

	positions := d.respelled // removeReserved has set it.

	for e := range d.Tags.All() {
		if i, isLabel := s.Labels.positionOf(e); isLabel && s.Labels.all[i].Reserved {
			positions = append(positions, i)
		}
	}

	for _, i := range positions {
		d.Tags.Put(d.entryToPut(i))
	}

	return d
}
