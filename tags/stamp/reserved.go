package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/locate"
)

// planReserved returns a plan for a field for launched resources that gets no labels, such as the tags in an item of a list. It decides
// only on the field's tags with reserved keys. If owner is a reserved key, it removes owner: me, and leaves env: prod.
func (s *Stamper) planReserved(t *locate.Target, l *Labels) *plan {
	p := newPlan(t, l)

	set, _, err := desiredTags(t, l)
	if err != nil {
		return p // A field that can't be read is left alone.
	}

	p.decision = decideReserved(&State{Target: t, Labels: l, Tags: set, EarlierTrustedTags: s.EarlierTrustedTags[t.Name]})
	p.Trusted, p.Notes = p.decision.trusted, p.decision.notes
	p.allRecords, p.decisionHolds = p.decision.completeRecords(nil), true // They lack the tags that are taken away: skips.add reports these.

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

	// The labels at these positions replace a tag that removeReserved has just removed, such as Owner: me for the label owner.
	positions := d.respelled

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
