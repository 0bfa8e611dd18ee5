package coverage

import (
	"maps"
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A standing says what is known of an object's tags. It is other or taggable, or one of the report's lists: untaggable or
// unknown.
const (
	other    = "other" // No resource of a cloud.
	taggable = "taggable"
)

// standingOf returns the standing of the target, and why the target can have no tags. provider is the name of its tag profile,
// or the constant none if its family has no profile.
func standingOf(targets *locate.Targets, t *locate.Target) (standing, provider, why string) {
	provider = t.Profile.Name
	if family, ok := field.FamilyOf(t.Kind.Tagged().GroupKind()); ok && family.Profile == "" {
		provider = none
	}

	if t.LeaveReason == locate.NoObject {
		return other, provider, ""
	}

	switch located := targets.Locate(t); {
	case t.Profile.HandsLabelsOn || !located && (!t.Kind.Managed || field.IsSettings(t.Kind.Kind.Kind)):
		return other, provider, ""
	case located && (t.LeaveReason == locate.None || t.LeaveReason == locate.Ignored):
		return taggable, t.Profile.Name, ""
	case located:
		return untaggable, provider, t.WhyLeftAlone(t.LeaveReason)
	case t.NoFieldReason.IsUnknown() || t.NoFieldReason == locate.PossibleField:
		return unknown, provider, t.WhyLeftAlone(t.NoFieldReason)
	default:
		return untaggable, provider, t.WhyLeftAlone(t.NoFieldReason)
	}
}

// A tagID is equal for keys that the provider takes for the same. Most providers compare keys exactly. For Azure, Owner and
// owner have one tagID.
type tagID struct{ profile, key string }

// dropUntextual removes entries that no provider takes for tags, such as the number in `owner: 4711`.
func dropUntextual(t *locate.Target, set *tagset.Set) {
	for e := range set.All() {
		if isList := e.Value.IsList() && t.Field.Form().HasLists; !isList && !e.IsTextual() {
			set.Remove(e)
		}
	}
}

// keysOf returns the keys of the tags of t, without keys that its provider adds itself. For Owner and owner on Azure, it
// returns the first in order. It also reports for each set of counted keys whether one of them has a tag.
func keysOf(t *locate.Target, set *tagset.Set, counted []profile.KeySet) (keys map[tagID]string, has []bool) {
	keys, has = make(map[tagID]string, set.Len()), make([]bool, len(counted))

	for e := range set.All() {
		for i := range counted {
			has[i] = has[i] || !e.Opaque && counted[i].Has(e.Key)
		}

		if e.Opaque || locate.ProviderSets(t.Field, e.Key) {
			continue
		}

		id := tagID{key: e.Key}
		if t.Profile.IgnoresCase() {
			id = tagID{t.Profile.Name, t.Profile.Fold(e.Key)}
		}

		if key, ok := keys[id]; !ok || e.Key < key {
			keys[id] = e.Key
		}
	}

	return keys, has
}

// driftOf returns the desired tags that have another value in the cloud, or that the cloud lacks, by key. In a list, a key can
// have several values. So Cloud is set only if the cloud has exactly one value that isn't desired.
func driftOf(desired, cloud *tagset.Set) []Drift {
	byKey := make(map[string]Drift)

	for lacks := range cloud.Updated(desired) {
		d := Drift{Key: lacks[0].Key, Desired: tagset.TextOf(lacks[0].Value)}
		if others := cloud.Difference(lacks[0].ID, desired); len(others) == 1 {
			d.Cloud = new(tagset.TextOf(others[0].Value))
		}

		byKey[d.Key] = d
	}

	return words.Map(slices.Sorted(maps.Keys(byKey)), func(key string) Drift { return byKey[key] })
}

// cloudOf returns the tags in the cloud, as the provider of t reports them. isReported is false if it reports none: then the set is empty.
//
// Providers made with Upjet leave out an empty field in the status. A resource with an ID in its status was observed, so a
// missing field means no tags. A map in that status never loses a key: see MayReportDeletedTags of locate.Target. So a tag in it counts only if
// the spec in the cluster has the tag, too.
func cloudOf(t *locate.Target, r *tagpolicy.TagReader) (set *tagset.Set, isReported bool) {
	if set := t.ReportedTags(&r.Keys); set != nil {
		if t.MayReportDeletedTags() {
			there, _ := t.DesiredTags(&r.Keys) // With an error, the set is nil.
			for e := range set.All() {
				if there == nil || !there.HasTagOf(e) {
					set.Remove(e)
				}
			}
		}

		return set, true
	}

	set, _ = tagset.Read(object.Node{}, t.Field, &r.Keys) // An absent field has no tags.
	family, _ := field.FamilyOf(t.Kind.GroupKind())
	hasID := t.Observed.Node().Field("status").Field("atProvider").Field("id").Text() != ""

	return set, family.Upjet && len(t.Field.Observed) > 0 && hasID
}
