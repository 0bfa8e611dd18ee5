package stamp

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Decision says which tags a tag field is to have. Decide changes the Tags of the State to these tags.
type Decision struct {
	*State

	// records has the record of each label in Labels.all, at the label's position.
	records []tags.Judged

	// isFull reports whether a label didn't fit into a joined string.
	isFull bool

	// free is the number of tag slots that are still free. Only fill uses it. On AWS, a resource has 50 slots, one for each tag.
	free int

	// insteadOfLabel has the entries of a tag of the cloud, by the position of the label whose slot the tag takes. With ignoreTags [backup],
	// the cloud's backup: daily takes the slot of the label backup: weekly.
	insteadOfLabel map[int][]tagset.Entry

	// otherSystemsTags has the cloud's tags that ignoreTags names, and that fill adds if slots are free. In a list of strings, one tag can
	// have several entries, such as zone=a and zone=b. If the field has zone=a already, fill adds zone=b.
	otherSystemsTags [][]tagset.Entry

	// trustedWithoutSlot has the keys without a tag slot that trusted sources give.
	trustedWithoutSlot []string

	// takenAway has the records of an earlier step's tags with reserved keys that Decide removes, and that no label replaces.
	takenAway []tags.Judged

	// notes say which tags differ from the input's wishes, and why.
	notes Notes

	// followedNow has the changes in the cloud that this run takes over to the tag field: see follow. A later run finds them in
	// FollowedBefore.
	followedNow map[string]followedChange
}

// Decide decides on the tags of s, and changes only s.Tags. It does this in order:
//   - It takes away tags with reserved keys that no trusted source gives: see decideReserved.
//   - It replaces tags with tags of labels, as onConflict says: with Replace, the label env: prod changes {env: dev} to
//     {env: prod}.
//   - It gives the tags in ignoreTags their value from the cloud.
//   - It removes the tags that are named in removeTags of the input.
//   - It fills the free tag slots.
//
// If a label has onConflict Error, Decide returns an error in two cases:
//   - An earlier step has set the label's tag.
//   - Another field manager or the cloud has the tag with another value: see conflictOf.
func Decide(s *State) (*Decision, error) {
	d := &Decision{State: s, records: s.Labels.newRecords()}

	replacing, takenAway := s.decideReserved()
	for _, i := range replacing {
		d.records[i].Fate = tags.Tagged
	}

	d.takenAway = takenAway
	d.retainInitialList()

	if err := d.replace(); err != nil {
		return nil, err
	}

	d.ignoreTags()
	d.removeTags()

	if err := d.fill(); err != nil {
		return nil, err
	}

	return d, nil
}

// retainInitialList is for a list that only spec.initProvider has. Any label would need a list in spec.forProvider, and providers drop one list
// if there are two. So the entries of spec.initProvider go first into the new list: see Value of tagset.Set. But if onConflict Retain keeps one
// of these entries from a label, the list stays initial as it is, and labels are withheld. Labels of trusted sources are never withheld for this.
func (d *Decision) retainInitialList() {
	if !d.Labels.Form().IsList || !d.Tags.HasInitial() || d.Tags.FieldLen() > 0 {
		return
	}

	isRetained := false

	for i := range d.Labels.all {
		l := &d.Labels.all[i]
		if l.KeyIsTrusted() {
			return
		}

		e := d.Tags.Find(d.Labels.entries[i].ID)
		isRetained = isRetained || e != nil && !e.LacksValue && l.OnConflict() == tags.Retain && !tagset.IsText(e.Value, l.Value)
	}

	if !isRetained {
		return
	}

	for i := range d.records {
		d.records[i].Fate = tags.Retained
	}

	for e := range d.Tags.All() {
		d.notes.add(NoteInitialKept, cmp.Or(e.Key, e.String()))
	}
}

// replace puts tags of labels in the place of existing tags with the same key. With onConflict Replace, the label env: prod replaces
// env: dev. With Retain, env: dev stays. A label with a reserved key always replaces the tag.
func (d *Decision) replace() error {
	for i := range d.Labels.all {
		l := &d.Labels.all[i]
		present := d.Tags.Find(d.Labels.entries[i].ID)

		switch {
		case present == nil, d.records[i].Fate == tags.Retained: // fill decides on the label, or retainInitialList has.
		case l.Reserved || l.OnConflict() == tags.Replace || present.LacksValue:
			if d.Tags.HasRoomFor(d.entryToPut(i)) { // If not, the old value stays, unless fill finds the room.
				d.put(i)
			}
		case d.failsOnConflict(l):
			return errors.Errorf("an earlier step has set the %s %q to %s, and %s with onConflict Error has the value %q for it",
				d.Labels.Profile.Noun(), l.Key, quotedValue(present), l.Source.Name, l.Value)
		default:
			d.records[i].Fate = tags.Retained
		}
	}

	// On DigitalOcean, which ignores case, the string env:a of an earlier step is the tag of the label Env: a. But the label env: b may have
	// replaced env:a by env:b. Then the label Env: a has no string left, and is put again, as Env:a.
	for _, positions := range d.Labels.positionsByFold {
		for _, i := range positions {
			if d.records[i].Fate == tags.Tagged {
				d.put(i)
			}
		}
	}

	return nil
}

// put makes a tag of the label at position i.
func (d *Decision) put(i int) {
	d.records[i].Fate = tags.Tagged
	d.Tags.Put(d.entryToPut(i))
}

// firstMatching returns the first of the matchers that matches the tag e and may touch it, or nil. A matcher from a field of the XR may not
// touch a tag with a reserved key, for example: see protectedKey. If only such matchers match e, firstMatching adds NoteProtected.
func (d *Decision) firstMatching(matchers []matcher, e *tagset.Entry) *matcher {
	if slices.Contains(d.Target.Field.ProviderTags, e.Key) {
		return nil // The provider would add the tag again.
	}

	found, protected := d.Labels.firstMatch(matchers, e)
	if found == nil && protected != "" {
		d.notes.add(NoteProtected, protected)
	}

	return found
}

// removeTags removes the tags that are named in removeTags of the input, and keeps labels from becoming such tags. With [team/*], it
// removes team/a of an earlier step, and the label team/b becomes no tag.
func (d *Decision) removeTags() {
	l := d.Labels
	if len(l.removeMatchers) == 0 {
		return
	}

	for entries := range d.Tags.Tags() {
		id := entries[0].ID // All entries of a tag have the same ID.

		for i := range entries {
			if e := &entries[i]; d.removes(e) {
				d.Tags.Remove(e) // The loop over Tags may remove entries.
			}
		}

		// The label of a removed tag is Removed, too, so that fill doesn't add the tag again.
		if i, isLabel := l.positionByID[id]; isLabel && !d.Tags.Has(id) {
			d.records[i].Fate = tags.Removed
		}
	}

	for i, entries := range d.otherSystemsTags {
		d.otherSystemsTags[i] = d.withoutRemoved(entries)
	}

	for i := range l.all {
		cloudEntries, isReplaced := d.insteadOfLabel[i]

		switch {
		case isReplaced: // A tag of the cloud is put instead of the label, but removeTags may name some or all of its entries.
			d.insteadOfLabel[i] = d.withoutRemoved(cloudEntries)
			if len(d.insteadOfLabel[i]) == 0 {
				d.records[i].Fate = tags.Removed
			}
		case d.records[i].Fate != tags.Undecided: // The method replace, the method ignoreTags or the first loop has decided on the label.
		case l.all[i].Fate == tags.Removed:
			d.records[i].Fate = tags.Removed
			d.noteRemoved(&l.entries[i])
		default:
			if key, isProtected := l.protected[i]; isProtected {
				d.notes.add(NoteProtected, key)
			}
		}
	}
}

// withoutRemoved returns the entries of one tag without the entries that removeTags names.
func (d *Decision) withoutRemoved(entries []tagset.Entry) []tagset.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e tagset.Entry) bool { return d.removes(&e) })
}

// removes reports whether removeTags names the tag e. If ignoreTags names e, too, it adds NoteRemoved.
func (d *Decision) removes(e *tagset.Entry) bool {
	removes := d.firstMatching(d.Labels.removeMatchers, e) != nil
	if removes {
		d.noteRemoved(e)
	}

	return removes
}

// noteRemoved adds NoteRemoved for the tag e, which removeTags removes, if ignoreTags names e, too.
func (d *Decision) noteRemoved(e *tagset.Entry) {
	if d.Labels.namesKey(d.Labels.ignoreMatchers, e) {
		d.notes.add(NoteRemoved, e.Key)
	}
}

// fill first puts tags that need no slot, such as env: prod in the place of env: dev. Then it fills the free tag slots, in this order:
//   - tags of labels whose keys trusted sources give (KeyIsTrusted)
//   - tags of other systems that are in the field only in part: of the tag zone, it has zone=a, but not zone=b (see splitOtherSystemsTags)
//   - tags of other labels
//   - other tags of other systems
//   - tags that kubernetesMetadata copies
//
// The order is stable: a tag of this run keeps its slot in the next run. See testdata/cases/in-order.yaml.
func (d *Decision) fill() error {
	// These labels need no slot.
	if err := d.replaceStayingTags(); err != nil {
		return err
	}

	// As d.free is still 0, putFitting puts only copies that need no slot. It returns the others, which wait until the end.
	waitingCopies := d.putFitting(d.tagsToCopy())
	incomplete, missing := d.splitOtherSystemsTags()                                                         // The field has some entries of an incomplete tag, and none of a missing tag.
	trustedCount := sort.Search(len(d.records), func(i int) bool { return !d.Labels.all[i].KeyIsTrusted() }) // They come first.

	d.free = d.freeSlots()
	if err := d.fillLabels(0, trustedCount); err != nil {
		return err
	}

	unkept := d.putFitting(incomplete)

	if err := d.fillLabels(trustedCount, len(d.records)); err != nil {
		return err
	}

	unkept = append(unkept, d.putFitting(missing)...)
	d.notes.add(NoteUnkept, keysOf(unkept)...)
	d.notes.add(NoteCopyCapped, keysOf(d.putFitting(waitingCopies))...)

	return nil
}

// replaceStayingTags puts labels in the place of other field managers' tags with the same key. The label env: prod replaces env: dev of
// kubectl edit. A label that takes a further slot has to wait for fill: in a list of strings, env=prod stands beside env=dev. See
// testdata/cases/others.yaml.
func (d *Decision) replaceStayingTags() error {
	staying := d.stayingTags()

	for i := range d.records {
		wouldReplace := d.records[i].Fate == tags.Undecided && staying.Has(d.Labels.entries[i].ID) // By the key alone, even in a list.
		if wouldReplace && d.slotsNeededBy(i) <= 0 {                                               // It is negative if the label frees slots.
			if err := d.putUnlessConflict(i); err != nil {
				return err
			}
		}
	}

	return nil
}

// fillLabels gives free slots to the Undecided labels at the positions begin, begin+1 and so on, up to end-1. With 1 free slot and the
// labels a and b, a becomes a tag, and b stays Undecided. If the key of b is trusted, fillLabels adds it to trustedWithoutSlot.
func (d *Decision) fillLabels(begin, end int) error {
	for i := begin; i < end; i++ {
		if d.records[i].Fate != tags.Undecided {
			continue
		}

		needs := d.slotsNeededBy(i)

		switch {
		case d.hasFree(needs) && d.fits(i):
			if err := d.putUnlessConflict(i); err != nil {
				return err
			}

			d.free -= needs // If needs is negative, the next label can take the slots.
		case d.Labels.all[i].KeyIsTrusted(): // The run will fail, and its error names all trusted labels without a slot, so the loop goes on.
			d.trustedWithoutSlot = append(d.trustedWithoutSlot, d.Labels.all[i].Key)
		default:
			return nil // A later label must not overtake this one, even if it needs fewer slots.
		}
	}

	return nil
}

// fits reports whether a joined string has room for the tag of the label at position i. Other tag fields always have.
func (d *Decision) fits(i int) bool {
	e := d.entryToPut(i)
	if cloudEntries, isReplaced := d.insteadOfLabel[i]; isReplaced {
		e = &cloudEntries[0] // A tag in a joined string has one entry.
	}

	fits := d.Tags.HasRoomFor(e)
	d.isFull = d.isFull || !fits

	return fits
}

// limitText returns the limit that keeps labels from being tags.
func (d *Decision) limitText() string {
	if d.isFull {
		return fmt.Sprintf("at most %d bytes in one string of tags", tagset.MaxJoined)
	}

	return d.State.limitText()
}

// putUnlessConflict makes a tag of the label at position i. It is for tags that no earlier step desires. If ignoreTags names the tag,
// putUnlessConflict puts the cloud's value instead, such as backup: daily for the label backup: weekly. An error is the error of
// conflictOf.
func (d *Decision) putUnlessConflict(i int) error {
	if cloudEntries, isReplaced := d.insteadOfLabel[i]; isReplaced {
		d.records[i].Fate = tags.Ignored
		d.Tags.PutEntries(cloudEntries)

		return nil
	}

	if err := d.conflictOf(i); err != nil {
		return err
	}

	d.put(i)

	return nil
}

// slotsNeededBy returns how many tag slots the label at position i needs: 1 for a new tag env, and 0 if the field or another
// field manager has the tag already. If a tag of the cloud is put instead of the label, the result is about that tag: see slotsForEntries.
func (d *Decision) slotsNeededBy(i int) int {
	if cloudEntries, isReplaced := d.insteadOfLabel[i]; isReplaced {
		return d.slotsForEntries(cloudEntries)
	}

	e := d.entryToPut(i)
	if d.slotTakenByOther(e) {
		return 0
	}

	return d.Tags.GrowthByPut(e)
}

// slotsForEntries returns how many more tag slots are taken once the entries of one tag replace the tag in the field. For a list of
// strings with env=a, it returns 1 for env=a and env=b. If the list has env=a, env=b and env=c, it returns -1 for env=a and env=b.
func (d *Decision) slotsForEntries(entries []tagset.Entry) int {
	n := d.Tags.GrowthByPutEntries(entries)

	if !d.Labels.Form().HasStrings {
		entries = entries[:1] // In other fields, a tag has one entry, and PutEntries puts only the first one.
	}

	for i := range entries {
		if d.slotTakenByOther(&entries[i]) { // The field lacks the entry, but another field manager has it: freeSlots has counted its slot.
			n--
		}
	}

	return n
}

// hasFree reports whether that many slots are free. A tag that needs no slot fits even if there are too many tags already.
func (d *Decision) hasFree(slots int) bool { return slots <= max(d.free, 0) }

// putFitting puts tags, each with its entries, into free slots. With 1 free slot for the tags backup and patch, it puts backup, and returns
// patch. It also returns tags that a joined string has no room for, and tags that the schema of the kind doesn't admit, such as a value with
// too many characters.
func (d *Decision) putFitting(entriesOfTags [][]tagset.Entry) (unplaced [][]tagset.Entry) {
	for _, entries := range entriesOfTags {
		// The first entry is enough for Limits: ignoredEntries has checked each entry of the cloud, and of a copied tag only the first is put.
		needs, isAdmitted := d.slotsForEntries(entries), entries[0].FitsIn(d.Labels.Limits)

		if isAdmitted && d.hasFree(needs) && d.Tags.HasRoomFor(&entries[0]) {
			d.free -= max(needs, 0) // If the tag loses entries, needs is negative. Labels get these slots in the next run, trusted ones first.
			d.Tags.PutEntries(entries)
		} else {
			unplaced = append(unplaced, entries)
		}
	}

	return unplaced
}

// keysOf returns the key of each tag. entriesOfTags has the entries of each tag.
func keysOf(entriesOfTags [][]tagset.Entry) []string {
	return words.Map(entriesOfTags, func(entries []tagset.Entry) string { return entries[0].Key })
}

// failsOnConflict reports whether an existing tag with the label's key fails the run, since the label's source has onConflict Error
// (tags.Fail). If the desired resource already has the tags of this step (AlreadyStamped), it returns false: the tag may be the label's
// own.
func (d *Decision) failsOnConflict(l *tags.Judged) bool {
	return l.OnConflict() == tags.Fail && !d.AlreadyStamped
}

// conflictOf returns an error if the label at position i has onConflict Error, and somebody else has set its tag to another value, in the
// tag field or in the cloud. For example, the label owner: team-a conflicts with owner: team-b of kubectl edit. Tags that Crossplane has
// applied don't conflict. See testdata/cases/error-of-cloud.yaml.
func (d *Decision) conflictOf(i int) error {
	l := &d.Labels.all[i]
	if l.Reserved || !d.failsOnConflict(l) {
		return nil // A label with a reserved key is trusted, and replaces any tag.
	}

	id, others := d.Labels.entries[i].ID, d.ObservedTags
	if !others.Has(id) {
		others = d.OtherManagersTags // It also has tags that only spec.initProvider has.
	}

	if first := others.Find(id); first != nil {
		for e := range others.EntriesWith(id) {
			// There is no conflict if any entry is the label's tag already, or is Crossplane's.
			if tagset.IsText(e.Value, l.Value) || d.Target.Owners().Of(&e).Ours {
				return nil
			}
		}

		return errors.Errorf("the field manager %s has set the %s %q to %s, and %s with onConflict Error has the value %q for it",
			cmp.Or(d.Target.Owners().Of(first).Manager, "(none)"), d.Labels.Profile.Noun(), l.Key, quotedValue(first), l.Source.Name, l.Value)
	}

	t, e := d.Target, d.CloudTags.Find(id)
	if e == nil || tagset.IsText(e.Value, l.Value) {
		return nil
	}

	// The provider may report an old tag of Crossplane that the cloud has lost. But if the resource was imported, and Crossplane has never
	// tagged it, the tag is somebody else's.
	if t.MayReportDeletedTags() && !t.IsImportedUntagged() {
		return nil
	}

	return errors.Errorf("the cloud has the tag %q at %s, and %s with onConflict Error has the value %q for it",
		l.Key, quotedValue(e), l.Source.Name, l.Value)
}

// quotedValue returns the value of the tag e for messages: "prod" with quotes for a string, and the kind of any other value, such as
// list.
func quotedValue(e *tagset.Entry) string {
	if e.Value.IsString() {
		return strconv.Quote(e.Value.Text())
	}

	return e.Value.Kind()
}

// tagsToCopy returns the tags that the field gets from kubernetesMetadata of the input, each with its entries. An example is team: a, a
// Kubernetes label of the XR. tagsToCopy leaves out tags that mayCopy refuses. It also leaves out reserved keys, classifiers, and keys that only
// the provider or the cloud sets, and adds NoteCopyReserved for these. See testdata/cases/copied.yaml.
func (d *Decision) tagsToCopy() (out [][]tagset.Entry) {
	for entries := range d.CopiedTags.Tags() {
		e := &entries[0] // It stands for all entries: on Azure, zone and Zone are one tag.
		_, isForTrusted := d.Labels.keyForTrusted(e)
		othersSetKey := d.Labels.setByProvider(e) || d.Labels.belongsToCloud(e)

		if isForTrusted || othersSetKey || d.Labels.transformed.IsReserved(e.Key) {
			d.notes.add(NoteCopyReserved, e.Key)
		} else if d.mayCopy(e) {
			out = append(out, entries)
		}
	}

	return out
}

// mayCopy reports whether the field may get the copied entry e, such as backup: weekly. It may not in these cases:
//   - The field has backup: weekly already.
//   - The entry was copied to spec.initProvider, and spec.forProvider has backup.
//   - A label has the key backup.
//   - removeTags names backup.
//   - ignoreTags names backup, and the cloud has backup: daily.
func (d *Decision) mayCopy(e *tagset.Entry) bool {
	present := d.Tags.Find(e.ID)
	isPresent := present != nil && (present.Value.Equal(e.Value) || e.Initial && !present.Initial)

	if isPresent || len(d.Labels.positionsOf(e)) > 0 || d.firstMatching(d.Labels.removeMatchers, e) != nil {
		return false
	}

	return !d.CloudTags.Has(e.ID) || d.firstMatching(d.Labels.ignoreMatchers, e) == nil
}
