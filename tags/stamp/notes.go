package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Note is a fact about tags of one resource, beside the records of labels. Whoever decides adds it to the Result;
// tags/report has the words and the severity of each NoteKind.
type Note struct {
	Kind NoteKind

	// Keys of the tags, sorted, if the note is about single tags and not about the tag field. More is how many other
	// keys there are.
	Keys []string
	More int `json:"-"`

	// Manager that owns the fields that the note is about, as metadata.managedFields names it.
	Manager string

	// Field that the tags are in, if it is one of what the resource launches.
	Field string `json:"field,omitzero"`
}

// A NoteKind is what a Note says.
type NoteKind int

const (
	// NoteImmutable tags are not as labels have them: the tag field can't change once the
	// resource is made. Its keys are those of the labels.
	NoteImmutable NoteKind = iota

	// NoteOtherValue tags are named by removeTags, but at another value, so that they stay.
	NoteOtherValue

	// NoteOwned tags are named by removeTags, but the Manager owns them in the observed
	// resource, so that they stay.
	NoteOwned

	// NoteKept tags of other systems are desired because of ignoreTags.
	NoteKept

	// NoteUnreported is that the provider reports no tags, even after it has looked at the cloud,
	// so that ignoreTags can do nothing for the resource.
	NoteUnreported

	// NoteLastStays is that the last tag stays, since an empty tag field doesn't make the provider
	// remove it: it copies the cloud's tags there, or leaves them alone.
	NoteLastStays

	// NoteLeftover tags have the prefix of labels' keys, no step desires them, and the Manager owns
	// them: the provider, somebody who has edited the resource, or what applies it, too.
	NoteLeftover

	// NoteCopyReserved is metadata that kubernetesMetadata would copy to the tag field, but
	// whose keys are reserved.
	NoteCopyReserved

	// NoteCopyCapped is metadata that kubernetesMetadata would copy to the tag field, which has
	// no tag slot left.
	NoteCopyCapped

	// NoteReserved tags have reserved keys and no trusted source, but the Manager owns them in
	// the observed resource, so that they can't be taken away.
	NoteReserved

	// NoteReservedLaunched tags have reserved keys and no trusted source, but are in a Field of what the
	// resource launches that is left as it is.
	NoteReservedLaunched

	// NoteProtected tags have reserved keys, or keys of trusted sources, so that ignoreTags and removeTags of fields
	// don't touch them.
	NoteProtected

	// NoteUnkept tags of other systems are not there, because the resource has no tag slot left that ignoreTags could
	// give them.
	NoteUnkept
)

// Notes on one resource.
type Notes []Note

// add the keys to the note of the kind about the manager, if there are any keys.
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

// sort the keys of each note, each key once. Labels can be protected on each of thousands of resources, so that a note on
// them has only the first keys.
func (n Notes) sort() {
	for i := range n {
		slices.Sort(n[i].Keys)
		n[i].Keys = slices.Compact(n[i].Keys)

		if kind, all := n[i].Kind, len(n[i].Keys); (kind == NoteProtected || kind == NoteUnkept) && all > words.MaxNamed {
			n[i].Keys, n[i].More = slices.Clone(n[i].Keys[:words.MaxNamed]), all-words.MaxNamed
		}
	}
}

// Keys returns the keys of all notes of the kind, sorted, and how many other keys there are. A note on the resource and one
// on what it launches can have the same keys.
func (n Notes) Keys(kind NoteKind) (keys []string, more int) {
	for i := range n {
		if n[i].Kind == kind {
			keys, more = append(keys, n[i].Keys...), more+n[i].More
		}
	}

	slices.Sort(keys)

	return slices.Compact(keys), more
}

// noteOthers notes which tags of others stay, though somebody wants them away.
func (d *Decision) noteOthers(to *Notes) {
	others := d.others()
	if d.Tags.Len() == 0 {
		others = d.Others // Those of an atomic field, too.
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
		} else if owner.Others && d.Labels.isPrefixed(e) {
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

// otherValues are the tags that stay, since removeTags names them at other values only.
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

// kept are the tags of other systems that are desired because of ignoreTags.
func (d *Decision) kept() (keys []string) {
	for _, entries := range d.foreign {
		if len(entries) > 0 && d.Tags.Has(entries[0].ID) {
			keys = append(keys, entries[0].Key)
		}
	}

	return keys
}
