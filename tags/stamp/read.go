package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// stateOf returns the state of p's tag field. It reads the tags of the cloud only if ignoreTags or a source with onConflict Error needs
// them.
func (s *Stamper) stateOf(p *plan) (*State, error) {
	t, keys := p.target, &p.labels.Keys

	set, restored, err := desiredTags(t, p.labels)
	if err != nil {
		return nil, err
	}

	p.restoredProviderTags = restored

	// OtherManagersTags has the tags that stay if no step desires the field. Only the decision says whether a step does: see stayingTags.
	state := &State{
		Target: t, Labels: p.labels, Tags: set, OtherManagersTags: t.StayingTags(keys, false /* fieldDesired */),
		EarlierTrustedTags: s.EarlierTrustedTags[t.Name], AlreadyStamped: s.AlreadyStamped,
		ReservedSlots: int(s.Input.ReservedTags[t.Profile.Name]), ReservesForProvider: s.Input.ProviderTags != v1beta1.ProviderTagsNone,
	}

	// tags.Fail is onConflict Error.
	hasErrorSource := slices.ContainsFunc(s.Input.Sources, func(source v1beta1.Source) bool { return source.OnConflict == tags.Fail })
	if hasErrorSource || len(s.IgnoreTags) > 0 {
		state.CloudTags, state.ObservedTags = t.ReportedTags(keys), t.ReadTags(t.ObservedValue, keys)
		state.FollowedBefore = rememberedChanges(t.Observed)
	}

	// If the copied entries can't be read, none becomes a tag, and the Mismatch says why. Labels still become tags.
	if t.CopiedEntries.IsThere() {
		state.CopiedTags, err = tagset.Read(t.CopiedEntries, t.Field, keys)
		p.recordMismatch(err)
	}

	return state, nil
}

// desiredTags returns the desired tags of t. In an atomic list, it adds the tags that the provider has set itself, such as
// crossplane-kind: server-side apply replaces an atomic list as a whole, and then the provider would add its tags again, for ever.
// restored reports whether desiredTags has added any tags to tags of earlier steps. If earlier steps desire no tags, it is false: the
// provider's tags alone are no reason to write the field. See testdata/cases/atomic-list.yaml.
func desiredTags(t *locate.Target, l *Labels) (set *tagset.Set, restored bool, err error) {
	if t.DesiredErr != nil {
		return nil, false, t.DesiredErr
	}

	set, err = tagset.Read(t.DesiredValue, t.Field, &l.Keys)
	if err != nil || !t.Field.Atomic || !l.Shape.Form().IsList { // The field is no atomic list.
		return set, false, err
	}

	hadTags := set.Len() > 0

	// By providerKeys, the string crossplane-kind=bucket of a list is the provider's tag, whatever keys labels have. Restore adds no string
	// twice. Another tag can have several entries, since items of a list can have the same key. The provider's own tags have one.
	for entries := range t.ReadTags(t.ObservedValue, &l.providerKeys).Tags() {
		if e := entries[0]; locate.ProviderSets(t.Field, l.Profile.Fold(e.Key)) && !set.Has(e.ID) {
			restored = set.Restore(e) || restored
		}
	}

	return set, restored && hadTags, nil
}
