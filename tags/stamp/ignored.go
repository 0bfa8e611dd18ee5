package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// ignoreTags keeps tags of other systems as the cloud has them, by writing the cloud's values to the tag field. With ignoreTags [backup],
// the cloud's backup: daily stays, although no step desires it. See testdata/cases/ignore.yaml and ignore-observed.yaml.
func (d *Decision) ignoreTags() {
	if len(d.Labels.ignoreMatchers) == 0 {
		return
	}

	d.insteadOfLabel, d.followedNow = make(map[int][]tagset.Entry), make(followedChanges)

	// A tag that an earlier run kept may be in the observed field, and no longer in the status. An earlier run kept it if Crossplane owns it
	// though no step desires it, so owners must be known. Runs keep tags only if the status has a path for tags (Field.Observed).
	if !d.Target.Owners().Unknown && len(d.Target.Field.Observed) > 0 {
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

// keptByEarlierRun reports whether the observed entry e can only come from an earlier run, which kept it by ignoreTags. So none of these
// holds:
//   - A step desires e, or a label has its key.
//   - Another field manager owns e.
//   - The provider reports e from the cloud.
//
// ignoreTag checks that ignoreTags still names e. As long as it does, only removeTags removes e.
func (d *Decision) keptByEarlierRun(e *tagset.Entry) bool {
	isDesired := d.Tags.Has(e.ID) || len(d.Labels.positionsOf(e)) > 0
	return !isDesired && !d.CloudTags.Has(e.ID) && !d.Target.Owners().Stays(e, true /* fieldDesired: ignoreTags would desire e */)
}

// ignoreTag writes the cloud's entries of a tag to the field, if an entry of ignoreTags names the tag: backup: weekly of an earlier step
// becomes the cloud's backup: daily. A label backup gets the fate Ignored, here or in the method fill. If the entry of ignoreTags has
// onConflict Retain, tags of labels and of earlier steps keep their values.
func (d *Decision) ignoreTag(entries []tagset.Entry) {
	entries, m := d.ignoredEntries(entries)
	if m == nil {
		return
	}

	// On DigitalOcean, which ignores case, a tag can have several labels: env and Env.
	labelPositions, isDesired := d.Labels.positionsOf(&entries[0]), d.Tags.Has(entries[0].ID)

	hasLabel := len(labelPositions) > 0
	if m.isRetain && (hasLabel || isDesired) {
		return
	}

	entries = d.follow(entries) // The cloud's values or, while the provider still writes old values, the field's.

	switch {
	case hasLabel && !isDesired: // If a slot is free, fill puts the tag instead of the first label, and makes this label Ignored.
		d.insteadOfLabel[labelPositions[0]] = entries
		labelPositions = labelPositions[1:]
	case isDesired && d.Tags.GrowthByPutEntries(entries) <= 0 && d.Tags.HasRoomFor(&entries[0]): // The tag needs no slot.
		d.Tags.PutEntries(entries)
	default: // fill puts the tag if a slot is free.
		d.otherSystemsTags = append(d.otherSystemsTags, entries)
	}

	for _, i := range labelPositions {
		d.records[i].Fate = tags.Ignored
	}
}

// ignoredEntries returns those entries of one tag that ignoreTags names, and the matcher of the first of them, or nil. It leaves out
// entries with reserved keys, entries with keys that only the cloud may set, such as aws:createdBy, and values that the field can't hold.
func (d *Decision) ignoredEntries(entries []tagset.Entry) (theirs []tagset.Entry, firstMatcher *matcher) {
	l := d.Labels

	for i := range entries {
		e := &entries[i]

		// The field may be unable to hold the value, such as a list in a map of strings.
		fieldCanHold := e.FitsIn(l.Limits) && (e.IsTextual() || l.Shape.Form().HasLists)
		if l.decidesOnReserved(e) || l.belongsToCloud(e) || !fieldCanHold {
			continue
		}

		m := d.firstMatching(l.ignoreMatchers, e)
		if m == nil {
			continue
		}

		// Even if the input itself has a reserved key in ignoreTags, the cloud's tag with this key isn't kept.
		if key, isReserved := l.reservedKey(e); isReserved {
			d.notes.add(NoteProtected, key)
			continue
		}

		if firstMatcher == nil {
			firstMatcher = m
		}

		theirs = append(theirs, *e)
	}

	return theirs, firstMatcher
}

// splitOtherSystemsTags splits otherSystemsTags into incomplete tags, of which the field has at least one entry, and missing tags, of which
// it has none. If the cloud has zone=a, zone=b and backup=daily, and the field has zone=a, then zone is incomplete, and backup is missing.
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

// noteIgnored adds NoteKept with the tags that are newly kept because of ignoreTags. It adds NoteUnreported if ignoreTags has no effect since the
// provider reports no tags.
func (p *Plan) noteIgnored() {
	t, d := p.target, p.decision
	if len(p.labels.ignoreMatchers) == 0 || t.Observed.IsZero() {
		return
	}

	p.Notes.add(NoteKept, d.newlyKeptKeys()...)

	// A status without tags may get them later. It never gets them in either of two cases:
	//   - The kind has no path for tags in its status.
	//   - The resource has tags that the provider doesn't set itself, and the provider has already read the resource in the cloud.
	isTagged := t.HasOtherTags(d.ObservedTags)
	neverReports := len(t.Field.Observed) == 0 || isTagged && t.ProviderHasObserved()

	if d.CloudTags == nil && neverReports {
		p.Notes = append(p.Notes, Note{Kind: NoteUnreported}) // Notes.add would drop a note without keys.
	}
}
