package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/locate"
)

// planReserved returns a plan for a field that gets no labels, such as volumeTags of an Instance whose block devices have tags of their own.
// The plan is only about tags with reserved keys. If owner is a reserved key, the plan removes owner: me, and leaves env: prod.
func (s *Stamper) planReserved(t *locate.Target, l *Labels) *plan {
	p := newPlan(t, l)

	set, _, err := desiredTags(t, l)
	if err != nil {
		return p // A field that can't be read is left alone.
	}

	p.decision = decideReserved(&State{Target: t, Labels: l, Tags: set, EarlierTrustedTags: s.EarlierTrustedTags[t.Name]})
	p.Trusted, p.Notes = p.decision.trusted, p.decision.notes

	// The records are of removed tags, such as owner: me. decisionHolds makes skips.add report them.
	p.allRecords, p.decisionHolds = p.decision.appendTakenAway(nil), true

	if set.Changed() {
		p.Stamped, err = writeField(t, &l.Keys, set)
		p.recordMismatch(err)
	}

	return p
}

// decideReserved decides on the tags of s with reserved keys, and on no other tags. If no label has the key owner, it removes owner: me. If
// there is the trusted label owner: team-a, the label replaces owner: me, and also Owner: me.
func decideReserved(s *State) *Decision {
	d := &Decision{State: s}
	d.removeReserved()

	// removeReserved has removed Owner: me, and respelled has the label owner, which takes the place of Owner: me.
	positions := d.respelled

	// removeReserved has left owner: me, and the label owner takes its place.
	for e := range d.Tags.All() {
		if i, isLabel := s.Labels.positionOf(e); isLabel && s.Labels.all[i].Reserved {
			positions = append(positions, i)
		}
	}

	for _, i := range positions {
		d.Tags.Put(d.entryToPut(i)) // Unlike d.put, this needs no record: d has none.
	}

	return d
}
