// Package tagset reads and writes the tags that a tag field holds, whatever its shape. Each
// shape has a file.
package tagset

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/field"
)

// A Set is the tags that a tag field holds, in order, and whatever else it holds. What was
// there stays in its order, and what is added comes behind it, sorted.
type Set struct {
	keys  *Keys
	shape shape

	// entries that were there, of which there are so many, and those that were added.
	entries []Entry
	there   int

	// left are how many entries are not gone.
	left int

	// first are the positions, plus one, of the first entries by their ID.
	first map[string]int

	// strings of a list of strings, as the provider compares them, and how often the set
	// has each.
	strings map[string]int

	changed bool
}

// A shape of tag field.
type shape interface {
	// read the entries of the field's value, or of nil if there is none. It is an error if
	// the value is of another shape.
	read(v *structpb.Value) ([]Entry, error)

	// write the value of a field that has the supplied entries.
	write(entries []*Entry) *structpb.Value

	// spell the supplied key where the supplied entry has it in another spelling.
	spell(old *Entry, key string) string

	// make an entry of the supplied key and value. It takes the place of the supplied
	// entry, if that isn't nil.
	make(old *Entry, key, value string) Entry

	// adopt what other fields of the kind have of one tag: the entries that this one is to
	// have of it. They take the place of the supplied one, if that isn't nil.
	adopt(old *Entry, of []Entry) []Entry
}

// Read what the supplied value of the supplied field holds. Nil is a field that isn't
// there. It is an error if the value isn't of the field's shape. The value is not changed
// by what becomes of the set.
func Read(v *structpb.Value, f *field.Field, keys *Keys) (*Set, error) {
	s := &Set{keys: keys}

	switch f.Shape {
	case field.Map:
		s.shape = tagMap{field: f, keys: keys}
	case field.KeyValueList:
		s.shape = keyValues{field: f, keys: keys}
	default:
		s.shape = stringList{field: f, keys: keys}
		s.strings = make(map[string]int)
	}

	var err error
	if s.entries, err = s.shape.read(v); err != nil {
		return nil, err
	}

	s.there, s.left = len(s.entries), len(s.entries)
	s.first = make(map[string]int, len(s.entries))

	for i := len(s.entries) - 1; i >= 0; i-- {
		e := &s.entries[i]
		e.at = i
		s.count(e, 1)

		if !e.Opaque {
			e.next, s.first[e.ID] = s.first[e.ID], i+1
		}
	}

	return s, nil
}

// Value of the field.
func (s *Set) Value() *structpb.Value {
	entries := make([]*Entry, 0, s.left)
	for e := range s.All() {
		entries = append(entries, e)
	}

	return s.shape.write(entries)
}

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

		added := slices.DeleteFunc(slices.Clone(s.entries[s.there:]), func(e Entry) bool { return e.gone })

		slices.SortStableFunc(added, func(a, b Entry) int {
			return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.ID, b.ID))
		})

		for i := range added {
			if !yield(&added[i]) {
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
			if e.Opaque || s.Find(e.ID).at != e.at {
				continue
			}

			of := s.entries[e.at : e.at+1 : e.at+1]
			if e.next > 0 {
				of = slices.Collect(s.with(e.ID))
			}

			if !yield(of) {
				return
			}
		}
	}
}

// Get the first entry of the tag with the supplied key, or nil if there is none.
func (s *Set) Get(key string) *Entry { return s.Find(s.keys.ID(key)) }

// Has is true if there is a tag with the supplied ID.
func (s *Set) Has(id string) bool { return s.Find(id) != nil }

// Adds is how many more entries there are after putting a tag. Two tags can come to one
// string, which a list never has twice.
func (s *Set) Adds(key, value string) int {
	if s.Has(s.keys.ID(key)) || s.strings != nil && s.hasString(key+s.keys.Separator+value) {
		return 0
	}

	return 1
}

// Put a tag in the place of all with the same key, or behind all others.
func (s *Set) Put(key, value string) {
	id := s.keys.ID(key)

	old := s.Find(id)
	if old == nil {
		s.changed = s.place(id, s.shape.make(nil, key, value)) || s.changed
		return
	}

	if s.isOnly(old) && IsText(old.Value, value) {
		return
	}

	s.changed = s.place(id, s.shape.make(old, s.shape.spell(old, key), value)) || s.changed
}

// Spell puts a tag as Put does, with its key spelled as supplied, though the provider takes
// another spelling for it.
func (s *Set) Spell(key, value string) {
	id := s.keys.ID(key)

	old := s.Find(id)
	if old != nil && old.Key == key && s.isOnly(old) && IsText(old.Value, value) {
		return
	}

	s.changed = s.place(id, s.shape.make(old, key, value)) || s.changed
}

// Adopt a tag of another field of the same kind, which are the supplied entries, in the
// place of the one with the same ID, or behind all others.
func (s *Set) Adopt(of []Entry) {
	if adopted, there := s.adopted(of); !SameItems(there, itemsIn(adopted)) {
		s.changed = s.place(of[0].ID, adopted...) || s.changed
	}
}

// Grows returns how many more entries there are after adopting the supplied ones.
func (s *Set) Grows(of []Entry) int {
	adopted, there := s.adopted(of)
	return len(adopted) - len(there)
}

// adopted returns what adopting the supplied entries places, what is there already where it
// is, and what is there.
func (s *Set) adopted(of []Entry) (entries []Entry, there []*structpb.Value) {
	at := make(map[string]int)

	for e := range s.with(of[0].ID) {
		if item := encoded(e.Item); at[item] == 0 {
			at[item] = len(there) - len(s.entries)
		}

		there = append(there, e.Item)
	}

	entries = s.shape.adopt(s.Find(of[0].ID), of)

	// What has no place yet comes behind what has, whose place is less than zero.
	if len(entries) > 1 {
		entries = slices.Clone(entries)
		slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(at[encoded(a.Item)], at[encoded(b.Item)]) })
	}

	return entries, there
}

// Restore an entry of another field of the same kind as it is there. It returns false if it
// is there already, and otherwise is no change.
func (s *Set) Restore(e Entry) bool { return s.place(e.ID, e) }

// Remove the supplied entry of the set.
func (s *Set) Remove(e *Entry) {
	s.drop(&s.entries[e.at])
	s.changed = true
}

// place the supplied entries, which have the supplied ID, where those with the same ID are,
// and behind all others those that have no place there. It returns false if they are there
// already.
func (s *Set) place(id string, entries ...Entry) bool {
	var few [4]int

	// A key that is there more often is left as often as there are entries.
	free := few[:0]
	for e := range s.with(id) {
		free = append(free, e.at)
	}

	changed := len(free) > 0
	for _, i := range free {
		s.drop(&s.entries[i])
	}

	last := s.last(id)

	for _, e := range entries {
		if s.hasString(e.String()) {
			continue
		}

		changed = true
		e.ID, e.gone = id, false

		if len(free) > 0 {
			e.at, e.next = free[0], s.entries[free[0]].next
			s.entries[e.at], free = e, free[1:]
		} else {
			e.at, e.next = len(s.entries), 0
			s.entries = append(s.entries, e)
			s.link(id, last, e.at)
			last = e.at
		}

		s.left++
		s.count(&e, 1)
	}

	return changed
}

// link the entry at the supplied position behind the last one of the supplied ID, if there
// is one.
func (s *Set) link(id string, last, at int) {
	if last < 0 {
		s.first[id] = at + 1
	} else {
		s.entries[last].next = at + 1
	}
}

func (s *Set) drop(e *Entry) {
	if !e.gone {
		e.gone = true
		s.left--
		s.count(e, -1)
	}
}

// with returns the entries with the supplied ID, in their order.
func (s *Set) with(id string) iter.Seq[Entry] {
	return func(yield func(e Entry) bool) {
		for i := s.first[id]; i > 0; i = s.entries[i-1].next {
			if e := s.entries[i-1]; !e.gone && !yield(e) {
				return
			}
		}
	}
}

// Find the first entry of the tag with the supplied ID, or nil if there is none.
func (s *Set) Find(id string) *Entry {
	for i := s.first[id]; i > 0; i = s.entries[i-1].next {
		if e := &s.entries[i-1]; !e.gone {
			s.first[id] = i // Those before it don't come back.
			return e
		}
	}

	return nil
}

// last returns the position of the last entry that has had the supplied ID, or -1.
func (s *Set) last(id string) int {
	i := s.first[id] - 1
	for i >= 0 && s.entries[i].next > 0 {
		i = s.entries[i].next - 1
	}

	return i
}

// isOnly is true if the supplied entry, which is the first with its ID, is the only one.
func (s *Set) isOnly(first *Entry) bool {
	for e := range s.with(first.ID) {
		if e.at != first.at {
			return false
		}
	}

	return true
}

// hasString is true if the set has a string that the provider takes for the supplied one.
func (s *Set) hasString(item string) bool { return s.strings[s.compared(item)] > 0 }

// count the string that the supplied entry is so many times more, if it is one.
func (s *Set) count(e *Entry, times int) {
	if s.strings != nil {
		s.strings[s.compared(e.String())] += times
	}
}

// compared returns the supplied string as the provider compares it with others.
func (s *Set) compared(item string) string {
	if s.keys.Profile.FoldEntries {
		return s.keys.Profile.Fold(item)
	}

	return item
}

func itemsIn(entries []Entry) []*structpb.Value {
	items := make([]*structpb.Value, len(entries))
	for i := range entries {
		items[i] = entries[i].Item
	}

	return items
}
