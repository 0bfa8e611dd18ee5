// Package resolve resolves the sources of the input to one set of labels.
package resolve

import (
	"cmp"
	"context"
	"fmt"
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
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A LabelSet is what the input comes to for one composite resource: its label set, and all else that the input reads of
// objects. It is not complete before Crossplane has fetched all objects.
type LabelSet struct {
	// Provider comes from a field of the composite resource, or from a class. It is empty if neither has one, and if the
	// input has provider.value.
	Provider string

	// Labels of all sources, sorted. No two have the same tag key. Labels that differ per composed resource are neither here
	// nor in Denied and Overridden.
	Labels []tags.Label

	// PerResource has all labels for each composed resource. It is nil if no label differs.
	PerResource *PerResource

	// Denied are the labels with reserved keys from sources that aren't trusted, sorted. They are skipped.
	Denied []tags.Label

	// Overridden are the labels that lost to a label of a later source with the same tag key, in the order of losing.
	Overridden []tags.Label

	// Lost are the labels of a composed resource whose expressions have no value for it.
	Lost []Absent

	// Cut is the number of labels beyond maxLabels, at most: see Surplus.
	Cut int

	// Classes are the picked objects, by the name of their source.
	Classes map[string]object.Object

	// Remove and Ignore are the keys of removeTags and ignoreTags.
	Remove, Ignore []TagKey

	// Metadata are the labels and annotations that kubernetesMetadata copies, by the position of the entry. Entries that copy
	// from composed resources have none here.
	Metadata []Metadata

	// Absent are the expressions without a value, in the order of their sources and keys. Expressions that differ per
	// resource are not among them.
	Absent []Lack

	// Hops are the objects of sources on the way to other objects, in the order of the sources.
	Hops []Hop

	// Empty are the optional sources that find nothing, in their order. Sources of PerResource are not among them.
	Empty []Lack

	// Ambiguous are the sources that picked one of several objects with the same name, in their order.
	Ambiguous []Lack
}

// A Hop is what one source finds on the way to other objects: an expression selects its objects, or it gives no labels itself.
// For example, the source "team" finds the Team payments, whose spec.organization selects an Organization.
type Hop struct {
	// Source is the name of the source in messages, and Objects are the names of its objects.
	Source  string
	Objects []string
}

func (h Hop) String() string { return h.Source + " finds " + words.Names(h.Objects, 0) }

// A Lack says that a source finds nothing, that one of its expressions has no value, or that a name means several objects.
type Lack struct {
	// Source is the name of the source in messages, and Why gives the reason.
	Source, Why string
}

func (l Lack) String() string { return l.Source + ": " + l.Why }

// Valueless returns the single expressions without a value, in the order of their sources and keys. An expression that differs
// per resource is among them if no resource so far has got a value. Sources that find nothing at all are left out: Empty
// has them. For example, it returns `sources[0]: expressions[team]: no such key: labels`.
func (s *LabelSet) Valueless() []Lack {
	empty := make(map[string]bool)
	for _, l := range slices.Concat(s.Empty, s.PerResource.Empty()) {
		empty[l.Source] = true
	}

	return slices.DeleteFunc(slices.Concat(s.Absent, s.PerResource.absent()), func(l Lack) bool { return empty[l.Source] })
}

// Surplus returns how many labels are skipped at most with count-cap and without a name, since a label set has at most maxLabels.
// If labels differ per resource, it is the largest number of any resource so far. 1,200 untrusted labels have a surplus of 200.
// It isn't exact, since nobody keeps keys that bounds leave out: two sources can have the same key there.
func (s *LabelSet) Surplus() int {
	if s.PerResource == nil {
		return s.Cut
	}

	return s.Cut + s.PerResource.surplus
}

// Skipped returns the words of messages for a surplus, and for the labels that stay.
func Skipped(surplus int) string {
	return fmt.Sprintf("up to %s skipped: %s (at most %d labels together: labels of trusted sources stay first, and then the lowest keys)",
		words.Count(surplus, "label", "labels"), profile.CountCap, maxLabels)
}

// Transformer returns the transformer of the set's labels, with the formats and reserved keys of the input.
func (s *LabelSet) Transformer(in *v1beta1.CloudTags) *tags.Transformer {
	t := tags.NewTransformer(s.Labels, in.Formats())
	t.FormatValues(in.Values())
	t.Reserve(in.ReservedKeys, in.KeyPrefix, s.Denied)

	t.Overridden(slices.DeleteFunc(slices.Clone(s.Overridden), func(l tags.Label) bool { return !l.Trusted }))

	return t
}

// Common returns the labels that all composed resources have. For example, env: prod is left out if a later source gives
// env: test to some resources.
func (s *LabelSet) Common() []tags.Label {
	replacing := s.PerResource.replacing()

	return slices.DeleteFunc(slices.Clone(s.Labels), func(l tags.Label) bool { return replacing[l.TagKey].Later(l.Source) })
}

// ForContext returns the part of the set that later steps of the pipeline may read: {"labels": {"platform/env": "prod"},
// "classes": {"size": {…}}}. Labels are by qualified key, and classes are whole objects by the name of their source. Two
// labels with one qualified key may have different tag keys: then the one that beats the other is here. See
// testdata/tocontext.yaml.
func (s *LabelSet) ForContext() *structpb.Struct {
	labels := make(map[string]*structpb.Value, len(s.Labels))
	winners := make(map[string]tags.Label, len(s.Labels))

	for _, l := range s.Common() {
		if old := winners[l.QualifiedKey]; old.Beats(l) {
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
	// merged labels of the sources so far.
	*merged

	in       *v1beta1.CloudTags
	xr       namedObject
	context  *structpb.Struct
	contexts map[string]object.Object // Objects of the context by key, as far as they were read.
	required *require.Requirements

	// call evaluates expressions, and readable are the sources whose objects, if they find any, it has.
	call     *expression.Call
	readable map[*v1beta1.Source]bool

	// found has the objects of each source that selects objects. So each source looks once, even if several expressions
	// read its objects.
	found map[*v1beta1.Source]objects

	// registries are the registries so far, and patterns counts the patterns of keys in fields and expressions, by the part of the input
	// that reads them first, such as removeTags[0].
	registries map[registryPlace]registry
	patterns   map[string]int
}

// newResolver returns the resolver of the input for one request. It has a PerResource if any labels may differ per
// resource.
func newResolver(ctx context.Context, in *v1beta1.CloudTags, req *fnv1.RunFunctionRequest, required *require.Requirements) *resolver {
	xr := object.Of(req.GetObserved().GetComposite())

	r := &resolver{
		in:       in,
		xr:       namedObject{Object: xr, name: compositeResource},
		context:  req.GetContext(),
		contexts: make(map[string]object.Object),
		required: required,
		patterns: make(map[string]int),

		registries: make(map[registryPlace]registry),

		found:    make(map[*v1beta1.Source]objects),
		readable: make(map[*v1beta1.Source]bool),
		call:     expression.NewCall(ctx, xr, req.GetContext()),
		merged:   newMerged(profile.NewFoldedKeySet(in.ReservedKeys...), 0),
	}

	if slices.ContainsFunc(in.Sources, differsPerResource) {
		r.set.PerResource = &PerResource{resolver: r}
	}

	return r
}

// Resolve resolves the sources of an input for a request, and requires the objects that Crossplane must fetch. An error is a
// resolve failure: the labels can't be known, so nothing may be tagged. Once ctx has ended, Resolve returns the error of
// ctx. The files in testdata have cases, e.g. hierarchy.yaml for labels of a namespace below an organization.
func Resolve(ctx context.Context, in *v1beta1.CloudTags, req *fnv1.RunFunctionRequest, required *require.Requirements) (LabelSet, error) {
	r := newResolver(ctx, in, req, required)

	for i := range in.Sources {
		if err := ctx.Err(); err != nil {
			return LabelSet{}, err
		}

		s := &in.Sources[i]
		from := &tags.Source{Name: in.SourceName(i), Position: i, OnConflict: s.OnConflict}

		err := r.source(s, from)
		if why := r.found[s].ambiguous; why != "" {
			r.set.Ambiguous = append(r.set.Ambiguous, Lack{from.Name, why})
		}

		if note, ok := optional(s, err); ok {
			r.set.Empty = append(r.set.Empty, Lack{from.Name, note})
			continue
		}

		if err != nil {
			return LabelSet{}, errors.Wrapf(err, "cannot resolve %s", from.Name)
		}

		if all := r.found[s].all; len(all) > 0 && (s.IsHop() || s.Resource.IsComputed()) {
			r.set.Hops = append(r.set.Hops, Hop{from.Name, words.Map(all, func(o namedObject) string { return o.name })})
		}
	}

	if err := r.mergeAll(); err != nil {
		return LabelSet{}, err
	}

	// A class has less weight than the composite resource.
	if p := in.Provider; p != nil && !p.FromFieldPath.IsZero() {
		named, err := r.string(p, "")
		if err != nil && !isAbsence(err) {
			return LabelSet{}, errors.Wrap(err, "cannot resolve provider")
		}

		r.set.Provider = cmp.Or(named, r.set.Provider)
	}

	if err := r.tagKeys(); err != nil {
		return LabelSet{}, err
	}

	if err := r.allMetadata(ctx); err != nil {
		return LabelSet{}, err
	}

	return r.set, nil
}

// mergeAll finishes the labels of the set once all sources are merged: it cuts labels beyond maxLabels, and drops a
// PerResource in which no label differs. The error is a LimitError.
func (r *resolver) mergeAll() error {
	if err := r.cut(); err != nil {
		return err
	}

	p := r.set.PerResource

	switch {
	case p == nil:
	case !slices.ContainsFunc(p.all, func(t scopedLabel) bool { return t.differs() }): // They may not be included.
		r.set.PerResource = nil
	case r.set.Cut > 0:
		p.dropCut(r.merged)
	}

	return nil
}

// differsPerResource reports whether labels of s may differ per composed resource: s reads provider configs, has resources, or
// has an expression such as desired.spec.region.
func differsPerResource(s v1beta1.Source) bool {
	for _, e := range s.Expressions {
		if len(e.PerResource()) > 0 {
			return true
		}
	}

	return s.Type == v1beta1.SourceTypeProviderConfig || s.Resources != nil
}

// take adds the label l of the source s to the set, unless s is for some resources only. If any labels differ, it also
// adds l to the labels of each resource: the common env: prod is in both, and team: a of a source for Buckets in the
// PerResource only.
func (r *resolver) take(l tags.Label, s *v1beta1.Source) {
	if p := r.set.PerResource; p != nil {
		p.add(scopedLabel{Label: l, had: true}, s)
	}

	if s.Resources == nil {
		r.merged.take(l)
	}
}

// leave counts n labels of the source s beyond the bound of a source.
func (r *resolver) leave(n int, s *v1beta1.Source) {
	if s.Resources == nil {
		r.set.Cut += n
	} else {
		r.set.PerResource.leftOut += n
	}
}

// A merged is a set of labels to which sources add theirs, in their order.
type merged struct {
	set LabelSet

	// reserved keys, which only trusted sources may set.
	reserved profile.KeySet

	// at has the positions of labels in the set, by their tag keys.
	at map[string]int
}

// newMerged returns an empty set with room for so many labels.
func newMerged(reserved profile.KeySet, room int) *merged {
	return &merged{reserved: reserved, set: LabelSet{Labels: make([]tags.Label, 0, room)}, at: make(map[string]int, room)}
}

// take adds l, in the place of a label of an earlier source with the same tag key: env: prod of the last source takes
// the place of env: dev. If l has a reserved key and isn't trusted, l is denied instead.
func (m *merged) take(l tags.Label) {
	if !l.Trusted && tags.HasReservedKey(m.reserved, l) {
		m.set.Denied = append(m.set.Denied, l)
		return
	}

	if i, ok := m.at[l.TagKey]; ok {
		m.set.Overridden = append(m.set.Overridden, m.set.Labels[i])
		m.set.Labels[i] = l

		return
	}

	m.at[l.TagKey] = len(m.set.Labels)
	m.set.Labels = append(m.set.Labels, l)
}
