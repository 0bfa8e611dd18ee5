package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// completeRecords makes Undecided labels Skipped, for count-cap. It returns the records of labels in all, then the records of unfit labels,
// and then the records of tags that are taken away. api has the limits of the cloud's own API, if
// this API is known to be stricter than the tag profile. Otherwise, api is nil.
func (d *Decision) completeRecords(api *profile.Profile) []tags.Judged {
	limit := ""

	for i := range d.records {
		record := &d.records[i]

		switch {
		case record.Fate == tags.Undecided:
			if limit == "" {
				limit = d.limitText()
			}

			record.Fate, record.Reason, record.Limit = tags.Skipped, profile.CountCap, limit
		case d.labelIsTag(i): // Even a Retained label is Tagged if the earlier step has set the label's own value.
			record.Fate = tags.Tagged
		}
	}

	if api != nil {
		d.recordRefusals(api)
	}

	return append(append(d.records, d.Labels.unfit...), d.takenAway...)
}

// recordRefusals records which tags the cloud's own API refuses. If a resource has 4 tags and the API admits 3, it refuses the
// tag that took its slot last, for count-cap. If the API compares keys without case, it refuses both Owner and owner.
func (d *Decision) recordRefusals(api *profile.Profile) {
	surplus := d.Tags.Len() + d.providerTagsToAdd() - api.MaxTags
	collides, refusals := api.SameKeys(d.Tags.Keys()), d.Labels.refusalsBy(api)

	// The last labels took their slots last, so their tags are the surplus.
	for i := range slices.Backward(d.records) {
		record := &d.records[i]
		if record.Fate != tags.Tagged {
			continue
		}

		record.Reason = refusals[i]
		if record.Reason == "" && collides[record.Key] {
			record.Reason = profile.KeyCollision
		}

		if record.Reason == "" && surplus > 0 {
			record.Reason = profile.CountCap
		}

		record.Limit = api.Limit(record.Reason) // Without a Reason, there is no Limit.
		surplus--                               // A tag that is refused for another reason counts, too.
	}
}

// labelIsTag reports whether the field has the tag of the label at position i, with the label's value. The labels {a: b=c} and {a=b: c}
// have the same string in a list, a=b=c. The string is the tag of one of them only.
func (d *Decision) labelIsTag(i int) bool {
	e := d.Tags.Find(d.Labels.entries[i].ID)

	return e != nil && tagset.IsText(e.Value, d.Labels.all[i].Value)
}

// noteStayingTags adds notes on tags of other field managers that stay although somebody may expect them to go:
//   - NoteReserved if the tag has a reserved key, and also beside a trusted label that loses to it in spec.initProvider
//   - NoteLeftover if the tag's key begins with keyPrefix, such as plexsphere:old of kubectl edit
//   - NoteOwned if removeTags names the tag
func (d *Decision) noteStayingTags(notes *Notes) {
	staying := d.stayingTags()

	// Without desired tags, Crossplane doesn't apply the field, and so replaces nothing: other managers' tags stay, even in an atomic field.
	if d.Tags.FieldLen() == 0 {
		staying = d.OtherManagersTags
	}

	var found Notes

	for e := range staying.All() {
		isReplaced := d.Tags.HasTagOf(e)
		if isReplaced && !d.Tags.LosesTo(e) || d.addedByProvider(e) {
			continue
		}

		reservedKey, isReserved := d.Labels.reservedKey(e)
		if isReplaced && !isReserved {
			continue // Its label has no value, but nobody is told of other keys.
		}

		owner := d.Target.Owners().Of(e)

		switch {
		case isReserved:
			found.addOwned(NoteReserved, owner.Manager, reservedKey)
		case owner.HasOtherManager && d.Labels.hasKeyPrefix(e): // Without another manager, nobody could be asked to remove e.
			// An opaque string isn't read as a tag, and has no Key: the text before the separator names it.
			text, _, _ := strings.Cut(e.String(), d.Labels.Separator)
			found.addOwned(NoteLeftover, owner.Manager, cmp.Or(e.Key, text))
		}

		if !e.Opaque && d.Labels.namesKey(d.Labels.removeMatchers, e) {
			found.addOwned(NoteOwned, owner.Manager, e.Key)
		}
	}

	notes.append(found)
}

// keysWithOtherValues returns the keys of tags that stay because removeTags names their keys with other values only. With removeTags [{key:
// env, value: test}], it returns env for the tag env: prod.
func (d *Decision) keysWithOtherValues() (keys []string) {
	// Decide has removed the tags with the named values. So the tags with named keys that are left have other values, or are the provider's
	// own tags, which stay at any value.
	for e := range d.Tags.All() {
		if !e.Opaque && d.Labels.namesKey(d.Labels.removeMatchers, e) && !d.addedByProvider(e) {
			keys = append(keys, e.Key)
		}
	}

	return keys
}

// newlyKeptKeys returns the keys of other systems' tags that are among the decided tags, unless an earlier run has kept them. With ignoreTags
// [backup], it returns backup if a slot was free for the tag backup: daily of the cloud, and the observed field lacks the tag.
func (d *Decision) newlyKeptKeys() (keys []string) {
	// Crossplane owns the entry in the observed field because of an earlier run.
	isNew := func(e tagset.Entry) bool {
		if !d.ObservedTags.HasTagOf(&e) {
			return true
		}

		if !d.Labels.Form().HasStrings { // On Azure, the field may have another spelling of the key.
			e = *d.ObservedTags.Find(e.ID)
		}

		return !d.Target.Owners().Of(&e).Ours
	}

	for _, entries := range d.otherSystemsTags { // All entries are kept, such as zone=a and zone=b, or removeTags names all.
		if len(entries) > 0 && d.Tags.Has(entries[0].ID) && slices.ContainsFunc(entries, isNew) {
			keys = append(keys, entries[0].Key)
		}
	}

	return keys
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
