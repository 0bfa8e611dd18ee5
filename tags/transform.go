package tags

import (
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// A Transformer turns one set of labels into the tags of any profile.
type Transformer struct {
	labels []Label

	// formats of keys and of values, by the name of a profile.
	formats, values map[string]profile.Format

	// claims are labels that were refused because their keys are reserved.
	claims []Label

	// patterns of reserved keys, the keys that match them, in any case, and the prefix
	// that keys get.
	patterns []string
	claimed  profile.KeySet
	prefix   string

	// overridden trusted labels by tag key.
	overridden map[string]Label

	done map[*profile.Profile]*Transformed
}

// Transformed labels are tags, in the order in which they take the tag slots of a
// resource, and labels that were refused. Both are sorted by qualified key, but
// trusted tags come first.
type Transformed struct {
	Tags    []Tag
	Refused []Refused

	profile *profile.Profile

	// format of keys, and values that of values.
	format, values profile.Format

	// prefix that labels' keys get.
	prefix string

	// claimed are the keys that only trusted labels may have, and reserved the tag keys
	// that only they may have.
	claimed, reserved profile.KeySet
}

// Fit returns the tags that a resource with so many free tag slots gets, and what is refused then,
// sorted by qualified key.
func (d *Transformed) Fit(slots int) ([]Tag, []Refused) {
	kept := d.Tags[:max(min(len(d.Tags), slots), 0)]
	refused := slices.Clone(d.Refused)

	for _, t := range d.Tags[len(kept):] {
		refused = append(refused, Refused{Tag: t, Reason: profile.CountCap})
	}

	slices.SortStableFunc(refused, Refused.compare)

	return kept, refused
}

// Forges is true if an entry of the tag t, with a separator between key and value, could be taken
// for a tag with a key that the label may not have. Keys and values can have the separator in
// them. Without a separator no entry is taken for another one.
func (d *Transformed) Forges(t Tag, separator string) bool {
	if separator == "" {
		return false
	}

	entry := t.Key + separator + t.Value

	_, forged := providersSet.First(entry, separator)
	if !forged && !t.Trusted {
		_, forged = d.reserved.First(entry, separator)
	}

	return forged
}

// Reserved are the tag keys that only trusted labels may have.
func (d *Transformed) Reserved() profile.KeySet { return d.reserved }

// QualifiedKey returns the qualified key of the label that could have become a tag with the tag
// key.
func (d *Transformed) QualifiedKey(tagKey string) string { return strings.TrimPrefix(tagKey, d.prefix) }

// HasPrefix is true if a tag key begins with the prefix that labels' keys get on the profile, if
// they get any.
func (d *Transformed) HasPrefix(tagKey string) bool {
	prefix := d.format.Apply(d.format.Prefixed("", d.prefix))
	return prefix != "" && strings.HasPrefix(d.profile.Fold(tagKey), d.profile.Fold(prefix))
}

// TagKeys returns the tag keys that key, which is a tag's or a label's, can have on the profile:
// before and after the format.
func (d *Transformed) TagKeys(key string) []string {
	out := []string{key, d.format.Apply(key)}

	for _, whole := range []string{d.prefix + key, d.format.Prefixed(key, d.prefix+key)} {
		out = append(out, whole, d.format.Apply(whole))
	}

	slices.Sort(out)

	return slices.Compact(out)
}

// KeySet returns the tag keys of the profile that match the patterns, before or after the format is
// applied to them.
func (d *Transformed) KeySet(patterns ...string) profile.KeySet {
	all := make([]string, 0, 2*len(patterns))
	for _, p := range patterns {
		all = append(all, d.format.Patterns(p, d.prefix)...)
	}

	return d.profile.KeySet(all...)
}

// NewTransformer returns a Transformer of labels, which must be sorted by Label.Compare and have
// distinct tag keys. The formats, by the name of a profile, take the place of the profiles' own.
func NewTransformer(labels []Label, formats map[string]profile.Format) *Transformer {
	return &Transformer{labels: labels, formats: formats, done: make(map[*profile.Profile]*Transformed)}
}

// Reserve the keys that match the patterns for trusted labels. A pattern is a key, or the beginning
// of keys and a *. The prefix is the one that keys get. The claims are labels that were refused
// before: they are skipped.
func (t *Transformer) Reserve(patterns []string, prefix string, claims []Label) {
	t.patterns, t.claimed, t.prefix, t.claims = patterns, profile.NewFoldedKeySet(patterns...), prefix, claims
}

// Overridden are trusted labels that labels which aren't trusted have taken the place
// of, the latest last. Such a label stands after all if it turns out to have a
// reserved key once both are formatted, or if the other one does.
func (t *Transformer) Overridden(labels []Label) {
	t.overridden = make(map[string]Label, len(labels))
	for _, l := range labels {
		t.overridden[l.TagKey] = l
	}
}

// FormatValues sets the formats of values, by the name of a profile. A label's value is checked
// after its format is applied.
func (t *Transformer) FormatValues(formats map[string]profile.Format) { t.values = formats }

// Empty is true if there is no label.
func (t *Transformer) Empty() bool { return len(t.labels)+len(t.claims) == 0 }

// Transform the labels to tags of the profile p. It does not count how many tags a resource may
// have, since the resource may have some already.
func (t *Transformer) Transform(p *profile.Profile) *Transformed {
	if d, ok := t.done[p]; ok {
		return d
	}

	format, ok := t.formats[p.Name]
	if !ok {
		format = p.Format
	}

	d := &Transformed{
		Tags: make([]Tag, 0, len(t.labels)), profile: p, format: format, values: t.values[p.Name], prefix: t.prefix, claimed: t.claimed,
		reserved: profile.NewFoldedKeySet(ReservedTagKeys(format, t.patterns, t.prefix)...),
	}

	for _, l := range t.claims {
		d.refuse(d.tag(l), profile.ReservedKey)
	}

	if p.HandsOn {
		d.reserved = profile.NewFoldedKeySet() // Who gets the labels decides on what is there.
	}

	for _, l := range t.labels {
		// Who gets the labels has its own trusted sources.
		if p.HandsOn && Claims(d.claimed, l) {
			continue
		}

		r := d.add(l)
		if trusted, ok := t.overridden[l.TagKey]; ok && !l.Trusted && (r == profile.ReservedKey || d.tag(trusted).Reserved) {
			d.add(trusted)
		}
	}

	d.collide()

	slices.SortStableFunc(d.Refused, Refused.compare)
	slices.SortStableFunc(d.Tags, func(a, b Tag) int { return a.CompareTrust(b.Label) })

	// Labels that are handed on are not reserved, so they may be missing.
	for i := range d.Tags {
		d.Tags[i].Trusted = d.Tags[i].Trusted && !p.HandsOn
	}

	t.done[p] = d

	return d
}

// tag that the label l becomes, even if the profile refuses it.
func (d *Transformed) tag(l Label) Tag {
	key := l.TagKey

	switch {
	case d.profile.HandsOn:
		key = l.QualifiedKey
	case !l.Unprefixed:
		key = d.format.Prefixed(l.QualifiedKey, key)
	}

	key = d.format.Apply(key)

	return Tag{Label: l, Key: key, Value: d.values.Apply(l.Value), Reserved: Claims(d.claimed, l) || d.reserved.Has(key)}
}

// Judge the label l alone: its tag, and why that is refused, if it is.
func (d *Transformed) Judge(l Label) (Tag, profile.SkipReason) {
	t := d.tag(l)

	if providersSet.Has(t.Key) && !d.profile.HandsOn || t.Reserved && !t.Trusted {
		return t, profile.ReservedKey
	}

	return t, d.profile.Check(t.QualifiedKey, t.Key, t.Value)
}

// add the tag of the label l, unless there is a reason to refuse it.
func (d *Transformed) add(l Label) profile.SkipReason {
	t, r := d.Judge(l)

	if r != "" {
		d.refuse(t, r)
	} else {
		d.Tags = append(d.Tags, t)
	}

	return r
}

func (d *Transformed) refuse(t Tag, r profile.SkipReason) {
	d.Refused = append(d.Refused, Refused{Tag: t, Reason: r})
}

// collide refuses the labels whose tag key a label with more right to it has. Entries
// that differ only in case, but have other values, are not one.
func (d *Transformed) collide() {
	key := func(t Tag) string { return t.Key }
	if d.profile.FoldKeys {
		key = func(t Tag) string { return d.profile.Fold(t.Key) }
	}

	winners := make(map[string]int, len(d.Tags))

	for i, t := range d.Tags {
		if w, ok := winners[key(t)]; !ok || t.Beats(&d.Tags[w].Label) {
			winners[key(t)] = i
		}
	}

	if len(winners) == len(d.Tags) {
		return
	}

	all := d.Tags
	d.Tags = nil

	for i, t := range all {
		if w := winners[key(t)]; w == i {
			d.Tags = append(d.Tags, t)
		} else {
			d.Refused = append(d.Refused, Refused{Tag: t, Reason: profile.KeyCollision, Kept: all[w].QualifiedKey})
		}
	}
}
