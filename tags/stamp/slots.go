package stamp

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// freeSlots is how many more tags the resource may have in the cloud, and its tag field by the
// schema of the kind. It is less than none if there are too many.
func (p *plan) freeSlots() int {
	reserved, providers := p.reservedSlots()
	taken := p.set.Len() + p.countOthers()
	free := p.Profile.MaxTags - reserved - providers - taken

	if most, ok := p.mostInField(); ok {
		free = min(free, most-p.providersInField()-taken)
	}

	return free
}

// fits is true if what needs more tag slots, or none, gets them of those that are free. What needs none
// has its place even if earlier steps alone exceed the cap.
func fits(needs, free int) bool { return needs <= max(free, 0) }

// reservedSlots returns how many slots the input reserves, and how many the provider needs
// for tags that aren't there yet.
func (p *plan) reservedSlots() (reserved, providers int) {
	if p.in.ProviderTags != v1beta1.ProviderTagsNone {
		for _, key := range p.target.Field.ProviderTags {
			if !p.set.Has(p.ID(key)) {
				providers++
			}
		}
	}

	return int(p.in.ReservedTags[p.Profile.Name]), providers
}

// mostInField returns how many entries the schema of the kind admits in the tag field. It is false
// if the schema has no such limit, or isn't known.
func (p *plan) mostInField() (int, bool) {
	l := p.target.Field.Limits
	if l == nil || l.Max < 0 {
		return 0, false
	}

	return l.Max, true
}

// providersInField is how many tags the provider will add to the tag field itself: not only to the
// resource in the cloud.
func (p *plan) providersInField() int {
	if !p.target.Field.AddsToField {
		return 0
	}

	_, providers := p.reservedSlots()

	return providers
}

// countLimit puts how many tags the resource may have: the limit that leaves fewer to labels.
func (p *plan) countLimit() string {
	reserved, providers := p.reservedSlots()
	limit := p.Profile.Limit(profile.CountCap)

	if most, ok := p.mostInField(); ok && most-p.providersInField() < p.Profile.MaxTags-reserved-providers {
		limit = fmt.Sprintf("at most %d tags in %s, by the schema of the kind", most, p.target.Field.Path)
		reserved, providers = 0, p.providersInField()
	}

	if reserved > 0 {
		limit += fmt.Sprintf(", %d of them reserved", reserved)
	}

	if providers > 0 {
		limit += fmt.Sprintf(", %d for those that the provider adds", providers)
	}

	if n := p.countOthers(); n > 0 {
		limit += fmt.Sprintf(", %d of other field managers", n)
	}

	return limit
}

// addRefused adds the labels that are tags of p and of what its resource launches, but that the API
// of the cloud refuses.
func (s *skips) addRefused(p *plan, launched []*plan) {
	s.refusedOf(p)

	for _, q := range launched {
		s.refusedOf(q)
	}
}

// refusedOf adds the labels that are tags of p, but that the API of the cloud refuses, with the
// limit that the API has.
func (s *skips) refusedOf(p *plan) {
	api := p.target.Refuser
	if api == nil || !p.decided {
		return
	}

	positions := p.active()
	for _, i := range positions {
		t := &p.tags[i]
		if reason := api.Check(t.Key, t.Key, t.Value); reason != "" {
			s.skip(skipKey{label: t.Skip(p.Profile.Name, reason), limit: api.Limit(reason)}, p.Resource, false)
		}
	}

	// The last to take a slot are those that the cloud has none for.
	_, providers := p.reservedSlots()
	over := min(p.set.Len()+providers-api.MaxTags, len(positions))

	for _, i := range positions[len(positions)-max(over, 0):] {
		s.alone(p, p.tags[i], profile.CountCap, api.Limit(profile.CountCap))
	}
}

// refusedByCloud are the labels that are tags of p, but that the API of the cloud refuses.
func (p *plan) refusedByCloud() []Skip {
	s := newSkips()
	s.refusedOf(p)

	return s.sorted()
}

// active are the positions of the labels that are tags of the resource, in the order in which they
// take slots.
func (p *plan) active() []int {
	var out []int

	for i := range p.fates {
		if v, ok := p.Active[p.tags[i].Key]; ok && v == p.tags[i].Value {
			out = append(out, i)
		}
	}

	slices.SortFunc(out, cmp.Compare[int])

	return out
}
