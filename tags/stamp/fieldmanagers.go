package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// ownedByOthers reports whether another field manager owns the entry e of the observed field, and no step desires e
// yet. Such a tag has its slot already: a label that replaces it needs none.
func (d *Decision) ownedByOthers(e *tagset.Entry) bool {
	others := d.others()
	return others != nil && others.Holds(e) && !d.Tags.Holds(e)
}

// replaceOthers puts the tags of labels in the place of tags that others own. The label env: prod replaces env: dev of
// kubectl edit without a further slot. See testdata/cases/others.yaml.
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

// others returns the tags of other field managers that stay beside the desired ones, or nil if there are none. A desired
// atomic field has a single owner, so that no others stay.
func (s *State) others() *tagset.Set {
	if s.Others == nil || s.Owners.Atomic {
		return nil
	}

	return s.Others
}

// countOthers returns how many tags of others stay beside the desired ones: 1 for owner: me of kubectl edit. The
// provider's own tags, such as crossplane-kind, don't count, since slots are kept free for them.
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
