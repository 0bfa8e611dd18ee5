package tagset

import (
	"iter"
	"maps"
	"slices"
)

// Clone returns a copy of s. Changes of the one don't change the other.
func (s *Set) Clone() *Set {
	clone := *s
	clone.entries, clone.byID, clone.stringCounts = slices.Clone(s.entries), maps.Clone(s.byID), maps.Clone(s.stringCounts)

	return &clone
}

// Updated returns the tags of next that s lacks, or has with other values. It returns the entries of each tag whose
// values s lacks. From {env: dev, team: a} to {env: prod, team: a, zone: b}, the tags env: prod and zone: b are updated.
func (s *Set) Updated(next *Set) iter.Seq[[]Entry] {
	return func(yield func([]Entry) bool) {
		for entries := range next.Tags() {
			if updated := next.Difference(entries[0].ID, s); len(updated) > 0 && !yield(updated) {
				return
			}
		}
	}
}

// Removed returns the tags of s that next lacks, whatever their values. It returns all entries of each tag. From {env:
// dev, team: a} to {env: prod}, the tag team: a is removed.
func (s *Set) Removed(next *Set) iter.Seq[[]Entry] {
	return func(yield func([]Entry) bool) {
		for entries := range s.Tags() {
			if !next.Has(entries[0].ID) && !yield(entries) {
				return
			}
		}
	}
}

// Difference returns the entries of s with the ID whose values other lacks for the same ID. From [a=1, a=2] to [a=1],
// the tag a has the difference a=2.
func (s *Set) Difference(id string, other *Set) []Entry {
	otherValues := make(map[string]bool)
	for e := range other.EntriesWith(id) {
		otherValues[s.valueID(&e)] = true
	}

	// Without values in other, no text of a value is needed.
	isCommon := func(e Entry) bool { return len(otherValues) > 0 && otherValues[s.valueID(&e)] }

	return slices.DeleteFunc(s.entryList(id), isCommon)
}

// valueID returns a text for the value of the entry. Two values that are the same for the provider have the same text,
// such as Prod and prod in a list of strings on DigitalOcean. A missing
// value has the text of an empty one.
func (s *Set) valueID(e *Entry) string {
	if s.stringCounts != nil && s.keys.Profile.FoldEntries {
		return s.keys.Profile.Fold(e.Value.Text())
	}

	return Encoded(e.valueOrEmpty())
}
