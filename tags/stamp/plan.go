package stamp

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// A fieldKind is what tag fields and their resources differ in, as far as it matters to
// what labels come to.
type fieldKind struct {
	profile *tags.Profile
	shape   field.Shape

	// separator and maxLength of a StringList.
	separator string
	maxLength int
}

// twins are the ids that several of the supplied tags have. Keys that differ only in case
// are one, unless more labels than one have them.
func (k *fieldKind) twins(of []tags.Tag) map[string]bool {
	if !k.profile.FoldEntries {
		return nil
	}

	seen, out := make(map[string]bool, len(of)), make(map[string]bool)

	for _, t := range of {
		id := k.profile.Fold(t.Key)
		if seen[id] {
			out[id] = true
		}

		seen[id] = true
	}

	return out
}

// A plan is what labels come to on all resources with one kind of tag field, as far as it
// doesn't depend on what a resource has. Labels and resources can both be thousands.
type plan struct {
	fieldKind

	transformed *tags.Transformed

	// tags that labels are to be, in the order in which they take tag slots.
	tags []tags.Tag

	// skipped are labels that can't be tags because of the tag field.
	skipped []Skip

	// byID are the positions of tags by their id, and twins those of twins by the key in
	// lower case.
	byID, twins map[string][]int

	// claimed are the reserved keys that tags have, and byClaim the positions of these by
	// the key in lower case. Lost are those of labels of trusted sources that were skipped.
	claimed, lost tags.KeySet
	byClaim       map[string][]int

	// known keys of tags.
	known known

	// remove and ignore tags of these keys.
	remove, ignore []keyRule

	// without are the tags that resources don't get, and those that they only get
	// because they are protected.
	without, protected positions

	// resources that have such a tag field, and those of which it was written or could
	// have been.
	resources, merged []string

	// slotless are labels that resources have no tag slot for, by the limit.
	slotless map[string]*slotless
}

// positions of tags in a plan.
type positions struct {
	// sorted positions, and the key that each stands for.
	sorted []int
	key    map[int]string

	// keys of all, sorted.
	keys []string
}

// newPositions returns the positions of the supplied keys.
func newPositions(key map[int]string) positions {
	return positions{sorted: slices.Sorted(maps.Keys(key)), key: key, keys: slices.Compact(slices.Sorted(maps.Values(key)))}
}

func (p *positions) has(i int) bool {
	_, ok := p.key[i]
	return ok
}

// from returns how many there are from the supplied one on.
func (p *positions) from(i int) int {
	n, _ := slices.BinarySearch(p.sorted, i)
	return len(p.sorted) - n
}

// id of tags with the supplied key, by which held tells them apart.
func (p *plan) id(key string) string {
	if p.shape == field.Map && !p.profile.FoldKeys {
		return key
	}

	return p.known.fold(p.profile, key) + p.separator
}

// planFor the supplied target. It is made once for all that are alike.
func (s *Stamper) planFor(t *Target) *plan {
	k := fieldKind{profile: t.profile, shape: t.field.Shape}
	if k.shape == field.StringList {
		k.separator, k.maxLength = t.field.Separator, t.field.MaxLength
	}

	if p, ok := s.plans[k]; ok {
		return p
	}

	if s.plans == nil {
		s.plans = make(map[fieldKind]*plan)
	}

	s.plans[k] = s.newPlan(k)

	return s.plans[k]
}

func (s *Stamper) newPlan(k fieldKind) *plan {
	p := &plan{fieldKind: k, transformed: s.Transformer.Transform(k.profile), byID: make(map[string][]int), byClaim: make(map[string][]int), slotless: make(map[string]*slotless)}

	p.known.twins, p.twins = k.twins(p.transformed.Tags), make(map[string][]int)

	// What is refused and may claim reserved keys may lose them.
	claimed, lost := []string{}, []string{}

	_, refused := p.transformed.Fit(len(p.transformed.Tags))
	for _, r := range refused {
		if r.Trusted && r.Reserved {
			lost = append(lost, r.Key)
		}
	}

	for _, t := range p.transformed.Tags {
		if r, limit := p.refuses(&t); r != "" {
			p.skipped = append(p.skipped, Skip{SkippedLabel: k.profile.Skip(t, r), Limit: limit})

			if t.Reserved {
				lost = append(lost, t.Key)
			}

			continue
		}

		if t.Reserved {
			claimed = append(claimed, t.Key)
			p.byClaim[tags.FoldKey(t.Key)] = append(p.byClaim[tags.FoldKey(t.Key)], len(p.tags))
		}

		p.byID[p.id(t.Key)] = append(p.byID[p.id(t.Key)], len(p.tags))

		if folded := k.profile.Fold(t.Key); p.known.twins[folded] {
			p.twins[folded] = append(p.twins[folded], len(p.tags))
		}

		p.tags = append(p.tags, t)
	}

	p.claimed, p.lost = tags.NewFoldedKeySet().With(claimed...), tags.NewFoldedKeySet().With(lost...)
	p.remove, p.ignore = keyRules(p.transformed, trustedFirst(s.Remove)), keyRules(p.transformed, s.Ignore)

	if k.shape == field.StringList {
		p.know(slices.Concat(s.Remove, s.Ignore))
	}

	without, protected := make(map[int]string), make(map[int]string)

	for i := range p.tags {
		rule, key := p.match(p.remove, p.entry(&p.tags[i]))

		if rule != nil {
			without[i] = p.tags[i].Key
		} else if key != "" {
			protected[i] = key
		}
	}

	p.without, p.protected = newPositions(without), newPositions(protected)

	return p
}

// refuses returns why no such tag field can have the supplied tag, and the limit that it
// breaks, or nothing.
func (p *plan) refuses(t *tags.Tag) (reason tags.SkipReason, limit string) {
	switch {
	case p.shape == field.StringList && p.transformed.Forges(*t, p.separator):
		return tags.ReservedKey, p.profile.Limit(tags.ReservedKey)
	case p.maxLength > 0 && utf8.RuneCountInString(t.Key+p.separator+t.Value) > p.maxLength:
		return tags.ValueTooLong, fmt.Sprintf("at most %d characters for key, %q and value together", p.maxLength, p.separator)
	default:
		return "", ""
	}
}

// know the keys by which strings are told to be tags: those of labels, of providers, and
// the supplied ones.
func (p *plan) know(others []resolve.TagKey) {
	keys := tags.ProvidersKeys()
	for i := range p.tags {
		keys = append(keys, p.tags[i].Key)
	}

	var exact, patterns []string

	for _, k := range others {
		patterns = append(patterns, k.Pattern)

		// What comes from a field must not hide a tag of a label.
		if !k.Untrusted && !strings.HasSuffix(k.Pattern, "*") {
			exact = append(exact, k.Pattern)
		}
	}

	p.known.keys, p.known.patterns = p.transformed.Keys(exact...).With(keys...), p.transformed.Keys(patterns...)
}

// labelsOf returns the positions of the tags that have the key of the supplied entry, in
// any case if the provider ignores it.
func (p *plan) labelsOf(e *entry) []int {
	if twins := p.twins[p.profile.Fold(e.key)]; len(twins) > 0 {
		return twins
	}

	return p.byID[e.id]
}

// entry is what the supplied tag is in the field.
func (p *plan) entry(t *tags.Tag) *entry {
	e := &entry{id: p.id(t.Key), key: t.Key, value: structpb.NewStringValue(t.Value)}

	if p.shape == field.StringList {
		e.item = structpb.NewStringValue(t.Key + p.separator + t.Value)
	}

	return e
}

// match returns the first of the supplied rules that holds for the supplied tag, or nil if
// none does. It also returns the key for which a rule of a field did not hold, if there
// is one.
func (p *plan) match(rules []keyRule, e *entry) (rule *keyRule, protected string) {
	var reserved string

	for i := range rules {
		r := &rules[i]
		if !r.matches(e) {
			continue
		}

		if p.isProviders(e) {
			return nil, ""
		}

		if reserved == "" && r.untrusted {
			reserved = p.protects(e)
		}

		if !r.untrusted || reserved == "" {
			return r, protected
		}

		protected = reserved
	}

	return nil, protected
}

// isProviders is true if the supplied entry may be taken for a tag that providers set.
func (p *plan) isProviders(e *entry) bool {
	if p.shape != field.StringList {
		return p.transformed.IsProviders(e.key)
	}

	_, ok := p.transformed.ProvidersIn(e.item.GetStringValue(), p.separator)

	return ok || p.transformed.IsProviders(e.key)
}

// reserved returns the reserved key that the supplied entry may be taken for a tag of, if
// there is one. In a list of strings these are all that a separator follows.
func (p *plan) reserved(e *entry) (string, bool) {
	if p.shape == field.StringList {
		return p.transformed.ReservedIn(e.item.GetStringValue(), p.separator)
	}

	return e.key, !e.opaque && p.transformed.IsReserved(e.key)
}

// first returns the first of the supplied keys that the supplied entry may be taken for a
// tag of, if there is one.
func (p *plan) first(keys tags.KeySet, e *entry) (string, bool) {
	if p.shape != field.StringList {
		return e.key, keys.Has(e.key)
	}

	for key := range keys.Of(e.item.GetStringValue(), p.separator) {
		return key, true
	}

	return "", false
}

// protects returns the key that keeps rules of fields from the supplied tag: a reserved
// one, or that of a label of a trusted source. It is empty if there is none.
func (p *plan) protects(e *entry) string {
	if key, ok := p.reserved(e); ok {
		return key
	}

	if p.transformed.IsReserved(e.key) || slices.ContainsFunc(p.labelsOf(e), func(i int) bool { return p.tags[i].Trusted }) {
		return e.key
	}

	return ""
}

// isClouds is true if the key of the supplied entry starts with a prefix that the
// provider keeps to itself. A separator may be part of that.
func (p *plan) isClouds(e *entry) bool {
	return p.profile.Reserves(e.key) || !slices.Contains(p.profile.Unreserved, e.key) && p.profile.Reserves(e.item.GetStringValue())
}
