package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// isOthers is true if another field manager has the entry e in the observed field, where it stays,
// and the resource doesn't desire it yet. The desired entry would take its place.
func (d *Decision) isOthers(e *tagset.Entry) bool {
	others := d.others()
	return others != nil && others.Holds(e) && !d.Tags.Holds(e)
}

// replaceOthers puts the labels whose tags others own: they take no slot.
func (d *Decision) replaceOthers() error {
	others := d.others()
	if others == nil {
		return nil
	}

	var positions []int

	for e := range others.All() {
		if i, ok := d.Labels.labelOf(e); ok {
			positions = append(positions, i)
		}
	}

	slices.Sort(positions)

	for _, i := range positions {
		if d.judged[i].Fate != Undecided || d.needs(i) > 0 {
			continue
		}

		if err := d.putMissing(i); err != nil {
			return err
		}
	}

	return nil
}

// others are the tags that stay beside those of the field, or nil if there are none. An atomic field has one
// owner, and it is desired.
func (s *State) others() *tagset.Set {
	if s.Others == nil || s.Owners.Atomic {
		return nil
	}

	return s.Others
}

// countOthers is how many tags of others stay beside those that are desired, without those that the provider
// adds: for these there are slots anyway.
func (s *State) countOthers() (n int) {
	others := s.others()
	if others == nil {
		return 0
	}

	for e := range others.All() {
		if !s.Tags.Holds(e) && (!s.Slots.Added || !slices.Contains(s.Added, e.Key)) {
			n++
		}
	}

	return n
}
