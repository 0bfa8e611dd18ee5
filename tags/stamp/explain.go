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

// A Look at a target has its tags, and the decision on each label. The command explain prints it.
type Look struct {
	*locate.Target

	// LeftAlone is why the resource's tags are not managed, or empty if they are.
	LeftAlone string

	// Absent are the labels whose expressions have no value for the resource.
	Absent []resolve.ValuelessLabel

	// Fields are the tag field of the resource, and then its fields for launched resources. There are none if the
	// resource is left alone.
	Fields []LookedField
}

// A LookedField is a tag field, with its tags and the records of labels.
type LookedField struct {
	*field.Field

	// Name is the path of the field. In a list, the name has the key of the item.
	Name string

	// Mismatch is why the field can't be read or written, or empty if it can.
	Mismatch string

	// Transformed are the tags of all labels, and Labels the records of all labels, in the order in which they take tag
	// slots. Labels that the profile skips come last.
	Transformed *tags.Transformed
	Labels      []Judged

	// Tags of the field before anything is decided, in their order.
	Tags []LookedTag

	// Limit says how many tags the resource may have. Free is how many slots were free before anything was decided.
	// With too many tags, it is negative.
	Limit string
	Free  int
}

// A LookedTag is a tag of a field.
type LookedTag struct {
	Key, Value string

	// Label whose tag has this key, or nil if there is none.
	Label *tags.Tag

	// Manager is the field manager that owns the tag in the observed resource, if it isn't Crossplane's.
	Manager string

	// NamedBy is the first entry of ignoreTags that names the tag, or the tag of its Label, or nil if none does.
	NamedBy *resolve.TagPattern
}

// Look returns a Look at t, and changes nothing. If the Composition desires env: dev, and the label env: prod has onConflict Retain,
// the Look has the tag env: dev and a record with the fate Retained. It returns an error if the labels can't be resolved, or if
// a label conflicts with a tag.
func (s *Stamper) Look(t *locate.Target) (*Look, error) {
	l := &Look{Target: t}

	switch {
	case t.LeaveReason != locate.None:
		l.LeftAlone = t.WhyLeftAlone(t.LeaveReason)
	case !t.Selected:
		l.LeftAlone = t.WhyLeftAlone(t.Unselected())
	default:
		l.LeftAlone = t.WhyLeftAlone(t.NoFieldReason)
	}

	if l.LeftAlone != "" {
		return l, nil
	}

	if s.PerResource != nil {
		set, err := s.PerResource.LabelSetOf(s.composedOf(t))
		if err != nil {
			return nil, &ResolveError{err}
		}

		l.Absent = set.ValuelessLabels
	}

	s.inItems, s.added = 0, 0

	var launched []LookedField

	ownField, err := s.planAll(t, func(_, p *plan) {
		if p.launched != "" {
			launched = append(launched, s.lookedField(p))
		}
	})
	if err != nil {
		return nil, err
	}

	l.Fields = append([]LookedField{s.lookedField(ownField)}, launched...)

	return l, nil
}

// lookedField returns the tags and labels of the plan p for people. In a list of strings, it counts each string as a tag, even a
// string without a value such as note.
func (s *Stamper) lookedField(p *plan) LookedField {
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

	remove, ignore := s.RemoveTags, s.IgnoreTags
	if p.PassesLabelsOn { // Entries of removeTags and ignoreTags are for tags.
		remove, ignore = nil, nil
	}

	f.Limit, f.Free = before.limitText(), before.freeSlots()
	f.addTags(before, p.target.Owners(), ignore)
	f.addLabels(p, before, remove, ignore)

	return f
}

// addTags adds the tags of the state. If kubectl edit has set owner: me, that tag has the manager kubectl-edit.
func (f *LookedField) addTags(s *State, owners *locate.Owners, ignore []resolve.TagPattern) {
	for e := range s.Tags.All() {
		if e.Opaque {
			continue
		}

		tag := LookedTag{Key: e.Key, Value: tagset.TextOf(e.Value), Manager: owners.Of(e).Manager}
		named := &tags.Tag{Key: tag.Key, Value: tag.Value}

		if i, ok := s.Labels.positionOf(e); ok {
			tag.Label = &s.Labels.all[i].Tag
			named = tag.Label
		}

		tag.NamedBy = s.Labels.firstNaming(ignore, named)
		f.Tags = append(f.Tags, tag)
	}
}

// addLabels adds the records of p's labels. The record of the label env: prod has IsThere if the field had env: prod before.
func (f *LookedField) addLabels(p *plan, before *State, remove, ignore []resolve.TagPattern) {
	for i, j := range slices.Concat(p.judged, p.labels.skipped) {
		if j.Fate == TakenAway {
			continue
		}

		if i < len(p.labels.all) {
			label := &p.labels.all[i]
			present := before.Tags.Counterpart(&label.entry)
			j.IsThere = present != nil && (present.ID != label.entry.ID || tagset.IsText(present.Value, label.Value))
		}

		if j.Fate == Removed {
			j.NamedBy = p.labels.firstNaming(remove, j.Tag)
		} else {
			j.NamedBy = p.labels.firstNaming(ignore, j.Tag)
		}

		f.Labels = append(f.Labels, j)
	}
}

// Preview returns the records of labels on a new resource of the profile p, e.g. Skipped for platform/größe on generic.
// The resource has no tags yet. Its tag field is a map, or a list of strings where the provider's tags are strings.
func (s *Stamper) Preview(labels *tags.Transformer, p *profile.Profile) (LookedField, error) {
	f := &field.Field{Path: object.MustParsePath("spec.forProvider.tags"), Shape: field.Map, ProviderTags: field.ProviderTags(p.Name)}
	if p.FoldEntries {
		f.Shape, f.Separator = field.StringList, cmp.Or(p.Separator, ":")
	}

	t := &locate.Target{Place: &locate.Place{Field: f, Profile: p}, Kind: &locate.TargetKind{}, Profile: p, Resource: object.Tree(&structpb.Struct{})}

	plan, err := s.planField(t, s.newResourceLabels(labels).labelsFor(t))
	if err != nil {
		return LookedField{}, err
	}

	out := s.lookedField(plan)

	for i := range plan.labels.all {
		j := &out.Labels[i]

		// One string stands for labels that differ in case alone.
		if present := plan.decision.Tags.Counterpart(&plan.labels.all[i].entry); j.Fate == Tagged && present.Key != j.Key {
			j.Tag = &tags.Tag{Label: j.Label, Key: present.Key, Value: tagset.TextOf(present.Value)}
		}
	}

	return out, nil
}
