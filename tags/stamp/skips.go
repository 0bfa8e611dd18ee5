package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Skip is a skipped label, with the resources that don't get it.
type Skip struct {
	tags.SkippedLabel

	// Limit is the limit that the label breaks, such as "at most 128 characters".
	Limit string

	// Sources has the names that messages give to the label's sources, such as sources[0].
	Sources []string

	// Trusted reports whether any source of the label is a trusted source.
	Trusted bool `json:"-"`

	// Resources has the names of the first resources that skip the label, and More is the number of the others. Resources is nil if all
	// resources with the tag profile skip the label for a reason that they share, such as key-too-long.
	Resources []string
	More      int `json:"more,omitzero"`
}

// skips collects skipped labels, and labels whose tags the cloud's own API refuses, resource by resource.
type skips struct {
	all map[skipKey]*countedSkip

	// resourceCounts has the number of resources by the name of their tag profile, such as aws.
	resourceCounts map[string]int
}

// A skipKey identifies a Skip. A Skip with isTagged is no skipped label: its label is written as a tag, and the cloud's own API refuses the
// tag.
type skipKey struct {
	label    tags.SkippedLabel
	limit    string
	isTagged bool
}

// A countedSkip is a Skip while its resources are counted.
type countedSkip struct {
	Skip

	// count is the number of resources. If count is above 0, last is the name of the resource that was added last.
	count int
	last  string

	// isShared reports whether the reason holds for all resources with the tag profile, as key-too-long does. One record that says so is
	// enough.
	isShared bool

	// labelSources has the sources of the label.
	labelSources []*tags.Source
}

// add adds the labels that the plan p skips, and the labels whose tags the cloud's own API refuses. p is resourcePlan itself, or the plan
// of one of the resource's fields for launched resources. The caller adds all plans of one resource before the next resource.
func (s *skips) add(resourcePlan, p *plan) {
	// These labels are skipped on all resources with the profile, whatever is decided, so the first plan of a resource tells them.
	if p == resourcePlan {
		s.resourceCounts[p.Provider]++

		for i := range p.labels.skipped {
			s.addResource(&p.labels.skipped[i], p.Resource, p.Provider)
		}
	}

	if !p.decisionHolds { // The resource does not get the decided tags, so the records do not hold.
		return
	}

	for i := range p.allRecords {
		record := &p.allRecords[i]
		isAdded := record.lacksSlot() && resourceLacksSlot(resourcePlan, p, i) // The plan of the resource's own tag field has added it.

		if record.Reason != "" && !isAdded {
			s.addResource(record, p.Resource, p.Provider)
		}
	}
}

// resourceLacksSlot reports whether p is the plan of a field for launched resources, such as volumeTags, and the tag field of the resource
// itself has no slot for the record at index i either.
func resourceLacksSlot(resourcePlan, p *plan, i int) bool {
	// If both fields share their Labels, the records at an index are of the same label.
	isSameLabel := p.labels == resourcePlan.labels && i < len(resourcePlan.allRecords)

	return p != resourcePlan && isSameLabel && resourcePlan.decisionHolds && resourcePlan.allRecords[i].lacksSlot()
}

// addResource adds the resource to the Skip of the record's label. If the resources a and b have no slot for env, one Skip of env has both
// names.
func (s *skips) addResource(record *Record, resource, provider string) {
	// A Tagged record with a Reason is a tag that is written, and that the cloud's own API refuses.
	key := skipKey{label: record.SkippedLabel(provider, record.Reason), limit: record.Limit, isTagged: record.Fate == Tagged}

	skip, ok := s.all[key]
	if !ok {
		skip = &countedSkip{Skip: Skip{SkippedLabel: key.label, Limit: key.limit}}
		s.all[key] = skip
	}

	// A reason of the cloud's own API holds for all resources, too, unless it is the number of tags.
	isRefusedOnAll := key.isTagged && record.Reason != profile.CountCap
	skip.isShared = skip.isShared || record.isShared || isRefusedOnAll
	skip.Trusted = skip.Trusted || record.Trusted

	if record.Source != nil && !slices.Contains(skip.labelSources, record.Source) {
		skip.labelSources = append(skip.labelSources, record.Source)
	}

	if skip.count > 0 && skip.last == resource {
		return // An Instance counts once, even if both tags and volumeTags skip the label.
	}

	skip.last = resource
	skip.count++

	if skip.count <= words.MaxNameCount {
		skip.Resources = append(skip.Resources, resource)
	}
}

// sorted returns the skipped labels, and the labels whose tags the cloud's own API refuses.
func (s *skips) sorted() (skipped, refused []Skip) {
	for key, skip := range s.all {
		slices.SortFunc(skip.labelSources, func(a, b *tags.Source) int { return cmp.Compare(a.Position, b.Position) })

		for _, source := range skip.labelSources {
			skip.Sources = append(skip.Sources, source.Name)
		}

		skip.More = skip.count - len(skip.Resources)

		// If all resources with the tag profile skip the label, none of them is named.
		if skip.isShared && skip.count == s.resourceCounts[skip.Provider] {
			skip.Resources, skip.More = nil, 0
		}

		if key.isTagged {
			refused = append(refused, skip.Skip)
		} else {
			skipped = append(skipped, skip.Skip)
		}
	}

	slices.SortFunc(skipped, compareSkips)
	slices.SortFunc(refused, compareSkips)

	return skipped, refused
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
