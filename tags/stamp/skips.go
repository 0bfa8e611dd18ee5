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

// skips collects the labels that are skipped, resource by resource, and the labels whose tags the API of the cloud
// refuses.
type skips struct {
	all map[skipKey]*skipping

	// resources counts those of each tag profile, by its name.
	resources map[string]int
}

// A skipKey is a label, the limit that it breaks, and whether it is a tag all the same.
type skipKey struct {
	label    tags.SkippedLabel
	limit    string
	isTagged bool
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

// add what p skips, the resource's own plan or one for what that launches. Resources come in the order of their names.
func (s *skips) add(own, p *plan) {
	if p == own {
		s.resources[own.Provider]++

		for i := range own.labels.refused {
			s.skip(&own.labels.refused[i], own, false)
		}
	}

	if !p.done {
		return
	}

	for i := range p.judged {
		// The resource has said what it lacks a slot for, at the same position.
		told := p != own && p.labels == own.labels && own.done && i < len(own.judged) &&
			p.judged[i].lacksSlot() && own.judged[i].lacksSlot()

		switch j := &p.judged[i]; {
		case j.Fate == Tagged && j.Reason != "":
			s.skip(j, p, true)
		case !told && (j.Fate == Skipped || j.Fate == TakenAway):
			s.skip(j, p, false)
		}
	}
}

// skip the label of the record for the resource of p.
func (s *skips) skip(j *Judged, p *plan, isTagged bool) {
	key := skipKey{j.Skip(p.Provider, j.Reason), j.Limit, isTagged}
	single := j.single && (!isTagged || j.Reason == profile.CountCap) // An API refuses other tags wherever they are.

	skip, ok := s.all[key]
	if !ok {
		skip = &skipping{Skip: Skip{SkippedLabel: key.label, Limit: key.limit}, single: single}
		s.all[key] = skip
	}

	skip.single = skip.single && single
	skip.Trusted = skip.Trusted || j.Trusted

	if j.claims && j.Source != nil && !slices.Contains(skip.claims, j.Source) {
		skip.claims = append(skip.claims, j.Source)
	}

	if skip.count > 0 && skip.last == p.Resource {
		return
	}

	skip.last = p.Resource
	skip.count++

	if skip.count <= words.MaxNamed {
		skip.Resources = append(skip.Resources, p.Resource)
	}
}

// sorted returns the labels that were skipped. A label that is skipped for all the resources of its profile names
// none, unless the reason is one of single resources. Labels that are tags all the same are in a list of their own.
func (s *skips) sorted() (skipped, refused []Skip) {
	skipped, refused = []Skip{}, []Skip{}

	for key, skip := range s.all {
		slices.SortFunc(skip.claims, func(a, b *tags.Source) int { return cmp.Compare(a.Position, b.Position) })

		for _, source := range skip.claims {
			skip.Sources = append(skip.Sources, source.Name)
		}

		if skip.More = skip.count - len(skip.Resources); !skip.single && skip.count == s.resources[skip.Provider] {
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
