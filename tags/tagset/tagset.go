// Package tagset reads and writes the tags of a tag field of any shape, such as a map or a list of strings. Each shape
// has a file.
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

// A Set has the tags and all other entries of a tag field. Existing entries keep their order. Added entries follow,
// sorted by key. All, Find, Has and HasTagOf take a nil Set for an empty one.
type Set struct {
	keys  *Keys
	shape shape

	// entries has the existing entries of the field, and then the added ones. Removed entries stay in it.
	entries []Entry

	// existing is the number of existing entries, and remaining the number of entries that are not removed.
	existing, remaining int

	// byID is nil until the first search for a tag.
	byID map[string]ends

	// size is the sum of sizeOf, without removed entries.
	size int

	// stringCounts has how often each string is in a list of strings. It is nil for other shapes.
	stringCounts map[string]int

	// hasInitial reports whether the set was read with entries of spec.initProvider.
	hasInitial bool

	changed bool
}

// ends are the positions, plus one, of the first and the last entry with an ID.
type ends struct{ first, last int32 }

// A shape of tag fields.
type shape interface {
	// read returns the entries of the field's value, which may be missing. It returns an error if the value has another
	// shape.
	read(n object.Node) ([]Entry, error)

	// write returns the value of a field with n entries.
	write(entries iter.Seq[*Entry], n int) object.Node

	// adapt returns the entry e of a label or of another field in the form that this field needs. It replaces the entry
	// old, unless old is nil.
	adapt(old *Entry, e Entry) Entry
}

// base is what all shapes have. Its methods are for lists.
type base struct {
	field *field.Field
	keys  *Keys
}

// readItems returns the entry of each item of the list n, the value of the field. It returns an error if n is no list, or
// if an item isn't a tag: isTag reports whether it has the kind, such as "a string".
func (b base) readItems(n object.Node, kind string, isTag func(item object.Node) bool, entry func(item object.Node) Entry) ([]Entry, error) {
	if n.IsThere() && !n.IsList() {
		return nil, errors.Errorf("%s is %s, not a list of tags", b.field.Path, n.Kind())
	}

	entries := make([]Entry, 0, max(n.Len(), b.keys.tagCount))

	for item := range n.Items() {
		if !isTag(item) {
			return nil, errors.Errorf("%s[%d] is %s, not %s with a tag", b.field.Path, len(entries), item.Kind(), kind)
		}

		entries = append(entries, entry(item))
	}

	return entries, nil
}

// write returns the list of the entries' items. There are n entries.
func (base) write(entries iter.Seq[*Entry], n int) object.Node {
	items := make([]object.Node, 0, n)
	for e := range entries {
		items = append(items, e.Item)
	}

	return object.ListNode(items)
}

// adapt returns the entry e as it is.
func (base) adapt(_ *Entry, e Entry) Entry { return e }

// Read returns the set of the value n of the field f. A missing value is an empty set. Read returns an error if the
// value doesn't have the field's shape: [env] is no Map. The shape None has no tags, and is an error, too. Changes of
// the set don't change n.
func Read(n object.Node, f *field.Field, keys *Keys) (*Set, error) {
	s := &Set{keys: keys}

	b := base{f, keys}

	switch f.Shape {
	case field.Map:
		s.shape = &tagMap{base: b}
	case field.MapOfLists:
		s.shape = &mapOfLists{tagMap{base: b}}
	case field.KeyValueList:
		s.shape = keyValues{b}
	case field.Labels:
		s.shape = &labels{tagMap{base: b}}
	case field.Joined:
		s.shape = joined{b}
	case field.StringList:
		s.shape = stringList{b}
		s.stringCounts = make(map[string]int)
	case field.None:
	}

	if s.shape == nil {
		return nil, errors.Errorf("a field of shape %s holds no tags", f.Shape)
	}

	var err error
	if s.entries, err = s.shape.read(n); err != nil {
		return nil, err
	}

	s.existing, s.remaining = len(s.entries), len(s.entries)

	for i := range s.entries {
		e := &s.entries[i]
		e.position = int32(i)
		s.count(e, 1)
	}

	return s, nil
}

// index returns byID, and makes it first if it is nil. If the first and the third entry have the key env, the ends of
// env are 1 and 3.
func (s *Set) index() map[string]ends {
	if s == nil {
		return nil
	}

	if s.byID == nil {
		s.byID = make(map[string]ends, cap(s.entries))

		for i := range s.entries {
			if e := &s.entries[i]; !e.Opaque {
				s.link(e)
			}
		}
	}

	return s.byID
}

// link makes e the last entry with its ID in byID.
func (s *Set) link(e *Entry) {
	end := s.byID[e.ID]
	if end.last == 0 {
		end.first = e.position + 1
	} else {
		s.entries[end.last-1].next = e.position + 1
	}

	end.last = e.position + 1
	s.byID[e.ID] = end
}

// Value returns the value of the field with all changes. For an empty set, it is empty, such as {} or [].
func (s *Set) Value() object.Node {
	if s.hasInitial {
		return s.shape.write(s.fieldEntries(), s.remaining)
	}

	return s.shape.write(s.All(), s.remaining)
}

// HasRoomFor reports whether a joined string has at most MaxJoined bytes once e has replaced all entries with its ID. Other shapes have room
// for any entry.
func (s *Set) HasRoomFor(e *Entry) bool {
	if !s.keys.Form().IsJoined {
		return true
	}

	size := s.size + s.sizeOf(e)
	for old := range s.EntriesWith(e.ID) {
		size -= s.sizeOf(&old)
	}

	return size-len(s.keys.Delimiter) <= MaxJoined
}

// sizeOf returns the bytes of the entry in a joined string, with the delimiter after it.
func (s *Set) sizeOf(e *Entry) int { return len(e.text) + len(s.keys.Delimiter) }

// Len returns the number of entries, whether they are tags or not. A tag in both spec.forProvider and spec.initProvider counts once.
func (s *Set) Len() int {
	if s.hasInitial {
		return s.remaining - s.countShadowed()
	}

	return s.remaining
}

// Changed reports whether anything has been put into the set, or removed from it.
func (s *Set) Changed() bool { return s.changed }

// All returns all entries, whether they are tags or not. Existing entries come first, and added ones follow, sorted by
// key. If b and a are added to [x, c], All returns x, c, a and b. The caller may remove entries during the loop.
func (s *Set) All() iter.Seq[*Entry] {
	return func(yield func(e *Entry) bool) {
		if s == nil {
			return
		}

		for i := range s.entries[:s.existing] {
			if e := &s.entries[i]; !e.removed && !yield(e) {
				return
			}
		}

		if s.existing == len(s.entries) {
			return
		}

		added := make([]*Entry, 0, len(s.entries)-s.existing)
		for i := range s.entries[s.existing:] {
			added = append(added, &s.entries[s.existing+i])
		}

		slices.SortStableFunc(added, func(a, b *Entry) int { return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.ID, b.ID)) })

		for _, e := range added {
			if !e.removed && !yield(e) {
				return
			}
		}
	}
}

// Tags returns the entries of each tag. Tags are in the order of their first entries: [zone=a, env=b, zone=c] has the tag
// zone with two entries, and then env. The caller may remove entries during the loop.
func (s *Set) Tags() iter.Seq[[]Entry] {
	return func(yield func(entries []Entry) bool) {
		for e := range s.All() {
			if e.Opaque || s.Find(e.ID) != e {
				continue
			}

			// A single entry needs no new list.
			entries := s.entries[e.position : e.position+1 : e.position+1]
			if e.next > 0 {
				entries = s.entryList(e.ID)
			}

			if !yield(entries) {
				return
			}
		}
	}
}

// RemoveValueless removes the entries that lack a value, for a set of desired tags.
func (s *Set) RemoveValueless() {
	for e := range s.All() {
		if e.LacksValue {
			s.Remove(e)
		}
	}
}

// Texts returns the keys and values of all tags. A value that is no string is JSON.
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

// Find returns the first entry with the ID, or nil if there is none. In [zone=a, zone=c], it returns zone=a. After the
// removal of zone=a, it returns zone=c.
func (s *Set) Find(id string) *Entry {
	end := s.index()[id]

	for i := end.first; i > 0; i = s.entries[i-1].next {
		if e := &s.entries[i-1]; !e.removed {
			if i != end.first {
				s.byID[id] = ends{i, end.last} // Later searches pass over the removed entries before e.
			}

			return e
		}
	}

	return nil
}

// Counterpart returns the first entry of the set with the ID of e, or else an entry with the string of e, or nil. On
// DigitalOcean, which ignores case, env:Prod is the counterpart of env:prod.
func (s *Set) Counterpart(e *Entry) *Entry {
	if found := s.Find(e.ID); found != nil || !s.hasString(e) {
		return found
	}

	for other := range s.All() {
		if s.comparedString(other) == s.comparedString(e) {
			return other
		}
	}

	return nil
}

// Has reports whether the set has a tag with the ID.
func (s *Set) Has(id string) bool { return s.Find(id) != nil }

// HasTagOf reports whether the set has the tag of the entry e, with any value. In a list of strings, the value counts,
// too: the list must have the string of e.
func (s *Set) HasTagOf(e *Entry) bool {
	if s != nil && s.stringCounts != nil {
		return s.hasString(e)
	}

	return !e.Opaque && s.Has(e.ID)
}

// GrowthByPut returns how many entries Put adds for e: 0 or 1. A list of strings never gets a string twice.
func (s *Set) GrowthByPut(e *Entry) int {
	if s.Has(e.ID) || s.hasString(e) {
		return 0
	}

	return 1
}

// Put replaces all entries with the ID of e by e, or adds e if there are none. With env: prod, {env: dev, team: a}
// becomes {env: prod, team: a}.
func (s *Set) Put(e *Entry) {
	old := s.Find(e.ID)

	if old != nil && old.next == 0 && !old.Initial && !old.LacksValue {
		keepsKey := old.Key == e.Key || !e.KeepsSpelling
		if keepsKey && sameText(old.Value, e.Value) {
			return
		}
	}

	s.changed = s.place(s.shape.adapt(old, *e)) || s.changed
}

// PutEntries replaces the entries of a tag by its entries in another field, or adds them if there are none. With a=1 and
// a=2, [a=1, b=1] becomes [a=1, b=1, a=2].
func (s *Set) PutEntries(entries []Entry) {
	s.changed = s.place(s.arranged(entries)...) || s.changed
}

// GrowthByPutEntries returns how many entries PutEntries adds. It is negative if PutEntries removes some.
func (s *Set) GrowthByPutEntries(entries []Entry) int {
	n := len(s.arranged(entries))
	for range s.EntriesWith(entries[0].ID) {
		n--
	}

	return n
}

// arranged returns the entries of a tag for place. Strings that the set already has come first, in the set's order, so
// that they keep their positions.
func (s *Set) arranged(entries []Entry) []Entry {
	// In shapes other than lists of strings, a tag is a single entry.
	if s.stringCounts == nil || len(entries) == 1 {
		return []Entry{s.shape.adapt(s.Find(entries[0].ID), entries[0])}
	}

	// ranks has a number below zero for each string that the set has. All other strings have zero, and come last.
	ranks := make(map[string]int)
	for e := range s.EntriesWith(entries[0].ID) {
		if _, ok := ranks[e.String()]; !ok {
			ranks[e.String()] = len(ranks) - len(s.entries)
		}
	}

	return slices.SortedStableFunc(slices.Values(entries), func(a, b Entry) int { return cmp.Compare(ranks[a.String()], ranks[b.String()]) })
}

// Restore replaces all entries with the ID of e by e, or adds e if there are none. It keeps the item of e as it is. It reports
// whether it has put e into the set: a list of strings never gets a string twice. The result of Changed stays the same.
func (s *Set) Restore(e Entry) bool {
	e.restored, e.LacksValue = true, false

	return s.place(e)
}

// Append adds the entry e of another field, and keeps the entries with the same ID. A list of strings never gets a
// string twice. The result of Changed stays the same.
func (s *Set) Append(e Entry) {
	if !s.hasString(&e) {
		s.add(e)
	}
}

// add adds the entry after all others.
func (s *Set) add(e Entry) {
	s.index()

	e.position, e.next, e.removed = int32(len(s.entries)), 0, false //nolint:gosec // A request has less than a gigabyte.
	s.entries = append(s.entries, e)
	s.remaining++
	s.hasInitial = s.hasInitial || e.Initial
	s.link(&e)
	s.count(&e, 1)
}

// Remove removes the entry e of the set, which may be a copy. Other entries with its ID stay.
func (s *Set) Remove(e *Entry) {
	s.markRemoved(&s.entries[e.position])
	s.changed = true
}

// place replaces the entries of a tag. The new entries get the positions of the old ones, in their order, and the others
// are added after all entries. In [zone=a, env=b], zone=c and zone=d make [zone=c, env=b, zone=d]. It reports whether the
// set has changed.
func (s *Set) place(entries ...Entry) bool {
	var buffer [4]int32 // Most tags have few entries, and need no allocation.

	free := buffer[:0]
	for e := range s.EntriesWith(entries[0].ID) {
		free = append(free, e.position)
	}

	changed := len(free) > 0
	for _, i := range free {
		s.markRemoved(&s.entries[i])
	}

	for _, e := range entries {
		switch {
		case s.hasString(&e):
			continue
		case len(free) > 0:
			e.position, e.next, e.removed = free[0], s.entries[free[0]].next, false
			s.entries[e.position] = e
			free = free[1:]
			s.remaining++
			s.count(&e, 1)
		default:
			s.add(e)
		}

		changed = true
	}

	return changed
}

func (s *Set) markRemoved(e *Entry) {
	if !e.removed {
		e.removed = true
		s.remaining--
		s.count(e, -1)
	}
}

// EntriesWith returns the entries with the ID, in their order.
func (s *Set) EntriesWith(id string) iter.Seq[Entry] {
	return func(yield func(e Entry) bool) {
		for i := s.index()[id].first; i > 0; i = s.entries[i-1].next {
			if e := &s.entries[i-1]; !e.removed && !yield(*e) {
				return
			}
		}
	}
}

// entryList returns the entries with the ID as a list. It has no spare capacity, since a field can have 100,000 entries of
// one key.
func (s *Set) entryList(id string) []Entry {
	n := 0
	for range s.EntriesWith(id) {
		n++
	}

	return slices.AppendSeq(make([]Entry, 0, n), s.EntriesWith(id))
}

// hasString reports whether the set is a list of strings with the string of e, as the provider compares strings.
func (s *Set) hasString(e *Entry) bool {
	return s.stringCounts != nil && s.stringCounts[s.comparedString(e)] > 0
}

// count adds e to the size and to the count of its string. If change is -1, it takes e away.
func (s *Set) count(e *Entry, change int) {
	s.size += change * s.sizeOf(e)

	if s.stringCounts != nil {
		s.stringCounts[s.comparedString(e)] += change
	}
}

// comparedString returns the string of e as the provider compares it with others: in lower case on DigitalOcean.
func (s *Set) comparedString(e *Entry) string {
	if s.keys.Profile.FoldEntries {
		return s.keys.Profile.Fold(e.String())
	}

	return e.String()
}
