package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// A Look at a target is what the function sees there and what it decides: for people who want to know why.
type Look struct {
	*target.Target

	// LeftAlone is why the resource's tags are not managed, or empty if they are.
	LeftAlone string

	// Absent are the labels whose expressions have no value for the resource.
	Absent []resolve.Absent

	// Fields are the tag field of the resource, and then those of what it launches. There are none if
	// the resource is left alone.
	Fields []LookedField
}

// A LookedField is a tag field, and what becomes of labels there.
type LookedField struct {
	*field.Field

	// Name is the path of the field. In a list it names the item.
	Name string

	// Mismatch is why the field can't be read or written, or empty if it can.
	Mismatch string

	// Transformed are the tags of all labels, and Labels what becomes of each.
	Transformed *tags.Transformed
	Labels      []LookedLabel

	// CloudRefuses are labels that are tags, but that the API of the cloud refuses.
	CloudRefuses []Skip

	// Tags that are there before anything is decided, in their order.
	Tags []LookedTag

	// Limit says how many tags the resource may have. Free is how many slots were left before anything
	// was decided, which are less than none if there are too many tags.
	Limit string
	Free  int
}

// A LookedLabel is a label, and what becomes of it.
type LookedLabel struct {
	tags.Tag

	Fate Fate

	// As is the tag that it is, or would be if it weren't skipped. It can be spelled in another way than the label, where the provider takes both
	// for one.
	As LookedTag

	// Reason and Limit say why the label is skipped, if it is.
	Reason profile.SkipReason
	Limit  string

	// IsThere is true if the tag was there at the label's value before anything was decided.
	IsThere bool
}

// A Fate is what becomes of a label.
type Fate int

const (
	// Tagged labels are tags.
	Tagged Fate = iota

	// Skipped labels aren't, for a reason.
	Skipped

	// Retained tags have the value that an earlier step set.
	Retained

	// Ignored tags are as the cloud has them, by ignoreTags.
	Ignored

	// Removed tags are not there, by removeTags.
	Removed

	// Undecided labels are those of a field that can't change once the resource is made.
	Undecided
)

// fates of labels whose state is decided.
var fates = map[labelState]Fate{retained: Retained, ignored: Ignored, removed: Removed}

// A LookedTag is a tag that is there.
type LookedTag struct {
	Key, Value string

	// Label that would be the tag of this key, or nil if there is none.
	Label *tags.Tag

	// Manager is the field manager that owns the tag in the observed resource, if it isn't Crossplane's.
	Manager string
}

// Look at t. An error means that its labels can't be known, or conflict with what is there.
func (s *Stamper) Look(t *target.Target) (*Look, error) {
	l := &Look{Target: t}

	switch {
	case t.Leave != target.None:
		l.LeftAlone = t.Why(t.Leave)
	case !t.Managed:
		l.LeftAlone = t.Why(target.NotSelected)
	default:
		l.LeftAlone = t.Why(t.Lacks)
	}

	if l.LeftAlone != "" {
		return l, nil
	}

	if s.PerResource != nil {
		var err error
		if l.Absent, err = s.PerResource.Absent(s.composedOf(t)); err != nil {
			return nil, &ResolveError{err}
		}
	}

	plans, err := s.planAll(t)
	if err != nil {
		return nil, err
	}

	for i, p := range plans {
		if i == 0 || p.launched != "" {
			l.Fields = append(l.Fields, s.look(p))
		}
	}

	return l, nil
}

// look at what p decides.
func (s *Stamper) look(p *plan) LookedField {
	f := LookedField{Field: p.target.Field, Name: p.launched, Mismatch: p.Mismatch, Transformed: p.labels.transformed}
	if f.Name == "" {
		f.Name = f.Path.String()
	}

	// All strings are tags.
	seen := *p.labels
	seen.Keys = *p.labels.allKeys()

	before, err := s.stateOf(newPlan(p.target, &seen))
	if err != nil {
		f.Mismatch = err.Error()
	}

	if f.Mismatch != "" {
		return f
	}

	refused := newSkips()
	refused.addRefused([]*plan{p})
	f.CloudRefuses = refused.sorted(nil)

	f.addTags(before, p.target.Owners())
	f.Limit, f.Free = before.limit(), before.free()
	f.addLabels(p, before)

	return f
}

// addTags that are there.
func (f *LookedField) addTags(s *State, owners *target.Owners) {
	for e := range s.Tags.All() {
		if e.Opaque {
			continue
		}

		tag := LookedTag{Key: e.Key, Value: tagset.TextOf(e.Value), Manager: owners.Of(e).Manager}
		if i, ok := s.Labels.labelOf(e); ok {
			tag.Label = &s.Labels.all[i].Tag
		}

		f.Tags = append(f.Tags, tag)
	}
}

// addLabels of p, and what becomes of them, in the order in which they take tag slots. Those come last that
// no such tag field can have.
func (f *LookedField) addLabels(p *plan, before *State) {
	for i := range p.labels.all {
		label := &p.labels.all[i]
		there := before.Tags.For(&label.entry)
		l := LookedLabel{Tag: label.Tag, As: LookedTag{Key: label.Key, Value: label.Value}}
		l.IsThere = there != nil && (there.ID != label.entry.ID || tagset.IsText(there.Value, label.Value))

		switch d := p.decision; {
		case d == nil || len(d.states) == 0: // Nothing, or only what becomes of reserved keys.
			l.Fate = Undecided
		case d.states[i] == stamped || d.hasText(label):
			e := d.Tags.For(&label.entry)
			l.As = LookedTag{Key: e.Key, Value: tagset.TextOf(e.Value)}
		case d.states[i] == open:
			l.Fate, l.Reason, l.Limit = Skipped, profile.CountCap, d.limit()
		default:
			l.Fate = fates[d.states[i]]
		}

		f.Labels = append(f.Labels, l)
	}

	for i := range f.Transformed.Tags {
		t := &f.Transformed.Tags[i]

		for _, u := range p.labels.unfit {
			if u.label.TagKey == t.Key {
				f.Labels = append(f.Labels, LookedLabel{Tag: *t, As: LookedTag{Key: t.Key, Value: t.Value}, Fate: Skipped, Reason: u.label.Reason, Limit: u.limit})
			}
		}
	}

	for i := range f.Transformed.Refused {
		r := &f.Transformed.Refused[i]
		f.Labels = append(f.Labels, LookedLabel{Tag: r.Tag, As: LookedTag{Key: r.Key, Value: r.Value}, Fate: Skipped, Reason: r.Reason, Limit: limitOf(r, p.target.Profile)})
	}
}
