package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// desired returns the tags that the supplied target has, and true if the provider's own had
// to be put to those that earlier steps set. Server-side apply replaces the whole of an
// atomic list, so Crossplane and the provider would otherwise undo each other's work for
// ever.
func desired(t *target.Target, w *wishes) (set *tagset.Set, kept bool, err error) {
	if t.BeforeErr != nil {
		return nil, false, t.BeforeErr
	}

	set, err = tagset.Read(t.Before, t.Field, &w.Keys)
	if err != nil || !t.Field.Atomic || !w.IsList() {
		return set, false, err
	}

	theirs := t.Reported(t.There, &w.providers)
	if theirs == nil {
		return set, false, nil
	}

	before := set.Len()

	for of := range theirs.Tags() {
		if e := of[0]; target.AddsItself(t.Field, w.Profile.Fold(e.Key)) && !set.Has(e.ID) {
			kept = set.Restore(e) || kept
		}
	}

	return set, kept && before > 0, nil
}

// cloud returns the tags that the cloud has, if the provider reports any and it matters.
func (s *Stamper) cloud(t *target.Target, w *wishes) *tagset.Set {
	if len(s.Ignore) == 0 && !s.refuses() {
		return nil
	}

	return t.Cloud(&w.Keys)
}

// refuses is true if a label must not meet a tag that is there.
func (s *Stamper) refuses() bool {
	return slices.ContainsFunc(s.Input.Sources, func(src v1beta1.Source) bool { return src.OnConflict == tags.Refuse })
}
