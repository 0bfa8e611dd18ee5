package tags

// A Transformer turns one set of labels into the tags of any profile.
type Transformer struct {
	labels []Label
	done   map[*Profile]*Transformed
}

// Transformed labels are tags and labels that were skipped, both in the order of
// the labels.
type Transformed struct {
	Tags    []Tag
	Skipped []SkippedLabel
}

// NewTransformer returns a Transformer of the supplied labels, which must be sorted
// by Label.Compare and have distinct tag keys.
func NewTransformer(labels []Label) *Transformer {
	return &Transformer{labels: labels, done: make(map[*Profile]*Transformed)}
}

// Empty is true if there is no label.
func (t *Transformer) Empty() bool { return len(t.labels) == 0 }

// Transform the labels to tags of the supplied profile. How many tags a resource may
// have is not looked at, since it may have some already.
func (t *Transformer) Transform(p *Profile) *Transformed {
	if d, ok := t.done[p]; ok {
		return d
	}

	d := &Transformed{Tags: make([]Tag, 0, len(t.labels)), Skipped: []SkippedLabel{}}

	for _, l := range t.labels {
		tag := Tag{QualifiedKey: l.QualifiedKey, Key: l.TagKey, Value: l.Value, Source: l.Source}
		if r := p.check(tag); r != "" {
			d.Skipped = append(d.Skipped, p.Skip(tag, r))
			continue
		}

		d.Tags = append(d.Tags, tag)
	}

	t.done[p] = d

	return d
}
