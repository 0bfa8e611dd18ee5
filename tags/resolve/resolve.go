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

// A Set is the result of an input's sources for one composite resource. It is not complete while something
// that Crossplane must fetch is missing.
type Set struct {
	// Provider that the composite resource names, or else a class, or empty. A provider that the
	// input names by value is not here: it has more weight.
	Provider string

	// Labels of all sources, sorted. No two have the same tag key. Labels that differ per
	// composed resource are neither here nor in Claims and Overridden.
	Labels []tags.Label

	// PerResource has all labels for each composed resource, or is nil if none differs.
	PerResource *PerResource

	// Claims are labels of reserved keys from sources that aren't trusted, sorted.
	Claims []tags.Label

	// Overridden are the labels that later ones with the same tag key have replaced, in the
	// order in which that happened.
	Overridden []tags.Label

	// Lost are the labels of a composed resource whose expressions have no value for it.
	Lost []Absent

	// Cut is how many labels the set lacks, since there were too many.
	Cut int

	// Classes that were picked, by the name of their source.
	Classes map[string]object.Object

	// Remove and Ignore are the keys of removeTags and ignoreTags.
	Remove, Ignore []TagKey

	// Metadata that kubernetesMetadata copies, by the position of the rule. It is
	// empty for rules that copy from composed resources.
	Metadata []Metadata

	// Absent are the expressions that have no value, in the order of their sources and keys, without
	// those whose value differs per resource.
	Absent []Lack

	// Hops are what sources find that are selected by expressions, or that give no labels, in their order.
	Hops []Hop

	// Empty are the sources that find nothing where that is no error, in their order, without those of
	// PerResource.
	Empty []Lack
}

// A Hop says what a source finds, which objects of other sources have led to or which may lead to theirs.
type Hop struct {
	// Source is the name of the source for messages, and Objects are those that it finds.
	Source  string
	Objects []string
}

func (h Hop) String() string { return h.Source + " finds " + words.Names(h.Objects, 0) }

// A Lack says that a source finds nothing, or that one of its expressions has no value.
type Lack struct {
	// Source is the name of the source for messages, and Why it lacks what it does.
	Source, Why string
}

func (l Lack) String() string { return l.Source + ": " + l.Why }

// Valueless returns the single expressions that have no value for any composed resource that has been asked
// about, in the order of their sources and keys. Sources that find nothing at all are left out.
func (s *Set) Valueless() []Lack {
	empty := make(map[string]bool)
	for _, of := range slices.Concat(s.Empty, s.PerResource.Empty()) {
		empty[of.Source] = true
	}

	return slices.DeleteFunc(slices.Concat(s.Absent, s.PerResource.absent()), func(l Lack) bool { return empty[l.Source] })
}

// Surplus returns how many labels are skipped with count-cap since no set may have so many, and nobody names them. If labels
// differ per resource, it is the most of any resource that has been asked about.
func (s *Set) Surplus() int {
	if s.PerResource == nil {
		return s.Cut
	}

	return s.Cut + s.PerResource.surplus
}

// MaxLabels says in a few words how many labels a set may have, and which ones stay.
func MaxLabels() string {
	return fmt.Sprintf("at most %d labels together: labels of trusted sources stay first, and then the lowest keys", maxLabels)
}

// Transformer returns the transformer of the set's labels, by the rules of the input.
func (s *Set) Transformer(in *v1beta1.CloudTags) *tags.Transformer {
	t := tags.NewTransformer(s.Labels, in.Formats())
	t.FormatValues(in.Values())
	t.Reserve(in.ReservedKeys, in.KeyPrefix, s.Claims)

	t.Overridden(slices.DeleteFunc(slices.Clone(s.Overridden), func(l tags.Label) bool { return !l.Trusted }))

	return t
}

// Common returns the labels that all composed resources have: not those that some resources have another label for.
func (s *Set) Common() []tags.Label {
	replacing := s.PerResource.replacing()

	return slices.DeleteFunc(slices.Clone(s.Labels), func(l tags.Label) bool { return replacing[l.TagKey].Later(l.Source) })
}

// ForContext returns what later steps of the pipeline may read of the set: labels by qualified key, and the
// picked classes, whole, by the name of their source. Among labels with one qualified key and different tag
// keys, a trusted one counts, then that of the latest source.
func (s *Set) ForContext() *structpb.Struct {
	labels := make(map[string]*structpb.Value, len(s.Labels))
	of := make(map[string]tags.Label, len(s.Labels))

	for _, l := range s.Common() {
		if old := of[l.QualifiedKey]; old.Beats(&l) {
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
	xr       namedObject
	context  *structpb.Struct
	contexts map[string]object.Object // Objects of the context by key, as far as they were read.
	required *require.Requirements

	// call that expressions are evaluated for, and the sources whose objects they can read there, also those that
	// find nothing.
	call     *expression.Call
	readable map[*v1beta1.Source]bool

	// found has what was found of each source that selects objects, so that it is looked for once, however many
	// expressions read it.
	found map[*v1beta1.Source]objects

	// registries are those that were read, and patterns counts the patterns of keys in fields, by the part of the input
	// that reads the field first.
	registries map[registryField]registry
	patterns   map[string]int
}

// newResolver returns the resolver of the input for one request.
func newResolver(ctx context.Context, in *v1beta1.CloudTags, req *fnv1.RunFunctionRequest, required *require.Requirements) *resolver {
	xr := object.Of(req.GetObserved().GetComposite())

	r := &resolver{
		in:       in,
		xr:       namedObject{Object: xr, name: compositeResource},
		context:  req.GetContext(),
		contexts: make(map[string]object.Object),
		required: required,
		patterns: make(map[string]int),

		registries: make(map[registryField]registry),

		found:    make(map[*v1beta1.Source]objects),
		readable: make(map[*v1beta1.Source]bool),
		call:     expression.NewCall(ctx, xr, req.GetContext()),
		merged:   newMerged(profile.NewFoldedKeySet(in.ReservedKeys...), 0),
	}

	if slices.ContainsFunc(in.Sources, isPerResource) {
		r.set.PerResource = &PerResource{resolver: r}
	}

	return r
}

// Resolve resolves the sources of an input for a request, and requires what Crossplane must fetch for it.
// An error is a resolve failure: the labels can't be known, so nothing may be tagged. Once ctx has ended,
// its error is returned.
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

		if all := r.found[s].all; len(all) > 0 && (s.IsHop() || s.Resource.IsComputed()) {
			r.set.Hops = append(r.set.Hops, Hop{from.Name, words.Map(all, func(o namedObject) string { return o.name })})
		}
	}

	if err := r.mergeAll(); err != nil {
		return Set{}, err
	}

	// A class has less weight than the composite resource.
	if p := in.Provider; p != nil && !p.FromFieldPath.IsZero() {
		named, err := r.string(p, "")
		if err != nil && !isAbsence(err) {
			return Set{}, errors.Wrap(err, "cannot resolve provider")
		}

		r.set.Provider = cmp.Or(named, r.set.Provider)
	}

	if err := r.tagKeys(); err != nil {
		return Set{}, err
	}

	if err := r.allMetadata(ctx); err != nil {
		return Set{}, err
	}

	return r.set, nil
}

// mergeAll makes the labels of all sources those of the set. The error is a LimitError.
func (r *resolver) mergeAll() error {
	if err := r.cut(); err != nil {
		return err
	}

	p := r.set.PerResource

	switch {
	case p == nil:
	case !slices.ContainsFunc(p.all, func(t entry) bool { return t.differs() }): // They may not be included.
		r.set.PerResource = nil
	case r.set.Cut > 0:
		p.dropCut(r.merged)
	}

	return nil
}

// isPerResource reports whether labels of s differ per composed resource.
func isPerResource(s v1beta1.Source) bool {
	for _, e := range s.Expressions {
		if len(e.PerResource()) > 0 {
			return true
		}
	}

	return s.Type == v1beta1.SourceTypeProviderConfig || s.Resources != nil
}

// take adds a label of the source s to the merged ones, unless it is for some resources only, and to those of each resource
// if any labels differ.
func (r *resolver) take(l tags.Label, s *v1beta1.Source) {
	if p := r.set.PerResource; p != nil {
		p.add(entry{Label: l, had: true}, s)
	}

	if s.Resources == nil {
		r.merged.take(l)
	}
}

// leave counts n labels of the source s that no set has.
func (r *resolver) leave(n int, s *v1beta1.Source) {
	if s.Resources == nil {
		r.set.Cut += n
	} else {
		r.set.PerResource.left += n
	}
}

// merged are labels of sources, later ones over earlier ones.
type merged struct {
	// set that the sources resolve to.
	set Set

	// reserved keys, which only trusted sources may set.
	reserved profile.KeySet

	// at is the positions of labels by their tag keys.
	at map[string]int
}

// newMerged returns an empty set of labels with room for as many as labels says.
func newMerged(reserved profile.KeySet, labels int) *merged {
	return &merged{reserved: reserved, set: Set{Labels: make([]tags.Label, 0, labels)}, at: make(map[string]int, labels)}
}

// take adds l. It replaces the label of an earlier source with the same tag key, unless it has a
// reserved key and isn't trusted.
func (m *merged) take(l tags.Label) {
	if !l.Trusted && tags.Claims(m.reserved, l) {
		m.set.Claims = append(m.set.Claims, l)
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
