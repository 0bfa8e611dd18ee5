package tags

import (
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// A Transformer turns one set of labels into the tags of any profile.
type Transformer struct {
	labels []Label

	// formats of keys, and values are formats of values, by the name of a profile.
	formats, values map[string]profile.Format

	// denied are labels with reserved keys from sources that aren't trusted.
	denied []Label

	// patterns of reserved keys, the set of these keys, which ignores case, and the key prefix.
	patterns     []string
	reservedKeys profile.KeySet
	prefix       string

	// overridden are trusted labels by their tag keys.
	overridden map[string]Label

	done map[*profile.Profile]*Transformed
}

// Transformed has the tags of labels on one profile, in the order in which they take the tag slots of a resource, and the skipped
// labels. Both are sorted by qualified key, but trusted tags come first.
type Transformed struct {
	Tags    []Tag
	Skipped []SkippedTag

	profile *profile.Profile

	// format of keys, and values is the format of values.
	format, values profile.Format

	// prefix of keys.
	prefix string

	// Only trusted labels may have reservedKeys and reservedTagKeys.
	reservedKeys, reservedTagKeys profile.KeySet
}

// Fit returns the tags that a resource with so many free tag slots gets, and all skipped tags, sorted by qualified key. The last
// of three tags is skipped with count-cap if two slots are free.
func (d *Transformed) Fit(slots int) ([]Tag, []SkippedTag) {
	kept := d.Tags[:max(min(len(d.Tags), slots), 0)]
	skipped := slices.Clone(d.Skipped)

	for _, t := range d.Tags[len(kept):] {
		skipped = append(skipped, SkippedTag{Tag: t, Reason: profile.CountCap})
	}

	slices.SortStableFunc(skipped, SkippedTag.compareKeys)

	return kept, skipped
}

// Forges reports whether the string key+separator+value of the tag t can be read as a tag with another key, which t's label may
// not have. With zone reserved, the tag zone=a: b has the string zone=a=b, which is also zone: a=b. Without a separator no
// string can be read in two ways.
func (d *Transformed) Forges(t Tag, separator string) bool {
	if separator == "" {
		return false
	}

	entry := t.Key + separator + t.Value

	_, forged := providersSet.First(entry, separator)
	if !forged && !t.Trusted {
		_, forged = d.reservedTagKeys.First(entry, separator)
	}

	return forged
}

// Reserved returns the tag keys that only trusted labels may have.
func (d *Transformed) Reserved() profile.KeySet { return d.reservedTagKeys }

// QualifiedKey returns the qualified key for a tag key: platform/env for plexsphere:platform/env.
func (d *Transformed) QualifiedKey(tagKey string) string { return strings.TrimPrefix(tagKey, d.prefix) }

// HasPrefix reports whether a tag key begins with the key prefix, as the profile formats that: plexsphere_ on Google Cloud.
// Without a key prefix it is false.
func (d *Transformed) HasPrefix(tagKey string) bool {
	prefix := d.format.Apply(d.format.Prefixed("", d.prefix))
	return prefix != "" && strings.HasPrefix(d.profile.Fold(tagKey), d.profile.Fold(prefix))
}

// TagKeys returns all tag keys that key may mean on the profile, whether it is a label's or a tag's: with and without the prefix,
// and with and without the format.
func (d *Transformed) TagKeys(key string) []string {
	out := []string{key, d.format.Apply(key)}

	for _, whole := range []string{d.prefix + key, d.format.Prefixed(key, d.prefix+key)} {
		out = append(out, whole, d.format.Apply(whole))
	}

	slices.Sort(out)

	return slices.Compact(out)
}

// KeySet returns the tag keys of the profile that match the patterns, with or without the format.
func (d *Transformed) KeySet(patterns ...string) profile.KeySet {
	all := make([]string, 0, 2*len(patterns))
	for _, p := range patterns {
		all = append(all, d.format.Patterns(p, d.prefix)...)
	}

	return d.profile.KeySet(all...)
}

// NewTransformer returns a Transformer of labels. The labels must be sorted by Label.Compare, and no two may have one tag key. The
// formats of keys, by the name of a profile, take the place of the profiles' own.
func NewTransformer(labels []Label, formats map[string]profile.Format) *Transformer {
	return &Transformer{labels: labels, formats: formats, done: make(map[*profile.Profile]*Transformed)}
}

// Reserve reserves keys for trusted labels. A pattern is a key, or the beginning of keys and a *, such as platform/*. The prefix is
// the key prefix. The denied labels have reserved keys, and are skipped.
func (t *Transformer) Reserve(patterns []string, prefix string, denied []Label) {
	t.patterns, t.reservedKeys, t.prefix, t.denied = patterns, profile.NewFoldedKeySet(patterns...), prefix, denied
}

// Overridden takes trusted labels that lost to labels of later sources, the latest last. Such a label stands after all if the key
// of either label turns out to be reserved once it is formatted.
func (t *Transformer) Overridden(labels []Label) {
	t.overridden = make(map[string]Label, len(labels))
	for _, l := range labels {
		t.overridden[l.TagKey] = l
	}
}

// FormatValues sets the formats of values, by the name of a profile. Formatted values are checked.
func (t *Transformer) FormatValues(formats map[string]profile.Format) { t.values = formats }

// Empty reports whether there is no label, not even a denied one.
func (t *Transformer) Empty() bool { return len(t.labels)+len(t.denied) == 0 }

// Transform returns the tags of the labels on the profile p. It does not count them, since a resource may have other tags: see
// Fit. testdata/transform.yaml has cases.
func (t *Transformer) Transform(p *profile.Profile) *Transformed {
	if d, ok := t.done[p]; ok {
		return d
	}

	format, ok := t.formats[p.Name]
	if !ok {
		format = p.Format
	}

	d := &Transformed{
		Tags: make([]Tag, 0, len(t.labels)), profile: p, format: format, values: t.values[p.Name], prefix: t.prefix, reservedKeys: t.reservedKeys,
		reservedTagKeys: profile.NewFoldedKeySet(ReservedTagKeys(format, t.patterns, t.prefix)...),
	}

	for _, l := range t.denied {
		d.skip(d.tag(l), profile.ReservedKey)
	}

	if p.HandsOn {
		d.reservedTagKeys = profile.NewFoldedKeySet() // The Composition that gets the labels reserves keys itself.
	}

	for _, l := range t.labels {
		// The Composition that gets the labels has trusted sources of its own.
		if p.HandsOn && HasReservedKey(d.reservedKeys, l) {
			continue
		}

		r := d.add(l)
		if trusted, ok := t.overridden[l.TagKey]; ok && !l.Trusted && (r == profile.ReservedKey || d.tag(trusted).Reserved) {
			d.add(trusted)
		}
	}

	d.collide()

	slices.SortStableFunc(d.Skipped, SkippedTag.compareKeys)
	slices.SortStableFunc(d.Tags, func(a, b Tag) int { return a.CompareTrust(b.Label) })

	// Labels that are handed on are not reserved: they may be missing.
	for i := range d.Tags {
		d.Tags[i].Trusted = d.Tags[i].Trusted && !p.HandsOn
	}

	t.done[p] = d

	return d
}

// tag returns the tag of the label l, even if l is to be skipped.
func (d *Transformed) tag(l Label) Tag {
	key := l.TagKey

	switch {
	case d.profile.HandsOn:
		key = l.QualifiedKey
	case !l.Unprefixed:
		key = d.format.Prefixed(l.QualifiedKey, key)
	}

	key = d.format.Apply(key)

	return Tag{Label: l, Key: key, Value: d.values.Apply(l.Value), Reserved: HasReservedKey(d.reservedKeys, l) || d.reservedTagKeys.Has(key)}
}

// Judge returns the tag of the label l alone, and the reason to skip it, if there is one. On aws, the label aws:x has the tag
// plexsphere:aws:x and the reason reserved-prefix.
func (d *Transformed) Judge(l Label) (Tag, profile.SkipReason) {
	t := d.tag(l)

	if providersSet.Has(t.Key) && !d.profile.HandsOn || t.Reserved && !t.Trusted {
		return t, profile.ReservedKey
	}

	return t, d.profile.Check(t.QualifiedKey, t.Key, t.Value)
}

// add adds the tag of the label l, or skips it and returns the reason.
func (d *Transformed) add(l Label) profile.SkipReason {
	t, r := d.Judge(l)

	if r != "" {
		d.skip(t, r)
	} else {
		d.Tags = append(d.Tags, t)
	}

	return r
}

func (d *Transformed) skip(t Tag, r profile.SkipReason) {
	d.Skipped = append(d.Skipped, SkippedTag{Tag: t, Reason: r})
}

// collide skips labels that lost their tag key to another label: on Google Cloud, A/b and a_b both come to a_b. On clouds that
// ignore case, Env and env are one key.
func (d *Transformed) collide() {
	key := func(t Tag) string { return t.Key }
	if d.profile.FoldKeys {
		key = func(t Tag) string { return d.profile.Fold(t.Key) }
	}

	winners := make(map[string]int, len(d.Tags))

	for i, t := range d.Tags {
		if w, ok := winners[key(t)]; !ok || t.Beats(d.Tags[w].Label) {
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
			d.Skipped = append(d.Skipped, SkippedTag{Tag: t, Reason: profile.KeyCollision, Kept: all[w].QualifiedKey})
		}
	}
}
