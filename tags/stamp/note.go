package stamp

import "slices"

// A Note is what there is to say about tags of one resource, beside labels that are skipped or
// withheld. Whoever decides adds it to the Result; tags/report has the words and the severity of
// each NoteKind.
type Note struct {
	Kind NoteKind

	// Keys of the tags, sorted, if the note is about single tags and not about the tag field.
	Keys []string

	// Manager that owns the fields that the note is about, as metadata.managedFields names it.
	Manager string
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

	// NoteKept tags of other systems are desired from this run on, because of ignoreTags.
	NoteKept

	// NoteUnreported is that the provider reports no tags, so that ignoreTags can do nothing
	// for the resource.
	NoteUnreported

	// NoteLastStays is that the last tag stays: the provider fills a tag field that is empty
	// with what the cloud has.
	NoteLastStays

	// NoteLeftover tags have the prefix of labels' keys, nobody desires them, and the
	// Manager, which is the provider's, owns them.
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
)

// note that there is something to say about tags with the keys, if there are any.
func (r *Result) note(kind NoteKind, keys []string) {
	if len(keys) > 0 {
		slices.Sort(keys)
		r.Notes = append(r.Notes, Note{Kind: kind, Keys: slices.Compact(keys)})
	}
}
