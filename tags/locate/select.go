package locate

import (
	"maps"
	"slices"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// Selects reports whether any of the entries selects t, or there are none. The entry {kind: Bucket, name: logs-*} selects a
// Bucket called logs-eu.
func (ts *Targets) Selects(entries []v1beta1.ResourceSelector, t *Target) bool {
	return len(entries) == 0 || slices.ContainsFunc(entries, func(e v1beta1.ResourceSelector) bool {
		return selectsButTags(&e, t) && ts.hasTags(t, e.MatchTags)
	})
}

// MaySelect is Selects without matchTags: tags may not be known yet.
func MaySelect(entries []v1beta1.ResourceSelector, t *Target) bool {
	return len(entries) == 0 || slices.ContainsFunc(entries, func(e v1beta1.ResourceSelector) bool { return selectsButTags(&e, t) })
}

// selectsButTags reports whether the entry selects the name, kind and labels of t.
func selectsButTags(e *v1beta1.ResourceSelector, t *Target) bool {
	return e.Name.Matches(t.Name) && e.APIVersion.Matches(t.Kind.APIVersion) && e.Kind.Matches(t.Kind.Kind.Kind) && object.HasLabels(t.Received, e.MatchLabels)
}

// hasTags reports whether earlier steps have set the wanted tags, such as team: b, in the tag field of t.
func (ts *Targets) hasTags(t *Target, want map[string]string) bool {
	if len(want) == 0 {
		return true
	}

	// A resource without a kind has no schema to ask for.
	if t.Leave == NoObject || !ts.Locate(t) || t.Profile.HandsOn {
		return false
	}

	keys := tagset.Keys{FieldKind: tagset.FieldKindOf(t.Field, t.Profile)}
	keys.Known = t.Profile.KeySet().With(slices.Collect(maps.Keys(want))...)

	set := t.Reported(t.Before, &keys)
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
