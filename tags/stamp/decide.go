package stamp

import (
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Decision is what becomes of the tags of one resource: of its State, whose Tags have become those that the
// tag field is to have.
type Decision struct {
	*State

	// judged are the records of labels, by position.
	judged []Judged

	// instead are the tags of other systems that missing labels give way to, by position.
	instead map[int][]tagset.Entry

	// foreign are the tags of other systems that the field doesn't have, or not as the cloud does.
	foreign [][]tagset.Entry

	// respelled are the positions of labels with reserved keys whose tags were there in another case, and go.
	respelled []int

	// lacking is how many trusted labels have no tag slot, and lackingKeys the keys of the first of them.
	lacking     int
	lackingKeys []string

	// taken are the keys of tags that earlier steps set with reserved keys.
	taken []string

	// notes on tags that stay, or aren't there, whatever the input asks for.
	notes Notes

	// trusted are the tags with reserved keys that labels of trusted sources have become, by key.
	trusted map[string]string

	// followed are the changes of other systems' tags that this run follows.
	followed followedChanges
}

// Decide what becomes of the tags of s, in this order: reserved keys that are nobody's are taken away, labels
// become tags, tags of other systems get the value that the cloud has, tags are removed, and what the resource
// has no tag slot for is left out. It returns an error if the source of a label accepts no other value than
// its own, and there is one. It changes nothing but the set of tags.
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

// takeAway the tags with reserved keys that no trusted source has.
func (d *Decision) takeAway() {
	l := d.Labels

	for e := range d.Tags.All() {
		key, reserved := l.reserved(e)
		if !reserved || l.isProviders(e) && !e.IsAmbiguous() || d.isClaimed(e) {
			continue
		}

		claim, claimed := e.First(l.claimed)
		_, forfeited := e.First(l.forfeited)

		if !claimed && !forfeited && d.isEarlier(e) {
			continue
		}

		d.Tags.Remove(e)

		switch {
		case !claimed:
			d.taken = append(d.taken, key)
		case !d.isOthers(e): // Otherwise it stays, and so does its slot.
			d.respelled = append(d.respelled, l.byClaim[profile.FoldKey(claim)])
		}
	}
}

// isClaimed is true if a label of a trusted source replaces the entry e where it is, or is what it says.
func (d *Decision) isClaimed(e *tagset.Entry) bool {
	i, ok := d.Labels.labelOf(e)
	if !ok {
		return false
	}

	l := &d.Labels.all[i]

	return l.Reserved || l.Trusted && e.Key == l.Key && tagset.IsText(e.Value, l.Value)
}

// isEarlier is true if an earlier step of the function has the entry e of a trusted source.
func (d *Decision) isEarlier(e *tagset.Entry) (is bool) {
	for key, value := range d.Earlier {
		if e.Is(key, value) {
			is = true

			d.trusted = put(d.trusted, key, value)
		}
	}

	return is
}

// replace the tags that labels have, too, unless these are to retain them.
func (d *Decision) replace() error {
	for i := range d.Labels.all {
		l := &d.Labels.all[i]

		switch there := d.Tags.Find(l.entry.ID); {
		case there == nil:
		case l.Reserved || l.OnConflict() == tags.Replace:
			d.put(i)
		case d.refuses(l):
			return errors.Errorf("an earlier step has set the %s %q to %s, and %s with onConflict Error has the value %q for it",
				d.Labels.Profile.Noun(), l.Key, quote(there), l.Source.Name, l.Value)
		default:
			d.judged[i].Fate = Retained
		}
	}

	// They take the slots of the tags that they replace.
	for _, i := range d.respelled {
		if !d.Labels.all[i].removed {
			d.put(i)
		}
	}

	// Of labels that differ in case alone, an entry of one can have stood in the way of another, and be gone
	// since.
	for _, spellings := range d.Labels.spellings {
		for _, i := range spellings {
			if d.judged[i].Fate == Tagged {
				d.put(i)
			}
		}
	}

	return nil
}

// put the label at position i among the tags.
func (d *Decision) put(i int) {
	d.judged[i].Fate = Tagged
	d.Tags.Put(d.entry(i))
}

// entry of the label at position i. It is spelled as others have spelled it, where the provider takes both
// for one: it is the one that the label replaces.
func (d *Decision) entry(i int) *tagset.Entry {
	e := &d.Labels.all[i].entry

	if others := d.others(); others != nil && d.Labels.Shape != field.StringList {
		if o := others.Find(e.ID); o != nil {
			spelled := *e
			spelled.Key = o.Key

			return &spelled
		}
	}

	return e
}

// rule returns the first of the rules that holds for the tag e, or nil if none does.
func (d *Decision) rule(rules []keyRule, e *tagset.Entry) *keyRule {
	if slices.Contains(d.Added, e.Key) {
		return nil // They would come back.
	}

	rule, protected := d.Labels.match(rules, e)
	if rule == nil && protected != "" {
		d.notes.add(NoteProtected, "", protected)
	}

	return rule
}

// removeTags that resources don't get.
func (d *Decision) removeTags() {
	l := d.Labels
	if len(l.remove) == 0 {
		return
	}

	for of := range d.Tags.Tags() {
		for i := range of {
			if e := &of[i]; d.rule(l.remove, e) != nil {
				d.Tags.Remove(e)
			}
		}

		if i, ok := l.byID[of[0].ID]; ok && !d.Tags.Has(of[0].ID) {
			d.judged[i].Fate = Removed
		}
	}

	for i, of := range d.foreign {
		d.foreign[i] = d.withoutRemoved(of)
	}

	for i := range l.all {
		of, gives := d.instead[i]

		switch {
		case gives:
			if d.instead[i] = d.withoutRemoved(of); len(d.instead[i]) == 0 {
				d.judged[i].Fate = Removed
			}
		case d.judged[i].Fate != Undecided: // What it is decides, not what the label would be.
		case l.all[i].removed:
			d.judged[i].Fate = Removed
		case l.all[i].protected != "":
			d.notes.add(NoteProtected, "", l.all[i].protected)
		}
	}
}

// withoutRemoved are those of the entries that the cloud has of a tag which removeTags leaves.
func (d *Decision) withoutRemoved(of []tagset.Entry) []tagset.Entry {
	return slices.DeleteFunc(slices.Clone(of), func(e tagset.Entry) bool { return d.rule(d.Labels.remove, &e) != nil })
}

// fill the tag slots that are free: with the tags of trusted labels, with what tags of other systems
// that are there have more in the cloud, with the tags of other labels, with the missing tags of other
// systems, and with copied metadata. So the tags that one run has come to take no others' slots in the
// next. What needs no slot is put first, since it can free some.
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

// fillLabels fills the free slots with the tags of missing labels, from one position to another. It returns
// how many slots are left.
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

// putMissing puts the label at position i where it takes a tag slot, or the tag that another system has
// instead.
func (d *Decision) putMissing(i int) error {
	if of, gives := d.instead[i]; gives {
		d.judged[i].Fate = Ignored
		d.Tags.Adopt(of)

		return nil
	}

	if err := d.overwrites(i); err != nil {
		return err
	}

	d.put(i)

	return nil
}

// needs returns how many more tag slots are taken once the label at position i is a tag.
func (d *Decision) needs(i int) int {
	if of, gives := d.instead[i]; gives {
		return d.grows(of)
	}

	e := d.entry(i)

	n := d.Tags.Adds(e)
	if n > 0 && d.isOthers(e) {
		n--
	}

	return n
}

// grows returns how many more tag slots are taken after adopting the entries of one tag.
func (d *Decision) grows(of []tagset.Entry) int {
	n := d.Tags.Grows(of)

	for i := range of {
		if d.isOthers(&of[i]) {
			n--
		}

		if d.Labels.Shape != field.StringList {
			break // All of them take the place of one tag.
		}
	}

	return n
}

// fits is true if what needs more tag slots, or none, gets them of those that are free. What needs none
// has its place even if earlier steps alone exceed the cap.
func fits(needs, free int) bool { return needs <= max(free, 0) }

// adopt those of the tags, each with its entries, for which there are free slots. It returns the others,
// and how many slots are left.
func (d *Decision) adopt(all [][]tagset.Entry, free int) (left [][]tagset.Entry, slots int) {
	for _, of := range all {
		needs := d.grows(of)
		if !fits(needs, free) || !of[0].FitsIn(d.Labels.Limits) {
			left = append(left, of)
			continue
		}

		free -= max(needs, 0)
		d.Tags.Adopt(of)
	}

	return left, free
}

// firstKeys are the keys of the tags.
func firstKeys(all [][]tagset.Entry) (keys []string) {
	for _, of := range all {
		keys = append(keys, of[0].Key)
	}

	return keys
}

// put the value into the map, which is made if there is none.
func put(into map[string]string, key, value string) map[string]string {
	if into == nil {
		into = make(map[string]string)
	}

	into[key] = value

	return into
}
