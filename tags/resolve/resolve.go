// Package resolve resolves the sources of the input to one set of labels.
package resolve

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
)

// A Set is what an input's sources come to for one composite resource. If anything
// that Crossplane must fetch is not here yet, it is not complete.
type Set struct {
	// Provider that the composite resource or else a class names, or empty if none
	// does. One that the input names by value is not here: it has more weight.
	Provider string

	// Labels of all sources, sorted. No two have the same tag key.
	Labels []tags.Label

	// Claims are labels of reserved keys from sources that aren't trusted, sorted.
	Claims []tags.Label

	// Overridden labels, each with the position of the source that overrode it, in
	// the order in which that happened.
	Overridden []Override

	// Classes that were picked, by the name of their source.
	Classes map[string]Class

	// Remove and Ignore are the keys of removeTags and ignoreTags.
	Remove, Ignore []TagKey

	// Metadata that kubernetesMetadata copies, by the position of the rule. It is
	// empty for rules that copy from composed resources.
	Metadata []Metadata

	// Empty are messages about the sources that find nothing, though that is no
	// error, in their order.
	Empty []string
}

// An Override is a label that a later one of the same tag key took the place of.
type Override struct {
	tags.Label

	By int
}

// Transformer of the set's labels, by the rules of the supplied input.
func (s *Set) Transformer(in *v1beta1.CloudTags) *tags.Transformer {
	t := tags.NewTransformer(s.Labels, in.Formats())
	t.Reserve(in.ReservedKeys, *in.KeyPrefix, s.Claims)

	trusted := []tags.Label{}

	for _, o := range s.Overridden {
		if o.Trusted {
			trusted = append(trusted, o.Label)
		}
	}

	t.Overridden(trusted)

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
		if old, ok := of[l.QualifiedKey]; ok && (old.Trusted && !l.Trusted || old.Trusted == l.Trusted && old.Source > l.Source) {
			continue
		}

		of[l.QualifiedKey] = l
		labels[l.QualifiedKey] = structpb.NewStringValue(l.Value)
	}

	classes := make(map[string]*structpb.Value, len(s.Classes))
	for name, c := range s.Classes {
		classes[name] = structpb.NewStructValue(c.Object)
	}

	return &structpb.Struct{Fields: map[string]*structpb.Value{
		"labels":  structpb.NewStructValue(&structpb.Struct{Fields: labels}),
		"classes": structpb.NewStructValue(&structpb.Struct{Fields: classes}),
	}}
}

// A resolver resolves the sources of one input for one request.
type resolver struct {
	in       *v1beta1.CloudTags
	xr       *structpb.Struct
	context  *structpb.Struct
	required *require.Requirements
	classes  map[string]Class
	provider string

	// reserved keys, which only trusted sources may claim.
	reserved tags.KeySet
}

// Resolve the supplied input for the supplied request. What Crossplane must fetch for
// it is required. An error is a resolve failure: the labels can't be known, so
// nothing may be tagged. Once the supplied context is done, its error is returned.
func Resolve(ctx context.Context, in *v1beta1.CloudTags, req *fnv1.RunFunctionRequest, required *require.Requirements) (Set, error) {
	r := &resolver{
		in:       in,
		xr:       req.GetObserved().GetComposite().GetResource(),
		context:  req.GetContext(),
		required: required,
		classes:  make(map[string]Class),
		reserved: tags.NewFoldedKeySet(in.ReservedKeys...),
	}

	set := Set{}
	merged := make(map[string]tags.Label)

	for i := range in.Sources {
		if err := ctx.Err(); err != nil {
			return Set{}, err
		}

		s := &in.Sources[i]

		found, empty, err := r.source(ctx, s)
		if err != nil {
			return Set{}, errors.Wrapf(err, "cannot resolve %s", in.SourceName(i))
		}

		if empty != "" {
			set.Empty = append(set.Empty, fmt.Sprintf("%s: %s", in.SourceName(i), empty))
		}

		for _, labels := range found {
			r.merge(&set, merged, labels, i)
		}
	}

	set.Labels = slices.SortedFunc(maps.Values(merged), tags.Label.Compare)
	slices.SortFunc(set.Claims, tags.Label.Compare)
	set.Claims = slices.CompactFunc(set.Claims, func(a, b tags.Label) bool { return a.Compare(b) == 0 })

	if err := r.takeNamedProvider(&set); err != nil {
		return Set{}, err
	}

	if err := r.managed(ctx, &set); err != nil {
		return Set{}, err
	}

	if len(r.classes) > 0 {
		set.Classes = r.classes
	}

	return set, nil
}

// takeNamedProvider takes the provider that the composite resource names, or else the
// one that a class names.
func (r *resolver) takeNamedProvider(set *Set) error {
	set.Provider = r.provider

	if r.in.Provider == nil || r.in.Provider.FromFieldPath == nil {
		return nil
	}

	named, err := r.string(r.in.Provider, true)
	set.Provider = cmp.Or(named, set.Provider)

	return errors.Wrap(err, "cannot resolve provider")
}

// merge labels of the source at the supplied position with those of earlier ones.
func (r *resolver) merge(set *Set, merged map[string]tags.Label, labels []tags.Label, i int) {
	s := &r.in.Sources[i]

	for _, l := range labels {
		l.Source, l.Trusted = i, s.Trusted

		if !s.Trusted && tags.Claims(r.reserved, l) {
			set.Claims = append(set.Claims, l)
			continue
		}

		if old, ok := merged[l.TagKey]; ok {
			set.Overridden = append(set.Overridden, Override{Label: old, By: i})
		}

		merged[l.TagKey] = l
	}
}

// label returns the label, without a value, that the supplied key of the supplied
// source is for.
func label(s *v1beta1.Source, prefix, key string) tags.Label {
	if s.KeyForm == v1beta1.KeyFormTag {
		return tags.Label{QualifiedKey: strings.TrimPrefix(key, prefix), TagKey: key, Unprefixed: true}
	}

	return tags.Label{QualifiedKey: key, TagKey: prefix + key}
}

// source returns the labels that the source includes, in the order of the keys that the
// source has them under. It returns a list for each object that has any, later over
// earlier ones. If there are none, it says why, unless that is still to be seen.
func (r *resolver) source(ctx context.Context, s *v1beta1.Source) (out [][]tags.Label, empty string, err error) {
	included, none, err := r.include(s)
	if err != nil {
		return nil, "", err
	}

	found, empty, err := r.find(ctx, s)
	if err != nil || empty != "" {
		return nil, empty, err
	}

	of, taken := 0, 0

	for _, l := range found {
		labels := make([]tags.Label, 0, len(l))
		of += len(l)

		for _, key := range slices.Sorted(maps.Keys(l)) {
			to := label(s, *r.in.KeyPrefix, key)
			if !included(to.QualifiedKey) {
				continue
			}

			if to.Value, err = l[key].text(s.Encoding); err != nil {
				return nil, "", err
			}

			labels = append(labels, to)
		}

		taken += len(labels)
		out = append(out, labels)
	}

	// Who leaves a map empty means to.
	if of > 0 && taken == 0 {
		empty = none
		if empty == "" {
			empty = fmt.Sprintf("include matches none of its %d labels", of)
		}
	}

	return out, empty, nil
}

// labels of one object, by key. They are not looked at before it's known that they are
// included.
type labels map[string]found

// found is the value of a label and where it is.
type found struct {
	*structpb.Value

	// path of the map that holds it, in the words of messages, and its key there.
	path, key string
}

// text of the value in the supplied encoding.
func (f found) text(e v1beta1.Encoding) (string, error) {
	text, ok := f.GetKind().(*structpb.Value_StringValue)

	if e == v1beta1.EncodingScalar && !ok {
		s, err := scalar(f.Value)
		return s, errors.Wrapf(err, "cannot take %s[%s]", f.path, f.key)
	}

	if !ok {
		return "", errors.Errorf("%s[%s] is %s, not a string", f.path, f.key, structpath.KindOf(f.Value))
	}

	if e == v1beta1.EncodingJSON {
		s, err := decodeJSON(text.StringValue)
		return s, errors.Wrapf(err, "cannot decode %s[%s]", f.path, f.key)
	}

	return text.StringValue, nil
}

// find the labels of the supplied source, by the type of it. If there is nothing to
// find, it says so.
func (r *resolver) find(ctx context.Context, s *v1beta1.Source) (l []labels, empty string, err error) {
	switch s.Type {
	case v1beta1.SourceTypeCompositeField:
		return field(r.xr, s, compositeResource, "")
	case v1beta1.SourceTypeContextField:
		return r.contextField(s)
	case v1beta1.SourceTypeCompositeMetadata:
		return prefixed(r.xr, s, compositeResource, "")
	case v1beta1.SourceTypeRequiredResource:
		return r.resources(ctx, s)
	default:
		if len(s.Values) == 0 {
			return nil, "values is empty", nil
		}

		out := make(labels, len(s.Values))
		for key, value := range s.Values {
			out[key] = found{Value: structpb.NewStringValue(value), path: "values", key: key}
		}

		return []labels{out}, "", nil
	}
}

// contextField returns the labels at a field path below a key of the context.
func (r *resolver) contextField(s *v1beta1.Source) (l []labels, empty string, err error) {
	o, name, err := r.contextObject(*s.ContextKey)
	if err != nil {
		return nil, "", err
	}

	if o == nil && s.Required() {
		return nil, "", errors.Errorf("%s is required, but there is none", name)
	}

	if o == nil {
		return nil, name + " isn't there", nil
	}

	return field(o, s, name, name+".")
}

// contextObject returns the object that the context has under the supplied key, or
// nil if there is none, and what messages call it.
func (r *resolver) contextObject(key string) (o *structpb.Struct, name string, err error) {
	name = "context[" + key + "]"

	switch v := r.context.GetFields()[key]; v.GetKind().(type) {
	case nil, *structpb.Value_NullValue:
		return nil, name, nil
	case *structpb.Value_StructValue:
		return v.GetStructValue(), name, nil
	default:
		return nil, name, errors.Errorf("%s is %s, not an object", name, structpath.KindOf(v))
	}
}

// compositeResource is what messages call it.
const compositeResource = "the composite resource"

// field returns the labels at the path of the supplied source, in an object that has
// the supplied name in messages. Fields of it start with the other name.
func field(o *structpb.Struct, s *v1beta1.Source, name, of string) (l []labels, empty string, err error) {
	fields, err := objectAt(o, *s.FromFieldPath, of)
	if err != nil {
		return nil, "", err
	}

	if fields == nil && s.Required() {
		return nil, "", errors.Errorf("%s is required, but %s doesn't have it", *s.FromFieldPath, name)
	}

	if fields == nil {
		return nil, fmt.Sprintf("%s has no %s", name, *s.FromFieldPath), nil
	}

	out := make(labels, len(fields))
	for key, v := range fields {
		out[key] = found{Value: v, path: of + *s.FromFieldPath, key: key}
	}

	return []labels{out}, "", nil
}

// prefixed returns the labels and annotations of the supplied object that have the
// source's prefix, without it. Annotations can hold more than labels, so the annotation
// is meant if there are both.
func prefixed(o *structpb.Struct, s *v1beta1.Source, name, of string) (l []labels, empty string, err error) {
	out := make(labels)

	for _, path := range []string{"metadata.labels", "metadata.annotations"} {
		fields, err := objectAt(o, path, of)
		if err != nil {
			return nil, "", err
		}

		for key, v := range fields {
			if stripped, ok := strings.CutPrefix(key, *s.Prefix); ok {
				out[stripped] = found{Value: v, path: of + path, key: key}
			}
		}
	}

	if len(out) == 0 {
		return nil, fmt.Sprintf("no label or annotation of %s starts with %s", name, *s.Prefix), nil
	}

	return []labels{out}, "", nil
}

// include returns what says whether the source includes a qualified key, and why it
// includes none if that is known already.
func (r *resolver) include(s *v1beta1.Source) (included func(key string) bool, none string, err error) {
	if s.Include == nil {
		return func(string) bool { return true }, "", nil
	}

	patterns := s.Include.Keys
	all := patterns == nil

	if path := s.Include.FromFieldPath; path != nil {
		p, err := keyPatterns(r.xr, *path, "", v1beta1.ValidateLabelPattern)
		if err == nil && p == nil && s.Required() {
			err = errors.Errorf("%s is required, but %s doesn't have it", *path, compositeResource)
		}

		if err != nil {
			return nil, "", errors.Wrap(err, "cannot tell which labels to include")
		}

		if p == nil {
			none = fmt.Sprintf("%s has no %s that says which labels to include", compositeResource, *path)
		}

		patterns, all = p, false
	}

	keys, except := tags.NewKeySet(patterns...), tags.NewKeySet(s.Include.Except...)

	return func(key string) bool { return (all || keys.Has(key)) && !except.Has(key) }, none, nil
}
