package manifest

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"pgregory.net/rapid"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestSetDefaults draws objects, and compares setDefaults with the API server's own code.
func TestSetDefaults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, drawn := schemas(3).Draw(t, "schema"), map[string]any{}
		if object, ok := values(3).Draw(t, "object").(map[string]any); ok {
			drawn = object
		}

		s["type"] = "object"

		got := tagstest.Struct(drawn)
		setDefaults(structpb.NewStructValue(got), structpb.NewStructValue(tagstest.Struct(s)))

		want := defaultedByServer(t, s, drawn)
		if diff := cmp.Diff(want, got.AsMap()); diff != "" {
			t.Errorf("\nsetDefaults(%v, %v): -want, +got:\n%s", drawn, s, diff)
		}
	})
}

// defaultedByServer returns the object with the defaults of the API server's own code.
func defaultedByServer(t *rapid.T, s, object map[string]any) map[string]any {
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}

	v1, internal := &apiextensionsv1.JSONSchemaProps{}, &apiextensions.JSONSchemaProps{}
	if err := json.Unmarshal(text, v1); err != nil {
		t.Fatal(err)
	}

	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v1, internal, nil); err != nil {
		t.Fatal(err)
	}

	structural, err := structuralschema.NewStructural(internal)
	if err != nil {
		t.Fatal(err)
	}

	want := tagstest.Struct(object).AsMap()
	defaulting.PruneNonNullableNullsWithoutDefaults(want, structural)
	defaulting.Default(want, structural)

	return want
}

// schemas draws schemas with so many levels. Defaults are as deep, and have no null.
func schemas(levels int) *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		s := map[string]any{"type": "string"}

		if rapid.Bool().Draw(t, "nullable") {
			s["nullable"] = true
		}

		if levels > 0 {
			below := schemas(levels - 1)

			switch rapid.IntRange(0, 4).Draw(t, "type") {
			case 0:
			case 1:
				s["type"], s["items"] = "array", below.Draw(t, "items")
			case 2:
				s["type"], s["additionalProperties"] = "object", below.Draw(t, "additional")
			default:
				properties := map[string]any{}
				for _, name := range []string{"a", "b", "c"} {
					if rapid.Bool().Draw(t, "has") {
						properties[name] = below.Draw(t, name)
					}
				}

				s["type"], s["properties"] = "object", properties
			}
		}

		if rapid.Bool().Draw(t, "defaulted") {
			s["default"] = map[string]any{"string": "usual", "array": []any{}, "object": map[string]any{}}[fmt.Sprint(s["type"])]
		}

		return s
	})
}

// values draws values with so many levels.
func values(levels int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		if levels == 0 {
			kind = min(kind, 1)
		}

		switch kind {
		case 0:
			return nil
		case 1:
			return "own"
		case 2:
			list := []any{}
			for range rapid.IntRange(0, 2).Draw(t, "length") {
				list = append(list, values(levels-1).Draw(t, "item"))
			}

			return list
		default:
			object := map[string]any{}
			for _, name := range []string{"a", "b", "d"} {
				if rapid.Bool().Draw(t, "has") {
					object[name] = values(levels-1).Draw(t, name)
				}
			}

			return object
		}
	})
}
