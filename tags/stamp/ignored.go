package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// ignoreTags gives the tags of other systems the value that the cloud has.
func (d *Decision) ignoreTags() {
	if len(d.Labels.ignore) == 0 {
		return
	}

	d.instead = make(map[int][]tagset.Entry)

	if d.Observed != nil && d.Reports && !d.Owners.Unknown {
		for of := range d.Observed.Tags() {
			if d.isHeld(&of[0]) {
				d.ignoreTag(of)
			}
		}
	}

	if d.Cloud != nil {
		for of := range d.Cloud.Tags() {
			d.ignoreTag(of)
		}
	}
}

// isHeld is true if the resource has the observed entry e of another system because of ignoreTags and the
// provider doesn't report it, or not yet: it stays until removeTags takes it away.
func (d *Decision) isHeld(e *tagset.Entry) bool {
	return !d.Tags.Has(e.ID) && len(d.Labels.labelsOf(e)) == 0 && (d.Cloud == nil || !d.Cloud.Has(e.ID)) && !d.Owners.Stays(e, true)
}

// ignoreTag gives a tag the value of its entries in the cloud, if the tag is another system's.
func (d *Decision) ignoreTag(of []tagset.Entry) {
	of, rule := d.external(of)
	if rule == nil {
		return
	}

	labels, has := d.Labels.labelsOf(&of[0]), d.Tags.Has(of[0].ID)
	if rule.retain && (len(labels) > 0 || has) {
		return
	}

	of = d.follow(of)

	switch {
	case len(labels) > 0 && !has: // The first label's slot is the one of the tag.
		d.instead[labels[0]], labels = of, labels[1:]
	case has && d.Tags.Grows(of) <= 0:
		d.Tags.Adopt(of)
	default:
		d.foreign = append(d.foreign, of)
	}

	for _, i := range labels {
		d.judged[i].Fate = Ignored
	}
}

// external returns what is another system's of the entries that the cloud has, and the rule that says so, or
// nil if nothing is.
func (d *Decision) external(of []tagset.Entry) (theirs []tagset.Entry, rule *keyRule) {
	l := d.Labels

	for i := range of {
		e := &of[i]

		// What a trusted source says of a reserved key stands. The cloud would
		// refuse the tags that it sets itself.
		_, claimed := e.First(l.claimed)
		_, forfeited := e.First(l.forfeited)

		if claimed || forfeited || l.isClouds(e) || !e.IsTextual() && l.Shape != field.MapOfLists || !e.FitsIn(l.Limits) {
			continue
		}

		r := d.rule(l.ignore, e)
		if r == nil {
			continue
		}

		// Nobody else has a say in it.
		if key, reserved := l.reserved(e); reserved {
			d.notes.add(NoteProtected, "", key)
			continue
		}

		if rule == nil {
			rule = r
		}

		theirs = append(theirs, *e)
	}

	return theirs, rule
}

// foreignTags returns the tags of other systems: those that are there, but with fewer entries than in
// the cloud, and those that are missing.
func (d *Decision) foreignTags() (grown, missing [][]tagset.Entry) {
	for _, of := range d.foreign {
		switch {
		case len(of) == 0:
		case d.Tags.Has(of[0].ID):
			grown = append(grown, of)
		default:
			missing = append(missing, of)
		}
	}

	return grown, missing
}

// noteIgnored says which tags are kept because of ignoreTags, or that none can be.
func (p *plan) noteIgnored() {
	t, d := p.target, p.decision
	if len(p.labels.ignore) == 0 || t.Observed.IsZero() {
		return
	}

	p.Notes.add(NoteKept, "", d.kept()...)

	if d.Cloud == nil && (!d.Reports || d.Observed != nil && hasOthers(t, d.Observed) && t.HasLooked()) {
		p.Notes = append(p.Notes, Note{Kind: NoteUnreported})
	}
}
