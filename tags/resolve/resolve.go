// Package resolve resolves the sources of the input to one set of labels.
package resolve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
)

// A Set is what an input's sources come to for one composite resource.
type Set struct {
	// Provider that the input asks for, or empty if it doesn't name any.
	Provider string

	// Labels of all sources, sorted. No two have the same tag key.
	Labels []tags.Label
}

// Resolve the supplied input against the supplied composite resource. An error is
// a resolve failure: the labels can't be known, so nothing may be tagged.
func Resolve(in *v1beta1.CloudTags, xr *structpb.Struct) (Set, error) {
	provider, err := resolveString(in.Provider, xr)
	if err != nil {
		return Set{}, errors.Wrap(err, "cannot resolve provider")
	}

	merged := make(map[string]tags.Label)

	for i := range in.Sources {
		s := &in.Sources[i]

		values, err := resolveSource(s, *in.KeyPrefix, xr)
		if err != nil {
			return Set{}, errors.Wrapf(err, "cannot resolve %s", sourceName(s, i))
		}

		for key, value := range values {
			l := label(s, *in.KeyPrefix, key)
			l.Value, l.Source = value, i
			merged[l.TagKey] = l
		}
	}

	return Set{Provider: provider, Labels: slices.SortedFunc(maps.Values(merged), tags.Label.Compare)}, nil
}

// label returns the label, without a value, that the supplied key of the supplied
// source is for.
func label(s *v1beta1.Source, prefix, key string) tags.Label {
	if s.KeyForm == v1beta1.KeyFormTag {
		return tags.Label{QualifiedKey: strings.TrimPrefix(key, prefix), TagKey: key, Unprefixed: true}
	}

	return tags.Label{QualifiedKey: key, TagKey: prefix + key}
}

func sourceName(s *v1beta1.Source, i int) string {
	if s.Name == "" {
		return fmt.Sprintf("sources[%d]", i)
	}

	return fmt.Sprintf("sources[%d] %q", i, s.Name)
}

func resolveString(s *v1beta1.StringSource, xr *structpb.Struct) (string, error) {
	if s == nil {
		return "", nil
	}

	if s.Value != nil {
		return *s.Value, nil
	}

	v, err := get(xr, *s.FromFieldPath, true)
	if err != nil {
		return "", err
	}

	switch k := v.GetKind().(type) {
	case *structpb.Value_StringValue:
		if k.StringValue == "" {
			return "", errors.Errorf("%s is empty", *s.FromFieldPath)
		}

		return k.StringValue, nil
	default:
		return "", errors.Errorf("%s is %s, not a string", *s.FromFieldPath, structpath.KindOf(v))
	}
}

// resolveSource returns the values of the labels that the source includes, by the
// keys that the source has them under.
func resolveSource(s *v1beta1.Source, prefix string, xr *structpb.Struct) (map[string]string, error) {
	included, err := resolveInclude(s, xr)
	if err != nil {
		return nil, err
	}

	values, path := s.Values, "values"

	if s.Type == v1beta1.SourceTypeCompositeField {
		path = *s.FromFieldPath
		if values, err = stringMap(xr, path, required(s)); err != nil {
			return nil, err
		}
	}

	out := make(map[string]string, len(values))

	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !included(label(s, prefix, key).QualifiedKey) {
			continue
		}

		out[key] = values[key]

		if s.Encoding == v1beta1.EncodingJSON {
			if out[key], err = decodeJSON(values[key]); err != nil {
				return nil, errors.Wrapf(err, "cannot decode %s[%s]", path, key)
			}
		}
	}

	return out, nil
}

// resolveInclude returns what says whether the source includes a qualified key.
func resolveInclude(s *v1beta1.Source, xr *structpb.Struct) (func(key string) bool, error) {
	if s.Include == nil {
		return func(string) bool { return true }, nil
	}

	patterns := s.Include.Keys

	if s.Include.FromFieldPath != nil {
		p, err := stringList(xr, *s.Include.FromFieldPath, required(s))
		if err != nil {
			return nil, errors.Wrap(err, "cannot tell which labels to include")
		}

		for i, pattern := range p {
			if why := v1beta1.ValidateKeyPattern(pattern); why != "" {
				return nil, errors.Errorf("cannot tell which labels to include: %s[%d] %q %s", *s.Include.FromFieldPath, i, pattern, why)
			}
		}

		patterns = p
	}

	return func(key string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, key) })
	}, nil
}

// matches is true if the pattern is the key, or the beginning of it and a *.
func matches(pattern, key string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(key, prefix)
	}

	return key == pattern
}

func required(s *v1beta1.Source) bool {
	return s.Policy != nil && s.Policy.FromFieldPath == v1beta1.FromFieldPathPolicyRequired
}

// get returns the value at the supplied path, or nil if there is none.
func get(xr *structpb.Struct, path string, required bool) (*structpb.Value, error) {
	v, err := structpath.Get(xr, path)
	if err == nil && v == nil && required {
		return nil, errors.Errorf("%s is required, but the composite resource doesn't have it", path)
	}

	return v, err
}

// stringMap returns the map of strings at the supplied path.
func stringMap(xr *structpb.Struct, path string, required bool) (map[string]string, error) {
	v, err := get(xr, path, required)
	if err != nil || v == nil {
		return nil, err
	}

	return structpath.StringMap(v, path)
}

// stringList returns the list of strings at the supplied path.
func stringList(xr *structpb.Struct, path string, required bool) ([]string, error) {
	v, err := get(xr, path, required)
	if err != nil || v == nil {
		return nil, err
	}

	l, ok := v.GetKind().(*structpb.Value_ListValue)
	if !ok {
		return nil, errors.Errorf("%s is %s, not a list of strings", path, structpath.KindOf(v))
	}

	out := make([]string, len(l.ListValue.GetValues()))

	for i, item := range l.ListValue.GetValues() {
		s, ok := item.GetKind().(*structpb.Value_StringValue)
		if !ok {
			return nil, errors.Errorf("%s[%d] is %s, not a string", path, i, structpath.KindOf(item))
		}

		out[i] = s.StringValue
	}

	return out, nil
}

// decodeJSON returns the bare text of a JSON string, number or boolean. A number's
// is its canonical one: whole numbers keep all digits, all others are what
// encoding/json writes for their nearest 64-bit float.
func decodeJSON(text string) (string, error) {
	d := json.NewDecoder(bytes.NewBufferString(text))
	d.UseNumber()

	var v any
	if err := d.Decode(&v); err != nil {
		return "", errors.Errorf("%.64q is not JSON", text)
	}

	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return "", errors.Errorf("%.64q is more than one JSON value", text)
	}

	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return fmt.Sprint(v), nil
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") && v != "-0" {
			return v.String(), nil
		}

		f, err := v.Float64()
		if err != nil {
			return "", errors.Errorf("%s is no 64-bit floating point number", v)
		}

		j, err := json.Marshal(f + 0) // Negative zero plus zero is zero.

		return string(j), errors.Wrapf(err, "cannot encode number %s", v)
	case nil:
		return "", errors.New("null is not a JSON string, number or boolean")
	default:
		return "", errors.Errorf("%.64q is not a JSON string, number or boolean", text)
	}
}
