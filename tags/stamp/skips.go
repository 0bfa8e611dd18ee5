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

// A skipKey is a skipped label and the limit that it breaks.
type skipKey struct {
	label tags.SkippedLabel
	limit string
}

// skips collects the labels that are skipped, resource by resource.
type skips struct {
	all map[skipKey]*skipping

	// resources counts those of each tag profile, by its name.
	resources map[string]int
}

// A skipping is a Skip that may get more resources: how many it has, and the last of them.
type skipping struct {
	Skip

	count int
	last  string

	// single is true if the reason is one that single resources have, so that they have to
	// be named.
	single bool

	// claims are the sources of labels with a reserved key.
	claims []*tags.Source
}

func newSkips() *skips {
	return &skips{all: make(map[skipKey]*skipping), resources: make(map[string]int)}
}

// add what p skips, the resource's own plan or one for what that launches. Resources come in the order of their names.
func (s *skips) add(own, p *plan) {
	if p == own {
		s.resources[own.Provider]++

		for i := range own.labels.refused {
			s.skip(&own.labels.refused[i], own)
		}
	}

	for i := range p.judged {
		// The resource has said what it lacks a slot for, at the same position.
		told := p != own && p.labels == own.labels && own.done && i < len(own.judged) &&
			p.judged[i].lacksSlot() && own.judged[i].lacksSlot()

		if fate := p.judged[i].Fate; p.done && !told && (fate == Skipped || fate == TakenAway) {
			s.skip(&p.judged[i], p)
		}
	}
}

// skip the label of the record, for the resource of p.
func (s *skips) skip(j *Judged, p *plan) {
	skip := s.count(j, p, j.single)
	skip.Trusted = skip.Trusted || j.Trusted

	if j.claims && j.Source != nil && !slices.Contains(skip.claims, j.Source) {
		skip.claims = append(skip.claims, j.Source)
	}
}

// addRefused adds the labels that are tags of p, but that the API of the cloud refuses.
func (s *skips) addRefused(p *plan) {
	for i := range p.judged {
		if j := &p.judged[i]; p.done && j.Fate == Tagged && j.Reason != "" {
			s.count(j, p, j.Reason == profile.CountCap)
		}
	}
}

// count the resource of p among those for which the label of the record is skipped.
func (s *skips) count(j *Judged, p *plan, single bool) *skipping {
	key := skipKey{j.Skip(p.Provider, j.Reason), j.Limit}

	skip, ok := s.all[key]
	if !ok {
		skip = &skipping{Skip: Skip{SkippedLabel: key.label, Limit: key.limit}, single: single}
		s.all[key] = skip
	}

	skip.single = skip.single && single

	if skip.count > 0 && skip.last == p.Resource {
		return skip
	}

	skip.last = p.Resource
	skip.count++

	if skip.count <= words.MaxNamed {
		skip.Resources = append(skip.Resources, p.Resource)
	}

	return skip
}

// sorted returns the labels that were skipped. A label that is skipped for all the resources of its profile names
// none, unless the reason is one of single resources. So many resources as the map has have the profile.
func (s *skips) sorted(resources map[string]int) []Skip {
	reasons := profile.SkipReasons()
	out := make([]Skip, 0, len(s.all))

	for _, skip := range s.all {
		slices.SortFunc(skip.claims, func(a, b *tags.Source) int { return cmp.Compare(a.Position, b.Position) })

		for _, source := range skip.claims {
			skip.Sources = append(skip.Sources, source.Name)
		}

		if skip.More = skip.count - len(skip.Resources); !skip.single && skip.count == resources[skip.Provider] {
			skip.Resources, skip.More = nil, 0
		}

		out = append(out, skip.Skip)
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
