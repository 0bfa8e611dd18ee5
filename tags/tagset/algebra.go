package tagset

import (
	"iter"
	"slices"
)

// Updated returns what s has to learn to become now: the tags that s lacks and the tags that now has at values that s
// hasn't, each with its entries of these values. From {env: dev, team: a} to {env: prod, team: a, zone: b}, these are
// {env: prod} and {zone: b}.
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

// Difference returns the entries of the tag with the ID in s whose values the tag doesn't have in other. Lists can have a
// tag more than once.
func (s *Set) Difference(id string, other *Set) []Entry {
	there := make(map[string]bool)
	for e := range other.With(id) {
		there[s.valueID(&e)] = true
	}

	return slices.DeleteFunc(s.with(id), func(e Entry) bool { return len(there) > 0 && there[s.valueID(&e)] })
}

// valueID returns a text that is the same for values that the provider takes for one: Prod and prod in a list of strings on
// DigitalOcean. A value that isn't there is empty.
func (s *Set) valueID(e *Entry) string {
	if s.strings != nil && s.keys.Profile.FoldEntries {
		return s.keys.Profile.Fold(e.Value.Text())
	}

	return Encoded(e.valueOrEmpty())
}
