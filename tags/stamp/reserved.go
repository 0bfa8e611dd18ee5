package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/locate"
)

// planReserved returns a plan for a field that gets no labels, such as volumeTags of an Instance whose block devices have tags of their
// own. The plan is only about tags with reserved keys. If owner is a reserved key, the plan removes owner: me, or replaces it by the tag of
// a trusted label. It leaves env: prod.
func (s *Stamper) planReserved(t *locate.Target, l *Labels) *plan {
	p := newPlan(t, l)

	set, _, err := desiredTags(t, l)
	if err != nil {
		return p // A field that can't be read is left alone.
	}

	p.decision = decideReserved(&State{Target: t, Labels: l, Tags: set, EarlierTrustedTags: s.EarlierTrustedTags[t.Name]})
	p.Trusted, p.Notes = p.decision.trusted, p.decision.notes

	p.allRecords = p.decision.appendTakenAway(nil) // Records with the fate TakenAway, such as for owner: me.
	p.getsDecidedTags = true                       // Only the records of such plans are reported.

	if set.Changed() { // decideReserved changes set.
		p.Stamped, err = writeField(t, &l.Keys, set)
		p.recordMismatch(err) // Without an error, there is no Mismatch.
	}

	return p
}

// decideReserved decides on the tags of s with reserved keys, and on no other tags. If no label has the key owner, it removes owner: me. If
// there is the trusted label owner: team-a, the label replaces owner: me, and also Owner: me.
func decideReserved(s *State) *Decision {
	d := &Decision{State: s}
	d.removeReserved() // It leaves tags that are spelled as a trusted label.

	// The label owner replaces the tag Owner: me, which removeReserved has removed.
	positions := d.respelledLabels

	// The label owner also replaces a tag that is spelled as the label, owner: me.
	for e := range d.Tags.All() {
		if i, isLabel := s.Labels.positionOf(e); isLabel && s.Labels.all[i].Reserved {
			positions = append(positions, i)
		}
	}

	for _, i := range positions {
		d.Tags.Put(d.entryToPut(i)) // Unlike d.put, this makes no record. Only tags that are taken away get one.
	}

	return d
}
