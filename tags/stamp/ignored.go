package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// ignoreTags gives tags of other systems the value that the cloud has. With ignoreTags [backup], the cloud's backup:
// daily stays, although no step desires it. See testdata/cases/ignore.yaml and ignore-observed.yaml.
func (d *Decision) ignoreTags() {
	if len(d.Labels.ignore) == 0 {
		return
	}

	d.instead = make(map[int][]tagset.Entry)

	if d.Observed != nil && d.Reports && !d.Owners.Unknown {
		for entries := range d.Observed.Tags() {
			if d.heldByResource(&entries[0]) {
				d.ignoreTag(entries)
			}
		}
	}

	if d.Cloud != nil {
		for entries := range d.Cloud.Tags() {
			d.ignoreTag(entries)
		}
	}
}

// heldByResource reports whether the resource has the observed entry e of another system because of ignoreTags, and the
// provider doesn't report it. Such a tag stays until removeTags names it.
func (d *Decision) heldByResource(e *tagset.Entry) bool {
	return !d.Tags.Has(e.ID) && len(d.Labels.labelsOf(e)) == 0 && (d.Cloud == nil || !d.Cloud.Has(e.ID)) && !d.Owners.Stays(e, true)
}

// ignoreTag gives a tag its entries in the cloud, if ignoreTags names it: backup: weekly of an earlier step becomes the
// cloud's backup: daily. With onConflict Retain, a desired tag keeps its value. The label backup gets the fate Ignored.
func (d *Decision) ignoreTag(entries []tagset.Entry) {
	entries, found := d.external(entries)
	if found == nil {
		return
	}

	labels, has := d.Labels.labelsOf(&entries[0]), d.Tags.Has(entries[0].ID)
	if found.retain && (len(labels) > 0 || has) {
		return
	}

	entries = d.follow(entries)

	switch {
	case len(labels) > 0 && !has: // The tag takes the slot of the first label.
		d.instead[labels[0]], labels = entries, labels[1:]
	case has && d.Tags.Grows(entries) <= 0:
		d.Tags.Adopt(entries)
	default:
		d.foreign = append(d.foreign, entries)
	}

	for _, i := range labels {
		d.judged[i].Fate = Ignored
	}
}

// external returns the entries of one tag in the cloud that belong to another system, and the matcher of ignoreTags for
// them, or nil if there is none. It returns backup: daily with ignoreTags [backup], and nothing for a reserved key, or
// for aws:createdBy, since the cloud keeps that key to itself.
func (d *Decision) external(entries []tagset.Entry) (theirs []tagset.Entry, found *matcher) {
	l := d.Labels

	for i := range entries {
		e := &entries[i]

		// A trusted source's value of a reserved key stands. The cloud would refuse the tags that it sets itself.
		_, isAssigned := e.First(l.assigned)
		_, isForfeited := e.First(l.forfeited)

		if isAssigned || isForfeited || l.keptByCloud(e) || !e.IsTextual() && !l.Shape.Form().HasLists || !e.FitsIn(l.Limits) {
			continue
		}

		m := d.matching(l.ignore, e)
		if m == nil {
			continue
		}

		// No other system may have a reserved key.
		if key, reserved := l.reserved(e); reserved {
			d.notes.add(NoteProtected, "", key)
			continue
		}

		if found == nil {
			found = m
		}

		theirs = append(theirs, *e)
	}

	return theirs, found
}

// foreignTags returns the tags of other systems that the field has with fewer entries than the cloud, and the tags that
// it lacks. If the cloud has zone=a, zone=b and backup=daily, and the field has zone=a, zone is grown and backup is
// missing.
func (d *Decision) foreignTags() (grown, missing [][]tagset.Entry) {
	for _, entries := range d.foreign {
		switch {
		case len(entries) == 0:
		case d.Tags.Has(entries[0].ID):
			grown = append(grown, entries)
		default:
			missing = append(missing, entries)
		}
	}

	return grown, missing
}

// noteIgnored notes which tags are kept because of ignoreTags, or that none can be kept.
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
