package stamp

import (
	"maps"
	"slices"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
)

// Selects is true if any of the supplied entries selects the supplied target, or there
// are none.
func (ts *Targets) Selects(entries []v1beta1.ResourceSelector, t *Target) bool {
	return len(entries) == 0 || slices.ContainsFunc(entries, func(e v1beta1.ResourceSelector) bool {
		return selectsButTags(&e, t) && ts.hasTags(t, e.MatchTags)
	})
}

// maySelect is Selects, whatever tags the supplied target has.
func maySelect(entries []v1beta1.ResourceSelector, t *Target) bool {
	return len(entries) == 0 || slices.ContainsFunc(entries, func(e v1beta1.ResourceSelector) bool { return selectsButTags(&e, t) })
}

// selectsButTags is true if the supplied entry selects the name, kind and labels of the supplied
// target.
func selectsButTags(e *v1beta1.ResourceSelector, t *Target) bool {
	return e.Name.Matches(t.Name) && e.APIVersion.Matches(t.kind.apiVersion) && e.Kind.Matches(t.kind.kind) && hasLabels(t, e.MatchLabels)
}

func hasLabels(t *Target, want map[string]string) bool {
	labels := object.Labels(t.received)

	for key, value := range want {
		if !labels.Field(key).IsText(value) {
			return false
		}
	}

	return true
}

// hasTags is true if earlier steps have set the supplied tags on the supplied target.
func (ts *Targets) hasTags(t *Target, want map[string]string) bool {
	if len(want) == 0 {
		return true
	}

	// What has no kind has no schema to ask for.
	if t.leave == whyNoObject || !ts.locate(t) {
		return false
	}

	keys := tagset.Keys{Kind: tagset.KindOf(t.field, t.profile)}
	keys.Known = t.profile.KeySet().With(slices.Collect(maps.Keys(want))...)

	set := t.reported(t.before, &keys)
	if set == nil {
		return false
	}

	for key, value := range want {
		if e := set.Find(keys.ID(key)); e == nil || !tagset.IsText(e.Value, value) {
			return false
		}
	}

	return true
}
