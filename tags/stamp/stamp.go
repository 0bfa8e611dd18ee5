// Package stamp writes tags to the tag fields of desired composed resources.
package stamp

import (
	"context"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/budget"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// A Stamper writes labels as tags to desired composed resources.
type Stamper struct {
	locate.Finder
	Options

	// Transformer has the labels that sources give to all resources.
	Transformer *tags.Transformer

	// PerResource has all labels of each resource. It is nil if all resources have the same labels. ReadsConfigs, ConfigLabels and Differences
	// can be called on nil.
	PerResource *resolve.PerResource

	// RemoveTags has the resolved entries of removeTags, and IgnoreTags has the resolved entries of ignoreTags.
	RemoveTags, IgnoreTags []resolve.TagPattern

	// targets is the result of the method Targets.
	targets *locate.Targets

	// common has the labels of Transformer.
	common *resourceLabels

	// labels has the labels as tags, by all that they depend on.
	labels map[labelsKey]*Labels

	// errorSource is the result of hasErrorSource, or nil.
	errorSource *bool

	// memoryBytes counts the bytes of labels for items of lists such as tagSpecifications, even of labels that aren't written. maxMemoryBytes
	// is its limit.
	memoryBytes int
}

// A Request has what a Stamper needs to know of one run of the function.
type Request struct {
	Options

	// Input of the step, and Set, which has the labels of its sources.
	Input *v1beta1.CloudTags
	Set   *resolve.LabelSet

	// Observed is the observed state of the run's request, and Required has the schemas that Crossplane has sent.
	Observed *fnv1.State
	Required *require.Requirements
}

// Options say how a run stamps. The zero Options are for the first step of this function in a pipeline, in a run without limits.
type Options struct {
	// EarlierTrustedTags has the tags that earlier steps of this function set from trusted sources, by the name of the resource and the key. For the
	// resource bucket and the key owner, the value is team-a, for example.
	EarlierTrustedTags map[string]map[string]string

	// AlreadyStamped reports whether the desired resources already have the tags of this step, as rendered resources have that the command
	// explain runs the function on. Then onConflict Error fails no run, since this step may have set an existing tag itself.
	AlreadyStamped bool

	// Audits reports whether each Result gets Changes: the tags that change when Crossplane applies the resource.
	Audits bool

	// Budget has what the run has spent so far. A nil Budget has no limits.
	Budget *budget.Budget

	// Trace receives each plan as it is made, unless it is nil.
	Trace *Trace
}

// New returns a Stamper for the request.
func New(r *Request) *Stamper {
	xr := object.Of(r.Observed.GetComposite())

	s := &Stamper{
		Finder: locate.Finder{
			Input:          r.Input,
			Provider:       r.Set.Provider,
			CompositeGroup: object.GVK(xr).Group,
			NewLocator:     func(schemas field.Schemas) field.Locator { return field.ForInput(r.Input, schemas) },
			Schemas:        Schemas(r.Required),
			Observed:       r.Observed.GetResources(),
			ComposedOwner:  locate.ComposedOwner(xr),
		},
		Transformer: r.Set.Transformer(r.Input),
		PerResource: r.Set.PerResource,
		RemoveTags:  r.Set.Remove,
		IgnoreTags:  r.Set.Ignore,
		Options:     r.Options,
	}
	s.SetsTag = s.newOwnTagCheck() // A field of the Finder: matchCloudTags ignores tags that this step sets.

	if s.Trace != nil {
		s.Trace.Stamper, s.Trace.Set = s, *r.Set
	}

	return s
}

// Schemas returns the schemas of kinds that Crossplane has sent. The field Of asks for a schema. The field Given has only the schemas that
// the pipeline step itself requires.
func Schemas(required *require.Requirements) field.Schemas {
	return field.Schemas{Of: required.Schema, Given: required.Bootstrapped}
}

// Targets returns the desired resources as targets, each with its tag field. Once ctx has ended, Targets returns the error of ctx.
func (s *Stamper) Targets(ctx context.Context, desired map[string]*fnv1.Resource) (_ *locate.Targets, err error) {
	in := s.Input

	// Sources without labels manage tags, too: they may have given labels in an earlier run, whose tags have to be removed. An input with none
	// of these fields only copies Kubernetes metadata, and selects no resource.
	managesTags := len(in.Sources)+len(in.RemoveTags)+len(in.IgnoreTags)+len(in.ReservedKeys) > 0 || in.TagPolicy != nil

	s.targets, err = s.Find(ctx, desired, managesTags)

	if s.Trace != nil {
		s.Trace.Targets = s.targets
	}

	return s.targets, err
}

// Stamp decides on the tags of the targets, and returns copies of the changed resources. For example, Outcome.Changed has the Bucket with
// the tag plexsphere:env, and the Bucket's Result has the record of the label. An error is the error of ctx, a ResolveError, a LimitError,
// the Budget's error, or a conflict with a tag. After an error, nothing may be written. See testdata/cases/stamp.yaml.
func (s *Stamper) Stamp(ctx context.Context, targets *locate.Targets) (*Outcome, error) {
	out := newOutcomeBuilder(s, len(targets.All))
	s.memoryBytes = 0

	for _, t := range targets.All {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		// t.Resource already has the labels and annotations that kubernetesMetadata copies, even if it gets no tags.
		if t.HasCopies {
			out.Changed[t.Name] = t.Resource
		}

		switch {
		case !t.Selected:
			s.addUnselected(out, targets, t)
		case !t.HasField():
			out.addResult(s.leaveAlone(t))
		default:
			p, err := s.planAll(t, out)
			if err != nil {
				return nil, err
			}

			// A tag in the status has selected t. The status may keep this tag after somebody has deleted it in the cloud.
			if t.ByCloudTags && t.MayReportDeletedTags() {
				p.Notes = append(p.Notes, Note{Kind: NoteStaysSelected})
			}

			if err := out.add(p); err != nil {
				return nil, err
			}
		}
	}

	outcome, err := out.finish()
	if s.Trace != nil && err == nil {
		s.Trace.Outcome = outcome
	}

	return outcome, err
}

// planAll returns the resourcePlan, the plan for the tags of t itself, with the notes of all plans. There are more plans if t launches
// resources: an Instance has the field volumeTags for the tags of its volumes. planAll adds each plan to out, first resourcePlan.
func (s *Stamper) planAll(t *locate.Target, out *outcomeBuilder) (*Plan, error) {
	labels, err := s.resourceLabelsOf(t)
	if err != nil {
		return nil, err
	}

	resourcePlan, err := s.planField(t, s.labelsFor(labels, t))
	if err == nil {
		out.addPlan(resourcePlan, resourcePlan)
		err = s.planLaunched(resourcePlan, labels, out)
	}

	verb := "tag"
	if t.Profile.HandsLabelsOn {
		verb = "hand labels on to"
	}

	// Without an error, Wrapf returns nil.
	return resourcePlan, errors.Wrapf(err, "cannot %s composed resource %q", verb, t.Name)
}

// hasTagWork reports whether there are labels, or resolved entries of removeTags or ignoreTags.
func (s *Stamper) hasTagWork() bool {
	return !s.Transformer.Empty() || s.PerResource != nil || len(s.RemoveTags)+len(s.IgnoreTags) > 0
}
