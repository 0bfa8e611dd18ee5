package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// ownedByOthers reports whether another field manager owns the observed entry e, and no step desires e yet. Such a tag takes a slot
// already: a label that replaces it needs no further one.
func (d *Decision) ownedByOthers(e *tagset.Entry) bool {
	others := d.others()
	return others != nil && others.HasTagOf(e) && !d.Tags.HasTagOf(e)
}

// replaceOthers replaces other field managers' tags with tags of labels that need no slot. The label env: prod replaces env: dev of
// kubectl edit. See testdata/cases/others.yaml.
func (d *Decision) replaceOthers() error {
	others := d.others()
	if others == nil {
		return nil
	}

	var positions []int

	for e := range others.All() {
		if i, ok := d.Labels.positionOf(e); ok {
			positions = append(positions, i)
		}
	}

	slices.Sort(positions)

	for _, i := range positions {
		if d.judged[i].Fate != Undecided || d.slotsForLabel(i) > 0 {
			continue
		}

		if err := d.putMissing(i); err != nil {
			return err
		}
	}

	return nil
}

// others returns the tags of other field managers, or nil if there are none. These tags stay in the field next to the desired tags.
// An atomic field has one owner: if a step desires it, no other tag stays.
func (s *State) others() *tagset.Set {
	if s.OtherManagersTags == nil || s.Owners.Atomic {
		return nil
	}

	return s.OtherManagersTags
}

// countOthers counts the tags of other field managers that stay next to the desired tags. If somebody adds owner: me by kubectl edit,
// it returns 1. It leaves out the provider's own tags, such as crossplane-kind, since slots are kept free for them.
func (s *State) countOthers() (n int) {
	others := s.others()
	if others == nil {
		return 0
	}

	for e := range others.All() {
		if !s.Tags.HasTagOf(e) && (!s.Slots.ForProviderTags || !slices.Contains(s.ProviderKeys, e.Key)) {
			n++
		}
	}

	return n
}
