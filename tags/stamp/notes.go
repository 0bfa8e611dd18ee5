package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Note is a fact about the tags of one resource. Facts about a single label are in the label's record instead. tags/report has the words
// and the severity of each NoteKind.
type Note struct {
	Kind NoteKind

	// Keys has the keys of the tags, sorted. It is empty if the note is about the tag field. More is the number of keys that Keys leaves
	// out.
	Keys []string
	More int

	// Manager is the field manager that owns the tags, such as kubectl-edit. It is empty if the kind of note is not about owners.
	Manager string

	// Field is set only for NoteReservedLaunched and NoteAttached. It is the path of the field with the tags, such as spec.forProvider.ebsBlockDevice.tags.
	Field string
}

// A NoteKind says what a Note is about.
type NoteKind int

const (
	// NoteImmutable says that labels are missing among the tags, or that their tags have old values, since the tag field can't change once
	// the resource exists.
	NoteImmutable NoteKind = iota

	// NoteOtherValue says that tags stay because removeTags names them with another value: it names env: dev, and the tag is env: prod.
	NoteOtherValue

	// NoteOwned says that tags stay although removeTags names them, since the Manager owns them.
	NoteOwned

	// NoteKept says that tags of other systems are desired because of ignoreTags for the first time.
	NoteKept

	// NoteUnreported says that ignoreTags has no effect, since the provider reports no tags, even after it has looked at the cloud.
	NoteUnreported

	// NoteLastStays says that the tag field loses its last tag, but that the tag stays in the cloud. The provider fills an empty tag field
	// with the cloud's tags, or leaves these tags alone.
	NoteLastStays

	// NoteLeftover says that tags stay in the tag field although no step desires them, in one of two cases:
	//   - The tags have the keyPrefix, and the Manager owns them.
	//   - The last tag can't be removed from the field, since the Manager owns the field itself: see keepLastTag.
	NoteLeftover

	// NoteCopyReserved says that copied metadata has reserved keys, so it is not copied to the tag field.
	NoteCopyReserved

	// NoteCopyCapped says that metadata is not copied to the tag field because no tag slot is left.
	NoteCopyCapped

	// NoteReserved says that tags with reserved keys stay although they have no trusted source, since the Manager owns them.
	NoteReserved

	// NoteReservedLaunched says that tags with reserved keys stay although they have no trusted source, since they are in a Field for launched
	// resources that the function never writes, such as ebsBlockDevice.tags.
	NoteReservedLaunched

	// NoteProtected says that ignoreTags or removeTags names tags in vain, in one of two cases:
	//   - A field of the XR names tags with reserved keys, tags of trusted labels, or Kubernetes metadata without keyPrefix. Only the input
	//     itself may name these.
	//   - ignoreTags of the input itself names tags with reserved keys.
	NoteProtected

	// NoteUnkept says that ignoreTags can't keep tags of other systems because no tag slot is left.
	NoteUnkept

	// NoteRemoved says that tags are removed although ignoreTags names them, since removeTags names them, too.
	NoteRemoved

	// NoteStaysSelected says that matchCloudTags may still select the resource after its tags have left the cloud, since the status may keep
	// them.
	NoteStaysSelected

	// NoteLastKept says that the function keeps the last tag in the tag field, although nobody else owns it. Without this tag, the parent of
	// the field would be empty, such as spec.forProvider, and API servers refuse that.
	NoteLastKept

	// NoteInitialMoved says that tags of a list in spec.initProvider go to the list in spec.forProvider, since providers drop one list if there
	// are two. So the tags are no longer initial only.
	NoteInitialMoved

	// NoteInitialKept says that the tags of a list in spec.initProvider stay initial, and that labels are withheld for them: see
	// retainInitialList.
	NoteInitialKept

	// NoteAttached says that the Field for launched resources gets no labels, since another resource attaches a volume, which may have tags of
	// its own. Keys has the name of that resource.
	NoteAttached

	// NoteNeverUpdated is NoteImmutable for a resource whose managementPolicies lack Update.
	NoteNeverUpdated

	// NoteValueless says that earlier steps desire items of a list with a key and without a value, which API servers refuse.
	NoteValueless
)

// Notes has the notes on one resource.
type Notes []Note

// add adds the keys to the note of the kind. Notes about the whole tag field have no keys, and are appended without add.
func (n *Notes) add(kind NoteKind, keys ...string) { n.addOwned(kind, "", keys...) }

// addOwned adds the keys to the note of the kind and the manager. If NoteOwned gets env and then zone with the manager kubectl-edit, one
// note has both keys.
func (n *Notes) addOwned(kind NoteKind, manager string, keys ...string) {
	if len(keys) == 0 {
		return
	}

	i := slices.IndexFunc(*n, func(note Note) bool { return note.Kind == kind && note.Manager == manager })
	if i < 0 {
		i = len(*n)
		*n = append(*n, Note{Kind: kind, Manager: manager})
	}

	(*n)[i].Keys = append((*n)[i].Keys, keys...)
}

// sort sorts the keys of each note, and drops duplicates. Notes of some kinds can have thousands of keys on each of thousands of resources.
// Such notes keep only the first keys.
func (n *Notes) sort() {
	for i := range *n {
		note := &(*n)[i]
		slices.Sort(note.Keys)
		note.Keys = slices.Compact(note.Keys)

		mayHaveMany := note.Kind == NoteProtected || note.Kind == NoteUnkept || note.Kind == NoteRemoved || note.Kind == NoteInitialMoved || note.Kind == NoteInitialKept || note.Kind == NoteValueless
		if surplus := len(note.Keys) - words.MaxNameCount; mayHaveMany && surplus > 0 {
			note.Keys, note.More = slices.Clone(note.Keys[:words.MaxNameCount]), surplus
		}
	}
}

// Keys returns the keys of all notes of the kind, sorted and without duplicates, and how many keys the notes leave out. A key can be in
// several notes, such as one for each of two managers, or one for tags and one for volumeTags (see addNotesOf).
func (n *Notes) Keys(kind NoteKind) (keys []string, more int) { //nolint:unparam // Package report reads the second result.
	for _, note := range *n {
		if note.Kind == kind {
			keys, more = append(keys, note.Keys...), more+note.More
		}
	}

	slices.Sort(keys)

	return slices.Compact(keys), more
}

// noteStayingTags adds notes on tags of other field managers that stay although somebody may expect them to go:
//   - NoteReserved if the tag has a reserved key
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
		if d.Tags.HasTagOf(e) || d.addedByProvider(e) {
			continue
		}

		owner := d.Target.Owners().Of(e)
		reservedKey, isReserved := d.Labels.reservedKey(e)

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

	slices.SortFunc(found, func(a, b Note) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Manager, b.Manager)) })
	*notes = append(*notes, found...)
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

// noteValueless adds NoteValueless for entries without a value that no label has filled.
func (p *Plan) noteValueless() {
	for e := range p.decision.Tags.All() {
		if e.LacksValue {
			p.Notes.add(NoteValueless, e.Key)
		}
	}
}

// newlyKeptKeys returns the keys of other systems' tags that are among the decided tags, unless an earlier run has kept them. With ignoreTags
// [backup], it returns backup if a slot was free for the tag backup: daily of the cloud, and the observed field lacks the tag.
func (d *Decision) newlyKeptKeys() (keys []string) {
	// Crossplane owns the entry in the observed field because of an earlier run.
	isNew := func(e tagset.Entry) bool {
		if !d.ObservedTags.HasTagOf(&e) {
			return true
		}

		if !d.Labels.Shape.Form().HasStrings { // On Azure, the field may have another spelling of the key.
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
