package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// A Look at a target is what there is, before anything is decided: for people who want to know
// what the function sees.
type Look struct {
	*target.Target

	// LeftAlone is why the resource's tags are not managed, or empty if they are. Mismatch is why the tag
	// field can't be read or written, or empty if it can.
	LeftAlone, Mismatch string

	// Labels are what the labels for the resource come to, and Refused those that such a
	// field can't have.
	Labels  *tags.Transformed
	Refused []Skip

	// CloudRefuses are labels that are tags, but that the API of the cloud refuses.
	CloudRefuses []Skip

	// Tags that are there, in their order.
	Tags []LookedTag

	// Limit says how many tags the resource may have. Free is how many slots are left,
	// which are less than none if there are too many tags.
	Limit string
	Free  int
}

// A LookedTag is a tag that is there.
type LookedTag struct {
	Key, Value string

	// Label that would be the tag of this key, or nil if there is none.
	Label *tags.Tag
}

// Look at t. An error means that its labels can't be known.
func (s *Stamper) Look(t *target.Target) (*Look, error) {
	l := &Look{Target: t}

	switch {
	case t.Leave != target.None:
		l.LeftAlone = t.Why(t.Leave)
	case !t.Managed:
		l.LeftAlone = t.Why(target.NotSelected)
	default:
		l.LeftAlone = t.Why(t.Lacks)
	}

	if l.LeftAlone != "" {
		return l, nil
	}

	all, err := s.labelsOf(t)
	if err != nil {
		return nil, err
	}

	labels := all.in(t)
	l.Labels = labels.transformed

	for _, u := range labels.unfit {
		l.Refused = append(l.Refused, Skip{SkippedLabel: u.label, Limit: u.limit})
	}

	// All strings are tags.
	seen := *labels
	seen.Keys = *labels.allKeys()

	state, err := s.stateOf(newPlan(t, &seen))
	if err != nil {
		l.Mismatch = err.Error()
		return l, nil //nolint:nilerr // It is told of.
	}

	// There may be no place for tags that are missing. What labels conflict with has been decided.
	planned, err := s.plan(t, labels)
	if err == nil && planned.Mismatch != "" {
		l.Mismatch = planned.Mismatch
		return l, nil
	}

	if err == nil {
		refused := newSkips()
		refused.addRefused([]*plan{planned})
		l.CloudRefuses = refused.sorted(nil)
	}

	l.addTags(state)
	l.Limit, l.Free = state.limit(), state.free()

	return l, nil
}

// addTags that are there.
func (l *Look) addTags(s *State) {
	for e := range s.Tags.All() {
		if e.Opaque {
			continue
		}

		tag := LookedTag{Key: e.Key, Value: tagset.TextOf(e.Value)}
		if i, ok := s.Labels.labelOf(e); ok {
			tag.Label = &s.Labels.all[i].Tag
		}

		l.Tags = append(l.Tags, tag)
	}
}
