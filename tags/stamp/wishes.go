package stamp

import (
	"maps"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// wishes are what is asked of all resources with one kind of tag field, as far as it
// doesn't depend on what a resource has. Labels and resources can both be thousands.
type wishes struct {
	tagset.Keys

	transformed *tags.Transformed

	// tags that labels are to be, in the order in which they take tag slots, and the
	// entry of each.
	tags    []tags.Tag
	entries []tagset.Entry

	// refused are labels that can't be tags because of the tag field.
	refused []Skip

	// byID are the positions of tags by their ID, and twins those of twins by the key in
	// lower case.
	byID, twins map[string][]int

	// claimed are the reserved keys that tags have, and byClaim the first positions of
	// these by the key in lower case. Lost are those of labels of trusted sources that
	// were skipped.
	claimed, lost profile.KeySet
	byClaim       map[string]int

	// remove and ignore tags of these keys.
	remove, ignore []keyRule

	// without are the tags that resources don't get, and protected those that they only
	// get because they are protected.
	without, protected positions

	// providers are the keys of tags that the provider sets itself.
	providers tagset.Keys

	// skipped are the labels that the profile refuses, once somebody asks.
	skipped []skipKey
}

// refusedKeys returns the labels that the profile refuses, and the limits that they break.
func (w *wishes) refusedKeys() []skipKey {
	if len(w.skipped) == 0 && len(w.transformed.Refused) > 0 {
		for _, l := range tags.Skips(w.Profile.Name, w.transformed.Refused) {
			w.skipped = append(w.skipped, skipKey{label: l, limit: w.Profile.Limit(l.Reason)})
		}
	}

	return w.skipped
}

// positions of tags among the wishes.
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

// resourceLabels are the labels of one resource, or of all if they are the same, and what they
// come to in each kind of tag field.
type resourceLabels struct {
	*tags.Transformer

	stamper *Stamper
	wishes  map[tagset.Kind]*wishes
}

// labelsOf returns the labels of t: those that all resources have, or its own. Its own are not
// kept, since there can be a thousand of each of a thousand resources.
func (s *Stamper) labelsOf(t *target.Target) (*resourceLabels, error) {
	if s.PerResource != nil {
		own, err := s.PerResource.Transformer(s.composedOf(t))
		if err != nil {
			return nil, &ResolveError{err}
		}

		return s.newLabels(own), nil
	}

	if s.shared == nil {
		s.shared = s.newLabels(s.Transformer)
	}

	return s.shared, nil
}

func (s *Stamper) newLabels(t *tags.Transformer) *resourceLabels {
	return &resourceLabels{Transformer: t, stamper: s, wishes: make(map[tagset.Kind]*wishes)}
}

// wishesFor resources like t. They are made once.
func (l *resourceLabels) wishesFor(t *target.Target) *wishes {
	k := tagset.KindOf(t.Field, t.Profile)

	w, ok := l.wishes[k]
	if !ok {
		w = l.stamper.newWishes(k, l.Transform(k.Profile))
		l.wishes[k] = w
	}

	return w
}

// wishesFrom what labels come to, in tag fields of the supplied kind. No tags are to be removed or
// ignored yet.
func wishesFrom(k tagset.Kind, d *tags.Transformed) *wishes {
	n := len(d.Tags)
	w := &wishes{
		transformed: d,
		tags:        make([]tags.Tag, 0, n), entries: make([]tagset.Entry, 0, n),
		byID: make(map[string][]int, n), byClaim: make(map[string]int), twins: make(map[string][]int),
		providers: tagset.Keys{Kind: k, Known: k.Profile.KeySet(tags.ProvidersKeys()...)},
	}
	w.Keys = tagset.NewKeys(k, w.transformed.Tags)

	// What is refused and may claim reserved keys may lose them.
	var claimed, lost []string

	for _, r := range w.transformed.Refused {
		if r.Trusted && r.Reserved {
			lost = append(lost, r.Key)
		}
	}

	for _, t := range w.transformed.Tags {
		switch {
		case !w.take(t) && t.Reserved:
			lost = append(lost, t.Key)
		case t.Reserved:
			claimed = append(claimed, t.Key)
		}
	}

	w.claimed, w.lost = profile.NewFoldedKeySet().With(claimed...), profile.NewFoldedKeySet().With(lost...)

	return w
}

func (s *Stamper) newWishes(k tagset.Kind, d *tags.Transformed) *wishes {
	w := wishesFrom(k, d)
	w.remove, w.ignore = keyRules(w.transformed, s.Remove), keyRules(w.transformed, s.Ignore)

	if k.Shape == field.StringList {
		w.know(slices.Concat(s.Remove, s.Ignore))
	}

	without, protected := make(map[int]string), make(map[int]string)

	if len(w.remove) > 0 {
		for i := range w.entries {
			if rule, key := w.match(w.remove, &w.entries[i]); rule != nil {
				without[i] = w.tags[i].Key
			} else if key != "" {
				protected[i] = key
			}
		}
	}

	w.without, w.protected = newPositions(without), newPositions(protected)

	return w
}

// claims is true if a tag has the reserved key, which is folded.
func (w *wishes) claims(key string) bool {
	_, ok := w.byClaim[key]
	return ok
}

// take the supplied tag, unless no such tag field can have it.
func (w *wishes) take(t tags.Tag) bool {
	if r, limit := w.refuses(&t); r != "" {
		w.refused = append(w.refused, Skip{SkippedLabel: t.Skip(w.Profile.Name, r), Limit: limit})
		return false
	}

	i := len(w.tags)
	e := w.Entry(&t)
	w.tags, w.entries = append(w.tags, t), append(w.entries, e)
	w.byID[e.ID] = append(w.byID[e.ID], i)

	if folded := w.Profile.Fold(t.Key); w.Twins[folded] {
		w.twins[folded] = append(w.twins[folded], i)
	}

	if t.Reserved {
		if key := profile.FoldKey(t.Key); !w.claims(key) {
			w.byClaim[key] = i
		}
	}

	return true
}

// refuses returns why no such tag field can have the supplied tag, and the limit that it
// breaks, or nothing.
func (w *wishes) refuses(t *tags.Tag) (reason profile.SkipReason, limit string) {
	if w.transformed.Forges(*t, w.Separator) {
		return profile.ReservedKey, w.Profile.Limit(profile.ReservedKey)
	}

	return w.Refuses(t.Key, t.Value)
}

// know the keys by which strings are told to be tags: those of labels, of providers, and
// the supplied ones.
func (w *wishes) know(others []resolve.TagKey) {
	keys := tags.ProvidersKeys()
	for i := range w.tags {
		keys = append(keys, w.tags[i].Key)
	}

	var exact, patterns []string

	for _, k := range others {
		patterns = append(patterns, k.Pattern)

		// What comes from a field must not hide a tag of a label.
		if !k.Untrusted && !strings.HasSuffix(k.Pattern, "*") {
			exact = append(exact, k.Pattern)
		}
	}

	w.Known, w.Patterns = w.transformed.Keys(exact...).With(keys...), w.transformed.Keys(patterns...)
}

// labelsOf returns the positions of the tags that have the key of the supplied entry, in
// any case if the provider ignores it.
func (w *wishes) labelsOf(e *tagset.Entry) []int {
	if twins := w.twins[w.Profile.Fold(e.Key)]; len(twins) > 0 {
		return twins
	}

	return w.byID[e.ID]
}

// match returns the first of the supplied rules that holds for the supplied tag, or nil if
// none does. It also returns the key for which a rule of a field did not hold, if there
// is one.
func (w *wishes) match(rules []keyRule, e *tagset.Entry) (rule *keyRule, protected string) {
	for i := range rules {
		r := &rules[i]
		if !r.matches(e) {
			continue
		}

		if w.isProviders(e) {
			return nil, ""
		}

		key := ""
		if r.untrusted {
			key = w.protects(e)
		}

		if key == "" {
			return r, protected
		}

		protected = key
	}

	return nil, protected
}

// isProviders is true if the supplied entry may be taken for a tag that providers set.
func (w *wishes) isProviders(e *tagset.Entry) bool {
	_, ok := e.First(tags.ProvidersKeySet())
	return ok || tags.ProvidersKeySet().Has(e.Key)
}

// reserved returns the reserved key that the supplied entry may be taken for a tag of, if
// there is one.
func (w *wishes) reserved(e *tagset.Entry) (string, bool) { return e.First(w.transformed.Reserved()) }

// protects returns the key that keeps rules of fields from the tag e: a reserved one, that of a
// label of a trusted source, or, among labels and annotations of Kubernetes, one that is no
// label's. It is empty if there is none.
func (w *wishes) protects(e *tagset.Entry) string {
	if key, ok := w.reserved(e); ok {
		return key
	}

	// What else is in the metadata of an object is no cloud tag.
	if w.Metadata != "" && len(w.labelsOf(e)) == 0 && !w.transformed.HasPrefix(e.Key) {
		return e.Key
	}

	if w.transformed.Reserved().Has(e.Key) || slices.ContainsFunc(w.labelsOf(e), func(i int) bool { return w.tags[i].Trusted }) {
		return e.Key
	}

	return ""
}

// isClouds is true if the key of the supplied entry is taken, or starts with a prefix that
// the provider keeps to itself. A separator may be part of that.
func (w *wishes) isClouds(e *tagset.Entry) bool {
	return w.Profile.Takes(e.Key) || w.Profile.Reserves(e.Key) || !slices.Contains(w.Profile.Unreserved, e.Key) && w.Profile.Reserves(e.String())
}
