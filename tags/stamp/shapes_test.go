package stamp

import (
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// A shape is a tag field, and how it holds tags.
type shape struct {
	field field.Field

	// spec with the tags of the keys and values.
	spec func(keysAndValues ...string) string

	// tag that an item is, of a list or of a joined string.
	tag func(item *structpb.Value) (key, value string)
}

// join what entry makes of each key and value.
func join(keysAndValues []string, entry func(key, value string) string) string {
	out := make([]string, 0, len(keysAndValues)/2)
	for i := 0; i < len(keysAndValues); i += 2 {
		out = append(out, entry(keysAndValues[i], keysAndValues[i+1]))
	}

	return strings.Join(out, ", ")
}

// shapes of tag fields.
var shapes = map[string]shape{
	"Map": {field: field.Field{Layout: field.Layout{Shape: field.Map}, Path: object.MustParsePath("spec.tags"), FilledByProvider: true}, spec: func(kv ...string) string {
		return `{"tags": {` + join(kv, func(k, v string) string { return `"` + k + `": "` + v + `"` }) + `}}`
	}},
	"KeyValueList": {field: field.Field{Layout: field.Layout{Shape: field.KeyValueList}, Path: object.MustParsePath("spec.tags"), Key: "k", Value: "v", FilledByProvider: true}, spec: func(kv ...string) string {
		return `{"tags": [` + join(kv, func(k, v string) string { return `{"k": "` + k + `", "v": "` + v + `"}` }) + `]}`
	}, tag: func(item *structpb.Value) (key, value string) {
		fields := item.GetStructValue().GetFields()
		return fields["k"].GetStringValue(), fields["v"].GetStringValue()
	}},
	"StringList": {field: field.Field{Layout: field.Layout{Shape: field.StringList, Separator: "="}, Path: object.MustParsePath("spec.tags"), FilledByProvider: true}, spec: func(kv ...string) string {
		return `{"tags": [` + join(kv, func(k, v string) string { return `"` + k + `=` + v + `"` }) + `]}`
	}, tag: cut},
	"Joined": {field: field.Field{Layout: field.Layout{Shape: field.Joined, Separator: "=", Delimiter: ", "}, Path: object.MustParsePath("spec.tags"), Atomic: true}, spec: func(kv ...string) string {
		return `{"tags": "` + join(kv, func(k, v string) string { return k + `=` + v }) + `"}`
	}, tag: cut},
}

// cut a string into the key and the value of a tag.
func cut(item *structpb.Value) (key, value string) {
	key, value, _ = strings.Cut(item.GetStringValue(), "=")
	return key, value
}

// keys returns the patterns as the input gives them.
func keys(patterns ...string) []resolve.TagPattern {
	out := make([]resolve.TagPattern, len(patterns))
	for i, p := range patterns {
		out[i] = resolve.TagPattern{Key: p}
	}

	return out
}

// observed returns a resource with the spec and status.
func observed(spec, status string) *structpb.Struct {
	return tagstest.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "Thing", "spec": ` + spec + `, "status": ` + status + `}`)
}

// reporting returns f as a field whose tags the provider reports.
func reporting(f field.Field) field.Field {
	f.Observed = []object.Path{object.MustParsePath("status.tags")}
	return f
}

// specOf returns the spec that has the tags, or none if there are none.
func (s shape) specOf(keysAndValues []string) string {
	if len(keysAndValues) == 0 {
		return `{}`
	}

	return s.spec(keysAndValues...)
}

// stringsOf returns a list of strings with the separator, that the provider
// reports.
func stringsOf(separator string) field.Field {
	return field.Field{
		Layout: field.Layout{Shape: field.StringList, Separator: separator},
		Path:   object.MustParsePath("spec.tags"), Observed: []object.Path{object.MustParsePath("status.tags")},
		FilledByProvider: true,
	}
}
