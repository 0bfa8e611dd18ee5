package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Skip is a label that was skipped.
type Skip struct {
	tags.SkippedLabel

	// Limit that the label broke, in a few words.
	Limit string

	// Sources of a label with a reserved key, by their names in messages.
	Sources []string

	// Trusted is true if a label of a trusted source was skipped.
	Trusted bool `json:"-"`

	// Resources for which it was skipped, the first ones if there are many, or nil if it was skipped for
	// every resource that has the tag profile. More is how many others there are.
	Resources []string
	More      int `json:"more,omitzero"`
}

// takenAway is why an earlier step's tag with a reserved key is there no longer.
const takenAway = "an earlier step set it, and only a source with trusted: true may"

// limitOf says in a few words why the profile refuses the label.
func limitOf(r *tags.Refused, p *profile.Profile) string {
	switch {
	case r.Kept != "":
		return words.Name(r.Kept) + " has the same tag key"
	case r.Reason == profile.ReservedKey && tags.ProvidersKeySet().Has(r.Key) && !p.HandsOn:
		return "only the provider sets it"
	default:
		return p.Limit(r.Reason)
	}
}

// A skipKey is a skipped label and the limit that it breaks.
type skipKey struct {
	label tags.SkippedLabel
	limit string
}

// A skippedLabel is one that no resource with its kind of tag field has, and its source, if its key is
// reserved.
type skippedLabel struct {
	skipKey

	trusted   bool
	claimedBy *tags.Source
}

// skips collects the labels that are skipped, resource by resource.
type skips struct {
	of map[skipKey]*skippedFor

	// resources counts those of each tag profile, by its name.
	resources map[string]int
}

// skippedFor is the resources that a label is skipped for: the last one, the first ones, sorted, and how many
// they are.
type skippedFor struct {
	last  string
	first []string
	count int

	// single is true if the reason is one that single resources have, so that they have to
	// be named.
	single bool

	// trusted is true if a trusted source has such a label.
	trusted bool

	// claims are the sources of labels with a reserved key.
	claims []*tags.Source
}

func newSkips() *skips {
	return &skips{of: make(map[skipKey]*skippedFor), resources: make(map[string]int)}
}

// add what the plans for a resource and for what it launches skip. Resources come in the order of their names.
func (s *skips) add(plans []*plan) {
	own := plans[0]
	s.resources[own.Provider]++

	for i := range own.labels.refused {
		s.skip(&own.labels.refused[i], own.Resource, own.labels.Profile.Narrow)
	}

	for _, p := range plans {
		if !p.done {
			continue
		}

		for i := range p.labels.unfit {
			s.skip(&p.labels.unfit[i], p.Resource, true)
		}

		if p.decision != nil {
			s.addDecided(p, own)
		}
	}
}

// addDecided adds what p skips because of the tags that are there, but for what own, the plan for the resource
// itself, does.
func (s *skips) addDecided(p, own *plan) {
	for _, key := range p.decision.taken {
		s.alone(p, &tags.Tag{Label: tags.Label{QualifiedKey: p.labels.transformed.QualifiedKey(key)}, Key: key}, profile.ReservedKey, takenAway)
	}

	slotless := p.slotless()
	if len(slotless) == 0 {
		return
	}

	limit := p.decision.limit()

	for _, i := range slotless {
		if p == own || own.labels != p.labels || !own.lacksSlot(i) {
			s.alone(p, &p.labels.all[i].Tag, profile.CountCap, limit)
		}
	}
}

// alone skips a label for a reason that only the resource of p has.
func (s *skips) alone(p *plan, t *tags.Tag, r profile.SkipReason, limit string) {
	s.skip(&skippedLabel{skipKey: skipKey{t.Skip(p.Provider, r), limit}, trusted: t.Trusted}, p.Resource, true)
}

// skip a label for a resource.
func (s *skips) skip(l *skippedLabel, resource string, single bool) {
	of, ok := s.of[l.skipKey]
	if !ok {
		of = &skippedFor{single: single}
		s.of[l.skipKey] = of
	}

	of.single = of.single && single
	of.trusted = of.trusted || l.trusted

	if l.claimedBy != nil && !slices.Contains(of.claims, l.claimedBy) {
		of.claims = append(of.claims, l.claimedBy)
	}

	if of.count > 0 && of.last == resource {
		return
	}

	of.last = resource

	of.count++

	if of.count <= maxNamed {
		of.first = append(of.first, resource)
	}
}

// sorted returns the labels that were skipped. A label that is skipped for all the resources of its profile names
// none, unless the reason is one of single resources. So many resources as the map has have the profile.
func (s *skips) sorted(resources map[string]int) []Skip {
	reasons := profile.SkipReasons()
	out := make([]Skip, 0, len(s.of))

	for k, of := range s.of {
		slices.SortFunc(of.claims, func(a, b *tags.Source) int { return cmp.Compare(a.Position, b.Position) })

		skip := Skip{SkippedLabel: k.label, Limit: k.limit, Trusted: of.trusted}
		for _, source := range of.claims {
			skip.Sources = append(skip.Sources, source.Name)
		}

		if of.single || of.count != resources[k.label.Provider] {
			skip.Resources, skip.More = of.first, of.count-len(of.first)
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

// addRefused adds the labels that are tags of the plans, but that the API of the cloud refuses, with the limit
// that the API has.
func (s *skips) addRefused(plans []*plan) {
	for _, p := range plans {
		api := p.target.Refuser
		if api == nil || p.decision == nil {
			continue
		}

		tagged := p.decision.tagged
		for _, i := range tagged {
			t := &p.labels.all[i].Tag
			if reason := api.Check(t.Key, t.Key, t.Value); reason != "" {
				s.skip(&skippedLabel{skipKey: skipKey{t.Skip(p.Provider, reason), api.Limit(reason)}}, p.Resource, false)
			}
		}

		// The last to take a slot are those that the cloud has none for.
		toAdd, _ := p.decision.toAdd()
		over := min(p.decision.Tags.Len()+toAdd-api.MaxTags, len(tagged))

		for _, i := range tagged[len(tagged)-max(over, 0):] {
			s.alone(p, &p.labels.all[i].Tag, profile.CountCap, api.Limit(profile.CountCap))
		}
	}
}
