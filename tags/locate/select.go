package locate

import (
	"maps"
	"slices"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// Selects reports whether an entry selects t. The entry {kind: Bucket, name: logs-*} selects a Bucket called logs-eu. Without
// entries, Selects returns true for every target.
func (ts *Targets) Selects(entries []v1beta1.ResourceSelector, t *Target) bool {
	selected, _ := ts.decideSelection(entries, t)
	return selected
}

// decideSelection reports whether an entry selects t, as Selects does. byCloudTags reports whether the result depends on
// tags in the cloud. It does for a Bucket if the only entry for buckets is {kind: Bucket, matchCloudTags: {env: prod}}. It doesn't if
// another entry is {kind: Bucket}, since that selects the Bucket anyway.
func (ts *Targets) decideSelection(entries []v1beta1.ResourceSelector, t *Target) (selected, byCloudTags bool) {
	for i := range entries {
		entry := &entries[i]
		if selectsExceptTags(entry, t) && ts.hasDesiredTags(t, entry.MatchTags) {
			if len(entry.MatchCloudTags) == 0 {
				return true, false
			}

			selected, byCloudTags = selected || ts.hasCloudTags(t, entry.MatchCloudTags), true
		}
	}

	return selected || len(entries) == 0, byCloudTags
}

// MaySelect reports whether an entry may select t once the tags of t are known. MaySelect doesn't read matchTags and matchCloudTags.
// Without entries, it returns true.
func MaySelect(entries []v1beta1.ResourceSelector, t *Target) bool {
	return len(entries) == 0 || slices.ContainsFunc(entries, func(e v1beta1.ResourceSelector) bool { return selectsExceptTags(&e, t) })
}

// selectsExceptTags reports whether the entry selects t by name, apiVersion, kind and labels.
func selectsExceptTags(e *v1beta1.ResourceSelector, t *Target) bool {
	return e.Name.Matches(t.Name) && e.APIVersion.Matches(t.Kind.APIVersion) && e.Kind.Matches(t.Kind.GroupVersionKind.Kind) && object.HasLabels(t.Received, e.MatchLabels)
}

// hasDesiredTags reports whether earlier steps have set all wanted tags, such as team: b, in the tag field of t.
func (ts *Targets) hasDesiredTags(t *Target, wanted map[string]string) bool {
	return len(wanted) == 0 || ts.locatesTags(t) && t.hasAll(wanted, t.desiredTags)
}

// desiredTags returns the tags that earlier steps have set in the tag field of t.
func (t *Target) desiredTags(keys *tagset.Keys) *tagset.Set { return t.ReadTags(t.DesiredValue, keys) }

// hasCloudTags reports whether the provider of t reports all wanted tags. It ignores wanted tags that could be this step's own: once
// set, such a tag would select t for ever.
func (ts *Targets) hasCloudTags(t *Target, wanted map[string]string) bool {
	if !ts.locatesTags(t) {
		return false
	}

	if ts.finder.SetsTag != nil {
		wanted = maps.Clone(wanted)
		maps.DeleteFunc(wanted, func(key, _ string) bool { return ts.finder.SetsTag(t, key) })
	}

	return len(wanted) > 0 && t.hasAll(wanted, t.ReportedTags) // If none is left, every wanted tag could be this step's own.
}

// locatesTags locates the tag field of t, and reports whether it holds tags. Labels that are handed on are no tags. Without
// apiVersion and kind, t has no tag field.
func (ts *Targets) locatesTags(t *Target) bool {
	return t.LeaveReason != NoObject && ts.Locate(t) && !t.Profile.HandsLabelsOn
}

// hasAll reports whether all wanted tags are among the tags that tagsOf returns.
func (t *Target) hasAll(wanted map[string]string, tagsOf func(keys *tagset.Keys) *tagset.Set) bool {
	// In a list of strings, known keys say where to split a string: if the key a=b is wanted, a=b=c has the key a=b and the value c.
	known := t.Profile.KeySet().With(slices.Collect(maps.Keys(wanted))...)
	keys := tagset.Keys{FieldKind: tagset.FieldKindOf(t.Field, t.Profile), Known: known}

	set := tagsOf(&keys)
	if set == nil {
		return false
	}

	for key, value := range wanted {
		if e := set.Find(keys.ID(key)); e == nil || !tagset.IsText(e.Value, value) {
			return false
		}
	}

	return true
}
