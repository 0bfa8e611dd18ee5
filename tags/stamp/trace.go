package stamp

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// A Trace has what a run of the function decides on. The command explain makes one, and prints it. Other runs have none, and keep no plan,
// since a run can have thousands.
type Trace struct {
	// Set has the labels that the sources of the input give. Stamper is nil if the run fails before it has them.
	Set     resolve.LabelSet
	Stamper *Stamper

	// Targets has the desired resources. It is nil if the run fails before it looks at them.
	Targets *locate.Targets

	// Outcome is nil if the run fails.
	Outcome *Outcome

	// plans has the plans of each resource by its name: first the plan of its tag field, and then the plans of its fields for launched
	// resources.
	plans map[string][]*Plan
}

// Plans returns the plan for the tag field of t, and then the plans for its fields for launched resources that get labels. It returns none
// if t is left alone, or if the run fails before it decides on t.
func (tr *Trace) Plans(t *locate.Target) []*Plan { return tr.plans[t.Name] }

// add keeps the plan p. It leaves out a field for launched resources that gets no labels.
func (tr *Trace) add(s *Stamper, resourcePlan, p *Plan) {
	if tr == nil || p != resourcePlan && p.launchedName == "" {
		return
	}

	if tr.plans == nil {
		tr.plans = make(map[string][]*Plan)
	}

	tr.plans[p.Resource] = append(tr.plans[p.Resource], s.traced(p))
}

// traced returns the plan p as it is now, since the Stamper goes on to change p.
func (s *Stamper) traced(p *Plan) *Plan {
	kept := *p
	kept.allRecords = slices.Clone(p.allRecords)

	if kept.before == nil && kept.Mismatch == "" { // Nothing was decided, so nobody has read the field.
		var err error

		kept.before, err = s.stateOf(newPlan(p.target, p.labels))
		kept.recordMismatch(err)
	}

	return &kept
}

// beforeDecision returns a copy of s with Tags that Decide doesn't change.
func (s *State) beforeDecision() *State {
	before := *s
	before.Tags = s.Tags.Clone()

	return &before
}

// Field returns the field of the plan.
func (p *Plan) Field() *field.Field { return p.target.Field }

// FieldName returns the path of the field. In a list, it has the key of the item: spec.forProvider.tagSpecifications[volume].tags.
func (p *Plan) FieldName() string { return cmp.Or(p.launchedName, p.target.Field.Path.String()) }

// Transformed returns all labels as tags of the profile.
func (p *Plan) Transformed() *tags.Transformed { return p.labels.transformed }

// ValuelessLabels returns the labels whose expressions have no value for the resource.
func (p *Plan) ValuelessLabels() []resolve.ValuelessLabel { return p.labels.origin.valueless }

// LabelsOfOthers returns the labels of sources whose `resources` leave out the resource of the plan.
func (tr *Trace) LabelsOfOthers(p *Plan) []tags.Label {
	if tr.Set.PerResource == nil {
		return nil
	}

	return tr.Set.PerResource.LabelsOfOthers(tr.Stamper.composedOf(p.target))
}

// LabelRecords returns the records of all labels, in the order in which they take tag slots. Labels that the profile skips come last.
func (p *Plan) LabelRecords() []tags.Judged {
	// The record of a tag that is taken away is about no label.
	records := slices.DeleteFunc(slices.Clone(p.allRecords), func(r tags.Judged) bool { return r.Fate == tags.TakenAway })

	return append(records, p.labels.skipped...)
}

// Slots returns how many tags the resource may have, in a few words, and the number of free slots before anything is decided. It is
// negative if there are too many tags.
func (p *Plan) Slots() (limit string, free int) { return p.before.limitText(), p.before.freeSlots() }

// TagsBefore yields the tags of the desired field before anything is decided, in their order. Tags that only other field managers have set
// in the observed field follow. In a list of strings, each string is a tag, even "note", which has no separator.
func (p *Plan) TagsBefore() iter.Seq[*tagset.Entry] {
	return func(yield func(*tagset.Entry) bool) {
		for e := range p.before.present() {
			if e.Opaque && e.String() != "" {
				e = asTag(e, p.labels.Separator)
			}

			if !e.Opaque && !yield(e) {
				return
			}
		}
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

// asTag returns the string of the opaque entry e as a tag. The key ends before the first separator: x=y=z is the tag x: y=z.
func asTag(e *tagset.Entry, separator string) *tagset.Entry {
	tag := *e
	key, value, hasSeparator := strings.Cut(e.String(), separator)

	tag.Key, tag.Opaque = cmp.Or(key, e.String()), false
	if hasSeparator && key != "" {
		tag.Value = object.TextNode(value)
	}

	return &tag
}

// LabelOf returns the label with the key of the tag e, as a tag, or nil.
func (p *Plan) LabelOf(e *tagset.Entry) *tags.Tag {
	if i, ok := p.labels.positionOf(e); ok {
		return p.labels.all[i].Tag
	}

	return nil
}

// ManagerOf returns the name of the other field manager that owns the tag e in the observed resource, or an empty string.
func (p *Plan) ManagerOf(e *tagset.Entry) string { return p.target.Owners().Of(e).Manager }

// HadTag reports whether the field had a tag with the key of the record's label before the decision, with any value. In a list of strings,
// the string of the label counts, too: a=b=c counts for the label a: b=c, even if it is read as the tag a=b: c.
func (p *Plan) HadTag(r *tags.Judged) bool {
	i, ok := p.labels.positionByID[p.labels.ID(r.Key)]
	if !ok || r.Tag != p.labels.all[i].Tag { // The field can't hold the label.
		return false
	}

	e := &p.labels.entries[i]

	return p.before.Tags.Counterpart(e) != nil || p.before.OtherManagersTags != nil && p.before.OtherManagersTags.Counterpart(e) != nil
}

// RemovedBy returns the first entry of removeTags that names the tag, or nil. IgnoredBy does the same for ignoreTags. On Google Cloud, an
// entry can name the tag team_a by this key, or by the qualified key of its label, team/a. Neither is about labels that are handed on.
func (p *Plan) RemovedBy(t *tags.Tag) *resolve.TagPattern {
	return p.labels.firstNaming(p.labels.remove, t)
}

// IgnoredBy returns the first entry of ignoreTags that names the tag, or nil: see RemovedBy.
func (p *Plan) IgnoredBy(t *tags.Tag) *resolve.TagPattern {
	return p.labels.firstNaming(p.labels.ignore, t)
}

// Preview returns the plan for a new resource with the tag profile, and without tags. With the profile generic, the label platform/größe is
// Skipped. The tag field is a map. If the cloud has strings instead of keys and values, as DigitalOcean does, it is a list of strings.
func (tr *Trace) Preview(labels *tags.Transformer, with *profile.Profile) *Plan {
	f := &field.Field{Layout: field.Layout{Shape: field.Map}, Path: object.MustParsePath("spec.forProvider.tags"), ProviderTags: field.ProviderTags(with.Name)}
	if with.FoldEntries { // The cloud has strings, and ignores their case.
		f.Shape, f.Separator = field.StringList, cmp.Or(with.Separator, ":")
	}

	t := &locate.Target{Place: &locate.Place{Field: f, Profile: with}, Kind: &locate.TargetKind{}, Profile: with, Resource: object.FromStruct(&structpb.Struct{})}

	s := *tr.Stamper
	s.Transformer, s.common, s.labels = labels, nil, nil

	p, _ := s.planField(t, s.labelsFor(s.commonLabels(), t)) // Only tags that are there already can make it fail.
	plan := s.traced(p)

	for i := range plan.labels.all { // A new resource has no Mismatch, so allRecords begins with their records.
		record := &plan.allRecords[i]
		present := plan.decision.Tags.Counterpart(&plan.labels.entries[i])

		// Labels that differ in case alone share one string: for Env: a and env: a, the field has only Env:a. Both records get the key Env.
		if record.Fate == tags.Tagged && present.Key != record.Key {
			record.Tag = &tags.Tag{Label: record.Label, Key: present.Key, Value: tagset.TextOf(present.Value)}
		}
	}

	return plan
}
