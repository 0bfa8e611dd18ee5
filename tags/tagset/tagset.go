// Package tagset reads and writes the tags that a tag field holds, whatever its shape. Each
// shape has a file.
package tagset

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A Set is the tags that a tag field holds, in order, and whatever else it holds. What was
// there stays in its order, and what is added comes behind it, sorted.
type Set struct {
	keys  *Keys
	shape shape

	// entries: the first there are existing ones, and the others were added.
	entries []Entry
	there   int

	// left are how many entries are not gone.
	left int

	// ends is the index, once somebody has asked for a tag.
	ends map[string]ends

	// strings of a list of strings, as the provider compares them, and how often the set
	// has each.
	strings map[string]int

	changed bool
}

// ends are the positions, plus one, of the first and the last entry of an ID.
type ends struct{ first, last int32 }

// A shape of tag field.
type shape interface {
	// read the entries of the field's value, which may not be there. It is an error if
	// the value is of another shape.
	read(n object.Node) ([]Entry, error)

	// write the value of a field that has n entries.
	write(entries iter.Seq[*Entry], n int) object.Node

	// take the entry e of a tag from elsewhere: return what it becomes in the place of old,
	// if that isn't nil.
	take(old *Entry, e Entry) Entry
}

// Read what the value n of the field f holds, which may not be there. It is an error if the value isn't of the
// field's shape, or if no tags have that shape. The value is not changed by what becomes of the set.
func Read(n object.Node, f *field.Field, keys *Keys) (*Set, error) {
	s := &Set{keys: keys}

	switch f.Shape {
	case field.Map:
		s.shape = &tagMap{field: f, keys: keys}
	case field.MapOfLists:
		s.shape = &mapOfLists{tagMap{field: f, keys: keys}}
	case field.KeyValueList:
		s.shape = keyValues{field: f, keys: keys}
	case field.Labels:
		s.shape = &labels{tagMap{field: f, keys: keys}}
	case field.Joined:
		s.shape = joined{field: f, keys: keys}
	case field.StringList:
		s.shape = stringList{field: f, keys: keys}
		s.strings = make(map[string]int)
	case field.None:
	}

	if s.shape == nil {
		return nil, errors.Errorf("a field of shape %s holds no tags", f.Shape)
	}

	var err error
	if s.entries, err = s.shape.read(n); err != nil {
		return nil, err
	}

	s.there, s.left = len(s.entries), len(s.entries)

	for i := range s.entries {
		e := &s.entries[i]
		e.at = int32(i)
		s.count(e, 1)
	}

	return s, nil
}

// index returns the ends of all IDs. Sets that are only gone through have none.
func (s *Set) index() map[string]ends {
	if s.ends == nil {
		s.ends = make(map[string]ends, cap(s.entries))

		for i := range s.entries {
			if e := &s.entries[i]; !e.Opaque {
				s.link(e)
			}
		}
	}

	return s.ends
}

// link the entry e behind all with its ID.
func (s *Set) link(e *Entry) {
	of := s.ends[e.ID]
	if of.last == 0 {
		of.first = e.at + 1
	} else {
		s.entries[of.last-1].next = e.at + 1
	}

	of.last = e.at + 1
	s.ends[e.ID] = of
}

// Value of the field.
func (s *Set) Value() object.Node { return s.shape.write(s.All(), s.left) }

// Len is how many tags and other entries there are.
func (s *Set) Len() int { return s.left }

// Changed is true if anything has been put into the set, or removed from it.
func (s *Set) Changed() bool { return s.changed }

// All entries, whether they are known to be tags or not. They may be removed meanwhile.
func (s *Set) All() iter.Seq[*Entry] {
	return func(yield func(e *Entry) bool) {
		for i := range s.entries[:s.there] {
			if e := &s.entries[i]; !e.gone && !yield(e) {
				return
			}
		}

		if s.there == len(s.entries) {
			return
		}

		added := make([]*Entry, 0, len(s.entries)-s.there)
		for i := range s.entries[s.there:] {
			added = append(added, &s.entries[s.there+i])
		}

		slices.SortStableFunc(added, func(a, b *Entry) int { return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.ID, b.ID)) })

		for _, e := range added {
			if !e.gone && !yield(e) {
				return
			}
		}
	}
}

// Tags are the entries that are known to be tags, by their ID, in the order of the first
// ones. They may be removed meanwhile.
func (s *Set) Tags() iter.Seq[[]Entry] {
	return func(yield func(of []Entry) bool) {
		for e := range s.All() {
			if e.Opaque || s.Find(e.ID) != e {
				continue
			}

			of := s.entries[e.at : e.at+1 : e.at+1]
			if e.next > 0 {
				of = s.with(e.ID)
			}

			if !yield(of) {
				return
			}
		}
	}
}

// Texts are the keys and values of the entries that are known to be tags.
func (s *Set) Texts() iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for e := range s.All() {
			if !e.Opaque && !yield(e.Key, TextOf(e.Value)) {
				return
			}
		}
	}
}

// Find the first entry of the tag with the ID, or nil if there is none.
func (s *Set) Find(id string) *Entry {
	of := s.index()[id]

	for i := of.first; i > 0; i = s.entries[i-1].next {
		if e := &s.entries[i-1]; !e.gone {
			if i != of.first {
				s.ends[id] = ends{i, of.last} // Those before it don't come back.
			}

			return e
		}
	}

	return nil
}

// For returns the entry that stands for e: the first of the tag with its ID, or else, in a list of strings, the
// string that the provider takes for that of e. It is nil if there is none.
func (s *Set) For(e *Entry) *Entry {
	if there := s.Find(e.ID); there != nil || !s.hasString(e) {
		return there
	}

	for there := range s.All() {
		if s.compared(there) == s.compared(e) {
			return there
		}
	}

	return nil
}

// Has is true if there is a tag with the ID.
func (s *Set) Has(id string) bool { return s.Find(id) != nil }

// Holds is true if the set has the tag of the entry e, at whatever value. A list of strings has
// just that string.
func (s *Set) Holds(e *Entry) bool {
	if s.strings != nil {
		return s.hasString(e)
	}

	return !e.Opaque && s.Has(e.ID)
}

// Adds is how many more entries there are after putting e. Two tags can come
// to one string, which a list never has twice.
func (s *Set) Adds(e *Entry) int {
	if s.Has(e.ID) || s.hasString(e) {
		return 0
	}

	return 1
}

// Put the tag e in the place of all with the same ID, or behind all others.
func (s *Set) Put(e *Entry) {
	old := s.Find(e.ID)
	if old == nil || old.next > 0 || !sameText(old.Value, e.Value) || e.Exact && old.Key != e.Key {
		s.changed = s.place(s.shape.take(old, *e)) || s.changed
	}
}

// Adopt a tag of another field of the same kind, which has the entries of, in the
// place of the one with the same ID, or behind all others.
func (s *Set) Adopt(of []Entry) { s.changed = s.place(s.adopted(of)...) || s.changed }

// Grows returns how many more entries there are after adopting the entries of.
func (s *Set) Grows(of []Entry) int {
	n := len(s.adopted(of))
	for range s.With(of[0].ID) {
		n--
	}

	return n
}

// adopted returns what adopting the entries of places: what is there already where it
// is.
func (s *Set) adopted(of []Entry) []Entry {
	// Each string is a tag as it is.
	if s.strings == nil || len(of) == 1 {
		return []Entry{s.shape.take(s.Find(of[0].ID), of[0])}
	}

	at := make(map[string]int)
	for e := range s.With(of[0].ID) {
		if _, ok := at[e.String()]; !ok {
			at[e.String()] = len(at) - len(s.entries)
		}
	}

	// What has no place yet comes behind what has, whose place is less than zero.
	return slices.SortedStableFunc(slices.Values(of), func(a, b Entry) int { return cmp.Compare(at[a.String()], at[b.String()]) })
}

// Restore an entry of another field of the same kind as it is there. It returns false if it
// is there already, and otherwise is no change.
func (s *Set) Restore(e Entry) bool { return s.place(e) }

// Join the entry e of another field of the same kind to those with the same ID.
func (s *Set) Join(e Entry) {
	if !s.hasString(&e) {
		s.add(e)
	}
}

// add the entry behind all others.
func (s *Set) add(e Entry) {
	s.index()

	e.at, e.next, e.gone = int32(len(s.entries)), 0, false //nolint:gosec // A request has less than a gigabyte.
	s.entries = append(s.entries, e)
	s.left++
	s.link(&e)
	s.count(&e, 1)
}

// Remove the entry e of the set.
func (s *Set) Remove(e *Entry) {
	s.drop(&s.entries[e.at])
	s.changed = true
}

// place the entries, which are of one tag, where those with the same ID are, and
// behind all others those that have no place there. It returns false if they are there
// already.
func (s *Set) place(entries ...Entry) bool {
	var few [4]int32

	id := entries[0].ID

	// A key that is there more often is left as often as there are entries.
	free := few[:0]
	for e := range s.With(id) {
		free = append(free, e.at)
	}

	changed := len(free) > 0
	for _, i := range free {
		s.drop(&s.entries[i])
	}

	for _, e := range entries {
		switch {
		case s.hasString(&e):
			continue
		case len(free) > 0:
			e.at, e.next, e.gone = free[0], s.entries[free[0]].next, false
			s.entries[e.at], free = e, free[1:]
			s.left++
			s.count(&e, 1)
		default:
			s.add(e)
		}

		changed = true
	}

	return changed
}

func (s *Set) drop(e *Entry) {
	if !e.gone {
		e.gone = true
		s.left--
		s.count(e, -1)
	}
}

// With returns the entries with the ID, in their order.
func (s *Set) With(id string) iter.Seq[Entry] {
	return func(yield func(e Entry) bool) {
		for i := s.index()[id].first; i > 0; i = s.entries[i-1].next {
			if e := &s.entries[i-1]; !e.gone && !yield(*e) {
				return
			}
		}
	}
}

// with returns With as a list, which has no more room than it needs: a list can have 100,000 tags of one key.
func (s *Set) with(id string) []Entry {
	n := 0
	for range s.With(id) {
		n++
	}

	return slices.AppendSeq(make([]Entry, 0, n), s.With(id))
}

// hasString is true if the set has a string that the provider takes for that of e.
func (s *Set) hasString(e *Entry) bool {
	return s.strings != nil && s.strings[s.compared(e)] > 0
}

// count the string that e is so many times more, if it is one.
func (s *Set) count(e *Entry, times int) {
	if s.strings != nil {
		s.strings[s.compared(e)] += times
	}
}

// compared returns the string that e is as the provider compares it with
// others.
func (s *Set) compared(e *Entry) string {
	if s.keys.Profile.FoldEntries {
		return s.keys.Profile.Fold(e.String())
	}

	return e.String()
}
