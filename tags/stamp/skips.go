package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Skip is a skipped label, with the resources that lack it.
type Skip struct {
	tags.SkippedLabel

	// Limit that the label breaks, in a few words: at most 128 characters.
	Limit string

	// Sources that the label came from, by their names in messages.
	Sources []string

	// Trusted says that a trusted source gives such a label.
	Trusted bool `json:"-"`

	// Resources that skip the label, the first ones if there are many, or nil if all resources with the tag profile
	// skip it. More is how many others there are.
	Resources []string
	More      int `json:"more,omitzero"`
}

// skips collects two kinds of labels, resource by resource: skipped labels, and labels whose tags the API of the cloud
// refuses.
type skips struct {
	all map[skipKey]*skipping

	// resources has the number of resources with each tag profile, by its name.
	resources map[string]int
}

// A skipKey tells skips apart: by the label, by the limit that it breaks, and by whether it is a tag all the same.
type skipKey struct {
	label    tags.SkippedLabel
	limit    string
	isTagged bool
}

// A skipping is a Skip that may get more resources.
type skipping struct {
	Skip

	// count is how many resources it has, and last is the last of them.
	count int
	last  string

	// single says that other resources may have room for the label, so that messages name the resources.
	single bool

	// givenBy are the sources that the label came from.
	givenBy []*tags.Source
}

// add adds the labels that the plan p skips. The plan is of a whole resource, or of a field for launched resources.
// Resources come in the order of their names. If an Instance lacks a slot for env, its volumeTags don't count once
// more.
func (s *skips) add(whole, p *plan) {
	if p == whole {
		s.resources[whole.Provider]++

		for i := range whole.labels.skipped {
			s.skip(&whole.labels.skipped[i], whole, false)
		}
	}

	if !p.done {
		return
	}

	for i := range p.judged {
		// The resource itself lacks a slot for the label at the same position.
		told := p != whole && p.labels == whole.labels && whole.done && i < len(whole.judged) &&
			p.judged[i].lacksSlot() && whole.judged[i].lacksSlot()

		switch j := &p.judged[i]; {
		case j.Fate == Tagged && j.Reason != "":
			s.skip(j, p, true)
		case !told && (j.Fate == Skipped || j.Fate == TakenAway):
			s.skip(j, p, false)
		}
	}
}

// skip adds the resource of p to the resources that skip the label of the record. Two resources without a slot for env
// make one Skip of env with both names.
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

	if j.Source != nil && !slices.Contains(skip.givenBy, j.Source) {
		skip.givenBy = append(skip.givenBy, j.Source)
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

// sorted returns the skipped labels, and the labels whose tags the API of the cloud refuses. If all resources of a
// profile skip a label for a reason that they share, such as key-too-long, the Skip names no resources.
func (s *skips) sorted() (skipped, refused []Skip) {
	skipped, refused = []Skip{}, []Skip{}

	for key, skip := range s.all {
		slices.SortFunc(skip.givenBy, func(a, b *tags.Source) int { return cmp.Compare(a.Position, b.Position) })

		for _, source := range skip.givenBy {
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
