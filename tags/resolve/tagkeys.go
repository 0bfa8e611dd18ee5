package resolve

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A TagKey says which tags of a resource are removed, or belong to another system.
type TagKey struct {
	// Pattern is a tag key, or the beginning of tag keys and a *.
	Pattern string

	// Value is the only value with which a tag is removed. It is nil if every value will do.
	Value *string

	// Retain reports whether a desired tag stays, although another system has another value for it.
	Retain bool

	// Untrusted reports whether the pattern came from a field. Such a pattern doesn't touch tags with reserved keys, since their
	// author isn't trusted.
	Untrusted bool
}

// tagKeys resolves removeTags and ignoreTags. It is an error if fields hold too many patterns together. Patterns of include count,
// too. See testdata/tagkeys.yaml.
func (r *resolver) tagKeys() error {
	for i, t := range r.in.RemoveTags {
		keys, err := r.keys(r.in.Where("removeTags[%d]", i), &t.TagKeys, TagKey{Value: t.Value}, "neither a list nor a map of strings", "a list", "an object")
		if err != nil {
			return err
		}

		r.set.Remove = append(r.set.Remove, keys...)
	}

	for i, t := range r.in.IgnoreTags {
		keys, err := r.keys(r.in.Where("ignoreTags[%d]", i), &t.TagKeys, TagKey{Retain: t.OnConflict == tags.Retain}, "not a list of strings", "a list")
		if err != nil {
			return err
		}

		r.set.Ignore = append(r.set.Ignore, keys...)
	}

	return tooMany(r.patterns, maxPatterns, "patterns of keys in fields and expressions", "shorten the list that it reads")
}

// keys returns the keys of an entry of removeTags or ignoreTags, each as a copy of k. For example, the entry {key: "backup:*"} has
// one key. A field has a list of keys, or a map from keys to values. Its value must be of one of the kinds, and otherwise not
// says what it isn't. name is the entry's name in messages.
func (r *resolver) keys(name string, entry *v1beta1.TagKeys, k TagKey, not string, kinds ...string) ([]TagKey, error) {
	if entry.FromFieldPath.IsZero() {
		k.Pattern = entry.Key
		return []TagKey{k}, nil
	}

	keys, err := r.keysFromField(entry, k, not, kinds)
	r.patterns[name] = len(keys)

	return keys, errors.Wrapf(err, "cannot resolve %s", name)
}

// keysFromField returns the keys in the field of an entry: owner and team/* for spec.ignored: [owner, team/*]. All of
// them are Untrusted.
func (r *resolver) keysFromField(entry *v1beta1.TagKeys, k TagKey, not string, kinds []string) ([]TagKey, error) {
	k.Untrusted = true

	in, err := r.contextObject(entry.ContextKey)
	if err != nil {
		return nil, err
	}

	n, err := in.valueAt(entry.FromFieldPath, not, kinds...)
	if err != nil {
		return nil, err
	}

	name := in.prefix + entry.FromFieldPath.String()
	if n.IsObject() {
		return valued(name, n.Value())
	}

	patterns, err := patternsIn(n, name, v1beta1.ValidateKeyPattern)
	keys := make([]TagKey, len(patterns))

	for i, p := range patterns {
		keys[i] = k
		keys[i].Pattern = p
	}

	return keys, err
}

// valued returns the keys of the map m with their values: {"env": "test"} removes env=test only. name is the map's name in
// messages.
func valued(name string, m *structpb.Value) ([]TagKey, error) {
	values, err := object.StringMap(m, name)
	keys := make([]TagKey, 0, len(values))

	for _, p := range slices.Sorted(maps.Keys(values)) {
		if why := v1beta1.ValidateKeyPattern(p); why != "" {
			return nil, errors.Errorf("%s[%s]: %s", name, p, why)
		}

		keys = append(keys, TagKey{Pattern: p, Value: new(values[p]), Untrusted: true})
	}

	return keys, err
}
