package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Skip names a label, and the resources on which it becomes no tag in the cloud. There are two lists of them:
//   - Skips of the Outcome: the function has skipped the label.
//   - CloudRefuses of the Outcome: the tag is in the tag field, but the cloud's own API refuses it.
type Skip struct {
	tags.SkippedLabel

	// Limit is the limit that the label breaks, such as "at most 128 characters".
	Limit string

	// Sources has the names that messages give to the label's sources, such as sources[0].
	Sources []string

	// Trusted reports whether any source of the label is a trusted source.
	Trusted bool

	// Resources has the names of the first resources that skip the label, and More is the number of the others. Resources is nil if all
	// resources with the tag profile skip the label for a reason that they share, such as key-too-long.
	Resources []string
	More      int
}

// skips collects Skips, resource by resource.
type skips struct {
	// skipped has labels that are no tags. refused has labels that are tags, and the cloud's own API refuses these tags.
	skipped, refused skipsByKey

	// resourceCounts has the number of resources by Provider, the name of their tag profile, such as aws.
	resourceCounts map[string]int
}

// skipsByKey has one Skip for each skipKey.
type skipsByKey map[skipKey]*countedSkip

// A skipKey identifies a Skip. The label env has two Skips if the resource a admits 50 tags, and b admits 10: the limits differ.
type skipKey struct {
	label tags.SkippedLabel
	limit string
}

// A countedSkip is a Skip while its resources are counted.
type countedSkip struct {
	Skip

	// count is the number of resources. If count is above 0, last is the name of the resource that was added last.
	count int
	last  string

	// isShared reports whether the reason holds for all resources with the tag profile: no resource on aws may have a key of 200 characters.
	// It is false for count-cap, since another resource may have a free slot.
	isShared bool

	// labelSources has the sources of the label.
	labelSources []*tags.Source
}

// add adds the labels that the plan p skips, and the labels whose tags the cloud's own API refuses. p is resourcePlan, or the plan of
// another field of the resource, such as volumeTags of an Instance. The plans of one resource are added one after another.
func (s *skips) add(resourcePlan, p *Plan) {
	// The tag profile skips the labels of p.labels.skipped in all fields of the resource, so they are added once.
	if p == resourcePlan {
		s.resourceCounts[p.Provider]++

		for i := range p.labels.skipped {
			skip := s.skipped.add(&p.labels.skipped[i], p, &p.labels.skips[i])
			skip.isShared = skip.isShared || !p.labels.Profile.Narrow // A Narrow profile is for one kind only, such as BucketObject.
		}
	}

	if !p.getsDecidedTags {
		return // The field stays as it is, whatever the records say.
	}

	for i := range p.allRecords {
		record := &p.allRecords[i]

		switch {
		case record.Reason == "": // The label is no skipped label.
		case lacksSlotInBoth(resourcePlan, p, i): // The skip of the resource's own tag field is enough.
		case record.Fate == tags.Tagged: // The Reason of a Tagged label says why the cloud's own API refuses the tag.
			skip := s.refused.add(record, p, new(*countedSkip))
			skip.isShared = record.Reason != profile.CountCap // Another resource may have a free slot.
		case i < len(p.labels.all):
			s.skipped.add(record, p, &p.labels.skips[len(p.labels.skipped)+i])
		default:
			s.skipped.add(record, p, new(*countedSkip))
		}
	}
}

// lacksSlotInBoth reports whether the label of the record at index i has no slot in the field of p, such as volumeTags, and none in the tag
// field of the resource itself either. With different limits, the label would have two Skips.
func lacksSlotInBoth(resourcePlan, p *Plan, i int) bool {
	// With the same Labels, records are in the same order. If nothing was decided for the resource's own field, resourcePlan has none.
	isSameLabel := p.labels == resourcePlan.labels && i < len(resourcePlan.allRecords)

	return p != resourcePlan && isSameLabel && p.allRecords[i].LacksSlot() && resourcePlan.getsDecidedTags && resourcePlan.allRecords[i].LacksSlot()
}

// add adds the resource of the plan p to the Skip of the record's label, and returns the Skip. If the resources a and b have no slot for env, one Skip of env has
// both names. last points to the Skip that a record of the same label was added to before, or to nil.
func (s skipsByKey) add(record *tags.Judged, p *Plan, last **countedSkip) *countedSkip {
	if skip := *last; skip == nil || skip.Reason != record.Reason || skip.Limit != record.Limit {
		*last = s.find(record, p)
	}

	skip := *last

	if skip.count > 0 && skip.last == p.Resource {
		return skip // An Instance counts once, even if both tags and volumeTags skip the label.
	}

	skip.last = p.Resource
	skip.count++

	if skip.count <= words.MaxNameCount {
		skip.Resources = append(skip.Resources, p.Resource)
	}

	return skip
}

// find returns the Skip of the record's label, and makes it first if there is none.
func (s skipsByKey) find(record *tags.Judged, p *Plan) *countedSkip {
	key := skipKey{label: record.SkippedLabel(p.Provider, record.Reason), limit: record.Limit}

	skip, ok := s[key]
	if !ok {
		skip = &countedSkip{Skip: Skip{SkippedLabel: key.label, Limit: key.limit}}
		s[key] = skip
	}

	skip.Trusted = skip.Trusted || record.Trusted

	if record.Source != nil && !slices.Contains(skip.labelSources, record.Source) {
		skip.labelSources = append(skip.labelSources, record.Source)
	}

	return skip
}

// sorted returns the Skips in the order of compareSkips. resourceCounts has the number of resources by Provider.
func (s skipsByKey) sorted(resourceCounts map[string]int) (out []Skip) {
	for _, skip := range s {
		slices.SortFunc(skip.labelSources, func(a, b *tags.Source) int { return cmp.Compare(a.Position, b.Position) })

		for _, source := range skip.labelSources {
			skip.Sources = append(skip.Sources, source.Name)
		}

		skip.More = skip.count - len(skip.Resources)

		// If all resources with the tag profile skip the label for a shared reason, none of them is named.
		if skip.isShared && skip.count == resourceCounts[skip.Provider] {
			skip.Resources, skip.More = nil, 0
		}

		out = append(out, skip.Skip)
	}

	slices.SortFunc(out, compareSkips)

	return out
}

// compareSkips orders skips by provider, reason, limit and keys.
func compareSkips(a, b Skip) int {
	reasons := profile.SkipReasons()

	return cmp.Or(
		strings.Compare(a.Provider, b.Provider),
		cmp.Compare(slices.Index(reasons, a.Reason), slices.Index(reasons, b.Reason)),
		strings.Compare(a.Limit, b.Limit),
		strings.Compare(a.QualifiedKey, b.QualifiedKey),
		strings.Compare(a.TagKey, b.TagKey),
	)
}
