package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// ignoreTags gives tags of other systems the value that the cloud has. With ignoreTags [backup], the cloud's backup:
// daily stays, although no step desires it. See testdata/cases/ignore.yaml and ignore-observed.yaml.
func (d *Decision) ignoreTags() {
	if len(d.Labels.ignoreMatchers) == 0 {
		return
	}

	d.instead = make(map[int][]tagset.Entry)

	if d.Observed != nil && d.IsReported && !d.Owners.Unknown {
		for entries := range d.Observed.Tags() {
			if d.keptByResource(&entries[0]) {
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

// keptByResource reports whether the resource has the observed entry e only because of ignoreTags: no step, label or other field
// manager desires it, and the provider doesn't report it. Such a tag stays until removeTags names it.
func (d *Decision) keptByResource(e *tagset.Entry) bool {
	isDesired := d.Tags.Has(e.ID) || len(d.Labels.positionsOf(e)) > 0 || d.Owners.Stays(e, true)

	return !isDesired && (d.Cloud == nil || !d.Cloud.Has(e.ID))
}

// ignoreTag gives a tag its entries in the cloud, if ignoreTags names it: backup: weekly of an earlier step becomes the
// cloud's backup: daily. With onConflict Retain, a desired tag keeps its value. The label backup gets the fate Ignored.
func (d *Decision) ignoreTag(entries []tagset.Entry) {
	entries, found := d.externalEntries(entries)
	if found == nil {
		return
	}

	labels, isDesired := d.Labels.positionsOf(&entries[0]), d.Tags.Has(entries[0].ID)
	if found.retain && (len(labels) > 0 || isDesired) {
		return
	}

	entries = d.follow(entries)

	switch {
	case len(labels) > 0 && !isDesired: // The tag takes the slot of the first label.
		d.instead[labels[0]], labels = entries, labels[1:]
	case isDesired && d.Tags.GrowthByPutEntries(entries) <= 0:
		d.Tags.PutEntries(entries)
	default:
		d.foreign = append(d.foreign, entries)
	}

	for _, i := range labels {
		d.judged[i].Fate = Ignored
	}
}

// externalEntries returns those entries of one tag in the cloud that ignoreTags names, and the first matcher. The matcher is nil if
// there are none. Reserved keys don't count, nor keys that only the cloud may set, such as aws:createdBy.
func (d *Decision) externalEntries(entries []tagset.Entry) (theirs []tagset.Entry, found *matcher) {
	l := d.Labels

	for i := range entries {
		e := &entries[i]

		// A trusted source's value of a reserved key stands, even if its label was skipped.
		_, isReservedByLabel := e.FirstKey(l.assigned)
		_, isReservedButSkipped := e.FirstKey(l.forfeited)

		if isReservedByLabel || isReservedButSkipped {
			continue
		}

		// The cloud would refuse a tag that only it may set.
		isReadable := e.IsTextual() || l.Shape.Form().HasLists
		if l.belongsToCloud(e) || !isReadable || !e.FitsIn(l.Limits) {
			continue
		}

		m := d.matching(l.ignoreMatchers, e)
		if m == nil {
			continue
		}

		// No other system may have a reserved key.
		if key, reserved := l.reservedKey(e); reserved {
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

// foreignTags divides the foreign tags into incomplete ones, of which the field has fewer entries than the cloud, and missing ones. If
// the cloud has zone=a, zone=b and backup=daily, and the field has zone=a, then zone is incomplete, and backup is missing.
func (d *Decision) foreignTags() (incomplete, missing [][]tagset.Entry) {
	for _, entries := range d.foreign {
		switch {
		case len(entries) == 0:
		case d.Tags.Has(entries[0].ID):
			incomplete = append(incomplete, entries)
		default:
			missing = append(missing, entries)
		}
	}

	return incomplete, missing
}

// noteIgnored notes which tags are kept because of ignoreTags, or that none can be kept.
func (p *plan) noteIgnored() {
	t, d := p.target, p.decision
	if len(p.labels.ignoreMatchers) == 0 || t.Observed.IsZero() {
		return
	}

	p.Notes.add(NoteKept, "", d.keptKeys()...)

	// The provider has seen tags of the resource, and reports none.
	reportsNone := d.Observed != nil && hasMoreThanProviderTags(t, d.Observed) && t.ProviderHasObserved()
	if d.Cloud == nil && (!d.IsReported || reportsNone) {
		p.Notes = append(p.Notes, Note{Kind: NoteUnreported})
	}
}
