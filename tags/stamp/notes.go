package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Note is a fact about tags of one resource, beside the records of labels. tags/report has the words and the severity of
// each NoteKind.
type Note struct {
	Kind NoteKind

	// Keys has the keys of the tags, sorted. It is empty if the note is about the tag field. More is the number of keys
	// beyond these.
	Keys []string
	More int `json:"more,omitzero"`

	// Manager is the field manager that owns the tags, by metadata.managedFields, or empty.
	Manager string

	// Field is the path of the field with the tags, if it is a field for launched resources, or empty.
	Field string `json:"field,omitzero"`
}

// A NoteKind says which fact a Note is about.
type NoteKind int

const (
	// NoteImmutable says that labels are no tags, or that the tags have other values. The tag field can't change once the
	// resource exists.
	NoteImmutable NoteKind = iota

	// NoteOtherValue says that tags stay because removeTags names them with another value.
	NoteOtherValue

	// NoteOwned says that tags stay although removeTags names them. The Manager owns them in the observed resource.
	NoteOwned

	// NoteKept says that tags of other systems are desired because of ignoreTags.
	NoteKept

	// NoteUnreported says that ignoreTags has no effect. The provider reports no tags, even after it has looked at the
	// cloud.
	NoteUnreported

	// NoteLastStays says that the last tag stays in the cloud. If the tag field is empty, the provider copies the cloud's
	// tags to it, or leaves them alone.
	NoteLastStays

	// NoteLeftover says that tags with keyPrefix stay although no step desires them. The Manager owns them, or owns the field
	// itself and the last tag stays. It is the provider, somebody who has edited the resource, or another program that
	// applies it.
	NoteLeftover

	// NoteCopyReserved says that copied metadata has reserved keys, so it is not copied to the tag field.
	NoteCopyReserved

	// NoteCopyCapped says that metadata is not copied to the tag field because no tag slot is left.
	NoteCopyCapped

	// NoteReserved says that tags with reserved keys stay although they have no trusted source. The Manager owns them in
	// the observed resource.
	NoteReserved

	// NoteReservedLaunched says that tags with reserved keys stay although they have no trusted source. They are in a Field
	// for launched resources that the function never writes.
	NoteReservedLaunched

	// NoteProtected says that entries of ignoreTags or removeTags don't touch tags. The entries come from a field, and the
	// tags have reserved keys or keys of trusted sources.
	NoteProtected

	// NoteUnkept says that ignoreTags can't keep tags of other systems because no tag slot is left.
	NoteUnkept

	// NoteRemoved says that both removeTags and ignoreTags name tags. These tags are removed.
	NoteRemoved

	// NoteStaysSelected says that the resource may stay selected by matchCloudTags after the tags have left the cloud.
	NoteStaysSelected

	// NoteLastKept says that the last tag stays in the tag field, since the object around the field has no other field. API
	// servers refuse an object that becomes empty.
	NoteLastKept
)

// Notes has the notes on one resource.
type Notes []Note

// add adds the keys to the note of the kind and the manager. It makes the note if there is none, unless there are no keys. If
// NoteOwned is added with the manager kubectl-edit for env, and then for owner, one note has both keys.
func (n *Notes) add(kind NoteKind, manager string, keys ...string) {
	if len(keys) == 0 {
		return
	}

	i := slices.IndexFunc(*n, func(o Note) bool { return o.Kind == kind && o.Manager == manager })
	if i < 0 {
		i = len(*n)
		*n = append(*n, Note{Kind: kind, Manager: manager})
	}

	(*n)[i].Keys = append((*n)[i].Keys, keys...)
}

// sort sorts the keys of each note, and drops duplicates. Some kinds of notes can have thousands of keys on each of thousands of
// resources. A note of such a kind keeps only the first keys.
func (n *Notes) sort() {
	for i := range *n {
		note := &(*n)[i]
		slices.Sort(note.Keys)
		note.Keys = slices.Compact(note.Keys)

		mayHaveMany := note.Kind == NoteProtected || note.Kind == NoteUnkept || note.Kind == NoteRemoved
		if all := len(note.Keys); mayHaveMany && all > words.MaxNameCount {
			note.Keys, note.More = slices.Clone(note.Keys[:words.MaxNameCount]), all-words.MaxNameCount
		}
	}
}

// Keys returns the keys of all notes of the kind, sorted and without duplicates, and the number of keys beyond these. Both the
// resource and its fields for launched resources can have a note on one key.
func (n *Notes) Keys(kind NoteKind) (keys []string, more int) { //nolint:unparam // Package report reads more.
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
//   - NoteLeftover if its key begins with keyPrefix
//   - NoteOwned if removeTags names it
//
// If plexsphere:old is from kubectl edit, it adds NoteLeftover with the manager kubectl-edit.
func (d *Decision) noteStayingTags(notes *Notes) {
	others := d.others()
	if d.Tags.Len() == 0 {
		others = d.OtherManagersTags // They stay even in an atomic field if no tag is desired.
	}

	if others == nil {
		return
	}

	var found Notes

	for e := range others.All() {
		if d.Tags.HasTagOf(e) || d.addedByProvider(e) {
			continue
		}

		owner := d.Owners.Of(e)

		if key, isReserved := d.Labels.reservedKey(e); isReserved {
			found.add(NoteReserved, owner.Manager, key)
		} else if owner.Others && d.Labels.hasKeyPrefix(e) {
			// An opaque string has no key. The note has its text before the separator.
			text, _, _ := strings.Cut(e.String(), d.Labels.Separator)
			found.add(NoteLeftover, owner.Manager, cmp.Or(e.Key, text))
		}

		if !e.Opaque && d.Labels.namesKey(d.Labels.removeMatchers, e) {
			found.add(NoteOwned, owner.Manager, e.Key)
		}
	}

	slices.SortFunc(found, func(a, b Note) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Manager, b.Manager)) })
	*notes = append(*notes, found...)
}

// keysWithOtherValues returns the keys of tags that stay because removeTags names them with other values only. With removeTags
// [{key: env, value: test}], it returns env for the tag env: prod.
func (d *Decision) keysWithOtherValues() (keys []string) {
	if len(d.Labels.removeMatchers) == 0 {
		return nil
	}

	for e := range d.Tags.All() {
		if !e.Opaque && !d.addedByProvider(e) && d.Labels.namesKey(d.Labels.removeMatchers, e) {
			keys = append(keys, e.Key)
		}
	}

	return keys
}

// keptKeys returns the keys of other systems' tags that are desired because of ignoreTags.
func (d *Decision) keptKeys() (keys []string) {
	for _, entries := range d.foreign {
		if len(entries) > 0 && d.Tags.Has(entries[0].ID) {
			keys = append(keys, entries[0].Key)
		}
	}

	return keys
}
