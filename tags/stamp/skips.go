package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// A Skip is a label that was skipped.
type Skip struct {
	tags.SkippedLabel

	// Limit that the label broke, in a few words.
	Limit string

	// Sources of a label that claims a reserved key, by their names in messages.
	Sources []string

	// Resources for which it was skipped, or nil if it was skipped for every
	// resource that has the tag profile.
	Resources []string
}

// takenAway is why an earlier step's tag with a reserved key is there no longer.
const takenAway = "an earlier step set it, which only trusted sources may"

// skips collects the labels that are skipped, resource by resource.
type skips struct {
	of map[skipKey]*skippedFor

	// resources counts those of each tag profile, by its name.
	resources map[string]int
}

// skipKey is a skipped label and the limit that it breaks.
type skipKey struct {
	label tags.SkippedLabel
	limit string
}

// skippedFor is the resources that a label is skipped for, sorted.
type skippedFor struct {
	resources []string

	// single is true if the reason is one that single resources have, so that they have to
	// be named.
	single bool

	// claims are the sources of labels that claim a reserved key.
	claims []*tags.Source
}

// claimedBy adds source to the claims.
func (of *skippedFor) claimedBy(source *tags.Source) {
	if !slices.Contains(of.claims, source) {
		of.claims = append(of.claims, source)
	}
}

// sources returns the names of those that claim the key, in their order in the input.
func (of *skippedFor) sources() (names []string) {
	slices.SortFunc(of.claims, func(a, b *tags.Source) int { return cmp.Compare(a.Position, b.Position) })

	for _, s := range of.claims {
		names = append(names, s.Name)
	}

	return names
}

func newSkips() *skips {
	return &skips{of: make(map[skipKey]*skippedFor), resources: make(map[string]int)}
}

// add what p, the plan for a resource, skips, and those for what it launches. Resources come in the
// order of their names.
func (s *skips) add(p *plan, launched []*plan) {
	s.addOwn(p)

	for _, q := range launched {
		s.addLaunched(q, p)
	}
}

func (s *skips) addOwn(p *plan) {
	s.resources[p.Profile.Name]++

	for i, k := range p.refusedKeys() {
		s.skip(k, p.Resource, p.Profile.Narrow)

		if source := p.transformed.Refused[i].Source; k.label.Reason == profile.ReservedKey && source != nil {
			s.of[k].claimedBy(source)
		}
	}

	if !p.decided {
		return
	}

	for _, l := range p.refused {
		s.skip(skipKey{label: l.SkippedLabel, limit: l.Limit}, p.Resource, true)
	}

	s.takenFrom(p)

	limit := p.countLimit()
	for i := range p.slotless() {
		s.alone(p, p.tags[i], profile.CountCap, limit)
	}
}

// addLaunched adds what q, the plan for what a resource launches, skips, but for what own, the
// plan for the resource itself, does.
func (s *skips) addLaunched(q, own *plan) {
	if !q.decided {
		return
	}

	s.takenFrom(q)

	// The field may admit less than the resource's own does.
	for _, l := range q.refused {
		s.skip(skipKey{label: l.SkippedLabel, limit: l.Limit}, q.Resource, true)
	}

	for i := range q.slotless() {
		if own.wishes != q.wishes || !own.decided || !own.lacksSlot(i) {
			s.alone(q, q.tags[i], profile.CountCap, q.countLimit())
		}
	}
}

// takenFrom adds the tags that p takes away from earlier steps.
func (s *skips) takenFrom(p *plan) {
	for _, key := range p.taken {
		s.alone(p, tags.Tag{Label: tags.Label{QualifiedKey: p.transformed.QualifiedKey(key)}, Key: key}, profile.ReservedKey, takenAway)
	}
}

// alone skips a label for a reason that only the resource of p has.
func (s *skips) alone(p *plan, l tags.Tag, r profile.SkipReason, limit string) {
	s.skip(skipKey{label: l.Skip(p.Profile.Name, r), limit: limit}, p.Resource, true)
}

// skip a label for a resource.
func (s *skips) skip(k skipKey, resource string, single bool) {
	of, ok := s.of[k]
	if !ok {
		of = &skippedFor{single: single}
		s.of[k] = of
	}

	of.single = of.single && single

	if n := len(of.resources); n == 0 || of.resources[n-1] != resource {
		of.resources = append(of.resources, resource)
	}
}

// sorted returns the labels that were skipped.
func (s *skips) sorted() []Skip {
	reasons := profile.SkipReasons()
	out := make([]Skip, 0, len(s.of))

	for k, of := range s.of {
		skip := Skip{SkippedLabel: k.label, Limit: k.limit, Sources: of.sources(), Resources: of.resources}
		if !of.single && len(of.resources) == s.resources[k.label.Provider] {
			skip.Resources = nil
		}

		out = append(out, skip)
	}

	slices.SortFunc(out, func(a, b Skip) int {
		return cmp.Or(
			strings.Compare(a.Provider, b.Provider),
			cmp.Compare(slices.Index(reasons, a.Reason), slices.Index(reasons, b.Reason)),
			strings.Compare(a.Limit, b.Limit),
			strings.Compare(a.QualifiedKey, b.QualifiedKey),
			strings.Compare(a.TagKey, b.TagKey),
		)
	})

	return out
}
