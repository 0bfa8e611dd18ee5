package tags

import (
	"cmp"
	"slices"
	"strings"
)

// A Transformer turns one set of labels into the tags of any profile.
type Transformer struct {
	labels  []Label
	formats map[string]Format

	// claims are labels that were refused because they claim reserved keys.
	claims   []Label
	reserved reservation

	// overridden trusted labels by tag key.
	overridden map[string]Label

	done map[*Profile]*Transformed
}

// Transformed labels are tags, in the order in which they take the tag slots of a
// resource, and labels that were skipped. Both are sorted by qualified key, but
// trusted tags come first.
type Transformed struct {
	Tags    []Tag
	Skipped []SkippedLabel

	// refused is what was skipped, in the same order.
	refused []Refused

	profile *Profile
	format  Format

	// prefix that labels' keys get.
	prefix string

	// reserved are the tag keys that only trusted labels may have.
	reserved KeySet
}

// Refused is a tag that a label would have become, and why it didn't.
type Refused struct {
	Tag

	Reason SkipReason
}

// Fit returns the tags that a resource with the supplied number of free tag slots
// gets, and what is refused then, sorted by qualified key.
func (d *Transformed) Fit(slots int) ([]Tag, []Refused) {
	kept := d.Tags[:max(min(len(d.Tags), slots), 0)]
	refused := slices.Clone(d.refused)

	for _, t := range d.Tags[len(kept):] {
		refused = append(refused, Refused{Tag: t, Reason: CountCap})
	}

	slices.SortStableFunc(refused, Refused.compare)

	return kept, refused
}

// compare orders what is refused by qualified keys, and these by tag keys.
func (r Refused) compare(o Refused) int {
	return cmp.Or(strings.Compare(r.QualifiedKey, o.QualifiedKey), strings.Compare(r.Key, o.Key))
}

func (d *Transformed) refuse(t Tag, r SkipReason) {
	d.refused = append(d.refused, Refused{Tag: t, Reason: r})
}

// Forges is true if an entry of the supplied tag, with a separator between key and
// value, could be taken for a tag with a key that the label may not claim. Keys and
// values can have the separator in them.
func (d *Transformed) Forges(t Tag, separator string) bool {
	entry := t.Key + separator + t.Value

	_, forged := providersSet.First(entry, separator)
	if !forged && !t.Trusted {
		_, forged = d.reserved.First(entry, separator)
	}

	return forged
}

// Reserved are the tag keys that only trusted labels may have.
func (d *Transformed) Reserved() KeySet { return d.reserved }

// QualifiedKey returns the qualified key of the label that the supplied tag key could be
// of.
func (d *Transformed) QualifiedKey(tagKey string) string { return strings.TrimPrefix(tagKey, d.prefix) }

// Keys returns the tag keys of the profile that the supplied patterns match, before or
// after a format is applied to them.
func (d *Transformed) Keys(patterns ...string) KeySet {
	all := make([]string, 0, 2*len(patterns))
	for _, p := range patterns {
		all = append(all, d.format.patterns(p, d.prefix)...)
	}

	return d.profile.KeySet(all...)
}

// NewTransformer returns a Transformer of the supplied labels, which must be sorted
// by Label.Compare and have distinct tag keys. The supplied formats, by the name of
// a profile, take the place of the profiles' own.
func NewTransformer(labels []Label, formats map[string]Format) *Transformer {
	return &Transformer{labels: labels, formats: formats, done: make(map[*Profile]*Transformed)}
}

// Reserve the keys that match the supplied patterns, each a key or the beginning of
// keys and a *, for trusted labels. The supplied prefix is the one that keys get.
// The supplied claims are labels that were refused before, and are skipped.
func (t *Transformer) Reserve(patterns []string, prefix string, claims []Label) {
	t.reserved = reservation{patterns: patterns, claimed: NewFoldedKeySet(patterns...), prefix: prefix}
	t.claims = claims
}

// Overridden are trusted labels that labels which aren't trusted have taken the place
// of, the latest last. Such a label stands after all if it turns out to have a
// reserved key once both are formatted, or the other one to claim one.
func (t *Transformer) Overridden(labels []Label) {
	t.overridden = make(map[string]Label, len(labels))
	for _, l := range labels {
		t.overridden[l.TagKey] = l
	}
}

// Empty is true if there is no label.
func (t *Transformer) Empty() bool { return len(t.labels)+len(t.claims) == 0 }

// Transform the labels to tags of the supplied profile. How many tags a resource may
// have is not looked at, since it may have some already.
func (t *Transformer) Transform(p *Profile) *Transformed {
	if d, ok := t.done[p]; ok {
		return d
	}

	format, ok := t.formats[p.Name]
	if !ok {
		format = p.Format
	}

	d := &Transformed{
		Tags:     make([]Tag, 0, len(t.labels)),
		Skipped:  []SkippedLabel{},
		profile:  p,
		format:   format,
		prefix:   t.reserved.prefix,
		reserved: NewFoldedKeySet(ReservedTagKeys(format, t.reserved.patterns, t.reserved.prefix)...),
	}

	for _, l := range t.claims {
		d.refuse(tagOf(l, format), ReservedKey)
	}

	claims := func(l Label, key string) bool { return Claims(t.reserved.claimed, l) || d.reserved.Has(key) }
	add := func(l Label) SkipReason {
		tag := tagOf(l, format)
		tag.Reserved = claims(l, tag.Key)

		r := p.check(tag)
		if providersSet.Has(tag.Key) || tag.Reserved && !tag.Trusted {
			r = ReservedKey
		}

		if r == "" {
			d.Tags = append(d.Tags, tag)
		} else {
			d.refuse(tag, r)
		}

		return r
	}

	for _, l := range t.labels {
		r := add(l)
		if trusted, ok := t.overridden[l.TagKey]; ok && !l.Trusted && (r == ReservedKey || claims(trusted, format.key(trusted))) {
			add(trusted)
		}
	}

	d.collide(p)

	slices.SortStableFunc(d.refused, Refused.compare)

	for _, r := range d.refused {
		d.Skipped = append(d.Skipped, p.Skip(r.Tag, r.Reason))
	}

	slices.SortStableFunc(d.Tags, func(a, b Tag) int {
		switch {
		case a.Trusted == b.Trusted:
			return 0
		case a.Trusted:
			return -1
		default:
			return 1
		}
	})

	t.done[p] = d

	return d
}

// Single returns what the labels come to on a single resource that has no tags: the
// tags that the profile admits, and the labels that it skips, sorted by qualified
// key. Of more tags than a resource may have, the lowest qualified keys are kept.
func (t *Transformer) Single(p *Profile) ([]Tag, []SkippedLabel) {
	kept, refused := t.Transform(p).Fit(p.MaxTags)

	skipped := make([]SkippedLabel, len(refused))
	for i, r := range refused {
		skipped[i] = p.Skip(r.Tag, r.Reason)
	}

	return kept, skipped
}

// tagOf the supplied label, whatever the profile says of it.
func tagOf(l Label, f Format) Tag {
	return Tag{QualifiedKey: l.QualifiedKey, TagKey: l.TagKey, Key: f.key(l), Value: l.Value, Source: l.Source, Trusted: l.Trusted}
}

// collide skips the labels whose tag key a label with more right to it has.
func (d *Transformed) collide(p *Profile) {
	// Entries that differ only in case, but have other values, are not one.
	fold := func(key string) string {
		if p.FoldKeys {
			return p.Fold(key)
		}

		return key
	}

	winners := make(map[string]int, len(d.Tags))

	for i, t := range d.Tags {
		w, ok := winners[fold(t.Key)]
		if !ok || t.Trusted && !d.Tags[w].Trusted || t.Trusted == d.Tags[w].Trusted && t.Source.Later(d.Tags[w].Source) {
			winners[fold(t.Key)] = i
		}
	}

	if len(winners) == len(d.Tags) {
		return
	}

	won := make([]Tag, 0, len(winners))

	for i, t := range d.Tags {
		if winners[fold(t.Key)] == i {
			won = append(won, t)
			continue
		}

		d.refuse(t, KeyCollision)
	}

	d.Tags = won
}
