package stamp

import (
	"context"
	"maps"
	"slices"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/budget"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
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

	// required has the schemas and objects that Crossplane has sent, and asks for others.
	required *require.Requirements

	// targets is the result of the method Targets.
	targets *locate.Targets

	// common has the labels of Transformer.
	common *resourceLabels

	// labels has the labels as tags, by all that they depend on.
	labels map[labelsKey]*Labels

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

	// Observed is the observed state of the run's request, and Required has what Crossplane has sent, and asks for more.
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
		required:    r.Required,
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

// hasTagWork reports whether there are labels, or resolved entries of removeTags or ignoreTags.
func (s *Stamper) hasTagWork() bool {
	return !s.Transformer.Empty() || s.PerResource != nil || len(s.RemoveTags)+len(s.IgnoreTags) > 0
}

// A ResolveError says why the labels of a resource can't be known.
type ResolveError struct{ error }

// Unwrap returns the error of package resolve.
func (e *ResolveError) Unwrap() error { return e.error }

// transformCost is how many decisions take as long as one label that becomes a tag for a FieldKind.
const transformCost = 4

// maxLabels is the most Labels that are kept, besides common ones. It limits memory, since each can have a thousand labels. One more clears
// all others.
const maxLabels = 128

// resourceLabelsOf returns the labels of t, which other resources may share:
//   - If labels don't depend on the resource, all resources share them.
//   - If a source selects Buckets only, all Buckets are a group, and share them.
//   - If an expression of a label of t is computed for each resource, such as desired.spec.region, no other resource has these labels.
func (s *Stamper) resourceLabelsOf(t *locate.Target) (*resourceLabels, error) {
	if s.PerResource == nil {
		return s.commonLabels(), nil
	}

	composed := s.composedOf(t)
	group, isShared := s.PerResource.Group(composed)

	key := labelsKey{group: group}
	if !isShared {
		key.resource = t.Name
	}

	if found, ok := s.labels[key.with(t.Field, t.Profile)]; ok {
		return &found.origin, nil
	}

	set, err := s.PerResource.LabelSetOf(composed)
	if err != nil {
		return nil, &ResolveError{err}
	}

	// Only one resource after the other needs Labels that no other resource has.
	hasRoom := len(s.labels) < maxLabels
	maps.DeleteFunc(s.labels, func(k labelsKey, _ *Labels) bool { return !k.areCommon && (k.resource != "" || !hasRoom) })

	return &resourceLabels{Transformer: set.Transformer(s.Input), key: key, valueless: set.ValuelessLabels}, nil
}

// newOwnTagCheck returns the function for Finder.SetsTag, which reports whether this step of the pipeline may have set the tag with the key
// on t. The key is one that matchCloudTags names, so that no untrusted label has it on a cloud. The result is true in three cases:
//   - The key begins with keyPrefix.
//   - A trusted label of any resource has the key.
//   - A trusted label from the provider config of t has the key.
//
// matchCloudTags calls the function before t is selected. So the function doesn't know which labels t gets, and asks mayGetLabels.
func (s *Stamper) newOwnTagCheck() func(t *locate.Target, key string) bool {
	// Differences have the labels that only some resources have. A nil PerResource has none.
	var labelsPerResource []tags.Label
	for _, difference := range s.PerResource.Differences() {
		labelsPerResource = append(labelsPerResource, difference.Labels...)
	}

	return func(t *locate.Target, key string) bool {
		common := s.labelsFor(s.commonLabels(), t)
		hasKey := func(label tags.Label) bool {
			tag, _ := common.transformed.Judge(label) // Even a skipped label has a tag key.

			return label.Trusted && common.ID(tag.Key) == common.ID(key) // On Azure, ours:Env and ours:env have one ID.
		}

		// keyBelongsToFunction is about keyPrefix and the common labels. A common label with the key is trusted, or it would be skipped.
		if common.keyBelongsToFunction(key) || slices.ContainsFunc(labelsPerResource, hasKey) {
			return true
		}

		return s.mayGetLabels(t) && slices.ContainsFunc(s.PerResource.ConfigLabels(s.composedIgnoringTagSelectors(t)), hasKey)
	}
}

// resourceLabelsOrCommon is for a t that is left alone or not selected: such a t must not fail the run. It returns the labels of t or, if
// they can't be known, the labels that sources give to all resources.
func (s *Stamper) resourceLabelsOrCommon(t *locate.Target) *resourceLabels {
	l, err := s.resourceLabelsOf(t)
	if err != nil {
		return s.commonLabels()
	}

	return l
}

// commonLabels returns the labels that sources give to all resources.
func (s *Stamper) commonLabels() *resourceLabels {
	if s.common == nil {
		s.common = &resourceLabels{Transformer: s.Transformer, key: labelsKey{areCommon: true}}
	}

	return s.common
}

// labelsFor returns the labels as tags for the tag field of t.
func (s *Stamper) labelsFor(l *resourceLabels, t *locate.Target) *Labels {
	return s.labelsForField(l, t.Field, t.Profile)
}

// labelsForField returns the labels as tags for the field f, with the tag profile p. All fields of one FieldKind share the result: for
// maps on aws, it has the tag plexsphere:env, and for maps on gcp, plexsphere_env.
func (s *Stamper) labelsForField(l *resourceLabels, f *field.Field, p *profile.Profile) *Labels {
	key := l.key.with(f, p)

	if found, ok := s.labels[key]; ok {
		return found
	}

	out := newLabels(key.kind, l.Transform(key.kind.Profile))
	out.origin = *l // As a pointer, l would cost an allocation for each resource.
	// The decision on the labels charges the Budget once more, and returns the error.
	_ = s.Budget.ChargeLabels(transformCost * (len(out.transformed.Tags) + len(out.transformed.Skipped)))

	if !key.kind.Profile.HandsLabelsOn { // removeTags and ignoreTags are about tags, and not about labels that a composite resource hands on.
		out = out.withMatchers(s.RemoveTags, s.IgnoreTags)
	}

	if s.labels == nil {
		s.labels = make(map[labelsKey]*Labels)
	}

	s.labels[key] = out

	return out
}

// Require asks Crossplane for the schemas that locating the targets needs, and for the ProviderConfigs that labels of the targets may come
// from, such as the default one of a Bucket. Some of the targets may get no labels in the end: their schemas, and the tags that matchTags
// reads, may be known only in a later call.
func (s *Stamper) Require(targets *locate.Targets) {
	s.required.RequireSchemas(targets.Schemas())

	if !s.PerResource.ReadsConfigs() {
		return
	}

	for _, t := range targets.All {
		if s.mayGetLabels(t) {
			s.PerResource.RequireConfig(s.composedIgnoringTagSelectors(t))
		}
	}
}

// mayGetLabels reports whether t may get labels. In the selectors of the input (resources), it skips matchTags and matchCloudTags, since a
// later call may read other tags. Requirements must not depend on tags: tags may differ in each call, and Crossplane calls the
// function again until requirements stay the same.
func (s *Stamper) mayGetLabels(t *locate.Target) bool {
	return t.LeaveReason == locate.None && locate.MaySelect(s.Input.Resources, t)
}

// composedIgnoringTagSelectors returns t as composedOf does, but Selects skips matchTags and matchCloudTags in each entry.
func (s *Stamper) composedIgnoringTagSelectors(t *locate.Target) *resolve.ComposedResource {
	composed := s.composedOf(t)
	composed.Selects = func(entries []v1beta1.ResourceSelector) bool { return locate.MaySelect(entries, t) }

	return composed
}

// composedOf returns t in the form that package resolve reads. Desired is t.Received, the resource before the input's kubernetesMetadata
// has copied anything to it. Its Config, such as default of aws.m.upbound.io, is set only if sources take labels from ProviderConfigs.
func (s *Stamper) composedOf(t *locate.Target) *resolve.ComposedResource {
	composed := &resolve.ComposedResource{
		Name: t.Name, Desired: t.Received, Observed: t.Observed,
		Selects: func(entries []v1beta1.ResourceSelector) bool { return s.targets.Selects(entries, t) },
	}

	if s.PerResource.ReadsConfigs() {
		ref := t.Resource.Node().Field("spec").Field("providerConfigRef")
		// A resource without a known config has the zero Config, and gets no labels from configs.
		config, _ := field.ConfigOf(t.Kind.GroupKind(), s.PerResource.NamespaceOf(t.Resource), ref.Field("kind").Text(), ref.Field("name").Text())
		composed.Config = resolve.Config(config)
	}

	return composed
}
