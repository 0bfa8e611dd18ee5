// Package resolve resolves the sources of the input to one set of labels.
package resolve

import (
	"cmp"
	"context"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/require"
)

// A Set is what an input's sources come to for one composite resource. If anything
// that Crossplane must fetch is not here yet, it is not complete.
type Set struct {
	// Provider that the composite resource or else a class names, or empty if none
	// does. One that the input names by value is not here: it has more weight.
	Provider string

	// Labels of all sources, sorted. No two have the same tag key. Those that differ per
	// composed resource are not among them, nor among the claims and overridden ones.
	Labels []tags.Label

	// PerResource are the labels that differ, with all others, or nil if none does.
	PerResource *PerResource

	// Claims are labels of reserved keys from sources that aren't trusted, sorted.
	Claims []tags.Label

	// Overridden labels, which later ones of the same tag key took the place of, in the
	// order in which that happened.
	Overridden []tags.Label

	// Classes that were picked, by the name of their source.
	Classes map[string]object.Object

	// Remove and Ignore are the keys of removeTags and ignoreTags.
	Remove, Ignore []TagKey

	// Metadata that kubernetesMetadata copies, by the position of the rule. It is
	// empty for rules that copy from composed resources.
	Metadata []Metadata

	// Absent are the expressions that have no value, in the order of their sources and keys.
	// Those of which the value differs per resource are not among them.
	Absent []Lack

	// Empty are the sources that find nothing, though that is no error, in their order.
	// PerResource has its own.
	Empty []Lack
}

// A Lack is that a source finds nothing, or that one of its expressions has no value.
type Lack struct {
	// Source is the name of the source for messages, and Why it lacks what it does.
	Source, Why string
}

func (l Lack) String() string { return l.Source + ": " + l.Why }

// Valueless are the single expressions that have no value, for any of the composed resources that have
// been asked about, in the order of their sources and keys: those of sources that find something.
func (s *Set) Valueless() []Lack {
	empty := make(map[string]bool)
	for _, of := range slices.Concat(s.Empty, s.PerResource.Empty()) {
		empty[of.Source] = true
	}

	return slices.DeleteFunc(slices.Concat(s.Absent, s.PerResource.absent()), func(l Lack) bool { return empty[l.Source] })
}

// Transformer of the set's labels, by the rules of the supplied input.
func (s *Set) Transformer(in *v1beta1.CloudTags) *tags.Transformer {
	t := tags.NewTransformer(s.Labels, in.Formats())
	t.FormatValues(in.Values())
	t.Reserve(in.ReservedKeys, in.KeyPrefix, s.Claims)

	t.Overridden(slices.DeleteFunc(slices.Clone(s.Overridden), func(l tags.Label) bool { return !l.Trusted }))

	return t
}

// ForContext is what later steps of the pipeline may read of the set: labels, by
// qualified key, and the classes that were picked, whole, by the name of their source.
// Of labels of one qualified key, whose tag keys differ, it has the value of a trusted
// one, or else of the latest source.
func (s *Set) ForContext() *structpb.Struct {
	labels := make(map[string]*structpb.Value, len(s.Labels))
	of := make(map[string]tags.Label, len(s.Labels))

	for _, l := range s.Labels {
		if old := of[l.QualifiedKey]; old.Trusted && !l.Trusted || old.Trusted == l.Trusted && old.Source.Later(l.Source) {
			continue
		}

		of[l.QualifiedKey] = l
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
	// merged labels of the sources so far.
	*merged

	in       *v1beta1.CloudTags
	xr       place
	context  *structpb.Struct
	contexts map[string]object.Object // Objects of the context by key, as far as they were read.
	required *require.Requirements

	// set that the sources resolve to.
	set Set

	// call that expressions are evaluated for, and whether it has the objects that they require.
	call     *expression.Call
	requires bool

	// patterns of keys that each field holds, by who reads it: how many.
	patterns map[string]int
}

// newResolver returns what resolves the supplied input for the supplied request.
func newResolver(ctx context.Context, in *v1beta1.CloudTags, req *fnv1.RunFunctionRequest, required *require.Requirements) *resolver {
	r := &resolver{
		in:       in,
		xr:       place{Object: object.Of(req.GetObserved().GetComposite()), name: compositeResource},
		context:  req.GetContext(),
		contexts: make(map[string]object.Object),
		required: required,
		patterns: make(map[string]int),
		call:     expression.NewCall(ctx, object.Of(req.GetObserved().GetComposite()), req.GetContext()),
		merged:   newMerged(profile.NewFoldedKeySet(in.ReservedKeys...), 0),
	}

	if slices.ContainsFunc(in.Sources, isPerResource) {
		r.set.PerResource = &PerResource{resolver: r}
	}

	return r
}

// Resolve the supplied input for the supplied request. What Crossplane must fetch for
// it is required. An error is a resolve failure: the labels can't be known, so
// nothing may be tagged. Once the supplied context is done, its error is returned.
func Resolve(ctx context.Context, in *v1beta1.CloudTags, req *fnv1.RunFunctionRequest, required *require.Requirements) (Set, error) {
	r := newResolver(ctx, in, req, required)

	for i := range in.Sources {
		if err := ctx.Err(); err != nil {
			return Set{}, err
		}

		s := &in.Sources[i]
		from := &tags.Source{Name: in.SourceName(i), Position: i, OnConflict: s.OnConflict}

		err := r.source(s, from)
		if note, ok := optional(s, err); ok {
			r.set.Empty = append(r.set.Empty, Lack{from.Name, note})
			continue
		}

		if err != nil {
			return Set{}, errors.Wrapf(err, "cannot resolve %s", from.Name)
		}
	}

	if err := r.check(); err != nil {
		return Set{}, err
	}

	r.addTo(&r.set)

	// Labels that differ may not be included.
	if p := r.set.PerResource; p != nil && !slices.ContainsFunc(p.all, func(t taken) bool { return t.source != nil || t.accounts != nil }) {
		r.set.PerResource = nil
	}

	// A class has less weight than the composite resource.
	if p := in.Provider; p != nil && !p.FromFieldPath.IsZero() {
		named, err := r.string(p, "")
		if err != nil && !isNothing(err) {
			return Set{}, errors.Wrap(err, "cannot resolve provider")
		}

		r.set.Provider = cmp.Or(named, r.set.Provider)
	}

	if err := r.tagKeys(); err != nil {
		return Set{}, err
	}

	if err := r.checkPatterns(); err != nil {
		return Set{}, err
	}

	if err := r.allMetadata(ctx); err != nil {
		return Set{}, err
	}

	return r.set, nil
}

// isPerResource reports whether labels of s differ per composed resource.
func isPerResource(s v1beta1.Source) bool {
	for _, e := range s.Expressions {
		if len(e.PerResource()) > 0 {
			return true
		}
	}

	return s.Type == v1beta1.SourceTypeProviderConfig
}

// take the supplied label.
func (r *resolver) take(l tags.Label) {
	if p := r.set.PerResource; p != nil {
		p.all = append(p.all, taken{Label: l, had: true})
	}

	r.merged.take(l)
}

// merged are labels of sources, later ones over earlier ones.
type merged struct {
	// reserved keys, which only trusted sources may claim.
	reserved profile.KeySet

	labels             []tags.Label
	claims, overridden []tags.Label

	// at is the positions of labels by their tag keys.
	at map[string]int
}

// newMerged returns what merges about so many labels.
func newMerged(reserved profile.KeySet, labels int) *merged {
	return &merged{reserved: reserved, labels: make([]tags.Label, 0, labels), at: make(map[string]int, labels)}
}

// take the supplied label. It takes the place of one of an earlier source, unless it
// claims a reserved key and may not.
func (m *merged) take(l tags.Label) {
	if !l.Trusted && tags.Claims(m.reserved, l) {
		m.claims = append(m.claims, l)
		return
	}

	if i, ok := m.at[l.TagKey]; ok {
		m.overridden = append(m.overridden, m.labels[i])
		m.labels[i] = l

		return
	}

	m.at[l.TagKey] = len(m.labels)
	m.labels = append(m.labels, l)
}

// addTo adds the labels to the supplied set.
func (m *merged) addTo(s *Set) {
	slices.SortFunc(m.labels, tags.Label.Compare)
	s.Labels = m.labels
	slices.SortFunc(m.claims, tags.Label.Compare)
	s.Claims = slices.CompactFunc(m.claims, func(a, b tags.Label) bool { return a.Compare(b) == 0 })
	s.Overridden = m.overridden
}
