package stamp

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// A Look at a target is what the function sees there and what it decides: for people who want to know why.
type Look struct {
	*locate.Target

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

	// Transformed are the tags of all labels, and Labels the records of all of them, in the order in which they take tag
	// slots. Labels that the profile refuses come last.
	Transformed *tags.Transformed
	Labels      []Judged

	// Tags that are there before anything is decided, in their order.
	Tags []LookedTag

	// Limit says how many tags the resource may have. Free is how many slots were left before anything
	// was decided, which are less than none if there are too many tags.
	Limit string
	Free  int
}

// A LookedTag is a tag that is there.
type LookedTag struct {
	Key, Value string

	// Label that would be the tag of this key, or nil if there is none.
	Label *tags.Tag

	// Manager is the field manager that owns the tag in the observed resource, if it isn't Crossplane's.
	Manager string

	// Rule is the first entry of ignoreTags that names the tag, or the tag of its Label. It is nil if none does.
	Rule *resolve.TagKey
}

// Look at t. An error means that its labels can't be known, or conflict with what is there.
func (s *Stamper) Look(t *locate.Target) (*Look, error) {
	l := &Look{Target: t}

	switch {
	case t.Leave != locate.None:
		l.LeftAlone = t.Why(t.Leave)
	case !t.Managed:
		l.LeftAlone = t.Why(locate.NotSelected)
	default:
		l.LeftAlone = t.Why(t.Lacks)
	}

	if l.LeftAlone != "" {
		return l, nil
	}

	if s.PerResource != nil {
		set, err := s.PerResource.Set(s.composedOf(t))
		if err != nil {
			return nil, &ResolveError{err}
		}

		l.Absent = set.Lost
	}

	s.inItems, s.added = 0, 0

	var launched []LookedField

	own, err := s.planAll(t, func(_, p *plan) {
		if p.launched != "" {
			launched = append(launched, s.look(p))
		}
	})
	if err != nil {
		return nil, err
	}

	l.Fields = append([]LookedField{s.look(own)}, launched...)

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

	remove, ignore := s.Remove, s.Ignore
	if p.HandsOn { // These are for tags.
		remove, ignore = nil, nil
	}

	f.Limit, f.Free = before.limit(), before.free()
	f.addTags(before, p.target.Owners(), ignore)
	f.addLabels(p, before, remove, ignore)

	return f
}

// addTags that are there.
func (f *LookedField) addTags(s *State, owners *locate.Owners, ignore []resolve.TagKey) {
	for e := range s.Tags.All() {
		if e.Opaque {
			continue
		}

		tag := LookedTag{Key: e.Key, Value: tagset.TextOf(e.Value), Manager: owners.Of(e).Manager}
		named := &tags.Tag{Key: tag.Key, Value: tag.Value}

		if i, ok := s.Labels.labelOf(e); ok {
			tag.Label = &s.Labels.all[i].Tag
			named = tag.Label
		}

		tag.Rule = s.Labels.first(ignore, named)
		f.Tags = append(f.Tags, tag)
	}
}

// addLabels of p, and what becomes of them.
func (f *LookedField) addLabels(p *plan, before *State, remove, ignore []resolve.TagKey) {
	for i, j := range slices.Concat(p.judged, p.labels.refused) {
		if j.Fate == TakenAway {
			continue
		}

		if i < len(p.labels.all) {
			label := &p.labels.all[i]
			there := before.Tags.For(&label.entry)
			j.IsThere = there != nil && (there.ID != label.entry.ID || tagset.IsText(there.Value, label.Value))
		}

		if j.Fate == Removed {
			j.Rule = p.labels.first(remove, j.Tag)
		} else {
			j.Rule = p.labels.first(ignore, j.Tag)
		}

		f.Labels = append(f.Labels, j)
	}
}

// Preview returns what becomes of labels on a new resource of the profile p, which has no tags, be it in a map or, where
// the provider takes each tag for one word, in a list of strings.
func (s *Stamper) Preview(labels *tags.Transformer, p *profile.Profile) (LookedField, error) {
	f := &field.Field{Path: object.MustParsePath("spec.forProvider.tags"), Shape: field.Map, ProviderTags: field.ProviderTags(p.Name)}
	if p.FoldEntries {
		f.Shape, f.Separator = field.StringList, cmp.Or(p.Separator, ":")
	}

	t := &locate.Target{Place: &locate.Place{Field: f, Profile: p}, Kind: &locate.TargetKind{}, Profile: p, Resource: object.Tree(&structpb.Struct{})}

	plan, err := s.plan(t, s.resourceLabels(labels).in(t))
	if err != nil {
		return LookedField{}, err
	}

	out := s.look(plan)

	for i := range plan.labels.all {
		j := &out.Labels[i]

		// One word stands for labels that differ in case alone.
		if there := plan.decision.Tags.For(&plan.labels.all[i].entry); j.Fate == Tagged && there.Key != j.Key {
			j.Tag = &tags.Tag{Label: j.Label, Key: there.Key, Value: tagset.TextOf(there.Value)}
		}
	}

	return out, nil
}
