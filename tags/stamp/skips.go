package stamp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
)

// A Skip is a label that was skipped.
type Skip struct {
	tags.SkippedLabel

	// Limit that the label broke, in a few words.
	Limit string

	// Resources for which it was skipped, or nil if it was skipped for every
	// resource that has the tag profile.
	Resources []string
}

// takenAway is why an earlier step's tag with a reserved key is there no longer.
const takenAway = "an earlier step set it, which only trusted sources may"

// skips are labels that were skipped and the limits that they broke.
type skips struct {
	of map[skipKey]*skippedFor

	// unions of lists of resources, by the lists: labels that are skipped for the same
	// resources share one.
	unions map[[2]*string][]string

	// tallies of resources by what is wished of them.
	tallies map[*wishes]*tally

	// single are labels that were skipped for reasons that single resources have.
	single map[skipKey][]string
}

type skipKey struct {
	label tags.SkippedLabel
	limit string
}

// skippedFor are the resources that a label was skipped for, sorted.
type skippedFor struct {
	resources []string

	// some resources of the profile have to be named, since it is not all of them.
	some bool

	// more resources are those whose labels differ from others', in no order. They have to
	// be named unless all of the profile are here.
	more []string
}

// A tally of the resources with one kind of tag field.
type tally struct {
	// resources that have such a tag field, and those of which it was decided.
	resources, decided []string

	// slotless are labels that resources have no tag slot for, by the limit.
	slotless map[string]*slotless
}

func newSkips() *skips {
	return &skips{
		of: make(map[skipKey]*skippedFor), unions: make(map[[2]*string][]string),
		tallies: make(map[*wishes]*tally), single: make(map[skipKey][]string),
	}
}

// add what the supplied plan skips.
func (s *skips) add(p *plan) {
	t, ok := s.tallies[p.wishes]
	if !ok {
		t = &tally{slotless: make(map[string]*slotless)}
		s.tallies[p.wishes] = t
	}

	t.resources = append(t.resources, p.Resource)
	if !p.decided {
		return
	}

	t.decided = append(t.decided, p.Resource)
	t.cut(p)

	s.takenFrom(p)

	for _, i := range p.cutIgnored() {
		s.alone(p, p.tags[i], tags.CountCap, p.countLimit())
	}
}

// addLaunched adds what the supplied plan for what a resource launches skips, but for what that for
// the resource itself does.
func (s *skips) addLaunched(q, own *plan) {
	if !q.decided {
		return
	}

	s.takenFrom(q)

	for i := q.cut; i < len(q.tags); i++ {
		if own.wishes == q.wishes && own.decided && i >= own.cut {
			break
		}

		if _, decided := q.fates[i]; !decided && !q.without.has(i) {
			s.alone(q, q.tags[i], tags.CountCap, q.countLimit())
		}
	}

	// What is behind the cut of the resource's own tags may have been there.
	if own.wishes == q.wishes {
		for i := range own.fates {
			if _, decided := q.fates[i]; !decided && i >= max(q.cut, own.cut) && !q.without.has(i) {
				s.alone(q, q.tags[i], tags.CountCap, q.countLimit())
			}
		}
	}
}

// takenFrom the supplied plan's field are tags of earlier steps.
func (s *skips) takenFrom(p *plan) {
	for _, key := range p.taken {
		s.alone(p, tags.Tag{Label: tags.Label{QualifiedKey: p.transformed.QualifiedKey(key)}, Key: key}, tags.ReservedKey, takenAway)
	}
}

// alone skips a label for a reason that the supplied plan's resource has alone.
func (s *skips) alone(p *plan, l tags.Tag, r tags.SkipReason, limit string) {
	k := skipKey{label: p.Profile.Skip(l, r), limit: limit}
	if of := s.single[k]; len(of) == 0 || of[len(of)-1] != p.Resource {
		s.single[k] = append(of, p.Resource)
	}
}

// cut off the labels that the supplied plan has no slots for.
func (t *tally) cut(p *plan) {
	if p.cut == len(p.tags) {
		return
	}

	limit := p.countLimit()

	c, ok := t.slotless[limit]
	if !ok {
		c = &slotless{but: make(map[int][]int)}
		t.slotless[limit] = c
	}

	for i := range p.fates {
		if i >= p.cut && !p.without.has(i) {
			c.but[i] = append(c.but[i], len(c.resources))
		}
	}

	c.resources = append(c.resources, p.Resource)
	c.cuts = append(c.cuts, p.cut)
}

// skip a label for the supplied resources, which are sorted and of which the same is wished.
func (s *skips) skip(w *wishes, k skipKey, some bool, resources []string) {
	if len(resources) == 0 {
		return
	}

	of, ok := s.of[k]
	if !ok {
		of = &skippedFor{some: some}
		s.of[k] = of
	}

	of.some = of.some && some

	switch {
	case w.differ:
		of.more = append(of.more, resources...)
	case of.resources == nil:
		of.resources = resources
	default:
		of.resources = s.union(of.resources, resources)
	}
}

// named are the resources of the supplied label that have to be named, if the profile has so
// many of them.
func (of *skippedFor) named(all int) []string {
	names := of.resources
	if len(of.more) > 0 {
		names = slices.Compact(slices.Sorted(slices.Values(slices.Concat(of.resources, of.more))))
	}

	if !of.some && (len(of.more) == 0 || len(names) == all) {
		return nil
	}

	return names
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

// sorted labels that were skipped.
func (s *skips) sorted() []Skip {
	all := make(map[string]int)

	for w, t := range s.tallies {
		all[w.Profile.Name] += len(t.resources)

		for _, l := range w.Profile.Skips(w.transformed.Refused) {
			s.skip(w, skipKey{label: l, limit: w.Profile.Limit(l.Reason)}, w.Profile.Narrow, t.resources)
		}

		for _, l := range w.refused {
			s.skip(w, skipKey{label: l.SkippedLabel, limit: l.Limit}, true, t.decided)
		}

		for limit, c := range t.slotless {
			c.each(len(w.tags), func(i int, resources []string) {
				if !w.without.has(i) {
					s.skip(w, skipKey{label: w.Profile.Skip(w.tags[i], tags.CountCap), limit: limit}, true, resources)
				}
			})
		}
	}

	for k, resources := range s.single {
		s.skip(&wishes{}, k, true, resources)
	}

	reasons := tags.SkipReasons()
	out := make([]Skip, 0, len(s.of))

	for k, of := range s.of {
		out = append(out, Skip{SkippedLabel: k.label, Limit: k.limit, Resources: of.named(all[k.label.Provider])})
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

// each calls the supplied function for each of so many labels, with the resources that have no
// slot for it, if there are any. Labels that lack slots on the same resources share a list.
func (c *slotless) each(labels int, of func(label int, resources []string)) {
	type lack struct {
		cut int
		but string
	}

	lists := make(map[lack][]string)
	cuts := slices.Sorted(slices.Values(c.cuts))

	for i := range labels {
		k := lack{}
		k.cut, _ = slices.BinarySearch(cuts, i+1)

		if len(c.but[i]) > 0 {
			k.but = fmt.Sprint(c.but[i])
		}

		list, ok := lists[k]
		if !ok {
			list = c.lacking(i)
			lists[k] = list
		}

		of(i, list)
	}
}

// lacking returns the resources that have no slot for the label at the supplied position.
func (c *slotless) lacking(label int) []string {
	var out []string

	for r, name := range c.resources {
		if _, has := slices.BinarySearch(c.but[label], r); !has && c.cuts[r] <= label {
			out = append(out, name)
		}
	}

	return out
}
