// Package managed has examples of managed resources.
package managed

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/field"
)

// Resource returns an object of the kind with the tags in the tag field. A tag is a pair of key and value. An object of
// a kind without a tag field has only a name.
func Resource(gvk schema.GroupVersionKind, f *field.Field, tags [][2]string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "x"}}}
	o.SetGroupVersionKind(gvk)

	if f.Shape == field.None {
		return o
	}

	v, segments := Shaped(f, tags), f.Path.Segments()
	for i, sg := range slices.Backward(segments[1:]) {
		if sg.IsIndex {
			v = []any{v}
			continue
		}

		v = map[string]any{sg.Field: v}
		if i == len(segments)-2 && segments[0].Field == "spec" {
			v = map[string]any{sg.Field: Shaped(f, tags), "other": "x"} // The object around the field is not empty without the field.
		}
	}

	// The object has metadata.
	top, _ := v.(map[string]any)
	if there, ok := o.Object[segments[0].Field].(map[string]any); ok {
		maps.Copy(top, there)
	}

	o.Object[segments[0].Field] = top

	return o
}

// Shaped returns the value of a field with the tags.
func Shaped(f *field.Field, tags [][2]string) any {
	asMap, asList, words := map[string]any{}, []any{}, []string{}

	for _, t := range tags {
		switch f.Shape {
		case field.Map:
			asMap[t[0]] = t[1]
		case field.MapOfLists:
			asMap[t[0]] = []any{t[1]}
		case field.KeyValueList:
			asList = append(asList, map[string]any{f.Key: t[0], f.Value: t[1]})
		case field.StringList:
			asList = append(asList, t[0]+f.Separator+t[1])
		case field.Joined:
			words = append(words, t[0]+f.Separator+t[1])
		case field.Labels, field.None:
			panic("no example has tags of shape " + f.Shape)
		}
	}

	if f.Shape == field.Joined {
		return strings.Join(words, f.Delimiter)
	}

	if f.Shape == field.Map || f.Shape == field.MapOfLists {
		return asMap
	}

	return asList
}
