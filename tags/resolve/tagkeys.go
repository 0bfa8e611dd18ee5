package resolve

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
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

// tagKeys resolves which tags are removed and ignored.
func (r *resolver) tagKeys() error {
	for i, t := range r.in.RemoveTags {
		keys, err := r.keys(&t.TagKeys, TagKey{Value: t.Value}, listedOrMapped)
		if err != nil {
			return errors.Wrapf(err, "cannot resolve removeTags[%d]", i)
		}

		r.set.Remove = append(r.set.Remove, keys...)
	}

	for i, t := range r.in.IgnoreTags {
		keys, err := r.keys(&t.TagKeys, TagKey{Retain: t.OnConflict == v1beta1.ConflictPolicyRetain}, listed)
		if err != nil {
			return errors.Wrapf(err, "cannot resolve ignoreTags[%d]", i)
		}

		r.set.Ignore = append(r.set.Ignore, keys...)
	}

	return nil
}

// keys returns the supplied keys, each as a copy of the supplied TagKey. Those at a field
// path are read by the supplied function.
func (r *resolver) keys(of *v1beta1.TagKeys, k TagKey, read func(in place, path object.Path, k TagKey) ([]TagKey, error)) ([]TagKey, error) {
	if of.FromFieldPath.IsZero() {
		k.Pattern = of.Key
		return []TagKey{k}, nil
	}

	k.Untrusted = true
	in := r.xr

	if of.ContextKey != "" {
		var err error
		if in, err = r.contextObject(of.ContextKey); err != nil {
			return nil, err
		}
	}

	return read(in, of.FromFieldPath, k)
}

// listed returns the keys in the list at the supplied path.
func listed(in place, path object.Path, k TagKey) ([]TagKey, error) {
	patterns, err := in.patterns(path, v1beta1.ValidateKeyPattern)
	keys := make([]TagKey, len(patterns))

	for i, p := range patterns {
		k.Pattern = p
		keys[i] = k
	}

	return keys, err
}

// listedOrMapped returns the keys in the list at the supplied path, or in the map there,
// which has the value of each.
func listedOrMapped(in place, path object.Path, k TagKey) ([]TagKey, error) {
	v, err := in.at(path)
	if err != nil {
		return nil, err
	}

	switch v.GetKind().(type) {
	case *structpb.Value_StructValue:
	case nil, *structpb.Value_ListValue:
		return listed(in, path, k)
	default:
		return nil, errors.Errorf("%s%s is %s, neither a list nor a map of strings", in.of, path, object.KindOf(v))
	}

	values, err := object.StringMap(v, in.of+path.String())
	if err != nil {
		return nil, err
	}

	keys := make([]TagKey, 0, len(values))

	for _, p := range slices.Sorted(maps.Keys(values)) {
		if why := v1beta1.ValidateKeyPattern(p); why != "" {
			return nil, errors.Errorf("%s%s[%s]: %s", in.of, path, p, why)
		}

		keys = append(keys, TagKey{Pattern: p, Value: new(values[p]), Untrusted: k.Untrusted})
	}

	return keys, nil
}
