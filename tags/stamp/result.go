package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Result is what comes of stamping one resource. All lists in it are sorted.
type Result struct {
	// Resource is the name of the composed resource.
	Resource   string
	APIVersion string
	Kind       string

	// Provider is the name of the tag profile.
	Provider string

	// Unprofiled is why that is the generic one, if there are labels for the resource and it has
	// a tag field.
	Unprofiled locate.Unprofiled `json:"unprofiled,omitzero"`

	// LeftAlone is why the resource was not looked at further, or empty if it was.
	LeftAlone string

	// Lacks is why there is no tag field, if the resource was left alone because of that. LeftAlone says it in words.
	Lacks locate.Reason `json:"-"`

	// Mismatch is why the tag field was left alone, or empty if it wasn't: it has another
	// shape than we know it to have.
	Mismatch string

	// Stamped is what the resource becomes, or none if it doesn't change. It shares with
	// the resource what did not change.
	Stamped object.Object

	// HandsOn is true if labels are handed on to the resource, which is a composite one. Then the other fields
	// are about labels instead of tags.
	HandsOn bool `json:"handsOn,omitzero"`

	// Active are the tags that labels have become, by key, whether they were stamped or
	// were there.
	Active map[string]string

	Withheld Withheld

	// Notes are what else there is to say about the resource's tags, in any order.
	Notes []Note

	// Trusted are the tags with reserved keys that labels of trusted sources have become,
	// by key.
	Trusted map[string]string
}

// HasNews is true if there is anything to say about the resource, beside what labels are skipped.
func (r *Result) HasNews() bool {
	w := &r.Withheld

	return r.LeftAlone != "" || r.Mismatch != "" || len(r.Notes)+len(w.Retained)+len(w.Ignored)+len(w.Removed)+len(w.Protected)+len(w.Unkept) > 0
}

// Withheld are labels that did not become tags of a resource, though its provider
// admits them, and what else was left as it is. All are tag keys.
type Withheld struct {
	// Retained tags have the value that an earlier step set.
	Retained []string

	// Ignored tags have the value that the cloud has, and Removed ones are not there,
	// because of ignoreTags and removeTags.
	Ignored, Removed []string

	// Protected tags have reserved keys, or those of trusted sources, so that ignoreTags
	// and removeTags of fields did not touch them.
	Protected []string

	// Unkept tags of other systems are not there, because the resource has no tag slot
	// left that ignoreTags could give them.
	Unkept []string

	// More is how many other tags were withheld, beside those that are named, and MoreProtected how many
	// others are protected.
	More          int `json:"more,omitzero"`
	MoreProtected int `json:"moreProtected,omitzero"`
}

// lists of all withheld tags.
func (w *Withheld) lists() []*[]string {
	return []*[]string{&w.Retained, &w.Ignored, &w.Removed, &w.Unkept, &w.Protected}
}

// bound sorts the lists, keeps the first keys of each, and counts the others.
func (w *Withheld) bound() {
	for _, keys := range w.lists() {
		slices.Sort(*keys)
		*keys = slices.Compact(*keys)

		more := len(*keys) - words.MaxNamed
		if more <= 0 {
			continue
		}

		*keys = slices.Clone((*keys)[:words.MaxNamed])

		if keys == &w.Protected {
			w.MoreProtected = more
		} else {
			w.More += more
		}
	}
}

// A Note is a fact about tags of one resource, other than that labels are skipped or
// withheld. Whoever decides adds it to the Result; tags/report has the words and the severity of
// each NoteKind.
type Note struct {
	Kind NoteKind

	// Keys of the tags, sorted, if the note is about single tags and not about the tag field.
	Keys []string

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
)

// put the value into the map, which is made if there is none.
func put(into map[string]string, key, value string) map[string]string {
	if into == nil {
		into = make(map[string]string)
	}

	into[key] = value

	return into
}

// note the fact about tags with the keys, if there are any.
func (r *Result) note(kind NoteKind, manager string, keys []string) {
	if len(keys) > 0 {
		slices.Sort(keys)
		r.Notes = append(r.Notes, Note{Kind: kind, Keys: slices.Compact(keys), Manager: manager})
	}
}
