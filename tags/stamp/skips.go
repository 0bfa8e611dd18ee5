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

	// Sources has the sources of the label, by their names in messages.
	Sources []string

	// Trusted says that any source of the label is a trusted source.
	Trusted bool `json:"-"`

	// Resources has the first resources that skip the label, and More is the number of the others. Resources is nil if all
	// resources with the tag profile skip the label.
	Resources []string
	More      int `json:"more,omitzero"`
}

// skips collects labels, resource by resource: skipped labels, and labels whose tags the cloud's own API refuses.
type skips struct {
	all map[skipKey]*countedSkip

	// resources has the number of resources by the name of their tag profile.
	resources map[string]int
}

// A skipKey identifies a skip. isTagged says that the label is a tag all the same, but that the cloud's own API refuses it.
type skipKey struct {
	label    tags.SkippedLabel
	limit    string
	isTagged bool
}

// A countedSkip is a Skip while its resources are counted.
type countedSkip struct {
	Skip

	// count is the number of resources, and last is the resource that was added last.
	count int
	last  string

	// namesResources says that messages name the resources, since other resources may have room for the label.
	namesResources bool

	// labelSources has the sources of the label.
	labelSources []*tags.Source
}

// add adds the labels that the plan p skips. p is resourcePlan itself, or the plan of one of the resource's fields for launched
// resources. Resources come in the order of their names. If neither tags nor volumeTags of an Instance have a slot for env,
// the Instance counts once.
func (s *skips) add(resourcePlan, p *plan) {
	if p == resourcePlan {
		s.resources[p.Provider]++

		for i := range p.labels.skipped {
			s.addResource(&p.labels.skipped[i], p, false)
		}
	}

	if !p.decisionHolds {
		return
	}

	for i := range p.judged {
		switch j := &p.judged[i]; {
		case j.Fate == Tagged && j.Reason != "":
			s.addResource(j, p, true)
		case j.lacksSlot() && resourceLacksSlot(resourcePlan, p, i): // The resource counts already.
		case j.Fate == Skipped || j.Fate == TakenAway:
			s.addResource(j, p, false)
		}
	}
}

// resourceLacksSlot reports whether p is the plan of a field for launched resources, and the resource itself has no slot for the
// label at position i either.
func resourceLacksSlot(resourcePlan, p *plan, i int) bool {
	if p == resourcePlan || p.labels != resourcePlan.labels || !resourcePlan.decisionHolds {
		return false
	}

	return i < len(resourcePlan.judged) && resourcePlan.judged[i].lacksSlot()
}

// addResource adds the resource of p to the Skip of the label of the record j. Two resources without a slot for env make one
// Skip of env with both names. isTagged says that the cloud's own API refuses the tag.
func (s *skips) addResource(j *Judged, p *plan, isTagged bool) {
	key := skipKey{j.SkippedLabel(p.Provider, j.Reason), j.Limit, isTagged}

	// An API refuses a tag on all resources, unless there are too many tags on this one.
	dependsOnResource := j.namesResource && (!isTagged || j.Reason == profile.CountCap)

	skip, ok := s.all[key]
	if !ok {
		skip = &countedSkip{Skip: Skip{SkippedLabel: key.label, Limit: key.limit}, namesResources: dependsOnResource}
		s.all[key] = skip
	}

	skip.namesResources = skip.namesResources && dependsOnResource
	skip.Trusted = skip.Trusted || j.Trusted

	if j.Source != nil && !slices.Contains(skip.labelSources, j.Source) {
		skip.labelSources = append(skip.labelSources, j.Source)
	}

	if skip.count > 0 && skip.last == p.Resource {
		return
	}

	skip.last = p.Resource
	skip.count++

	if skip.count <= words.MaxNameCount {
		skip.Resources = append(skip.Resources, p.Resource)
	}
}

// sorted returns the skipped labels, and the labels whose tags the cloud's own API refuses. A Skip names no resources if all
// resources of the tag profile skip the label for a reason that they share, such as key-too-long.
func (s *skips) sorted() (skipped, refused []Skip) {
	skipped, refused = []Skip{}, []Skip{}

	for key, skip := range s.all {
		slices.SortFunc(skip.labelSources, func(a, b *tags.Source) int { return cmp.Compare(a.Position, b.Position) })

		for _, source := range skip.labelSources {
			skip.Sources = append(skip.Sources, source.Name)
		}

		skip.More = skip.count - len(skip.Resources)

		if !skip.namesResources && skip.count == s.resources[skip.Provider] {
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

// compareSkips compares skips by provider, reason, limit and keys.
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
