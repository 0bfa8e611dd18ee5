package stamp

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// keys returns the supplied patterns as the input gives them.
func keys(patterns ...string) []resolve.TagKey {
	out := make([]resolve.TagKey, len(patterns))
	for i, p := range patterns {
		out[i] = resolve.TagKey{Pattern: p}
	}

	return out
}

// observed returns a resource with the supplied spec and status.
func observed(spec, status string) *structpb.Struct {
	return resource.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "Thing", "spec": ` + spec + `, "status": ` + status + `}`)
}

// reporting returns the supplied field as one whose tags the provider reports.
func reporting(f field.Field) field.Field {
	f.Observed = []object.Path{object.MustParsePath("status.tags")}
	return f
}

// specOf returns the spec that has the supplied tags, or none if there are none.
func (s shape) specOf(keysAndValues []string) string {
	if len(keysAndValues) == 0 {
		return `{}`
	}

	return s.spec(keysAndValues...)
}

// stringsOf returns a list of strings with the supplied separator, that the provider
// reports.
func stringsOf(separator string) field.Field {
	return field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.StringList, Separator: separator, Observed: []object.Path{object.MustParsePath("status.tags")}}
}
