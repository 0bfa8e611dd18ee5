package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// stateOf returns the state of p's target. It reads the cloud's tags only if ignoreTags, or a source with onConflict
// Error, needs them.
func (s *Stamper) stateOf(p *plan) (*State, error) {
	t, keys := p.target, &p.labels.Keys

	set, restored, err := desired(t, p.labels)
	if err != nil {
		return nil, err
	}

	p.restoredProviderTags = restored
	state := &State{
		Labels: p.labels, Tags: set, Others: t.Staying(keys, false), Reports: len(t.Field.Observed) > 0,
		Earlier: s.Earlier[t.Name], Added: t.Field.ProviderTags, Slots: s.slots(t), Rendered: s.Rendered,
	}

	if len(s.Ignore) > 0 || slices.ContainsFunc(s.Input.Sources, func(src v1beta1.Source) bool { return src.OnConflict == tags.Fail }) {
		state.Cloud, state.Outdated = t.Cloud(keys), t.IsGhost() && !isImported(t)
		state.Observed, state.Followed = t.Reported(t.There, keys), remembered(t.Observed)
	}

	if state.Others != nil || state.Observed != nil {
		state.Owners = t.Owners()
	}

	if t.Copies.IsThere() {
		state.Copies, err = tagset.Read(t.Copies, t.Field, keys)
		p.failsBy(err)
	}

	return state, nil
}

// slots returns how many tags t may have.
func (s *Stamper) slots(t *locate.Target) Slots {
	out := Slots{
		Max: t.Profile.MaxTags, Reserved: int(s.Input.ReservedTags[t.Profile.Name]), MaxInField: -1,
		Added: s.Input.ProviderTags != v1beta1.ProviderTagsNone, AddedToField: t.Field.AddsToField, Field: t.Field.Path.String(),
	}

	if l := t.Field.Limits; l != nil {
		out.MaxInField = l.Max
	}

	return out
}

// desired returns the desired tags of t, and whether it had to add tags of the provider, such as crossplane-kind, to an
// earlier step's tags. Server-side apply replaces the whole of an atomic list, so that Crossplane and the provider
// would otherwise undo each other's work for ever. See testdata/cases/atomic-list.yaml.
func desired(t *locate.Target, l *Labels) (set *tagset.Set, restored bool, err error) {
	if t.BeforeErr != nil {
		return nil, false, t.BeforeErr
	}

	set, err = tagset.Read(t.Before, t.Field, &l.Keys)
	if err != nil || !t.Field.Atomic || !l.Shape.Form().IsList {
		return set, false, err
	}

	theirs := t.Reported(t.There, &l.providers)
	if theirs == nil {
		return set, false, nil
	}

	before := set.Len()

	for entries := range theirs.Tags() {
		if e := entries[0]; locate.AddsItself(t.Field, l.Profile.Fold(e.Key)) && !set.Has(e.ID) {
			restored = set.Restore(e) || restored
		}
	}

	return set, restored && before > 0, nil
}
