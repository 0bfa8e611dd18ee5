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

	// foreign are the tags of other systems that the field lacks, or has with fewer entries than the cloud.
	foreign [][]tagset.Entry

	// respelled are the positions of labels with reserved keys whose tags were there in another case. These tags go.
	respelled []int

	// lacking is how many trusted labels have no tag slot, and lackingKeys has the first of their keys.
	lacking     int
	lackingKeys []string

	// taken are the keys of tags that earlier steps set with reserved keys.
	taken []string

	// notes on tags that stay, or aren't there, whatever the input asks for.
	notes Notes

	// trusted are the tags of labels of trusted sources with reserved keys, by key.
	trusted map[string]string

	// followed are the changes of other systems' tags that this run follows.
	follows followedChanges
}

// Decide decides on the tags of s, in this order:
//   - tags with reserved keys are taken away, unless a trusted source set them,
//   - labels replace tags with their keys, or retain them,
//   - ignoreTags gives tags of other systems the value that the cloud has,
//   - removeTags removes tags,
//   - the free tag slots are filled.
//
// The label env: prod of a source with onConflict Replace changes {env: dev} to {env: prod}. It returns an error if the
// source of a label has onConflict Error, and the tag has another value. Decide changes nothing but s.Tags.
func Decide(s *State) (*Decision, error) {
	d := &Decision{State: s, judged: s.Labels.undecided()}
	d.takeAway()

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

// takeAway removes the tags with reserved keys, unless a trusted source set them. With owner reserved, the tag owner:
// me of an earlier step goes, and owner: team-a of a trusted label stays. See testdata/cases/reserved.yaml.
func (d *Decision) takeAway() {
	l := d.Labels

	for e := range d.Tags.All() {
		key, reserved := l.reserved(e)
		if !reserved || l.setByProvider(e) && !e.IsAmbiguous() || d.setByTrustedLabel(e) {
			continue
		}

		assigned, isAssigned := e.First(l.assigned)
		_, isForfeited := e.First(l.forfeited)

		if !isAssigned && !isForfeited && d.trustedBefore(e) {
			continue
		}

		d.Tags.Remove(e)

		switch {
		case !isAssigned:
			d.taken = append(d.taken, key)
		case !d.ownedByOthers(e): // A tag of others stays, and keeps its slot.
			d.respelled = append(d.respelled, l.assignedTo[profile.FoldKey(assigned)])
		}
	}
}

// setByTrustedLabel reports whether a label of a trusted source replaces the entry e where it is, or equals e.
func (d *Decision) setByTrustedLabel(e *tagset.Entry) bool {
	i, ok := d.Labels.labelOf(e)
	if !ok {
		return false
	}

	l := &d.Labels.all[i]

	return l.Reserved || l.Trusted && e.Key == l.Key && tagset.IsText(e.Value, l.Value)
}

// trustedBefore reports whether an earlier step of the function had the entry e from a trusted source. Then e stays,
// and counts as trusted in this step, too.
func (d *Decision) trustedBefore(e *tagset.Entry) (found bool) {
	for key, value := range d.Earlier {
		if e.Is(key, value) {
			found = true

			d.trusted = put(d.trusted, key, value)
		}
	}

	return found
}

// replace puts the tags of labels in the place of tags with their keys, or retains these, as the source of each label
// says. The label env: prod replaces env: dev if its source has onConflict Replace, and leaves it with Retain. A label
// with a reserved key always replaces.
func (d *Decision) replace() error {
	for i := range d.Labels.all {
		l := &d.Labels.all[i]

		switch there := d.Tags.Find(l.entry.ID); {
		case there == nil:
		case l.Reserved || l.OnConflict() == tags.Replace:
			d.put(i)
		case d.acceptsNoOther(l):
			return errors.Errorf("an earlier step has set the %s %q to %s, and %s with onConflict Error has the value %q for it",
				d.Labels.Profile.Noun(), l.Key, quote(there), l.Source.Name, l.Value)
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

	// Labels can differ in case alone. An entry of one label may have stood in the way of another, and is gone now.
	for _, positions := range d.Labels.byFold {
		for _, i := range positions {
			if d.judged[i].Fate == Tagged {
				d.put(i)
			}
		}
	}

	return nil
}

// put the tag of the label at position i among the tags.
func (d *Decision) put(i int) {
	d.judged[i].Fate = Tagged
	d.Tags.Put(d.entry(i))
}

// entry returns the entry of the label at position i. If another field manager has the tag in another case, as Env instead
// of env on Azure, the entry has the other manager's key: the label replaces that tag.
func (d *Decision) entry(i int) *tagset.Entry {
	e := &d.Labels.all[i].entry

	if others := d.others(); others != nil && !d.Labels.Shape.Form().HasTexts {
		if o := others.Find(e.ID); o != nil {
			spelled := *e
			spelled.Key = o.Key

			return &spelled
		}
	}

	return e
}

// matching returns the first of the matchers for the tag e, or nil if there is none. It notes a protected tag.
func (d *Decision) matching(matchers []matcher, e *tagset.Entry) *matcher {
	if slices.Contains(d.Added, e.Key) {
		return nil // The provider would add the tag again.
	}

	found, protected := d.Labels.match(matchers, e)
	if found == nil && protected != "" {
		d.notes.add(NoteProtected, "", protected)
	}

	return found
}

// removeTags removes tags, and keeps labels from becoming tags. With removeTags [team/*], the tag team/a of an earlier step
// goes, and the label team/b is none.
func (d *Decision) removeTags() {
	l := d.Labels
	if len(l.remove) == 0 {
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
	removes := d.matching(d.Labels.remove, e) != nil
	if removes {
		d.noteRemoved(e)
	}

	return removes
}

// noteRemoved notes that removeTags removes the tag e, if ignoreTags names it, too.
func (d *Decision) noteRemoved(e *tagset.Entry) {
	if d.Labels.names(d.Labels.ignore, e) {
		d.notes.add(NoteRemoved, "", e.Key)
	}
}

// fill puts tags that need no slot, since this can free slots. Then it fills the free tag slots, in this order:
//   - tags of trusted labels,
//   - further entries of tags of other systems, as the cloud has them,
//   - tags of other labels,
//   - missing tags of other systems,
//   - copied metadata.
//
// In this order, a tag of this run doesn't lose its slot in the next. See testdata/cases/in-order.yaml.
func (d *Decision) fill() error {
	if err := d.replaceOthers(); err != nil {
		return err
	}

	copies, _ := d.adopt(d.copies(), 0)
	grown, missing := d.foreignTags()
	trusted := d.Labels.trusted()

	free, err := d.fillLabels(0, trusted, d.free())
	if err != nil {
		return err
	}

	unkept, free := d.adopt(grown, free)

	if free, err = d.fillLabels(trusted, len(d.judged), free); err != nil {
		return err
	}

	more, free := d.adopt(missing, free)
	d.notes.add(NoteUnkept, "", firstKeys(append(unkept, more...))...)

	copies, _ = d.adopt(copies, free)
	d.notes.add(NoteCopyCapped, "", firstKeys(copies)...)

	return nil
}

// fillLabels fills the free slots with the tags of missing labels, between two positions, and returns how many slots
// are left. With 1 free slot and the untrusted labels a and b, a becomes a tag, and b stays Undecided. All trusted
// labels without a slot count as lacking.
func (d *Decision) fillLabels(from, to, free int) (int, error) {
	for i := from; i < to; i++ {
		if d.judged[i].Fate != Undecided {
			continue
		}

		needs := d.needs(i)

		switch l := &d.Labels.all[i]; {
		case fits(needs, free):
			if err := d.putMissing(i); err != nil {
				return free, err
			}

			free -= needs
		case l.Trusted:
			d.lacking++

			if d.lacking <= words.MaxNamed {
				d.lackingKeys = append(d.lackingKeys, l.Key)
			}
		default:
			return free, nil
		}
	}

	return free, nil
}

// putMissing puts the tag of the label at position i, or the other system's tag that takes its place: backup: daily of
// the cloud, if ignoreTags has backup, for the label backup: weekly.
func (d *Decision) putMissing(i int) error {
	if entries, gives := d.instead[i]; gives {
		d.judged[i].Fate = Ignored
		d.Tags.Adopt(entries)

		return nil
	}

	if err := d.overwrites(i); err != nil {
		return err
	}

	d.put(i)

	return nil
}

// needs returns how many tag slots the tag of the label at position i needs: one if env is new, and none if the field
// or another field manager has env already.
func (d *Decision) needs(i int) int {
	if entries, gives := d.instead[i]; gives {
		return d.grows(entries)
	}

	e := d.entry(i)

	n := d.Tags.Adds(e)
	if n > 0 && d.ownedByOthers(e) {
		n--
	}

	return n
}

// grows returns how many tag slots the entries of one tag need: one for each entry that the field lacks, and none if
// another field manager has it. A list of strings with env=a lacks one of env=a and env=b.
func (d *Decision) grows(entries []tagset.Entry) int {
	n := d.Tags.Grows(entries)

	for i := range entries {
		if d.ownedByOthers(&entries[i]) {
			n--
		}

		if !d.Labels.Shape.Form().HasTexts {
			break // All entries take the place of one tag.
		}
	}

	return n
}

// fits reports whether so many slots are free. A tag that needs no slot fits even if earlier steps alone exceed the cap.
func fits(needs, free int) bool { return needs <= max(free, 0) }

// adopt puts the tags, each with its entries, into the free slots, the first tags first. It returns the tags without a
// slot, and how many slots are left. With 1 slot for backup and patch, patch is left.
func (d *Decision) adopt(all [][]tagset.Entry, free int) (left [][]tagset.Entry, slots int) {
	for _, entries := range all {
		needs := d.grows(entries)
		if !fits(needs, free) || !entries[0].FitsIn(d.Labels.Limits) {
			left = append(left, entries)
			continue
		}

		free -= max(needs, 0)
		d.Tags.Adopt(entries)
	}

	return left, free
}

// firstKeys returns the keys of the tags, each with its entries.
func firstKeys(all [][]tagset.Entry) []string {
	return words.Map(all, func(entries []tagset.Entry) string { return entries[0].Key })
}

// put returns the map with the value. It makes a map if there is none.
func put(into map[string]string, key, value string) map[string]string {
	if into == nil {
		into = make(map[string]string)
	}

	into[key] = value

	return into
}
