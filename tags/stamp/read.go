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
func (s *Stamper) stateOf(p *Plan) (*State, error) {
	t, keys := p.target, &p.labels.Keys

	set, restored, err := desiredTags(t, p.labels)
	if err != nil {
		return nil, err
	}

	p.restoredProviderTags = restored

	// In an atomic field, the tags of other managers are removed if a step desires the field. Whether a step does is known only after the
	// decision. So OtherManagersTags has all tags of other managers, and the method stayingTags of State leaves out those that go.
	state := &State{
		Target: t, Labels: p.labels, Tags: set, OtherManagersTags: t.OtherManagersTags(keys, false /* fieldDesired */),
		EarlierTrustedTags: s.EarlierTrustedTags[t.Name], AlreadyStamped: s.AlreadyStamped,
		ReservedSlots: int(s.Input.ReservedTags[t.Profile.Name]), ReservesForProvider: s.Input.ProviderTags != v1beta1.ProviderTagsNone,
	}

	if len(s.IgnoreTags) > 0 || s.hasErrorSource() {
		state.CloudTags, state.ObservedTags = t.ReportedTags(keys), t.ReadTags(t.ObservedValue, keys)
		state.FollowedBefore = readFollowedChanges(t.Observed) // For example, backup: daily has become weekly in the cloud.
	}

	// If the copied entries can't be read, none becomes a tag, and the Mismatch says why. Labels still become tags.
	if t.CopiedEntries.IsThere() {
		state.CopiedTags, err = tagset.Read(t.CopiedEntries, t.Field, keys)
		p.recordMismatch(err)
	}

	return state, nil
}

// hasErrorSource reports whether a source has onConflict Error, which is tags.Fail. An input can have thousands of sources, and a request
// thousands of resources: so it looks once.
func (s *Stamper) hasErrorSource() bool {
	if s.errorSource == nil {
		s.errorSource = new(slices.ContainsFunc(s.Input.Sources, func(source v1beta1.Source) bool { return source.OnConflict == tags.Fail }))
	}

	return *s.errorSource
}

// desiredTags returns the tags of t that earlier steps desire. In an atomic list, it adds the tags that the provider has set itself, such
// as crossplane-kind. Server-side apply replaces an atomic list as a whole: without these tags in the list, it would remove them, and the
// provider would add them again, for ever. restored reports whether the field has to be written for these tags. If earlier steps desire no
// tags, the provider's tags alone are no reason to write the field. See testdata/cases/atomic-list.yaml.
func desiredTags(t *locate.Target, l *Labels) (set *tagset.Set, restored bool, err error) {
	if t.DesiredErr != nil {
		return nil, false, t.DesiredErr
	}

	set, err = t.DesiredTags(&l.Keys)
	if err != nil || !t.Field.Atomic || !l.Shape.Form().IsList {
		return set, false, err // Server-side apply removes the provider's tags only from atomic lists.
	}

	hasDesiredTags := set.FieldLen() > 0

	// The key of a string is the longest known key that it begins with. providerKeys has no keys of labels. So crossplane-kind=a=b has the key
	// crossplane-kind, even if a label has the key crossplane-kind=a.
	for entries := range t.ReadTags(t.ObservedValue, &l.providerKeys).Tags() {
		e := entries[0] // Each of the provider's tags has one entry.
		if locate.ProviderSets(t.Field, l.Profile.Fold(e.Key)) && !set.Has(e.ID) {
			restored = set.Restore(e) || restored // Restore returns false if the set has the string already, with a label's key.
		}
	}

	return set, restored && hasDesiredTags, nil
}
