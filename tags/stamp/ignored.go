package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// ignoreTags gives tags of other systems the value that the cloud has. With ignoreTags [backup], the cloud's backup: daily stays,
// although no step desires it. See testdata/cases/ignore.yaml and ignore-observed.yaml.
func (d *Decision) ignoreTags() {
	if len(d.Labels.ignoreMatchers) == 0 {
		return
	}

	d.insteadOf, d.followedNow = make(map[int][]tagset.Entry), make(followedChanges)

	// The status may no longer have tags that an earlier run kept. Crossplane owns such tags, so they are found only if owners are known.
	// Field.Observed has the paths of reported tags. Without a path, no run has kept any.
	if hasOwners := !d.Target.Owners().Unknown; hasOwners && len(d.Target.Field.Observed) > 0 {
		for entries := range d.ObservedTags.Tags() {
			if d.keptByEarlierRun(&entries[0]) {
				d.ignoreTag(entries)
			}
		}
	}

	for entries := range d.CloudTags.Tags() {
		d.ignoreTag(entries)
	}
}

// keptByEarlierRun reports whether an earlier run kept the observed entry e because of ignoreTags: nobody else wants e, neither a step, a
// label nor another field manager, and the provider doesn't report it. Such a tag stays until removeTags names it.
func (d *Decision) keptByEarlierRun(e *tagset.Entry) bool {
	othersWantIt := d.Tags.Has(e.ID) || len(d.Labels.positionsOf(e)) > 0 || d.Target.Owners().Stays(e, true /* fieldDesired */)

	return !othersWantIt && !d.CloudTags.Has(e.ID)
}

// ignoreTag gives a tag its entries in the cloud, if ignoreTags names it: backup: weekly of an earlier step becomes the cloud's backup:
// daily. With onConflict Retain, a desired tag keeps its value. The label backup gets the fate Ignored.
func (d *Decision) ignoreTag(entries []tagset.Entry) {
	entries, found := d.ignoredEntries(entries)
	if found == nil {
		return
	}

	labelPositions, isDesired := d.Labels.positionsOf(&entries[0]), d.Tags.Has(entries[0].ID)

	hasLabel := len(labelPositions) > 0
	if found.isRetain && (hasLabel || isDesired) {
		return
	}

	entries = d.follow(entries)

	switch {
	case hasLabel && !isDesired: // The tag takes the slot of the first label, which stays Undecided until fill.
		d.insteadOf[labelPositions[0]] = entries
		labelPositions = labelPositions[1:]
	case isDesired && d.Tags.GrowthByPutEntries(entries) <= 0: // The tag needs no slot.
		d.Tags.PutEntries(entries)
	default: // fill puts the tag if a slot is free.
		d.otherSystemsTags = append(d.otherSystemsTags, entries)
	}

	for _, i := range labelPositions {
		d.records[i].Fate = Ignored
	}
}

// ignoredEntries returns those entries of one tag that ignoreTags names, and the matcher of the first of them, or nil. It leaves out
// entries with reserved keys, and with keys that only the cloud may set, such as aws:createdBy.
func (d *Decision) ignoredEntries(entries []tagset.Entry) (theirs []tagset.Entry, found *matcher) {
	l := d.Labels

	for i := range entries {
		e := &entries[i]

		// A trusted source decides on its reserved keys, even if its label was skipped.
		_, isReservedByLabel := e.KeyIn(l.reservedByLabels)
		_, isReservedBySkipped := e.KeyIn(l.reservedBySkipped)

		if isReservedByLabel || isReservedBySkipped {
			continue
		}

		// The cloud would refuse a tag that only it may set.
		fieldCanHold := e.FitsIn(l.Limits) && (e.IsTextual() || l.Shape.Form().HasLists)
		if l.belongsToCloud(e) || !fieldCanHold {
			continue
		}

		m := d.firstMatching(l.ignoreMatchers, e)
		if m == nil {
			continue
		}

		// Not even an entry of the input itself keeps a reserved key.
		if key, isReserved := l.reservedKey(e); isReserved {
			d.notes.add(NoteProtected, key)
			continue
		}

		if found == nil {
			found = m
		}

		theirs = append(theirs, *e)
	}

	return theirs, found
}

// splitOtherSystemsTags splits otherSystemsTags into incomplete tags, of which the field has fewer entries than the cloud, and missing
// tags. If the cloud has zone=a, zone=b and backup=daily, and the field has zone=a, then zone is incomplete, and backup is missing.
func (d *Decision) splitOtherSystemsTags() (incomplete, missing [][]tagset.Entry) {
	for _, entries := range d.otherSystemsTags {
		switch {
		case len(entries) == 0: // removeTags has removed all entries.
		case d.Tags.Has(entries[0].ID):
			incomplete = append(incomplete, entries)
		default:
			missing = append(missing, entries)
		}
	}

	return incomplete, missing
}

// noteIgnored adds NoteKept with the tags that are kept because of ignoreTags. It adds NoteUnreported if ignoreTags has no effect since the
// provider reports no tags.
func (p *plan) noteIgnored() {
	t, d := p.target, p.decision
	if len(p.labels.ignoreMatchers) == 0 || t.Observed.IsZero() {
		return
	}

	p.Notes.add(NoteKept, d.keptKeys()...)

	// A provider without tags in the status never reports them in two cases: its kind has no field for them, or it has read a tagged
	// resource in the cloud and reported none.
	isTagged := hasMoreThanProviderTags(t, d.ObservedTags)
	neverReports := len(t.Field.Observed) == 0 || isTagged && t.ProviderHasObserved()

	if d.CloudTags == nil && neverReports {
		p.Notes = append(p.Notes, Note{Kind: NoteUnreported}) // Notes.add would drop a note without keys.
	}
}
