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
	selected, _ := ts.selectedBy(entries, t)
	return selected
}

// selectedBy is Selects. byCloudTags reports that only entries with matchCloudTags can select t.
func (ts *Targets) selectedBy(entries []v1beta1.ResourceSelector, t *Target) (selected, byCloudTags bool) {
	for i := range entries {
		switch e := &entries[i]; {
		case !selectsButTags(e, t) || !ts.hasTags(t, e.MatchTags):
		case len(e.MatchCloudTags) == 0:
			return true, false
		default:
			selected, byCloudTags = selected || ts.hasCloudTags(t, e.MatchCloudTags), true
		}
	}

	return selected || len(entries) == 0, byCloudTags
}

// MaySelect is Selects without matchTags and matchCloudTags: tags may not be known yet.
func MaySelect(entries []v1beta1.ResourceSelector, t *Target) bool {
	return len(entries) == 0 || slices.ContainsFunc(entries, func(e v1beta1.ResourceSelector) bool { return selectsButTags(&e, t) })
}

// selectsButTags reports whether the entry selects the name, kind and labels of t.
func selectsButTags(e *v1beta1.ResourceSelector, t *Target) bool {
	return e.Name.Matches(t.Name) && e.APIVersion.Matches(t.Kind.APIVersion) && e.Kind.Matches(t.Kind.Kind.Kind) && object.HasLabels(t.Received, e.MatchLabels)
}

// hasTags reports whether earlier steps have set the wanted tags, such as team: b, in the tag field of t.
func (ts *Targets) hasTags(t *Target, want map[string]string) bool {
	return len(want) == 0 || ts.locatesTags(t) && t.has(want, func(keys *tagset.Keys) *tagset.Set { return t.Reported(t.Before, keys) })
}

// hasCloudTags reports whether the cloud has the wanted tags, as the provider of t reports them. A key that this step sets
// doesn't count: once it is set, it would select t for ever.
func (ts *Targets) hasCloudTags(t *Target, want map[string]string) bool {
	if !ts.locatesTags(t) {
		return false
	}

	if ts.finder.Sets != nil {
		want = maps.Clone(want)
		maps.DeleteFunc(want, func(key, _ string) bool { return ts.finder.Sets(t, key) })
	}

	return len(want) > 0 && t.has(want, t.Cloud)
}

// locatesTags reports whether t has a field for tags. A resource without a kind has no schema to ask for.
func (ts *Targets) locatesTags(t *Target) bool {
	return t.Leave != NoObject && ts.Locate(t) && !t.Profile.HandsOn
}

// has reports whether t has the wanted tags among the tags that are read.
func (t *Target) has(want map[string]string, read func(keys *tagset.Keys) *tagset.Set) bool {
	keys := tagset.Keys{FieldKind: tagset.FieldKindOf(t.Field, t.Profile)}
	keys.Known = t.Profile.KeySet().With(slices.Collect(maps.Keys(want))...)

	set := read(&keys)
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
