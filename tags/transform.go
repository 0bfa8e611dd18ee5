package tags

import "slices"

// A Transformer turns one set of labels into the tags of any profile.
type Transformer struct {
	labels  []Label
	formats map[string]Format
	done    map[*Profile]*Transformed
}

// Transformed labels are tags and labels that were skipped, both sorted by qualified
// key.
type Transformed struct {
	Tags    []Tag
	Skipped []SkippedLabel
}

// NewTransformer returns a Transformer of the supplied labels, which must be sorted
// by Label.Compare and have distinct tag keys. The supplied formats, by the name of
// a profile, take the place of the profiles' own.
func NewTransformer(labels []Label, formats map[string]Format) *Transformer {
	return &Transformer{labels: labels, formats: formats, done: make(map[*Profile]*Transformed)}
}

// Empty is true if there is no label.
func (t *Transformer) Empty() bool { return len(t.labels) == 0 }

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

	d := &Transformed{Tags: make([]Tag, 0, len(t.labels)), Skipped: []SkippedLabel{}}

	for _, l := range t.labels {
		tag := Tag{QualifiedKey: l.QualifiedKey, Key: format.key(l), Value: l.Value, Source: l.Source}
		if r := p.check(tag); r != "" {
			d.Skipped = append(d.Skipped, p.Skip(tag, r))
			continue
		}

		d.Tags = append(d.Tags, tag)
	}

	d.collide(p)
	t.done[p] = d

	return d
}

// Single returns what the labels come to on a single resource that has no tags: the
// tags that the profile admits, and the labels that it skips, sorted by qualified
// key. Of more tags than a resource may have, the lowest qualified keys are kept.
func (t *Transformer) Single(p *Profile) ([]Tag, []SkippedLabel) {
	d := t.Transform(p)
	kept := d.Tags[:min(len(d.Tags), p.MaxTags)]
	skipped := slices.Clone(d.Skipped)

	for _, tag := range d.Tags[len(kept):] {
		skipped = append(skipped, p.Skip(tag, CountCap))
	}

	slices.SortStableFunc(skipped, SkippedLabel.Compare)

	return kept, skipped
}

// collide skips the labels whose tag key a label with more right to it has.
func (d *Transformed) collide(p *Profile) {
	winners := make(map[string]int, len(d.Tags))

	for i, t := range d.Tags {
		w, ok := winners[p.Fold(t.Key)]
		if !ok || t.Source > d.Tags[w].Source {
			winners[p.Fold(t.Key)] = i
		}
	}

	if len(winners) == len(d.Tags) {
		return
	}

	won := make([]Tag, 0, len(winners))

	for i, t := range d.Tags {
		if winners[p.Fold(t.Key)] == i {
			won = append(won, t)
			continue
		}

		d.Skipped = append(d.Skipped, p.Skip(t, KeyCollision))
	}

	d.Tags = won

	slices.SortStableFunc(d.Skipped, SkippedLabel.Compare)
}
