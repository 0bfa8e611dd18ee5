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

// LabelsOfOthers returns the labels of sources whose `resources` leave out the resource of the plan.
func (tr *Trace) LabelsOfOthers(p *Plan) []tags.Label {
	if tr.Set.PerResource == nil {
		return nil
	}

	return tr.Set.PerResource.LabelsOfOthers(tr.Stamper.composedOf(p.target))
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
