package manifest

import (
	"cmp"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// exampleText is the text in an example, and the key in a map.
const exampleText = "example"

// Example returns an example of the step's composite resource, by the definition of its kind. The example has all fields of the schema but
// the status. Their values are the schema's defaults and examples, the first of an enum, or `example`, 1 and true.
func (s *Step) Example() (*structpb.Struct, error) {
	kind := schema.FromAPIVersionAndKind(s.Composite.APIVersion, s.Composite.Kind)

	d, err := definitionOf(s.definers, kind)
	if err != nil {
		return nil, err
	}

	out := exampleOf(structpb.NewStructValue(d.Schema)).GetStructValue()
	if out == nil {
		out = &structpb.Struct{Fields: make(map[string]*structpb.Value)}
	}

	metadata := map[string]*structpb.Value{"name": structpb.NewStringValue(exampleText)}
	if d.Namespaced {
		metadata["namespace"] = structpb.NewStringValue(exampleText)
	}

	delete(out.GetFields(), "status")

	out.Fields["metadata"] = structpb.NewStructValue(&structpb.Struct{Fields: metadata})

	return withKind(out, kind), nil
}

// withKind returns the object with this kind.
func withKind(o *structpb.Struct, kind schema.GroupVersionKind) *structpb.Struct {
	o.Fields["apiVersion"] = structpb.NewStringValue(kind.GroupVersion().String())
	o.Fields["kind"] = structpb.NewStringValue(kind.Kind)

	return o
}

// exampleOf returns a value that the schema admits: see Example. It isn't made for patterns and lengths.
func exampleOf(s *structpb.Value) *structpb.Value {
	keywords := fields(s)
	enum := append(keywords["enum"].GetListValue().GetValues(), nil)

	if given := cmp.Or(keywords["default"], keywords["example"], enum[0]); !object.IsNull(given) {
		return given
	}

	switch keywords["type"].GetStringValue() {
	case "object":
		out := &structpb.Struct{Fields: make(map[string]*structpb.Value)}
		if more := keywords["additionalProperties"]; fields(more) != nil {
			out.Fields[exampleText] = exampleOf(more)
		}

		properties := fields(keywords["properties"])
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			out.Fields[name] = exampleOf(properties[name])
		}

		return structpb.NewStructValue(out)
	case "array":
		return structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{exampleOf(keywords["items"])}})
	case "integer", "number":
		return structpb.NewNumberValue(max(1, keywords["minimum"].GetNumberValue()))
	case "boolean":
		return structpb.NewBoolValue(true)
	default:
		return structpb.NewStringValue(exampleText)
	}
}
