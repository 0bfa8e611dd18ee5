// Package resolve reads the sources of the input, and returns their labels as one LabelSet.
package resolve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/budget"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A LabelSet has the labels of all sources for one composite resource, and all else that the input reads from objects. It is complete
// once Crossplane has fetched all objects.
type LabelSet struct {
	// Provider names the tag profile, such as aws. It comes from a field of the composite resource, or else from a class. It is
	// empty if neither has a provider. A provider that is written in the input itself, as provider.value, is not in it.
	Provider string

	// Labels of all sources, sorted. No two have the same tag key. Labels, Denied and Overridden lack labels that may differ per
	// composed resource, such as env: test for Buckets alone. These are in PerResource only.
	Labels []tags.Label

	// PerResource has all labels for each composed resource. It is nil if no label differs.
	PerResource *PerResource

	// Denied are the labels with reserved keys from sources that aren't trusted, sorted. They are skipped.
	Denied []tags.Label

	// Overridden are labels that aren't in Labels, since labels of later sources have the same tag keys. They are in the order in
	// which they were overridden.
	Overridden []tags.Label

	// ValuelessLabels are labels whose expressions have no value for one composed resource. Only a LabelSet of LabelSetOf has any.
	ValuelessLabels []ValuelessLabel

	// LeftOut is how many labels were left out of Labels and Denied. Each of the two has at most 1,000. A key that two sources give
	// may count twice.
	LeftOut int

	// Classes are the objects of sources with pick: One, by the names of the sources.
	Classes map[string]object.Object

	// Remove and Ignore are the keys of removeTags and ignoreTags.
	Remove, Ignore []TagPattern

	// Metadata has the labels and annotations that kubernetesMetadata copies, for each of its entries. Entries that copy from
	// composed resources, or compute them for each, have none yet.
	Metadata []Metadata

	// CommonValueless names the expressions without a value, in the order of their sources and keys. Expressions that are
	// evaluated for each resource are not among them.
	CommonValueless []SourceNote

	// CommonNulls names the labels whose JSON is null, in the order of their sources and keys. Labels of provider configs are not among them.
	CommonNulls []SourceNote

	// Hops are the objects of sources in a chain of objects, in the order of the sources.
	Hops []Hop

	// EmptySources are the optional sources that find nothing, in their order. For sources whose labels may differ per resource, see
	// PerResource.EmptySources.
	EmptySources []SourceNote

	// AmbiguousSources are the sources that picked one of several objects with the same name, in their order.
	AmbiguousSources []SourceNote

	// ClassChanges are the sources that pick another class than before, in their order.
	ClassChanges []ClassChange
}

// A Hop has the objects of one source in a chain of objects: the source "team" finds the Team payments, whose spec.organization
// selects an Organization. A source has a Hop in two cases:
//   - It gives no labels, and other sources read its objects.
//   - An expression such as required.team.spec.organization selects its objects.
type Hop struct {
	// Source is the name of the source in messages, and Objects are the names of its objects.
	Source  string
	Objects []string
}

// String returns the hop for messages, such as "team finds Team payments".
func (h Hop) String() string { return h.Source + " finds " + words.Names(h.Objects) }

// A SourceNote says one of these:
//   - A source finds nothing.
//   - An expression of a source has no value.
//   - Objects of several kinds have the same name, and the source picks one of them.
type SourceNote struct {
	// Source is the name of the source in messages, and Why gives the reason.
	Source, Why string
}

// String returns the note for messages, such as `sources[0]: expressions[team]: no such key: labels`.
func (n SourceNote) String() string { return n.Source + ": " + n.Why }

// Valueless returns the expressions without a value, such as `sources[0]: expressions[team]: no such key: labels`, in the order of
// their sources and keys. It leaves these out:
//   - an expression that is evaluated for each resource, once any resource has got a value
//   - all expressions of EmptySources: the note on the source says it already
func (s *LabelSet) Valueless() []SourceNote {
	empty := words.Map(slices.Concat(s.EmptySources, s.PerResource.EmptySources()), func(note SourceNote) string { return note.Source })
	valueless := slices.Concat(s.CommonValueless, s.PerResource.valuelessEverywhere())

	return slices.DeleteFunc(valueless, func(note SourceNote) bool { return slices.Contains(empty, note.Source) })
}

// Nulls returns the labels whose JSON is null, such as "sources[0]: spec.labels[env]".
func (s *LabelSet) Nulls() []SourceNote {
	if s.PerResource == nil {
		return s.CommonNulls
	}

	return slices.Concat(s.CommonNulls, s.PerResource.nulls)
}

// appendNull appends the name of a label of the source to the nulls. It appends no more than maxLabels, since an object can have a million.
func appendNull(nulls []SourceNote, source *tags.Source, value foundValue) []SourceNote {
	if len(nulls) >= maxLabels {
		return nulls
	}

	return append(nulls, SourceNote{source.Name, fmt.Sprintf("%s[%s]", value.path, value.key)})
}

// Surplus returns how many labels are left out, since a LabelSet has at most 1,000 labels: 200 of 1,200 labels. If labels differ per
// resource, Surplus returns the largest number of any resource so far. A key that two sources give may count twice.
func (s *LabelSet) Surplus() int {
	if s.PerResource == nil {
		return s.LeftOut
	}

	return s.LeftOut + s.PerResource.surplus
}

// SurplusMessage returns the message that surplus labels are left out. It also says which labels stay.
func SurplusMessage(surplus int) string {
	return fmt.Sprintf("up to %s skipped: %s (at most %d labels together: labels of trusted sources stay first, and then the lowest keys that any tag profile admits)",
		words.Count(surplus, "label", "labels"), profile.CountCap, maxLabels)
}

// Transformer returns the transformer that makes tags of the set's labels, with the formats and reserved keys of the input. A label
// that a later source overrides may win after all: on Google Cloud, a/b becomes a_b, and if a_b is reserved, only a trusted label may have
// it. So the transformer also gets the trusted labels of Overridden.
func (s *LabelSet) Transformer(input *v1beta1.CloudTags) *tags.Transformer {
	t := tags.NewTransformer(s.Labels, input.KeyFormatsByProvider())
	t.SetValueFormats(input.ValueFormatsByProvider())
	t.Reserve(input.ReservedKeys, input.KeyPrefix, s.Denied)
	t.SetClassifiers(input.Classifiers())

	trustedOverridden := slices.DeleteFunc(slices.Clone(s.Overridden), func(l tags.Label) bool { return !l.Trusted })
	t.SetOverridden(trustedOverridden)

	return t
}

// CommonLabels returns the labels that all composed resources have. For example, env: prod is left out if a later source gives
// env: test to some resources.
func (s *LabelSet) CommonLabels() []tags.Label {
	lastSources := s.PerResource.differingKeys()

	// For a key that doesn't differ, lastSources has nil, and IsLaterThan of nil is false.
	return slices.DeleteFunc(slices.Clone(s.Labels), func(l tags.Label) bool { return lastSources[l.TagKey].IsLaterThan(l.Source) })
}

// ForContext returns the part of the set that later steps of the pipeline may read: {"labels": {"platform/env": "prod"},
// "classes": {"size": {…}}}. The keys of labels are qualified keys, and a class is the whole object, by the name of its source. If two
// labels have the same qualified key, the trusted label wins, or else the later one. For example, plexsphere:env and the
// bare env of a source with keyForm: Tag both have the qualified key env. See testdata/tocontext.yaml.
func (s *LabelSet) ForContext() *structpb.Struct {
	labels := make(map[string]*structpb.Value, len(s.Labels))
	winners := make(map[string]tags.Label, len(s.Labels))

	for _, l := range s.CommonLabels() {
		if earlier, ok := winners[l.QualifiedKey]; ok && earlier.Beats(l) {
			continue
		}

		winners[l.QualifiedKey] = l
		labels[l.QualifiedKey] = structpb.NewStringValue(l.Value)
	}

	classes := make(map[string]*structpb.Value, len(s.Classes))
	for name, c := range s.Classes {
		classes[name] = c.Node().Value()
	}

	return &structpb.Struct{Fields: map[string]*structpb.Value{
		"labels":  structpb.NewStructValue(&structpb.Struct{Fields: labels}),
		"classes": structpb.NewStructValue(&structpb.Struct{Fields: classes}),
	}}
}

// A resolver resolves the sources of one input for one request.
type resolver struct {
	// mergedLabels of the sources so far.
	*mergedLabels

	input          *v1beta1.CloudTags
	xr             namedObject
	context        *structpb.Struct
	contextObjects map[string]object.Object // Objects of the context by key, as far as they were read.
	required       *require.Requirements

	// evaluator evaluates expressions. passedSources are the sources whose objects, if any, it has got from requireObjects.
	evaluator     *expression.Call
	passedSources map[*v1beta1.Source]bool

	// selections has what selectedObjects has found so far, for each source that it was asked for.
	selections map[*v1beta1.Source]selection

	// keyPatterns has the patterns of each field or expression that an include has read. patternCounts has the number of patterns that each
	// part of the input reads, such as removeTags[0] or include of sources[1], for maxPatterns. A pattern that two parts read counts once.
	keyPatterns   map[patternsPlace]keyPatterns
	patternCounts map[string]int

	// believer returns the resolver of what include reads. It believes only objects that nobody else could have made: see findObjects. Its set
	// isn't used: labels and classes come from all objects.
	believer func() *resolver

	// isBeliever reports whether this is the resolver that believer returns.
	isBeliever bool
}

// newResolver returns the resolver of the input for one request. Its set has a PerResource if any labels may differ per composed
// resource.
func newResolver(ctx context.Context, input *v1beta1.CloudTags, req *fnv1.RunFunctionRequest, required *require.Requirements, b *budget.Budget) *resolver {
	xr := object.Of(req.GetObserved().GetComposite())

	r := &resolver{
		mergedLabels: newMergedLabels(newJudge(input), 0 /* room */),

		input:          input,
		xr:             namedObject{Object: xr, name: compositeResource},
		context:        req.GetContext(),
		contextObjects: make(map[string]object.Object),
		required:       required,

		evaluator:     expression.NewCall(ctx, b, xr, req.GetContext()),
		passedSources: make(map[*v1beta1.Source]bool),

		selections:    make(map[*v1beta1.Source]selection),
		keyPatterns:   make(map[patternsPlace]keyPatterns),
		patternCounts: make(map[string]int),
	}

	r.set.Classes = make(map[string]object.Object)

	r.believer = sync.OnceValue(func() *resolver {
		believer := newResolver(ctx, input, req, required, b)
		believer.isBeliever, believer.patternCounts = true, r.patternCounts

		return believer
	})

	if slices.ContainsFunc(input.Sources, differsPerResource) {
		r.set.PerResource = &PerResource{resolver: r}
	}

	return r
}

// Resolve returns the labels that the sources of an input give for a request. It requires the objects that Crossplane must fetch
// for them, and charges the budget for expressions. An error is a resolve failure: the labels can't be known, so nothing may be tagged. Once ctx has ended, Resolve
// returns the error of ctx. The files in testdata have cases, e.g. hierarchy.yaml for labels of a namespace and its organization.
func Resolve(ctx context.Context, input *v1beta1.CloudTags, req *fnv1.RunFunctionRequest, required *require.Requirements, b *budget.Budget) (LabelSet, error) {
	r := newResolver(ctx, input, req, required, b)

	for i := range input.Sources {
		if err := ctx.Err(); err != nil {
			return LabelSet{}, err
		}

		if err := r.resolveSource(&input.Sources[i], i); err != nil {
			return LabelSet{}, errors.Wrapf(err, "cannot resolve %s", input.SourceName(i))
		}
	}

	if err := r.finishLabels(); err != nil {
		return LabelSet{}, err
	}

	// The provider in a field of the composite resource wins over the provider of a class.
	if p := input.Provider; p != nil && !p.FromFieldPath.IsZero() {
		provider, err := r.textOf(p, "" /* note */) // An absence is ignored.
		if err != nil && !isAbsence(err) {
			return LabelSet{}, errors.Wrap(err, "cannot resolve provider")
		}

		r.set.Provider = cmp.Or(provider, r.set.Provider)
	}

	if err := r.resolveTagPatterns(); err != nil {
		return LabelSet{}, err
	}

	if err := r.resolveMetadata(ctx); err != nil {
		return LabelSet{}, err
	}

	return r.set, nil
}

// resolveSource adds the labels of the source s to the set, with the SourceNote or the Hop of s. i is the index of s. While Crossplane
// fetches objects for s, s adds no labels, and there is no error.
func (r *resolver) resolveSource(s *v1beta1.Source, i int) error {
	name := r.input.SourceName(i)
	err := r.takeSource(s, &tags.Source{Name: name, Position: i, OnConflict: s.OnConflict})
	emptyNote, isEmpty := toleratedAbsence(s, err)
	selected := r.selections[s]                            // If s selects objects, takeSource has set it.
	hasHop := s.ReadsNoLabels() || s.Resource.IsComputed() // See Hop.

	if selected.ambiguity != "" {
		r.set.AmbiguousSources = append(r.set.AmbiguousSources, SourceNote{name, selected.ambiguity})
	}

	if selected.previousClass.Name != "" {
		r.set.ClassChanges = append(r.set.ClassChanges, ClassChange{name, selected.previousClass, RefOf(r.set.Classes[s.Name])})
	}

	switch {
	case isEmpty:
		r.set.EmptySources = append(r.set.EmptySources, SourceNote{name, emptyNote})
	case err != nil && !errors.Is(err, errWaiting):
		return err
	case hasHop && len(selected.objects) > 0:
		r.set.Hops = append(r.set.Hops, Hop{name, words.Map(selected.objects, func(o namedObject) string { return o.name })})
	}

	return nil
}

// finishLabels leaves out labels beyond maxLabels once all sources are merged, also from the PerResource. It drops the PerResource if no
// label in it differs. The error is a LimitError.
func (r *resolver) finishLabels() error {
	if err := r.leaveOutSurplus(); err != nil {
		return err
	}

	differs := slices.ContainsFunc(r.set.PerResource.all(), (*scopedLabel).differs) // all accepts nil.

	switch {
	case !differs:
		r.set.PerResource = nil // For example, include leaves out all labels that would differ.
	case r.set.LeftOut > 0:
		r.set.PerResource.dropLeftOut(r.mergedLabels)
	}

	return nil
}

// differsPerResource reports whether labels of s may differ per composed resource. They do in these cases:
//   - s reads provider configs.
//   - s sets `resources`, so that only selected resources get its labels.
//   - s has an expression that is evaluated for each resource, such as desired.spec.region.
func differsPerResource(s v1beta1.Source) bool {
	for _, e := range s.Expressions {
		if len(e.PerResource()) > 0 {
			return true
		}
	}

	return s.Type == v1beta1.SourceTypeProviderConfig || s.Resources != nil
}

// takeLabel adds the label l of the source s to the set, and to the PerResource if there is one. If s selects resources, such as all
// Buckets, takeLabel adds l to the PerResource only.
func (r *resolver) takeLabel(l tags.Label, s *v1beta1.Source) {
	if p := r.set.PerResource; p != nil {
		p.addScoped(&scopedLabel{Label: l, wasFound: true}, s) // l has a value already.
	}

	if s.Resources == nil {
		r.mergeLabel(l)
	}
}

// mergedLabels is a LabelSet to which sources add their labels, one source after the other.
type mergedLabels struct {
	*judge

	set LabelSet

	// positions are the indices in set.Labels, by tag key.
	positions map[string]int
}

// newMergedLabels returns an empty set, with memory for as many labels as room says.
func newMergedLabels(j *judge, room int) *mergedLabels {
	return &mergedLabels{judge: j, set: LabelSet{Labels: make([]tags.Label, 0, room)}, positions: make(map[string]int, room)}
}

// mergeLabel adds l to the set. A label of an earlier source with the same tag key is overridden: env: prod takes the place of
// env: dev. If l has a reserved key and isn't trusted, l is denied instead.
func (m *mergedLabels) mergeLabel(l tags.Label) {
	if m.denies(l) {
		m.set.Denied = append(m.set.Denied, l)
		return
	}

	if i, ok := m.positions[l.TagKey]; ok {
		m.set.Overridden = append(m.set.Overridden, m.set.Labels[i])
		m.set.Labels[i] = l

		return
	}

	m.positions[l.TagKey] = len(m.set.Labels)
	m.set.Labels = append(m.set.Labels, l)
}
