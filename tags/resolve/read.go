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

// compositeResource is the name of the composite resource in messages.
const compositeResource = "the composite resource"

// A namedObject is an object with its name in messages.
type namedObject struct {
	object.Object

	// name of the object, such as "ConfigMap platform/tags", and prefix of the paths of its fields: "ConfigMap platform/tags ".
	// Fields of the composite resource have no prefix.
	name, prefix string
}

// valueAt returns the value at the path, which must be of one of the kinds, such as "an object". Otherwise not says what the value
// isn't: "spec.labels is a list, not a map of strings".
func (o namedObject) valueAt(path object.Path, not string, kinds ...string) (object.Node, error) {
	n, err := o.At(path)

	switch {
	case err != nil:
		return object.Node{}, errors.Errorf("%s%w", o.prefix, err)
	case n.IsThere() && !slices.Contains(kinds, n.Kind()):
		return object.Node{}, errors.Errorf("%s%s is %s, %s", o.prefix, path, n.Kind(), not)
	default:
		return n, nil
	}
}

// strings returns the map of strings at the path, or nil if there is no such field. Keys whose value is null are left out.
func (o namedObject) strings(path object.Path) (map[string]string, error) {
	n, err := o.valueAt(path, "not a map of strings", "an object")
	if err != nil || !n.IsThere() {
		return nil, err
	}

	fields := n.Value().GetStructValue().GetFields()
	maps.DeleteFunc(fields, func(_ string, v *structpb.Value) bool { return object.IsNull(v) })

	return object.StringMap(structpb.NewStructValue(&structpb.Struct{Fields: fields}), o.prefix+path.String())
}

// patternsIn returns the patterns in the list n, such as ["platform/*", "owner"]. name is the list's name in messages, and
// invalid returns the reason against a pattern.
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

// prefixable are the maps whose keys can have a prefix. If both have a key, the annotation counts, since an annotation can have
// any value.
var prefixable = []object.Path{object.MustParsePath("metadata.labels"), object.MustParsePath("metadata.annotations")}

// labels returns the labels at the path of the source s. If s has a prefix, such as tags.example.org/, labels returns the labels
// and annotations with the prefix, and cuts it off. Keys whose value is null are left out.
func (o namedObject) labels(s *v1beta1.Source) ([]labels, error) {
	paths := prefixable
	if s.Prefix == "" {
		paths = []object.Path{s.FromFieldPath}
	}

	var out labels

	for _, path := range paths {
		n, err := o.valueAt(path, "not a map of strings", "an object")
		if err != nil {
			return nil, err
		}

		name := o.prefix + path.String()
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

// missing returns the error of an absent field. The note is for a field that isn't required.
func (o namedObject) missing(path object.Path, note string) error {
	return &absence{failure: fmt.Sprintf("%s is required, but %s doesn't have it", path, o.name), note: note}
}

// string returns the text of s: its value, or the text of a field of the composite resource, such as spec.team. If the
// field is absent or empty, the error is a *absence with the note.
func (r *resolver) string(s *v1beta1.StringSource, note string) (string, error) {
	if s.Value != "" {
		return s.Value, nil
	}

	n, err := r.xr.valueAt(s.FromFieldPath, "not a string", "a string")

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

// text returns the text of s: its value, the text of a field of the composite resource, or the value of an expression. It is
// empty if s is nil. Without a text, the error is a *absence. That has the note for a field, and names the wanted thing for
// an expression: "the expression of the name has no value".
func (r *resolver) text(s *v1beta1.StringSelector, wanted, note string) (string, error) {
	switch {
	case s == nil:
		return "", nil
	case s.Expression.IsZero():
		return r.string(&s.StringSource, note)
	}

	v, err := r.evaluate(s.Expression, wanted)
	if err == nil && v.GetStringValue() == "" {
		err = valueless(wanted, "it is empty")
	}

	return v.GetStringValue(), err
}

// stringMap returns the map of m, as text returns a text. Value and fromFieldPath may be there together: then a key of value
// counts. {fromFieldPath: spec.selector, value: {region: eu}} is the selector with region: eu.
func (r *resolver) stringMap(m *v1beta1.MapSource, wanted, note string) (map[string]string, error) {
	switch {
	case m == nil:
		return nil, nil //nolint:nilnil // Absent is neither a map nor an error.
	case m.FromFieldPath.IsZero() && m.Value != nil:
		return m.Value, nil
	case !m.Expression.IsZero():
		v, err := r.evaluate(m.Expression, wanted)
		if err == nil && len(v.GetStructValue().GetFields()) == 0 {
			err = valueless(wanted, "it is empty")
		}

		if err != nil {
			return nil, err
		}

		return object.StringMap(v, wanted)
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

// merge returns the entries of both maps. For a key of both, it takes the value of b.
func merge(a, b map[string]string) map[string]string {
	out := make(map[string]string, len(a)+len(b))
	maps.Copy(out, a)
	maps.Copy(out, b)

	return out
}
