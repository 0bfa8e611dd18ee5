package resolve

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
)

// A TagKey is which tags of a resource are removed, or are another system's.
type TagKey struct {
	// Pattern is a tag key, or the beginning of tag keys and a *.
	Pattern string

	// Value at which tags are removed, or nil if it doesn't matter.
	Value *string

	// Retain is true if a tag that is desired stands, although another system has
	// another value for it.
	Retain bool

	// Untrusted is true if the pattern came from a field, whose author may not touch
	// the tags with reserved keys.
	Untrusted bool
}

// Metadata are labels and annotations of Kubernetes objects.
type Metadata struct {
	Labels      map[string]string
	Annotations map[string]string
}

// managed resolves which tags are removed and ignored, and what metadata is copied.
func (r *resolver) managed(ctx context.Context, set *Set) error {
	for i, t := range r.in.RemoveTags {
		keys, err := r.tagKeys(&t.TagKeys, TagKey{Value: t.Value}, true)
		if err != nil {
			return errors.Wrapf(err, "cannot resolve removeTags[%d]", i)
		}

		set.Remove = append(set.Remove, keys...)
	}

	for i, t := range r.in.IgnoreTags {
		keys, err := r.tagKeys(&t.TagKeys, TagKey{Retain: t.OnConflict == v1beta1.ConflictPolicyRetain}, false)
		if err != nil {
			return errors.Wrapf(err, "cannot resolve ignoreTags[%d]", i)
		}

		set.Ignore = append(set.Ignore, keys...)
	}

	for i := range r.in.KubernetesMetadata {
		if err := ctx.Err(); err != nil {
			return err
		}

		m, err := r.metadata(&r.in.KubernetesMetadata[i])
		if err != nil {
			return errors.Wrapf(err, "cannot resolve kubernetesMetadata[%d]", i)
		}

		set.Metadata = append(set.Metadata, m)
	}

	return nil
}

// tagKeys returns the supplied keys, each as a copy of the supplied TagKey. They may also
// come from a map, which has the value of each, if that is true.
func (r *resolver) tagKeys(of *v1beta1.TagKeys, k TagKey, valued bool) ([]TagKey, error) {
	if of.FromFieldPath == nil {
		k.Pattern = of.Key
		return []TagKey{k}, nil
	}

	o, name := r.xr, ""

	if of.ContextKey != nil {
		var err error
		if o, name, err = r.contextObject(*of.ContextKey); err != nil {
			return nil, err
		}

		name += "."
	}

	k.Untrusted = true

	if v, err := structpath.Get(o, *of.FromFieldPath); valued && err == nil && v != nil {
		switch v.GetKind().(type) {
		case *structpb.Value_StructValue:
			return valuedKeys(v, k, name+*of.FromFieldPath)
		case *structpb.Value_ListValue:
		default:
			return nil, errors.Errorf("%s%s is %s, neither a list nor a map of strings", name, *of.FromFieldPath, structpath.KindOf(v))
		}
	}

	patterns, err := keyPatterns(o, *of.FromFieldPath, name, v1beta1.ValidateKeyPattern)
	keys := make([]TagKey, len(patterns))

	for i, p := range patterns {
		k.Pattern = p
		keys[i] = k
	}

	return keys, err
}

// valuedKeys returns the keys of the supplied map, whose name in messages is given, each
// as a copy of the supplied TagKey, with the value that the map has for it.
func valuedKeys(v *structpb.Value, k TagKey, name string) ([]TagKey, error) {
	values, err := structpath.StringMap(v, name)
	if err != nil {
		return nil, err
	}

	keys := make([]TagKey, 0, len(values))

	for _, p := range slices.Sorted(maps.Keys(values)) {
		if why := v1beta1.ValidateKeyPattern(p); why != "" {
			return nil, errors.Errorf("%s[%s]: %s", name, p, why)
		}

		value := values[p]
		k.Pattern, k.Value = p, &value
		keys = append(keys, k)
	}

	return keys, nil
}

// metadata of the objects that the supplied rule copies from, later names over
// earlier ones.
func (r *resolver) metadata(rule *v1beta1.MetadataRule) (Metadata, error) {
	var objects []*structpb.Struct

	switch rule.Source.Type {
	case v1beta1.MetadataSourceTypeCompositeMetadata:
		return MetadataOf(rule, r.xr, "")
	case v1beta1.MetadataSourceTypeRequiredResource:
		found, _, err := r.objects(rule.Source.Resource, rule.Source.Required(), false)
		if err != nil {
			return Metadata{}, err
		}

		objects = found
	case v1beta1.MetadataSourceTypeComposedResource: // It is copied once that is stamped.
	}

	out := Metadata{Labels: make(map[string]string), Annotations: make(map[string]string)}

	for _, o := range objects {
		m, err := MetadataOf(rule, o, fmt.Sprintf("%s ", classOf(o)))
		if err != nil {
			return Metadata{}, err
		}

		maps.Copy(out.Labels, m.Labels)
		maps.Copy(out.Annotations, m.Annotations)
	}

	return out, nil
}

// MetadataOf returns the labels and annotations of the supplied object that the
// supplied rule may copy. Errors call the object by the supplied name.
func MetadataOf(rule *v1beta1.MetadataRule, o *structpb.Struct, of string) (Metadata, error) {
	out := Metadata{}

	var err error

	if rule.Copies(v1beta1.MetadataKindLabels) {
		if out.Labels, err = stringMapAt(o, rule.Source.LabelsFieldPath, of); err != nil {
			return Metadata{}, err
		}
	}

	if rule.Copies(v1beta1.MetadataKindAnnotations) {
		out.Annotations, err = stringMapAt(o, rule.Source.AnnotationsFieldPath, of)
	}

	return out, err
}

// stringMapAt returns the map of strings at the supplied path, or nil if there is no
// such field.
func stringMapAt(o *structpb.Struct, path, of string) (map[string]string, error) {
	v, err := structpath.Get(o, path)
	if err != nil {
		return nil, errors.Errorf("%s%w", of, err)
	}

	if v == nil {
		return nil, nil //nolint:nilnil // Absent is neither a map nor an error.
	}

	return structpath.StringMap(v, of+path)
}
