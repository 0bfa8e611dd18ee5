package resolve

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// compositeResource is what messages call it.
const compositeResource = "the composite resource"

// A place is an object that something is read of.
type place struct {
	*structpb.Struct

	// name of the object in messages, and what stands before the paths of its fields.
	name, of string
}

// at returns the value at the supplied path, or nil if there is none.
func (p place) at(path object.Path) (*structpb.Value, error) {
	v, err := object.Get(p.Struct, path)
	if err != nil {
		return nil, errors.Errorf("%s%w", p.of, err)
	}

	return v, nil
}

// object at the supplied path, or nil if there is no such field.
func (p place) object(path object.Path) (*structpb.Struct, error) {
	v, err := p.at(path)
	if err != nil || v == nil {
		return nil, err
	}

	if _, ok := v.GetKind().(*structpb.Value_StructValue); !ok {
		return nil, errors.Errorf("%s%s is %s, not a map of strings", p.of, path, object.KindOf(v))
	}

	return v.GetStructValue(), nil
}

// strings at the supplied path, by key, or nil if there is no such field.
func (p place) strings(path object.Path) (map[string]string, error) {
	v, err := p.at(path)
	if err != nil || v == nil {
		return nil, err
	}

	return object.StringMap(v, p.of+path.String())
}

// patterns of keys in the list at the supplied path, or nil if there is no such field.
// The supplied function says what is wrong with a pattern.
func (p place) patterns(path object.Path, invalid func(pattern string) string) ([]string, error) {
	v, err := p.at(path)
	if err != nil || v == nil {
		return nil, err
	}

	l, ok := v.GetKind().(*structpb.Value_ListValue)
	if !ok {
		return nil, errors.Errorf("%s%s is %s, not a list of strings", p.of, path, object.KindOf(v))
	}

	out := make([]string, len(l.ListValue.GetValues()))

	for i, item := range l.ListValue.GetValues() {
		s, ok := item.GetKind().(*structpb.Value_StringValue)
		if !ok {
			return nil, errors.Errorf("%s%s[%d] is %s, not a string", p.of, path, i, object.KindOf(item))
		}

		if why := invalid(s.StringValue); why != "" {
			return nil, errors.Errorf("%s%s[%d] %q: %s", p.of, path, i, s.StringValue, why)
		}

		out[i] = s.StringValue
	}

	return out, nil
}

// field returns the labels at the path of the supplied source.
func field(s *v1beta1.Source, in place) ([]labels, error) {
	o, err := in.object(s.FromFieldPath)
	if err != nil {
		return nil, err
	}

	if o == nil {
		return nil, missing(s.FromFieldPath, in, fmt.Sprintf("%s has no %s", in.name, s.FromFieldPath))
	}

	out := make(labels, len(o.GetFields()))
	for key, v := range o.GetFields() {
		out[key] = found{Value: v, path: in.of + s.FromFieldPath.String(), key: key}
	}

	return []labels{out}, nil
}

// prefixable are the maps whose keys can have a prefix, later ones over earlier ones.
var prefixable = []object.Path{object.MustParsePath("metadata.labels"), object.MustParsePath("metadata.annotations")}

// prefixed returns the labels and annotations that have the supplied source's prefix,
// without it. Annotations can hold more than labels, so the annotation is meant if there
// are both.
func prefixed(s *v1beta1.Source, in place) ([]labels, error) {
	out := make(labels)

	for _, path := range prefixable {
		o, err := in.object(path)
		if err != nil {
			return nil, err
		}

		for key, v := range o.GetFields() {
			if stripped, ok := strings.CutPrefix(key, s.Prefix); ok {
				out[stripped] = found{Value: v, path: in.of + path.String(), key: key}
			}
		}
	}

	if len(out) == 0 {
		return nil, &nothing{note: fmt.Sprintf("no label or annotation of %s starts with %s", in.name, s.Prefix)}
	}

	return []labels{out}, nil
}

// missing is the error of a field that isn't there, which is no failure if the field
// isn't required. Then the supplied note is all that there is to say.
func missing(path object.Path, in place, note string) error {
	return &nothing{failure: fmt.Sprintf("%s is required, but %s doesn't have it", path, in.name), note: note}
}

// string returns the supplied string of the composite resource, or an empty one if none
// is asked for. One that isn't there is nothing, of which there is the supplied note.
func (r *resolver) string(s *v1beta1.StringSource, note string) (string, error) {
	switch {
	case s == nil:
		return "", nil
	case s.Value != "":
		return s.Value, nil
	}

	path := s.FromFieldPath

	v, err := r.xr.at(path)
	if err != nil {
		return "", err
	}

	text, ok := v.GetKind().(*structpb.Value_StringValue)

	switch {
	case v == nil:
		return "", missing(path, r.xr, note)
	case !ok:
		return "", errors.Errorf("%s is %s, not a string", path, object.KindOf(v))
	case text.StringValue == "":
		return "", &nothing{failure: path.String() + " is empty", note: note}
	default:
		return text.StringValue, nil
	}
}

// stringMap returns the supplied map of the composite resource, or nil if none is asked
// for. One that isn't there is nothing, of which there is the supplied note.
func (r *resolver) stringMap(m *v1beta1.MapSource, note string) (map[string]string, error) {
	switch {
	case m == nil:
		return nil, nil //nolint:nilnil // Absent is neither a map nor an error.
	case m.Value != nil:
		return m.Value, nil
	}

	out, err := r.xr.strings(m.FromFieldPath)
	if err == nil && out == nil {
		err = missing(m.FromFieldPath, r.xr, note)
	}

	return out, err
}
