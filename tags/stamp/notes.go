package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Note is a fact about tags of one resource that no record of a label has. tags/report has the words and the severity
// of each NoteKind.
type Note struct {
	Kind NoteKind

	// Keys of the tags, sorted, unless the note is about the tag field. More is how many other keys there are.
	Keys []string
	More int `json:"more,omitzero"`

	// Manager that owns the tags, by metadata.managedFields.
	Manager string

	// Field with the tags, if it is a field for launched resources.
	Field string `json:"field,omitzero"`
}

// A NoteKind is the fact of a Note.
type NoteKind int

const (
	// NoteImmutable labels are no tags, or have another value there: the tag field can't change once the resource is
	// made.
	NoteImmutable NoteKind = iota

	// NoteOtherValue tags stay, since removeTags names them with another value.
	NoteOtherValue

	// NoteOwned tags stay though removeTags names them, since the Manager owns them in the observed resource.
	NoteOwned

	// NoteKept tags of other systems are desired because of ignoreTags.
	NoteKept

	// NoteUnreported says that ignoreTags can do nothing: the provider reports no tags, even after it has looked at the
	// cloud.
	NoteUnreported

	// NoteLastStays says that the last tag stays: with an empty tag field, the provider copies the cloud's tags there,
	// or leaves them alone.
	NoteLastStays

	// NoteLeftover tags begin with keyPrefix, and no step desires them, but the Manager owns them: the provider,
	// somebody who has edited the resource, or another program that applies it.
	NoteLeftover

	// NoteCopyReserved keys of copied metadata are reserved.
	NoteCopyReserved

	// NoteCopyCapped metadata is not copied, since the tag field has no tag slot left.
	NoteCopyCapped

	// NoteReserved tags have reserved keys and no trusted source, but stay, since the Manager owns them in the observed
	// resource.
	NoteReserved

	// NoteReservedLaunched tags have reserved keys and no trusted source, but stay in a Field for launched resources
	// that labels never go to.
	NoteReservedLaunched

	// NoteProtected tags have reserved keys, or keys of trusted sources. Entries of ignoreTags and removeTags that come
	// from fields don't touch them.
	NoteProtected

	// NoteUnkept tags of other systems are missing, since ignoreTags finds no free tag slot for them.
	NoteUnkept

	// NoteRemoved tags go, since removeTags names them, although ignoreTags names them, too.
	NoteRemoved

	// NoteStaysSelected says that the resource may stay selected by matchCloudTags after the tags have left the cloud.
	NoteStaysSelected
)

// Notes on one resource.
type Notes []Note

// add adds the keys to the note of the kind and the manager, unless there are no keys. After NoteOwned of kubectl-edit
// with env and then with owner, one note has both keys.
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

// sort the keys of each note, and drop duplicates. Thousands of labels can be protected or removed on thousands of
// resources, so that such a note keeps only the first keys.
func (n *Notes) sort() {
	for i := range *n {
		note := &(*n)[i]
		slices.Sort(note.Keys)
		note.Keys = slices.Compact(note.Keys)

		unbounded := note.Kind == NoteProtected || note.Kind == NoteUnkept || note.Kind == NoteRemoved
		if all := len(note.Keys); unbounded && all > words.MaxNamed {
			note.Keys, note.More = slices.Clone(note.Keys[:words.MaxNamed]), all-words.MaxNamed
		}
	}
}

// Keys returns the keys of all notes of the kind, sorted, and how many other keys there are. The resource itself and
// its fields for launched resources can have notes on one key.
func (n *Notes) Keys(kind NoteKind) (keys []string, more int) { //nolint:unparam // Package report reads more.
	for _, note := range *n {
		if note.Kind == kind {
			keys, more = append(keys, note.Keys...), more+note.More
		}
	}

	slices.Sort(keys)

	return slices.Compact(keys), more
}

// noteOthers notes which tags of other field managers stay, though they have reserved keys, removeTags names them, or
// they begin with keyPrefix. For plexsphere:old of kubectl edit, it notes NoteLeftover with the manager kubectl-edit.
func (d *Decision) noteOthers(to *Notes) {
	others := d.others()
	if d.Tags.Len() == 0 {
		others = d.Others // An atomic field keeps them, too.
	}

	if others == nil {
		return
	}

	var found Notes

	for e := range others.All() {
		if d.Tags.Holds(e) || d.adds(e) {
			continue
		}

		owner := d.Owners.Of(e)

		if key, reserved := d.Labels.reserved(e); reserved {
			found.add(NoteReserved, owner.Manager, key)
		} else if owner.Others && d.Labels.hasKeyPrefix(e) {
			key, _, _ := strings.Cut(e.String(), d.Labels.Separator)
			found.add(NoteLeftover, owner.Manager, cmp.Or(e.Key, key))
		}

		if !e.Opaque && d.Labels.names(d.Labels.remove, e) {
			found.add(NoteOwned, owner.Manager, e.Key)
		}
	}

	slices.SortFunc(found, func(a, b Note) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Manager, b.Manager)) })
	*to = append(*to, found...)
}

// otherValues returns the keys of tags that stay because removeTags names them with other values only: env for the tag
// env: prod and removeTags [{key: env, value: test}].
func (d *Decision) otherValues() (keys []string) {
	if len(d.Labels.remove) == 0 {
		return nil
	}

	for e := range d.Tags.All() {
		if !e.Opaque && !d.adds(e) && d.Labels.names(d.Labels.remove, e) {
			keys = append(keys, e.Key)
		}
	}

	return keys
}

// kept returns the tags of other systems that are desired because of ignoreTags.
func (d *Decision) kept() (keys []string) {
	for _, entries := range d.foreign {
		if len(entries) > 0 && d.Tags.Has(entries[0].ID) {
			keys = append(keys, entries[0].Key)
		}
	}

	return keys
}
