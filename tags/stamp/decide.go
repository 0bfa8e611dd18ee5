package stamp

import (
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Decision says which tags a resource is to have. Decide changes the Tags of the State to the tags that the tag field is
// to have.
type Decision struct {
	*State

	// judged are the records of labels, by position.
	judged []Judged

	// instead has the other system's tag that takes the place of a missing label, by the label's position.
	instead map[int][]tagset.Entry

	// foreign are tags of other systems that the field lacks, or of which it has fewer entries than the cloud.
	foreign [][]tagset.Entry

	// respelled are the positions of labels whose reserved keys had a tag in another case, such as Owner for owner. The label
	// replaces that tag.
	respelled []int

	// trustedWithoutSlot counts the trusted labels without a tag slot. trustedWithoutSlotKeys has the first of their keys.
	trustedWithoutSlot     int
	trustedWithoutSlotKeys []string

	// takenAwayKeys are the reserved keys of tags that an earlier step set, and that Decide removed.
	takenAwayKeys []string

	// notes say which tags differ from the input's wishes, and why.
	notes Notes

	// trusted are the tags of labels of trusted sources with reserved keys, by key.
	trusted map[string]string

	// follows are the changes of other systems' tags that this run follows: see follow.
	follows followedChanges
}

// Decide decides on the tags of s, and changes only s.Tags. It does this in order:
//   - It removes tags with reserved keys, unless a trusted source set them.
//   - It replaces tags with tags of labels, as onConflict says: with Replace, the label env: prod changes {env: dev} to
//     {env: prod}.
//   - It gives the tags in ignoreTags their value from the cloud.
//   - It removes the tags that removeTags names.
//   - It fills the free tag slots.
//
// It returns an error if a label has onConflict Error, and the tag has another value.
func Decide(s *State) (*Decision, error) {
	d := &Decision{State: s, judged: s.Labels.undecided()}
	d.removeReserved()

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

// removeReserved removes tags with reserved keys that no trusted source set. If owner is reserved, it removes owner: me of an
// earlier step, and keeps owner: team-a of a trusted label. See testdata/cases/reserved.yaml.
func (d *Decision) removeReserved() {
	l := d.Labels

	for e := range d.Tags.All() {
		key, isReserved := l.reservedKey(e)
		if !isReserved || d.setByTrustedLabel(e) {
			continue
		}

		if l.setByProvider(e) && !e.IsAmbiguous() {
			continue // The provider would add the tag again.
		}

		labelKey, hasLabel := e.FirstKey(l.assigned)
		_, hasSkippedLabel := e.FirstKey(l.forfeited)

		if !hasLabel && !hasSkippedLabel && d.trustedBefore(e) {
			continue
		}

		d.Tags.Remove(e)

		if !hasLabel {
			d.takenAwayKeys = append(d.takenAwayKeys, key)
		} else if !d.ownedByOthers(e) { // Another field manager's tag keeps its slot.
			d.respelled = append(d.respelled, l.assignedTo[profile.FoldKey(labelKey)])
		}
	}
}

// setByTrustedLabel reports whether the entry e gets or has the value of a trusted label. If owner is a reserved key, the label
// owner: team-a later replaces owner: me. With another key, e must have the key and the value of the label already.
func (d *Decision) setByTrustedLabel(e *tagset.Entry) bool {
	i, ok := d.Labels.positionOf(e)
	if !ok {
		return false
	}

	l := &d.Labels.all[i]

	return l.Reserved || l.Trusted && e.Key == l.Key && tagset.IsText(e.Value, l.Value)
}

// trustedBefore reports whether an earlier step of this function set the entry e from a trusted source. It records e as trusted for
// later steps.
func (d *Decision) trustedBefore(e *tagset.Entry) (found bool) {
	for key, value := range d.EarlierTrustedTags {
		if e.IsTag(key, value) {
			found = true

			d.trusted = put(d.trusted, key, value)
		}
	}

	return found
}

// replace puts tags of labels in the place of existing tags with the same key. With onConflict Replace, the label env: prod
// replaces env: dev. With Retain, env: dev stays. A label with a reserved key always replaces.
func (d *Decision) replace() error {
	for i := range d.Labels.all {
		l := &d.Labels.all[i]

		switch present := d.Tags.Find(l.entry.ID); {
		case present == nil:
		case l.Reserved || l.OnConflict() == tags.Replace:
			d.put(i)
		case d.acceptsNoOther(l):
			return errors.Errorf("an earlier step has set the %s %q to %s, and %s with onConflict Error has the value %q for it",
				d.Labels.Profile.Noun(), l.Key, quote(present), l.Source.Name, l.Value)
		default:
			d.judged[i].Fate = Retained
		}
	}

	// Respelled labels take the slots of the tags that they replace.
	for _, i := range d.respelled {
		if !d.Labels.all[i].removed {
			d.put(i)
		}
	}

	// On DigitalOcean, the labels Env and env can take the place of one tag. Each label that replaces a tag is put again, since
	// the other one may have replaced its tag.
	for _, positions := range d.Labels.byFold {
		for _, i := range positions {
			if d.judged[i].Fate == Tagged {
				d.put(i)
			}
		}
	}

	return nil
}

// put sets the tag of the label at position i.
func (d *Decision) put(i int) {
	d.judged[i].Fate = Tagged
	d.Tags.Put(d.entry(i))
}

// entry returns the entry for the label at position i. Some clouds ignore case. If another field manager owns Env on Azure, the
// entry of the label env has the key Env, too. So it replaces that tag.
func (d *Decision) entry(i int) *tagset.Entry {
	e := &d.Labels.all[i].entry

	if others := d.others(); others != nil && !d.Labels.Shape.Form().HasStrings {
		if o := others.Find(e.ID); o != nil {
			spelled := *e
			spelled.Key = o.Key

			return &spelled
		}
	}

	return e
}

// matching returns the first of the matchers that matches the tag e, or nil. It adds a note if the tag's key is protected.
func (d *Decision) matching(matchers []matcher, e *tagset.Entry) *matcher {
	if slices.Contains(d.ProviderKeys, e.Key) {
		return nil // The provider would add the tag again.
	}

	found, protected := d.Labels.firstMatch(matchers, e)
	if found == nil && protected != "" {
		d.notes.add(NoteProtected, "", protected)
	}

	return found
}

// removeTags removes the tags that removeTags of the input names, and keeps labels from becoming such tags. With
// removeTags [team/*], an earlier step's tag team/a is removed, and the label team/b becomes no tag.
func (d *Decision) removeTags() {
	l := d.Labels
	if len(l.removeMatchers) == 0 {
		return
	}

	for entries := range d.Tags.Tags() {
		for i := range entries {
			if e := &entries[i]; d.removes(e) {
				d.Tags.Remove(e)
			}
		}

		if i, ok := l.byID[entries[0].ID]; ok && !d.Tags.Has(entries[0].ID) {
			d.judged[i].Fate = Removed
		}
	}

	for i, entries := range d.foreign {
		d.foreign[i] = d.withoutRemoved(entries)
	}

	for i := range l.all {
		entries, gives := d.instead[i]

		switch {
		case gives:
			if d.instead[i] = d.withoutRemoved(entries); len(d.instead[i]) == 0 {
				d.judged[i].Fate = Removed
			}
		case d.judged[i].Fate != Undecided: // The tag that is there decides, and not the label.
		case l.all[i].removed:
			d.judged[i].Fate = Removed
			d.noteRemoved(&l.all[i].entry)
		case l.all[i].protected != "":
			d.notes.add(NoteProtected, "", l.all[i].protected)
		}
	}
}

// withoutRemoved returns the entries of one tag without the entries that removeTags names.
func (d *Decision) withoutRemoved(entries []tagset.Entry) []tagset.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e tagset.Entry) bool { return d.removes(&e) })
}

// removes reports whether removeTags names the tag e. It notes a tag that ignoreTags names, too.
func (d *Decision) removes(e *tagset.Entry) bool {
	removes := d.matching(d.Labels.removeMatchers, e) != nil
	if removes {
		d.noteRemoved(e)
	}

	return removes
}

// noteRemoved notes that removeTags removes the tag e, if ignoreTags names it, too.
func (d *Decision) noteRemoved(e *tagset.Entry) {
	if d.Labels.namesKey(d.Labels.ignoreMatchers, e) {
		d.notes.add(NoteRemoved, "", e.Key)
	}
}

// fill first places tags that need no slot, since this can free slots. Then it fills the free tag slots, in this order:
//   - tags of trusted labels
//   - further entries of other systems' tags, as the cloud has them
//   - tags of other labels
//   - other systems' tags that the field lacks
//   - copied metadata
//
// The order is stable: a tag of this run keeps its slot in the next run. See testdata/cases/in-order.yaml.
func (d *Decision) fill() error {
	if err := d.replaceOthers(); err != nil {
		return err
	}

	copies, _ := d.place(d.copies(), 0) // With 0 free slots, it places the copies that need none.
	incomplete, missing := d.foreignTags()
	trusted := d.Labels.countTrusted()

	free, err := d.fillLabels(0, trusted, d.freeSlots())
	if err != nil {
		return err
	}

	unplaced, free := d.place(incomplete, free)

	if free, err = d.fillLabels(trusted, len(d.judged), free); err != nil {
		return err
	}

	unplacedMissing, free := d.place(missing, free)
	d.notes.add(NoteUnkept, "", firstKeys(append(unplaced, unplacedMissing...))...)

	copies, _ = d.place(copies, free)
	d.notes.add(NoteCopyCapped, "", firstKeys(copies)...)

	return nil
}

// fillLabels gives free slots to missing tags of the labels between two positions, and returns how many slots are left.
// With 1 free slot and the untrusted labels a and b, a becomes a tag, and b stays Undecided. It counts trusted labels without a
// slot.
func (d *Decision) fillLabels(from, to, free int) (int, error) {
	for i := from; i < to; i++ {
		if d.judged[i].Fate != Undecided {
			continue
		}

		needs := d.slotsForLabel(i)

		switch l := &d.Labels.all[i]; {
		case fits(needs, free):
			if err := d.putMissing(i); err != nil {
				return free, err
			}

			free -= needs
		case l.Trusted:
			d.trustedWithoutSlot++

			if d.trustedWithoutSlot <= words.MaxNameCount {
				d.trustedWithoutSlotKeys = append(d.trustedWithoutSlotKeys, l.Key)
			}
		default:
			return free, nil
		}
	}

	return free, nil
}

// putMissing sets the tag of the label at position i. If ignoreTags names the tag, it sets the cloud's value instead, such as
// backup: daily for the label backup: weekly.
func (d *Decision) putMissing(i int) error {
	if entries, gives := d.instead[i]; gives {
		d.judged[i].Fate = Ignored
		d.Tags.PutEntries(entries)

		return nil
	}

	if err := d.conflictOf(i); err != nil {
		return err
	}

	d.put(i)

	return nil
}

// slotsForLabel returns how many tag slots the tag of the label at position i needs: 1 if env is new, and 0 if the field or
// another field manager has env already.
func (d *Decision) slotsForLabel(i int) int {
	if entries, gives := d.instead[i]; gives {
		return d.slotsForEntries(entries)
	}

	e := d.entry(i)

	n := d.Tags.GrowthByPut(e)
	if n > 0 && d.ownedByOthers(e) {
		n--
	}

	return n
}

// slotsForEntries returns how many tag slots the entries of one tag need: 1 for each entry that neither the field nor another
// field manager has. With env=a in a list of strings, the entries env=a and env=b need 1.
func (d *Decision) slotsForEntries(entries []tagset.Entry) int {
	n := d.Tags.GrowthByPutEntries(entries)

	for i := range entries {
		if d.ownedByOthers(&entries[i]) {
			n--
		}

		if !d.Labels.Shape.Form().HasStrings {
			break // All entries take the place of one tag.
		}
	}

	return n
}

// fits reports whether needs slots are free. A tag that needs no slot fits even if there are too many tags already.
func fits(needs, free int) bool { return needs <= max(free, 0) }

// place sets the given tags in order while slots are free. Each tag has its entries. It returns the tags that found no slot, and
// how many slots are left. With 1 free slot for backup and patch, patch is unplaced.
func (d *Decision) place(all [][]tagset.Entry, free int) (unplaced [][]tagset.Entry, slots int) {
	for _, entries := range all {
		needs := d.slotsForEntries(entries)
		if !fits(needs, free) || !entries[0].FitsIn(d.Labels.Limits) {
			unplaced = append(unplaced, entries)
			continue
		}

		free -= max(needs, 0)
		d.Tags.PutEntries(entries)
	}

	return unplaced, free
}

// firstKeys returns the key of each tag. Each tag has its entries.
func firstKeys(all [][]tagset.Entry) []string {
	return words.Map(all, func(entries []tagset.Entry) string { return entries[0].Key })
}

// put sets the key of the map to the value, and returns the map. It makes one if into is nil.
func put(into map[string]string, key, value string) map[string]string {
	if into == nil {
		into = make(map[string]string)
	}

	into[key] = value

	return into
}
