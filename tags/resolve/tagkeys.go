package resolve

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A TagPattern matches the tags that removeTags removes, or that ignoreTags leaves to another system.
type TagPattern struct {
	// Key is a tag key, or the beginning of tag keys and a *, such as backup:*.
	Key string

	// Value is the only value with which removeTags removes tags. If it is nil, removeTags removes tags with any value.
	Value *string

	// Retain reports whether a desired tag keeps its value, even if the other system sets another value.
	Retain bool

	// Untrusted reports whether the key came from a field, such as spec.ignored of the XR. Then the pattern doesn't touch tags
	// with reserved keys, since the author of the field isn't trusted.
	Untrusted bool
}

// withKey returns the pattern with another key.
func (p TagPattern) withKey(key string) TagPattern {
	p.Key = key
	return p
}

// resolveTagPatterns resolves removeTags and ignoreTags of the input. If include, removeTags and ignoreTags together read more than
// maxPatterns patterns from fields and expressions, there is an error. See testdata/tagkeys.yaml.
func (r *resolver) resolveTagPatterns() error {
	for i, t := range r.input.RemoveTags {
		patterns, err := r.tagPatternsOf(r.input.Where("removeTags[%d]", i), &t.TagKeys, TagPattern{Value: t.Value}, "neither a list nor a map of strings", "a list", "an object")
		if err != nil {
			return err
		}

		r.set.Remove = append(r.set.Remove, patterns...)
	}

	for i, t := range r.input.IgnoreTags {
		patterns, err := r.tagPatternsOf(r.input.Where("ignoreTags[%d]", i), &t.TagKeys, TagPattern{Retain: t.OnConflict == tags.Retain}, "not a list of strings", "a list")
		if err != nil {
			return err
		}

		r.set.Ignore = append(r.set.Ignore, patterns...)
	}

	return tooManyError(r.patternCounts, maxPatterns, "patterns of keys in fields and expressions", "shorten the list that it reads")
}

// tagPatternsOf returns the patterns of an entry of removeTags or ignoreTags. The entry has one key, such as {key: "backup:*"}, or a field
// with keys, such as {fromFieldPath: spec.ignored}. Each key gets a copy of the template, with value or onConflict of the entry. The field
// must be of one of the kinds, and the mismatch ends the error about any other kind: see valueAt. name is the name of the entry in
// messages.
func (r *resolver) tagPatternsOf(name string, entry *v1beta1.TagKeys, template TagPattern, mismatch string, kinds ...string) ([]TagPattern, error) {
	if entry.FromFieldPath.IsZero() {
		return []TagPattern{template.withKey(entry.Key)}, nil
	}

	patterns, err := r.patternsFromField(entry, template, mismatch, kinds)
	r.patternCounts[name] = len(patterns)

	return patterns, errors.Wrapf(err, "cannot resolve %s", name)
}

// patternsFromField returns the patterns in the field of an entry: two patterns for the list spec.ignored: [owner, team/*]. For a map, the
// patterns have values, but nothing of the template: see tagPatternsOfMap. All patterns are Untrusted.
func (r *resolver) patternsFromField(entry *v1beta1.TagKeys, template TagPattern, mismatch string, kinds []string) ([]TagPattern, error) {
	template.Untrusted = true

	o, err := r.contextObject(entry.ContextKey)
	if err != nil {
		return nil, err
	}

	n, err := o.valueAt(entry.FromFieldPath, mismatch, kinds...)
	if err != nil {
		return nil, err
	}

	name := o.pathPrefix + entry.FromFieldPath.String()
	if n.IsObject() {
		return tagPatternsOfMap(name, n.Value())
	}

	keys, err := patternsIn(n, name, v1beta1.ValidateKeyPattern)

	return words.Map(keys, template.withKey), err
}

// tagPatternsOfMap returns a pattern for each field of the map m, which only removeTags may have. For {"env": "test"}, the pattern removes
// env=test only. name is the name of the map in messages.
func tagPatternsOfMap(name string, m *structpb.Value) ([]TagPattern, error) {
	values, err := object.StringMap(m, name) // With an error, there are no values.
	patterns := make([]TagPattern, 0, len(values))

	for _, key := range slices.Sorted(maps.Keys(values)) {
		if why := v1beta1.ValidateKeyPattern(key); why != "" {
			return nil, errors.Errorf("%s[%s]: %s", name, key, why)
		}

		patterns = append(patterns, TagPattern{Key: key, Value: new(values[key]), Untrusted: true})
	}

	return patterns, err
}
