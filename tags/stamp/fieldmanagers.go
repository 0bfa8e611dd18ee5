package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// slotTakenByOther reports whether the slot of the entry e is taken anyway, by another field manager's tag that stays though no step
// desires it. A label that replaces this tag needs no further slot: env: prod takes the slot of env: dev. In a list of strings, only the
// same string counts: env=prod can't take the slot of env=dev.
func (s *State) slotTakenByOther(e *tagset.Entry) bool {
	return s.stayingTags().HasTagOf(e) && !s.Tags.HasTagOf(e)
}

// replaceStayingTags puts labels in the place of other field managers' tags with the same key. The label env: prod replaces env: dev of
// kubectl edit. A label that takes a further slot has to wait for fill: in a list of strings, env=prod stands beside env=dev. See
// testdata/cases/others.yaml.
func (d *Decision) replaceStayingTags() error {
	staying := d.stayingTags()

	for i := range d.records {
		wouldReplace := d.records[i].Fate == tags.Undecided && staying.Has(d.Labels.entries[i].ID) // By the key alone, even in a list.
		if wouldReplace && d.slotsNeededBy(i) <= 0 {                                               // It is negative if the label frees slots.
			if err := d.putUnlessConflict(i); err != nil {
				return err
			}
		}
	}

	return nil
}

// stayingTags returns the tags of other field managers that stay beside the desired tags, such as owner: me of kubectl edit. In an
// atomic field none stays: once a step desires the field, Crossplane owns all of it.
func (s *State) stayingTags() *tagset.Set {
	if s.Target.Owners().Atomic {
		return nil
	}

	return s.OtherManagersTags
}

// countStayingTags counts the tags of other field managers that stay beside the desired tags. If somebody adds owner: me by kubectl edit,
// it returns 1. The provider's own tags, such as crossplane-kind, don't count if slots are kept free for them.
func (s *State) countStayingTags() (n int) {
	for e := range s.stayingTags().All() {
		hasSlot := s.ReservesForProvider && slices.Contains(s.Target.Field.ProviderTags, e.Key)
		if !hasSlot && !s.Tags.HasTagOf(e) {
			n++
		}
	}

	return n
}
