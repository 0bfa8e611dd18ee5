// Package tagset reads and writes the tags of a tag field, whatever its shape. Each shape has a file.
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

// A Set has the tags and all other entries of a tag field, in order. Existing entries stay in their order, and added
// ones follow, sorted.
type Set struct {
	keys  *Keys
	shape shape

	// entries of the field: the first there existed, and the others were added.
	entries []Entry
	there   int

	// left is how many entries are not gone.
	left int

	// ends is the index by ID, once somebody has asked for a tag.
	ends map[string]ends

	// strings of a list of strings, as the provider compares them, and how often the set has each.
	strings map[string]int

	changed bool
}

// ends are the positions of the first and the last entry of an ID, plus one.
type ends struct{ first, last int32 }

// A shape of tag fields.
type shape interface {
	// read returns the entries of the field's value, which may be missing. It returns an error if the value has another
	// shape.
	read(n object.Node) ([]Entry, error)

	// write returns the value of a field with n entries.
	write(entries iter.Seq[*Entry], n int) object.Node

	// take returns the entry e from elsewhere as the field has it, in the place of old if that isn't nil.
	take(old *Entry, e Entry) Entry
}

// Read returns the set of the value n of the field f, which may be missing. It returns an error if the value doesn't
// have the field's shape, as [env] doesn't have the shape Map, or if this shape holds no tags. Changes of the set don't
// change n.
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

// index returns the ends of all IDs, such as env: {1, 3} if the first and the third entry have the key env. It makes
// them once somebody searches for a tag.
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

// link the entry e after all others with its ID.
func (s *Set) link(e *Entry) {
	end := s.ends[e.ID]
	if end.last == 0 {
		end.first = e.at + 1
	} else {
		s.entries[end.last-1].next = e.at + 1
	}

	end.last = e.at + 1
	s.ends[e.ID] = end
}

// Value returns the value of the field.
func (s *Set) Value() object.Node { return s.shape.write(s.All(), s.left) }

// Len returns the number of tags and other entries.
func (s *Set) Len() int { return s.left }

// Changed reports whether anything has been put into the set, or removed from it.
func (s *Set) Changed() bool { return s.changed }

// All returns all entries, tags or not, and the added ones in the order of their keys: with a and b added to [x, c], it
// returns x, c, a and b. Entries may be removed meanwhile.
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

// Tags returns the tags, each with its entries, in the order of their first entries: [zone=a, env=b, zone=c] has zone
// with two entries, and then env. Entries may be removed meanwhile.
func (s *Set) Tags() iter.Seq[[]Entry] {
	return func(yield func(entries []Entry) bool) {
		for e := range s.All() {
			if e.Opaque || s.Find(e.ID) != e {
				continue
			}

			entries := s.entries[e.at : e.at+1 : e.at+1]
			if e.next > 0 {
				entries = s.entriesWith(e.ID)
			}

			if !yield(entries) {
				return
			}
		}
	}
}

// Texts returns the keys and values of all tags.
func (s *Set) Texts() iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for e := range s.All() {
			if !e.Opaque && !yield(e.Key, TextOf(e.Value)) {
				return
			}
		}
	}
}

// Keys returns the keys of all tags.
func (s *Set) Keys() iter.Seq[string] {
	return func(yield func(key string) bool) {
		for key := range s.Texts() {
			if !yield(key) {
				return
			}
		}
	}
}

// Find returns the first entry of the tag with the ID, or nil if there is none. In [zone=a, zone=c], it is zone=a, and
// zone=c once zone=a is removed.
func (s *Set) Find(id string) *Entry {
	end := s.index()[id]

	for i := end.first; i > 0; i = s.entries[i-1].next {
		if e := &s.entries[i-1]; !e.gone {
			if i != end.first {
				s.ends[id] = ends{i, end.last} // Entries before it are gone for good.
			}

			return e
		}
	}

	return nil
}

// For returns the entry that stands for e, or nil if there is none: the first entry of its tag. In a list of strings on
// DigitalOcean, it may be env:Prod for the entry env:prod.
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

// Has reports whether there is a tag with the ID.
func (s *Set) Has(id string) bool { return s.Find(id) != nil }

// Holds reports whether the set has the tag of the entry e, whatever its value. A list of strings has to have the same
// string.
func (s *Set) Holds(e *Entry) bool {
	if s.strings != nil {
		return s.hasString(e)
	}

	return !e.Opaque && s.Has(e.ID)
}

// Adds returns how many entries more there are after Put of e: none or one. A list never has a string twice.
func (s *Set) Adds(e *Entry) int {
	if s.Has(e.ID) || s.hasString(e) {
		return 0
	}

	return 1
}

// Put puts the tag e in the place of all entries with its ID, or after all others. Put of env: prod changes {env: dev,
// team: a} to {env: prod, team: a}.
func (s *Set) Put(e *Entry) {
	old := s.Find(e.ID)
	if old == nil || old.next > 0 || !sameText(old.Value, e.Value) || e.KeepsSpelling && old.Key != e.Key {
		s.changed = s.place(s.shape.take(old, *e)) || s.changed
	}
}

// Adopt puts the entries of one tag of another field in the place of the tag, or after all others. Adopting a=1 and a=2
// changes the list [a=1, b=1] to [a=1, b=1, a=2].
func (s *Set) Adopt(entries []Entry) { s.changed = s.place(s.adopted(entries)...) || s.changed }

// Grows returns how many entries more there are after Adopt of the entries.
func (s *Set) Grows(entries []Entry) int {
	n := len(s.adopted(entries))
	for range s.With(entries[0].ID) {
		n--
	}

	return n
}

// adopted returns the entries of one tag in the order in which Adopt places them: entries that are there already keep
// their places.
func (s *Set) adopted(entries []Entry) []Entry {
	// In other shapes, a tag is a single entry.
	if s.strings == nil || len(entries) == 1 {
		return []Entry{s.shape.take(s.Find(entries[0].ID), entries[0])}
	}

	at := make(map[string]int)
	for e := range s.With(entries[0].ID) {
		if _, ok := at[e.String()]; !ok {
			at[e.String()] = len(at) - len(s.entries)
		}
	}

	// An entry with a place has a number below zero, and comes before an entry without one.
	return slices.SortedStableFunc(slices.Values(entries), func(a, b Entry) int { return cmp.Compare(at[a.String()], at[b.String()]) })
}

// Restore puts an entry of another field as it is. It reports whether the entry was missing. The set counts as
// unchanged.
func (s *Set) Restore(e Entry) bool { return s.place(e) }

// Join adds the entry e of another field to the entries with its ID.
func (s *Set) Join(e Entry) {
	if !s.hasString(&e) {
		s.add(e)
	}
}

// add the entry after all others.
func (s *Set) add(e Entry) {
	s.index()

	e.at, e.next, e.gone = int32(len(s.entries)), 0, false //nolint:gosec // A request has less than a gigabyte.
	s.entries = append(s.entries, e)
	s.left++
	s.link(&e)
	s.count(&e, 1)
}

// Remove removes the entry e of the set.
func (s *Set) Remove(e *Entry) {
	s.drop(&s.entries[e.at])
	s.changed = true
}

// place puts the entries of one tag in the places of the entries with the same ID, and the others after all entries. In
// [zone=a, env=b], zone=c and zone=d make [zone=c, env=b, zone=d]. It reports whether the set has changed.
func (s *Set) place(entries ...Entry) bool {
	var few [4]int32

	id := entries[0].ID

	// A key that is there more often has a place for each entry.
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

// with returns With as a list without spare room: a list can have 100,000 tags of one key.
func (s *Set) entriesWith(id string) []Entry {
	n := 0
	for range s.With(id) {
		n++
	}

	return slices.AppendSeq(make([]Entry, 0, n), s.With(id))
}

// hasString reports whether the set has the string of e, as the provider compares strings.
func (s *Set) hasString(e *Entry) bool {
	return s.strings != nil && s.strings[s.compared(e)] > 0
}

// count the string of e so many times more.
func (s *Set) count(e *Entry, times int) {
	if s.strings != nil {
		s.strings[s.compared(e)] += times
	}
}

// compared returns the string of e as the provider compares it with others: in lower case on DigitalOcean.
func (s *Set) compared(e *Entry) string {
	if s.keys.Profile.FoldEntries {
		return s.keys.Profile.Fold(e.String())
	}

	return e.String()
}
