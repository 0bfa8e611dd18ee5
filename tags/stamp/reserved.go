package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/locate"
)

// planReserved returns a plan for a field that gets no labels, although it is for resources that the resource launches. An example is
// volumeTags, for the volumes of an Instance, if its block devices have tags of their own. planReserved decides only on the field's tags
// with reserved keys. If owner is a reserved key, it removes owner: me, and leaves env: prod.
func (s *Stamper) planReserved(t *locate.Target, l *Labels) *plan {
	p := newPlan(t, l)

	set, _, err := desiredTags(t, l)
	if err != nil {
		return p // A field that can't be read is left alone.
	}

	p.decision = decideReserved(&State{Target: t, Labels: l, Tags: set, EarlierTrustedTags: s.EarlierTrustedTags[t.Name]})
	p.Trusted, p.Notes = p.decision.trusted, p.decision.notes

	// All of these records are of tags that are taken away. With decisionHolds, skips.add reports them.
	p.allRecords, p.decisionHolds = p.decision.appendTakenAway(nil), true

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

	// For the label owner, removeReserved has removed another spelling, such as Owner: me. The label now takes its place.
	positions := d.respelled

	// The label owner: team-a also replaces owner: me.
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
