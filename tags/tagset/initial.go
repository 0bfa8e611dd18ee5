package tagset

import (
	"iter"
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// ReadWithInitial returns the set of a field with tags in two places: the value n of the field f in spec.forProvider, and its value initial
// in spec.initProvider. Entries of initial are Initial. Providers merge the two values, as mergo does with WithSliceDeepCopy and without
// Overwrite (see GetMergedParameters of Upjet's resources):
//   - Of a map, they take all keys. If both have a key, n decides, unless its value is empty: {env: prod, team: ""} and {env: dev, team: a}
//     make {env: prod, team: a}. The set has all entries, and Find returns the one that decides.
//   - Of a list, they take n, unless it is empty.
//
// An initial value of another shape counts as missing, since API servers refuse it.
func ReadWithInitial(n, initial object.Node, f *field.Field, keys *Keys) (*Set, error) {
	s, err := Read(n, f, keys)
	if err != nil || initial.IsNull() || f.Form().IsList && s.Len() > 0 {
		return s, err
	}

	added, err := Read(initial, f, keys)
	if err != nil {
		return s, nil //nolint:nilerr // See above.
	}

	for i := range added.entries {
		added.entries[i].Initial = true
	}

	if s.Len() > 0 {
		added.entries = slices.SortedStableFunc(slices.Values(slices.Concat(s.entries, added.entries)), func(a, b Entry) int { return a.rank() - b.rank() })
	}

	for i := range added.entries {
		added.entries[i].position = int32(i)
	}

	added.existing, added.remaining, added.hasInitial = len(added.entries), len(added.entries), true

	return added, nil
}

// rank is lower for an entry that decides. An empty value doesn't decide beside another value of the key, nor does an initial one.
func (e *Entry) rank() int {
	rank := 0
	if e.Initial {
		rank = 1
	}

	if IsText(e.Value, "") || e.Value.IsNull() {
		rank += 2
	}

	return rank
}

// LosesTo reports whether providers take the entry e of spec.initProvider, and not the set's entry with its key: {workspace: ""} in
// spec.forProvider loses to {workspace: a}.
func (s *Set) LosesTo(e *Entry) bool {
	if !e.Initial {
		return false
	}

	beside := s.Find(e.ID)

	return beside != nil && e.rank() < beside.rank()
}

// FieldLen returns the number of entries that Value has. See Len for the entries of both places.
func (s *Set) FieldLen() int {
	if !s.hasInitial {
		return s.remaining
	}

	n := 0 // As a named result, it would cost an allocation for each set.

	for range s.fieldEntries() {
		n++
	}

	return n
}

// HasInitial reports whether the set was read with entries of spec.initProvider.
func (s *Set) HasInitial() bool { return s.hasInitial }

// InitialValue returns the value of the field in spec.initProvider, with all changes. It is empty for a list whose entries have gone to
// spec.forProvider. Value returns the one in spec.forProvider.
func (s *Set) InitialValue() object.Node {
	hasMoved := s.keys.Form().IsList && s.FieldLen() > 0
	return s.shape.write(s.entriesIf(func(e *Entry) bool { return e.Initial && !hasMoved }), 0)
}

// fieldEntries returns the entries for spec.forProvider. If it needs a list, the initial entries go first into this list, since providers
// would drop them.
func (s *Set) fieldEntries() iter.Seq[*Entry] {
	if !s.keys.Form().IsList {
		return s.entriesIf(func(e *Entry) bool { return !e.Initial })
	}

	isNeeded := false
	for e := range s.All() {
		isNeeded = isNeeded || !e.Initial && !e.restored
	}

	return s.entriesIf(func(*Entry) bool { return isNeeded })
}

// entriesIf returns the entries for which f returns true.
func (s *Set) entriesIf(f func(e *Entry) bool) iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for e := range s.All() {
			if f(e) && !yield(e) {
				return
			}
		}
	}
}

// countShadowed counts the entries in place of which an entry of the other place decides.
func (s *Set) countShadowed() (n int) {
	for e := range s.All() {
		if first := s.Find(e.ID); !e.Opaque && first.Initial != e.Initial {
			n++
		}
	}

	return n
}
