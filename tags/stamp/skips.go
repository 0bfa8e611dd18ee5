package stamp

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
)

// skips are labels that were skipped and the limits that they broke.
type skips struct {
	of map[skipKey]*skippedFor

	// unions of lists of resources, by the lists: labels that are skipped for the same
	// resources share one.
	unions map[[2]*string][]string
}

type skipKey struct {
	label tags.SkippedLabel
	limit string
}

// skippedFor are the resources that a label was skipped for, sorted.
type skippedFor struct {
	resources []string

	// all resources of the profile, so that none has to be named.
	all bool
}

func newSkips() *skips {
	return &skips{of: make(map[skipKey]*skippedFor), unions: make(map[[2]*string][]string)}
}

// add a label that was skipped for the supplied resources, which are sorted. Only some
// resources of the profile skip it, or all do.
func (s *skips) add(l tags.SkippedLabel, limit string, some bool, resources []string) {
	if len(resources) == 0 {
		return
	}

	k := skipKey{label: l, limit: limit}

	of, ok := s.of[k]
	if !ok {
		s.of[k] = &skippedFor{resources: resources, all: !some}
		return
	}

	of.all = of.all || !some
	of.resources = s.union(of.resources, resources)
}

func (s *skips) union(a, b []string) []string {
	k := [2]*string{&a[len(a)-1], &b[len(b)-1]}

	// Lists that end in one place have grown to be one.
	if k[0] == k[1] {
		return a
	}

	out, ok := s.unions[k]
	if !ok {
		out = slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
		s.unions[k] = out
	}

	return out
}

// plan adds what the supplied plan has skipped.
func (s *skips) plan(p *plan) {
	for _, l := range p.transformed.Skipped {
		s.add(l, p.profile.Limit(l.Reason), p.profile.Narrow, p.resources)
	}

	for _, l := range p.skipped {
		s.add(l.SkippedLabel, l.Limit, true, p.merged)
	}

	for limit, c := range p.slotless {
		c.each(len(p.tags), func(i int, resources []string) {
			if !p.without.has(i) {
				s.add(p.profile.Skip(p.tags[i], tags.CountCap), limit, true, resources)
			}
		})
	}
}

func (s *skips) sorted() []Skip {
	reasons := tags.SkipReasons()
	out := make([]Skip, 0, len(s.of))

	for k, of := range s.of {
		skip := Skip{SkippedLabel: k.label, Limit: k.limit}
		if !of.all {
			skip.Resources = of.resources
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

// slotless are the resources that have no tag slot for all labels, in order. From some label
// on they have none for any, but for those whose tag is there or not to be.
type slotless struct {
	resources []string

	// cuts are the positions of the first labels without a slot.
	cuts []int

	// but are the resources that don't lack a slot for a label behind the cut, by the
	// position of the label.
	but map[int][]int
}

// each calls the supplied function for each of so many labels that any resource has no slot
// for, with these resources. Labels that lack slots on the same resources share a list.
func (c *slotless) each(labels int, of func(label int, resources []string)) {
	shared := make(map[string][]string)
	cuts := make(map[int]bool)

	for _, cut := range c.cuts {
		cuts[cut] = true
	}

	var lack []int

	for i := range labels {
		if cuts[i] {
			lack = c.lacking(i)
		}

		key := binary.AppendUvarint(nil, uint64(len(lack)))
		for _, r := range c.but[i] {
			key = binary.AppendUvarint(key, uint64(r)) //nolint:gosec // A position.
		}

		list, ok := shared[string(key)]
		if !ok {
			list = c.names(lack, c.but[i])
			shared[string(key)] = list
		}

		if len(list) > 0 {
			of(i, list)
		}
	}
}

// lacking returns the positions of the resources that have no slot for the label at the
// supplied position, nor for most behind it.
func (c *slotless) lacking(label int) []int {
	out := make([]int, 0, len(c.cuts))

	for r, cut := range c.cuts {
		if cut <= label {
			out = append(out, r)
		}
	}

	return out
}

// names of the resources at the supplied positions, but for some.
func (c *slotless) names(of, but []int) []string {
	out := make([]string, 0, len(of))

	for _, r := range of {
		if len(but) > 0 && but[0] == r {
			but = but[1:]
			continue
		}

		out = append(out, c.resources[r])
	}

	return out
}
