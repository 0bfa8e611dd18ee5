package locate

import (
	"maps"
	"slices"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// Selects reports whether an entry selects t. The entry {kind: Bucket, name: logs-*, except: [{name: "*-test"}]} selects a Bucket called
// logs-eu, but not logs-test. Without entries, Selects returns true for every target.
func (ts *Targets) Selects(entries []v1beta1.ResourceSelector, t *Target) bool {
	return ts.decideSelection(entries, t).selected
}

// A selection says whether entries select a target, and whether that depends on tags in the cloud: on those that it lacks, or on
// those in the except of an entry, which it has.
type selection struct{ selected, byCloudTags, exceptsCloudTags bool }

// decideSelection returns whether an entry selects t, as Selects does. It depends on tags in the cloud for a Bucket if the only entry for
// buckets is {kind: Bucket, matchCloudTags: {env: prod}}. It doesn't if another entry is {kind: Bucket}, since that selects the Bucket anyway.
func (ts *Targets) decideSelection(entries []v1beta1.ResourceSelector, t *Target) (out selection) {
	for i := range entries {
		entry, except := ts.match(&entries[i].ResourceMatch, t), ts.anyMatches(entries[i].Except, t)

		switch {
		case !entry.matches && !entry.byCloudTags, except.matches && !except.byCloudTags:
		case entry.byCloudTags || except.byCloudTags:
			out = selection{out.selected || entry.matches && !except.matches, true, out.exceptsCloudTags || except.matches}
		default:
			return selection{selected: true}
		}
	}

	out.selected = out.selected || len(entries) == 0

	return out
}

// A match says whether something matches a target, and whether that depends on tags in the cloud.
type match struct{ matches, byCloudTags bool }

// match reports whether m matches t.
func (ts *Targets) match(m *v1beta1.ResourceMatch, t *Target) match {
	switch {
	case !matchesExceptTags(m, t) || !ts.hasDesiredTags(t, m.MatchTags):
		return match{}
	case len(m.MatchCloudTags) == 0:
		return match{matches: true}
	default:
		return match{ts.hasCloudTags(t, m.MatchCloudTags), true}
	}
}

// anyMatches reports whether any of the list matches t.
func (ts *Targets) anyMatches(list []v1beta1.ResourceMatch, t *Target) (out match) {
	for i := range list {
		m := ts.match(&list[i], t)
		if m.matches && !m.byCloudTags {
			return m
		}

		out = match{out.matches || m.matches, out.byCloudTags || m.byCloudTags}
	}

	return out
}

// MaySelect reports whether an entry may select t once the tags of t are known. MaySelect doesn't read matchTags and matchCloudTags.
// Without entries, it returns true.
func MaySelect(entries []v1beta1.ResourceSelector, t *Target) bool {
	excludes := func(m v1beta1.ResourceMatch) bool {
		return len(m.MatchTags)+len(m.MatchCloudTags) == 0 && matchesExceptTags(&m, t)
	}

	return len(entries) == 0 || slices.ContainsFunc(entries, func(e v1beta1.ResourceSelector) bool {
		return matchesExceptTags(&e.ResourceMatch, t) && !slices.ContainsFunc(e.Except, excludes)
	})
}

// matchesExceptTags reports whether m matches t by name, apiVersion, kind and labels.
func matchesExceptTags(m *v1beta1.ResourceMatch, t *Target) bool {
	return m.Name.Matches(t.Name) && m.APIVersion.Matches(t.Kind.APIVersion) && m.Kind.Matches(t.Kind.GroupVersionKind.Kind) && object.HasLabels(t.Received, m.MatchLabels)
}

// hasDesiredTags reports whether earlier steps have set all wanted tags, such as team: b, in the tag field of t.
func (ts *Targets) hasDesiredTags(t *Target, wanted map[string]string) bool {
	readable := func(keys *tagset.Keys) *tagset.Set {
		set, _ := t.DesiredTags(keys) // With an error, the set is nil.
		set.RemoveValueless()

		return set
	}

	return len(wanted) == 0 || ts.locatesTags(t) && t.hasAll(wanted, readable)
}

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

	return len(wanted) > 0 && t.hasAll(wanted, ts.reportedTagsOf(t)) // If none is left, every wanted tag could be this step's own.
}

// reportedTagsOf returns a function that reads the reported tags of t. All selectors of one target share what it has read, since a status can
// have thousands of tags. In a list of strings, the wanted keys say where to split a string, so each selector reads its own.
func (ts *Targets) reportedTagsOf(t *Target) func(keys *tagset.Keys) *tagset.Set {
	return func(keys *tagset.Keys) *tagset.Set {
		if keys.Form().HasStrings {
			return t.ReportedTags(keys)
		}

		if ts.reportedBy != t {
			ts.reportedBy, ts.reported = t, t.ReportedTags(keys)
		}

		return ts.reported
	}
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
