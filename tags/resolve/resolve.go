// Package resolve resolves the sources of the input to one set of labels.
package resolve

import (
	"cmp"
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
	// Provider that the input or a class asks for, or empty if none does.
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

// A resolver resolves the sources of one input for one request.
type resolver struct {
	in       *v1beta1.CloudTags
	xr       *structpb.Struct
	context  *structpb.Struct
	required *require.Requirements
	classes  map[string]Class
	provider string
}

// Resolve the supplied input for the supplied request. What Crossplane must fetch for
// it is required. An error is a resolve failure: the labels can't be known, so
// nothing may be tagged.
func Resolve(in *v1beta1.CloudTags, req *fnv1.RunFunctionRequest, required *require.Requirements) (Set, error) {
	r := &resolver{
		in:       in,
		xr:       req.GetObserved().GetComposite().GetResource(),
		context:  req.GetContext(),
		required: required,
		classes:  make(map[string]Class),
	}

	set := Set{}
	merged := make(map[string]tags.Label)

	for i := range in.Sources {
		s := &in.Sources[i]

		found, err := r.source(s)
		if err != nil {
			return Set{}, errors.Wrapf(err, "cannot resolve %s", in.SourceName(i))
		}

		for _, values := range found {
			r.merge(&set, merged, values, i)
		}
	}

	set.Labels = slices.SortedFunc(maps.Values(merged), tags.Label.Compare)
	slices.SortFunc(set.Claims, tags.Label.Compare)
	set.Claims = slices.CompactFunc(set.Claims, func(a, b tags.Label) bool { return a.Compare(b) == 0 })

	provider, err := r.string(in.Provider, true)
	if err != nil {
		return Set{}, errors.Wrap(err, "cannot resolve provider")
	}

	set.Provider = cmp.Or(provider, r.provider)

	if err := r.managed(&set); err != nil {
		return Set{}, err
	}

	if len(r.classes) > 0 {
		set.Classes = r.classes
	}

	return set, nil
}

// merge labels of the source at the supplied position with those of earlier ones.
func (r *resolver) merge(set *Set, merged map[string]tags.Label, values map[string]string, i int) {
	s := &r.in.Sources[i]

	for _, key := range slices.Sorted(maps.Keys(values)) {
		l := label(s, *r.in.KeyPrefix, key)
		l.Value, l.Source, l.Trusted = values[key], i, s.Trusted

		if !s.Trusted && tags.Claims(r.in.ReservedKeys, l) {
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

// source returns the values of the labels that the source includes, by the keys that
// the source has them under. It returns a map for each object that has any, later
// over earlier ones.
func (r *resolver) source(s *v1beta1.Source) ([]map[string]string, error) {
	included, err := r.include(s)
	if err != nil {
		return nil, err
	}

	found, err := r.find(s)
	if err != nil {
		return nil, err
	}

	out := make([]map[string]string, 0, len(found))

	for _, l := range found {
		values := make(map[string]string, len(l.values))

		for _, key := range slices.Sorted(maps.Keys(l.values)) {
			if !included(label(s, *r.in.KeyPrefix, key).QualifiedKey) {
				continue
			}

			values[key] = l.values[key]

			if s.Encoding == v1beta1.EncodingJSON {
				if values[key], err = decodeJSON(l.values[key]); err != nil {
					return nil, errors.Wrapf(err, "cannot decode %s[%s]", l.name, key)
				}
			}
		}

		out = append(out, values)
	}

	return out, nil
}

// labels of one object, and what messages call the field that they were found at.
type labels struct {
	values map[string]string
	name   string
}

// find the labels of the supplied source, by the type of it.
func (r *resolver) find(s *v1beta1.Source) ([]labels, error) {
	switch s.Type {
	case v1beta1.SourceTypeCompositeField:
		found, err := field(r.xr, *s.FromFieldPath, "")
		if err == nil && found == nil && s.Required() {
			return nil, absent(*s.FromFieldPath)
		}

		return found, err
	case v1beta1.SourceTypeContextField:
		return r.contextField(s)
	case v1beta1.SourceTypeCompositeMetadata:
		return metadata(r.xr, *s.Prefix, "")
	case v1beta1.SourceTypeRequiredResource:
		return r.resources(s)
	default:
		return []labels{{values: s.Values, name: "values"}}, nil
	}
}

// contextField returns the labels at a field path below a key of the context.
func (r *resolver) contextField(s *v1beta1.Source) ([]labels, error) {
	o, name, err := r.contextObject(*s.ContextKey)
	if err != nil {
		return nil, err
	}

	if o == nil {
		if s.Required() {
			return nil, errors.Errorf("%s is required, but there is none", name)
		}

		return nil, nil
	}

	found, err := field(o, *s.FromFieldPath, name+".")
	if err == nil && found == nil && s.Required() {
		return nil, errors.Errorf("%s.%s is required, but there is none", name, *s.FromFieldPath)
	}

	return found, err
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

// field returns the labels at the supplied path of the supplied object, whose name
// in messages is given, or nil if there is no such field.
func field(o *structpb.Struct, path, of string) ([]labels, error) {
	values, err := stringMapAt(o, path, of)
	if err != nil || values == nil {
		return nil, err
	}

	return []labels{{values: values, name: of + path}}, nil
}

// metadata returns the labels and annotations of the supplied object that have the
// supplied prefix, without it. Annotations can hold more than labels, so the
// annotation is meant if there are both.
func metadata(o *structpb.Struct, prefix, of string) ([]labels, error) {
	out := labels{values: make(map[string]string), name: of + "metadata"}

	for _, path := range []string{"metadata.labels", "metadata.annotations"} {
		found, err := field(o, path, of)
		if err != nil {
			return nil, err
		}

		for _, l := range found {
			for key, value := range l.values {
				if key, ok := strings.CutPrefix(key, prefix); ok {
					out.values[key] = value
				}
			}
		}
	}

	return []labels{out}, nil
}

// include returns what says whether the source includes a qualified key.
func (r *resolver) include(s *v1beta1.Source) (func(key string) bool, error) {
	if s.Include == nil {
		return func(string) bool { return true }, nil
	}

	patterns := s.Include.Keys

	if s.Include.FromFieldPath != nil {
		p, err := keyPatterns(r.xr, *s.Include.FromFieldPath, "")
		if err == nil && p == nil && s.Required() {
			err = absent(*s.Include.FromFieldPath)
		}

		if err != nil {
			return nil, errors.Wrap(err, "cannot tell which labels to include")
		}

		patterns = p
	}

	return func(key string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return tags.MatchesKey(p, key) })
	}, nil
}
