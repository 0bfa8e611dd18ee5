package tagset

import (
	"iter"
	"slices"
)

// Updated returns the tags that s has to learn to become now: tags that s lacks, and tags with other values in now,
// each with its entries of these values. From {env: dev, team: a} to {env: prod, team: a, zone: b}, these are {env:
// prod} and {zone: b}.
func (s *Set) Updated(now *Set) iter.Seq[[]Entry] {
	return func(yield func([]Entry) bool) {
		for entries := range now.Tags() {
			if updated := now.Difference(entries[0].ID, s); len(updated) > 0 && !yield(updated) {
				return
			}
		}
	}
}

// Removed returns the tags that s has to lose to become now, each with its entries: now lacks these tags at any value.
// From {env: dev, team: a} to {env: prod}, this is {team: a}.
func (s *Set) Removed(now *Set) iter.Seq[[]Entry] {
	return func(yield func([]Entry) bool) {
		for entries := range s.Tags() {
			if !now.Has(entries[0].ID) && !yield(entries) {
				return
			}
		}
	}
}

// Difference returns the entries of the tag in s whose values the tag lacks in other. The tag a of [a=1, a=2] differs
// from the tag of [a=1] by a=2.
func (s *Set) Difference(id string, other *Set) []Entry {
	there := make(map[string]bool)
	for e := range other.With(id) {
		there[s.valueID(&e)] = true
	}

	return slices.DeleteFunc(s.entriesWith(id), func(e Entry) bool { return len(there) > 0 && there[s.valueID(&e)] })
}

// valueID returns a text for the value of the entry. The provider takes values with one text for the same value, such
// as Prod and prod in a list of strings on DigitalOcean. A missing value is empty.
func (s *Set) valueID(e *Entry) string {
	if s.strings != nil && s.keys.Profile.FoldEntries {
		return s.keys.Profile.Fold(e.Value.Text())
	}

	return Encoded(e.valueOrEmpty())
}
