package stamp

import (
	"cmp"
	"iter"
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

// A Look has the tags of a target, and the decision on each label. The command explain prints it.
type Look struct {
	*locate.Target

	// LeftAlone says why the resource's tags are not managed. It is empty if the tags are managed.
	LeftAlone string

	// ValuelessLabels has the labels whose expressions have no value for the resource.
	ValuelessLabels []resolve.ValuelessLabel

	// Fields has the tag field of the resource, and then its fields for launched resources. It is empty if the resource is left alone.
	Fields []LookedField
}

// A LookedField is a tag field, with its tags and the records of labels.
type LookedField struct {
	*field.Field

	// Name is the path of the field. In a list, it has the key of the item: spec.forProvider.tagSpecifications[volume].tags.
	Name string

	// Mismatch says why the field can't be read or written. It is empty if it can.
	Mismatch string

	// Transformed has all labels as tags of the profile. Labels has the records of all labels, in the order in which they take tag
	// slots. Labels that the profile skips come last.
	Transformed *tags.Transformed
	Labels      []Record

	// Tags has the tags of the desired field before anything is decided, in their order. Tags that only other field managers have set in the
	// observed field follow.
	Tags []LookedTag

	// Limit says how many tags the resource may have. Free is the number of free slots before anything is decided. It is negative if
	// there are too many tags.
	Limit string
	Free  int
}

// A LookedTag is a tag of a field.
type LookedTag struct {
	Key, Value string

	// Label is the label with this key, as a tag, or nil.
	Label *tags.Tag

	// Manager is the name of the other field manager that owns the tag in the observed resource. It is empty if there is none.
	Manager string

	// NamedBy is the first entry of ignoreTags that names the tag, or nil. On Google Cloud, an entry can name the tag team_a by this key, or
	// by the qualified key of its Label, team/a.
	NamedBy *resolve.TagPattern
}

// Look returns the Look of t, and changes no resource. If the Composition desires env: dev, and the label env: prod has onConflict
// Retain, the Look has the tag env: dev and a record with the fate Retained. Look returns an error if the labels can't be resolved, or
// if a label with onConflict Error conflicts with a tag.
func (s *Stamper) Look(t *locate.Target) (*Look, error) {
	l := &Look{Target: t}

	switch {
	case t.LeaveReason != locate.None:
		l.LeftAlone = t.WhyLeftAlone(t.LeaveReason)
	case !t.Selected:
		l.LeftAlone = t.WhyLeftAlone(t.WhyUnselected())
	default:
		l.LeftAlone = t.WhyLeftAlone(t.NoFieldReason) // It stays empty if t has a tag field.
	}

	if l.LeftAlone != "" {
		return l, nil
	}

	if s.PerResource != nil {
		set, err := s.PerResource.LabelSetOf(s.composedOf(t))
		if err != nil {
			return nil, &ResolveError{err}
		}

		l.ValuelessLabels = set.ValuelessLabels
	}

	s.memoryBytes, s.Budget = 0, nil // planAll adds to them, and fails above their limits.

	// planAll calls the function for the resource's own tag field, and then for each field for launched resources. Look leaves out a field for
	// launched resources that gets no labels: its plan has no launchedName.
	_, err := s.planAll(t, func(resourcePlan, p *plan) {
		if p == resourcePlan || p.launchedName != "" {
			l.Fields = append(l.Fields, s.lookedField(p))
		}
	})

	return l, err
}

// lookedField returns the tags and the records of the plan p, as explain prints them. In a list of strings, each string is a tag, even
// "note", which has no separator.
func (s *Stamper) lookedField(p *plan) LookedField {
	name := cmp.Or(p.launchedName, p.target.Field.Path.String())
	f := LookedField{Field: p.target.Field, Name: name, Mismatch: p.Mismatch, Transformed: p.labels.transformed}

	labels := *p.labels
	labels.Keys = *p.labels.allKeys() // With these, each string of a list is a tag.

	// The decision has changed the tags of its State, so the field is read once more.
	before, err := s.stateOf(newPlan(p.target, &labels))
	if err != nil {
		f.Mismatch = err.Error()
	}

	if f.Mismatch != "" {
		return f
	}

	remove, ignore := s.RemoveTags, s.IgnoreTags
	if p.HandsLabelsOn {
		remove, ignore = nil, nil // The field is for labels that are handed on. removeTags and ignoreTags are about cloud tags only.
	}

	f.Limit, f.Free = before.limitText(), before.freeSlots()
	f.addTags(before, p.target.Owners(), ignore)
	f.addLabels(p, before, remove, ignore)

	return f
}

// addTags adds the tags of the state. If kubectl edit has set owner: me, the tag has the Manager kubectl-edit.
func (f *LookedField) addTags(s *State, owners *locate.Owners, ignore []resolve.TagPattern) {
	for e := range s.present() {
		if e.Opaque {
			continue
		}

		tag := LookedTag{Key: e.Key, Value: tagset.TextOf(e.Value), Manager: owners.Of(e).Manager}
		if i, ok := s.Labels.positionOf(e); ok {
			tag.Label = &s.Labels.all[i].Tag
		}

		// An entry of ignoreTags can name a qualified key, which only the tag of a label has.
		tag.NamedBy = s.Labels.firstNaming(ignore, cmp.Or(tag.Label, &tags.Tag{Key: tag.Key, Value: tag.Value}))
		f.Tags = append(f.Tags, tag)
	}
}

// present yields the tags of the desired field, and then those that only other field managers have set in the observed field.
func (s *State) present() iter.Seq[*tagset.Entry] {
	return func(yield func(*tagset.Entry) bool) {
		for e := range s.Tags.All() {
			if !yield(e) {
				return
			}
		}

		for e := range s.OtherManagersTags.All() {
			if s.Tags.Counterpart(e) == nil && !yield(e) {
				return
			}
		}
	}
}

// addLabels adds the records of p's labels. before is the state before the decision. If the field has env: dev in it, HasKey is true for
// the label env: prod.
func (f *LookedField) addLabels(p *plan, before *State, remove, ignore []resolve.TagPattern) {
	for i, record := range slices.Concat(p.allRecords, p.labels.skipped) {
		if record.Fate == TakenAway {
			continue // It is about a tag without a label.
		}

		if i < len(p.labels.all) { // allRecords begins with the records of p.labels.all, in its order.
			e := &p.labels.all[i].entry
			record.HasKey = before.Tags.Counterpart(e) != nil || before.OtherManagersTags != nil && before.OtherManagersTags.Counterpart(e) != nil
		}

		entries := ignore
		if record.Fate == Removed {
			entries = remove
		}

		record.NamedBy = p.labels.firstNaming(entries, record.Tag)
		f.Labels = append(f.Labels, record)
	}
}

// Preview returns the records of labels on a new resource of the profile p that has no tags yet. With the profile generic, the label
// platform/größe is Skipped. The tag field is a map. If the cloud has strings instead of keys and values, as DigitalOcean does, it is a
// list of strings.
func (s *Stamper) Preview(labels *tags.Transformer, p *profile.Profile) *LookedField {
	f := &field.Field{Path: object.MustParsePath("spec.forProvider.tags"), Shape: field.Map, ProviderTags: field.ProviderTags(p.Name)}
	if p.FoldEntries { // The cloud has strings, and ignores their case.
		f.Shape, f.Separator = field.StringList, cmp.Or(p.Separator, ":")
	}

	t := &locate.Target{Place: &locate.Place{Field: f, Profile: p}, Kind: &locate.TargetKind{}, Profile: p, Resource: object.FromStruct(&structpb.Struct{})}

	plan, _ := s.planField(t, s.newResourceLabels(labels).labelsFor(t)) // Only tags that are there already can make it fail.
	out := s.lookedField(plan)

	// A new resource has no Mismatch, so out.Labels begins with the records of plan.labels.all.
	for i := range plan.labels.all {
		record := &out.Labels[i]
		present := plan.decision.Tags.Counterpart(&plan.labels.all[i].entry)

		// Labels that differ in case alone share one string: for Env: a and env: a, the field has only Env:a. Both records get the key Env.
		if record.Fate == Tagged && present.Key != record.Key {
			record.Tag = &tags.Tag{Label: record.Label, Key: present.Key, Value: tagset.TextOf(present.Value)}
		}
	}

	return &out
}
