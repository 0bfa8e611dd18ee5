package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// compositeResource is what messages call it.
const compositeResource = "the composite resource"

// A namedObject is an object that labels or keys are read from, and what messages call it.
type namedObject struct {
	object.Object

	// name of the object in messages, and what stands before the paths of its fields.
	name, of string
}

// at returns the value at the path, if there is one. One that isn't of the kinds, in the words of
// messages, is refused by what they are not.
func (o namedObject) at(path object.Path, not string, kinds ...string) (object.Node, error) {
	n, err := o.At(path)

	switch {
	case err != nil:
		return object.Node{}, errors.Errorf("%s%w", o.of, err)
	case n.IsThere() && !slices.Contains(kinds, n.Kind()):
		return object.Node{}, errors.Errorf("%s%s is %s, %s", o.of, path, n.Kind(), not)
	default:
		return n, nil
	}
}

// strings at the path, by key, or nil if there is no such field. One that is null isn't
// there.
func (o namedObject) strings(path object.Path) (map[string]string, error) {
	n, err := o.at(path, "not a map of strings", "an object")
	if err != nil || !n.IsThere() {
		return nil, err
	}

	fields := n.Value().GetStructValue().GetFields()
	maps.DeleteFunc(fields, func(_ string, v *structpb.Value) bool { return object.IsNull(v) })

	return object.StringMap(structpb.NewStructValue(&structpb.Struct{Fields: fields}), o.of+path.String())
}

// patternsIn returns the patterns of keys in the list n, which messages call by name. invalid says what is wrong with a
// pattern.
func patternsIn(n object.Node, name string, invalid func(pattern string) string) ([]string, error) {
	out := make([]string, 0, n.Len())

	for item := range n.Items() {
		text := item.Text()
		if !item.IsText(text) {
			return nil, errors.Errorf("%s[%d] is %s, not a string", name, len(out), item.Kind())
		}

		if why := invalid(text); why != "" {
			return nil, errors.Errorf("%s[%d] %q: %s", name, len(out), text, why)
		}

		out = append(out, text)
	}

	return out, nil
}

// prefixable are the maps whose keys can have a prefix, later ones over earlier ones.
// Annotations can hold more than labels, so the annotation is meant if there are both.
var prefixable = []object.Path{object.MustParsePath("metadata.labels"), object.MustParsePath("metadata.annotations")}

// labels at the path of the source s, or the labels and annotations that have its prefix, without
// it. What is null isn't there.
func (o namedObject) labels(s *v1beta1.Source) ([]labels, error) {
	paths := prefixable
	if s.Prefix == "" {
		paths = []object.Path{s.FromFieldPath}
	}

	var out labels

	for _, path := range paths {
		n, err := o.at(path, "not a map of strings", "an object")
		if err != nil {
			return nil, err
		}

		name := o.of + path.String()
		if n.IsThere() && out == nil {
			out = make(labels, n.Len())
		}

		for b, n := range n.Fields() {
			key := string(b)
			if stripped, ok := strings.CutPrefix(key, s.Prefix); ok && !n.IsNull() {
				out[stripped] = found{Node: n, path: name, key: key}
			}
		}
	}

	switch {
	case s.Prefix != "" && len(out) == 0:
		return nil, &absence{note: fmt.Sprintf("no label or annotation of %s starts with %s", o.name, s.Prefix)}
	case out == nil:
		return nil, o.missing(s.FromFieldPath, fmt.Sprintf("%s has no %s", o.name, s.FromFieldPath))
	default:
		return []labels{out}, nil
	}
}

// missing returns the error of an absent field. It is no failure if the field isn't required: then only the
// note is reported.
func (o namedObject) missing(path object.Path, note string) error {
	return &absence{failure: fmt.Sprintf("%s is required, but %s doesn't have it", path, o.name), note: note}
}

// string returns the string that s names or reads from the composite resource. If the field is absent or empty, the error is a *absence with the note.
func (r *resolver) string(s *v1beta1.StringSource, note string) (string, error) {
	if s.Value != "" {
		return s.Value, nil
	}

	n, err := r.xr.at(s.FromFieldPath, "not a string", "a string")

	switch {
	case err != nil:
		return "", err
	case !n.IsThere():
		return "", r.xr.missing(s.FromFieldPath, note)
	case n.Text() == "":
		return "", &absence{failure: s.FromFieldPath.String() + " is empty", note: note}
	default:
		return n.Text(), nil
	}
}

// text returns the string that s names, reads from the composite resource or computes, or an empty one if s is
// nil. If there is none, the error is a *absence: with the note if a field is absent, or else about the
// expression of what.
func (r *resolver) text(s *v1beta1.StringSelector, what, note string) (string, error) {
	switch {
	case s == nil:
		return "", nil
	case s.Expression.IsZero():
		return r.string(&s.StringSource, note)
	}

	v, err := r.selecting(s.Expression, what)
	if err == nil && v.GetStringValue() == "" {
		err = valueless(what, "it is empty")
	}

	return v.GetStringValue(), err
}

// stringMap returns the map that m names, reads from the composite resource or computes, or nil if m is nil. If
// there is none, the error is a *absence, as that of text.
func (r *resolver) stringMap(m *v1beta1.MapSource, what, note string) (map[string]string, error) {
	switch {
	case m == nil:
		return nil, nil //nolint:nilnil // Absent is neither a map nor an error.
	case m.FromFieldPath.IsZero() && m.Value != nil:
		return m.Value, nil
	case !m.Expression.IsZero():
		v, err := r.selecting(m.Expression, what)
		if err == nil && len(v.GetStructValue().GetFields()) == 0 {
			err = valueless(what, "it is empty")
		}

		if err != nil {
			return nil, err
		}

		return object.StringMap(v, what)
	}

	out, err := r.xr.strings(m.FromFieldPath)

	switch {
	case err != nil:
		return nil, err
	case m.Value != nil:
		return merge(out, m.Value), nil
	case out == nil:
		return nil, r.xr.missing(m.FromFieldPath, note)
	default:
		return out, nil
	}
}

// merge returns what both maps have, and what the second one has for keys of both.
func merge(a, b map[string]string) map[string]string {
	out := make(map[string]string, len(a)+len(b))
	maps.Copy(out, a)
	maps.Copy(out, b)

	return out
}
