package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
)

// desired returns the tags that the supplied target has, and true if the provider's own had
// to be put to those that earlier steps set. Server-side apply replaces the whole of an
// atomic list, so Crossplane and the provider would otherwise undo each other's work for
// ever.
func desired(t *Target, w *wishes) (set *tagset.Set, kept bool, err error) {
	if t.beforeErr != nil {
		return nil, false, t.beforeErr
	}

	set, err = tagset.Read(t.before, t.field, &w.Keys)
	if err != nil || !t.field.Atomic || !w.IsList() {
		return set, false, err
	}

	theirs := t.reported(t.there, &w.providers)
	if theirs == nil {
		return set, false, nil
	}

	before := set.Len()

	for of := range theirs.Tags() {
		if e := of[0]; isProviders(t.field, w.Profile.Fold(e.Key)) && !set.Has(e.ID) {
			kept = set.Restore(e) || kept
		}
	}

	return set, kept && before > 0, nil
}

// cloud returns the tags that the cloud has, if the provider reports any and it matters.
func (s *Stamper) cloud(t *Target, w *wishes) *tagset.Set {
	if len(s.Ignore) == 0 && !s.refuses() {
		return nil
	}

	return t.cloud(&w.Keys)
}

// refuses is true if a label must not meet a tag that is there.
func (s *Stamper) refuses() bool {
	return slices.ContainsFunc(s.Input.Sources, func(src v1beta1.Source) bool { return src.OnConflict == tags.Refuse })
}

// cloud returns the tags that the provider of the supplied target reports the cloud to have, or nil
// if it reports none: those of the first path that has any.
func (t *Target) cloud(keys *tagset.Keys) *tagset.Set {
	for _, path := range t.field.Observed {
		v, err := t.observed.At(path)
		if err != nil {
			continue
		}

		if set := t.reported(v, keys); set != nil {
			return set
		}
	}

	return nil
}

// reported returns the tags of the supplied value of what is observed, or nil if it isn't
// there or can't be read.
func (t *Target) reported(n object.Node, keys *tagset.Keys) *tagset.Set {
	if !n.IsThere() {
		return nil
	}

	set, err := tagset.Read(n, t.field, keys)
	if err != nil {
		return nil
	}

	return set
}
