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

// A namedObject is an object with its name for messages.
type namedObject struct {
	object.Object

	// name of the object in messages, such as "ConfigMap platform/tags".
	name string

	// pathPrefix comes before paths of the object's fields in messages, such as "ConfigMap platform/tags " before data.labels. It is
	// empty for the composite resource.
	pathPrefix string
}

// valueAt returns the value at the path, or the zero Node if there is none. The value must be of one of the kinds of JSON, such as
// "an object" and "a string". An error about another kind ends with mismatch: "spec.labels is a list, not a map of strings".
func (o namedObject) valueAt(path object.Path, mismatch string, kinds ...string) (object.Node, error) {
	n, err := o.At(path)

	switch {
	case err != nil:
		return object.Node{}, errors.Errorf("%s%w", o.pathPrefix, err)
	case n.IsThere() && !slices.Contains(kinds, n.Kind()):
		return object.Node{}, errors.Errorf("%s%s is %s, %s", o.pathPrefix, path, n.Kind(), mismatch)
	default:
		return n, nil
	}
}

// stringMapAt returns the map of strings at the path, or nil if there is no such field. Keys whose value is null are left out.
func (o namedObject) stringMapAt(path object.Path) (map[string]string, error) {
	n, err := o.valueAt(path, "not a map of strings", "an object")
	if err != nil || !n.IsThere() {
		return nil, err
	}

	fields := n.Value() // A copy: the object keeps its null values.
	maps.DeleteFunc(fields.GetStructValue().GetFields(), func(_ string, v *structpb.Value) bool { return object.IsNull(v) })

	return object.StringMap(fields, o.pathPrefix+path.String())
}

// patternsIn returns the patterns in the list n, such as ["platform/*", "owner"]. name is the name of the list in messages. validate
// returns the reason why a pattern is invalid, or an empty string.
func patternsIn(n object.Node, name string, validate func(pattern string) string) ([]string, error) {
	out := make([]string, 0, n.Len())

	for item := range n.Items() {
		if !item.IsString() {
			return nil, errors.Errorf("%s[%d] is %s, not a string", name, len(out), item.Kind())
		}

		text := item.Text()
		if why := validate(text); why != "" {
			return nil, errors.Errorf("%s[%d] %q: %s", name, len(out), text, why)
		}

		out = append(out, text)
	}

	return out, nil
}

// prefixedMaps are the maps from which a source with a prefix reads labels. If both have the same key, the last map wins: the
// annotation.
var prefixedMaps = []object.Path{object.MustParsePath("metadata.labels"), object.MustParsePath("metadata.annotations")}

// objectsOf returns the objects that the source s reads: those that s selects, the object below a key of the pipeline's context, or the
// composite resource. While Crossplane fetches the objects, the error is errWaiting. If there is none, the error is a *absence.
func (r *resolver) objectsOf(s *v1beta1.Source) ([]namedObject, error) {
	if s.Resource != nil {
		return r.selectedObjects(s)
	}

	o, err := r.contextObject(s.ContextKey) // Without a key, o is the composite resource.
	if err == nil && s.ContextKey != "" && o.IsZero() {
		err = &absence{failure: o.name + " is required, but there is none", note: o.name + " isn't there"}
	}

	return []namedObject{o}, err
}

// labelsFor returns the labels that the source s reads from the object. Keys whose value is null are left out. s has one of these:
//   - a prefix, such as tags.example.org/: the object's label or annotation tags.example.org/env gives the label env. If no key has the
//     prefix, the error is a *absence.
//   - a fromFieldPath, such as spec.labels. If there is no such field, the error is a *absence. For an empty map, there is no error.
func (o namedObject) labelsFor(s *v1beta1.Source) (foundLabels, error) {
	if s.KeyValueList != nil {
		return o.listedLabels(s)
	}

	paths := []object.Path{s.FromFieldPath}
	if s.Prefix != "" {
		paths = prefixedMaps
	}

	var out foundLabels

	for _, path := range paths {
		fields, err := o.valueAt(path, "not a map of strings", "an object")
		if err != nil {
			return nil, err
		}

		if out == nil && fields.IsThere() {
			out = make(foundLabels, fields.Len())
		}

		for b, value := range fields.Fields() {
			key := string(b)

			// With an empty prefix, labelKey is the whole key.
			if labelKey, ok := strings.CutPrefix(key, s.Prefix); ok && !value.IsNull() {
				out[labelKey] = foundValue{Node: value, path: o.pathPrefix + path.String(), key: key}
			}
		}
	}

	switch {
	case s.Prefix != "" && len(out) == 0:
		// Without a failure, this fails not even a required source.
		return nil, &absence{note: fmt.Sprintf("no label or annotation of %s starts with %s", o.name, s.Prefix)}
	case out == nil:
		return nil, o.missingError(s.FromFieldPath, fmt.Sprintf("%s has no %s", o.name, s.FromFieldPath))
	default:
		return out, nil
	}
}

// listedLabels returns the labels of the list at fromFieldPath: env for [{key: env, value: prod}] with keyValueList: {key: key, value:
// value}. The later of two equal keys wins, but an entry whose value is null, or isn't there, is no label. If there is no such field, the
// error is a *absence.
func (o namedObject) listedLabels(s *v1beta1.Source) (foundLabels, error) {
	list, err := o.valueAt(s.FromFieldPath, "not a list of objects", "a list")

	switch {
	case err != nil:
		return nil, err
	case !list.IsThere():
		return nil, o.missingError(s.FromFieldPath, fmt.Sprintf("%s has no %s", o.name, s.FromFieldPath))
	}

	out, path, i := make(foundLabels, list.Len()), o.pathPrefix+s.FromFieldPath.String(), 0

	for entry := range list.Items() {
		key, value := entry.Field(s.KeyValueList.Key), entry.Field(s.KeyValueList.Value)

		switch {
		case !entry.IsObject():
			return nil, errors.Errorf("%s[%d] is %s, not an object", path, i, entry.Kind())
		case !key.IsThere():
			return nil, errors.Errorf("%s[%d] has no %s", path, i, s.KeyValueList.Key)
		case !key.IsString():
			return nil, errors.Errorf("%s[%d].%s is %s, not a string", path, i, s.KeyValueList.Key, key.Kind())
		case !value.IsNull():
			out[key.Text()] = foundValue{Node: value, path: path, key: key.Text()}
		}

		i++
	}

	return out, nil
}

// missingError returns a *absence with the failure "spec.labels is required, but the composite resource doesn't have it".
func (o namedObject) missingError(path object.Path, note string) error {
	return &absence{failure: fmt.Sprintf("%s is required, but %s doesn't have it", path, o.name), note: note}
}

// textOf returns the value of s, such as payments for {value: payments}. For {fromFieldPath: spec.team}, it returns the text at
// spec.team of the composite resource. If this field is absent or empty, the error is a *absence with the note.
func (r *resolver) textOf(s *v1beta1.StringSource, note string) (string, error) {
	if s.Value != "" {
		return s.Value, nil
	}

	n, err := r.xr.valueAt(s.FromFieldPath, "not a string", "a string")

	switch {
	case err != nil:
		return "", err
	case !n.IsThere():
		return "", r.xr.missingError(s.FromFieldPath, note)
	case n.Text() == "":
		return "", &absence{failure: s.FromFieldPath.String() + " is empty", note: note}
	default:
		return n.Text(), nil
	}
}

// selectorValue returns the name or the namespace for a selector. It is the value of s, or comes from a field or an expression. A nil s
// gives an empty string. If there is no such value, the error is a *absence with one of these notes:
//   - for a field, the parameter note
//   - for an expression, "the expression of the name has no value: …" with the setting "the name"
func (r *resolver) selectorValue(s *v1beta1.StringSelector, setting, note string) (string, error) {
	switch {
	case s == nil:
		return "", nil
	case s.Expression.IsZero():
		return r.textOf(&s.StringSource, note)
	}

	v, err := r.evaluate(s.Expression, setting)
	if err == nil && v.GetStringValue() == "" {
		err = valuelessError(setting, "it is empty")
	}

	return v.GetStringValue(), err
}

// selectorLabels returns the labels that m gives for a selector. They come from its expression, or from its field and its value. For
// setting, note and the *absence, see selectorValue.
func (r *resolver) selectorLabels(m *v1beta1.MapSource, setting, note string) (map[string]string, error) {
	if m.Expression.IsZero() {
		return r.givenLabels(m, note)
	}

	v, err := r.evaluate(m.Expression, setting)
	if err != nil {
		return nil, err
	}

	if len(v.GetStructValue().GetFields()) == 0 {
		return nil, valuelessError(setting, "it is empty")
	}

	return object.StringMap(v, setting)
}

// givenLabels returns the labels of the field and of the value of m. The value wins: {fromFieldPath: spec.selector, value: {region: eu}}
// gives region: eu, whatever region spec.selector has. If the composite resource lacks the field, and there is no value, the error is a
// *absence with the note.
func (r *resolver) givenLabels(m *v1beta1.MapSource, note string) (map[string]string, error) {
	if m.FromFieldPath.IsZero() {
		return m.Value, nil
	}

	labels, err := r.xr.stringMapAt(m.FromFieldPath)

	switch {
	case err != nil:
		return nil, err
	case labels != nil:
		maps.Copy(labels, m.Value)
		return labels, nil
	case m.Value != nil:
		return m.Value, nil
	default:
		return nil, r.xr.missingError(m.FromFieldPath, note)
	}
}
