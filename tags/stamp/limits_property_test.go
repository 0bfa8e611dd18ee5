package stamp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	ext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestSchemaAdmitsTags proves that the API server admits all tags of the function, whatever the schema of the kind.
func TestSchemaAdmitsTags(t *testing.T) {
	text := func(t *rapid.T, name string) map[string]any {
		s := drawText(t, name, 2)
		s["type"] = "string"

		return s
	}

	shapes := map[string]func(t *rapid.T) (rule, tagField map[string]any){
		"Map": func(t *rapid.T) (rule, tagField map[string]any) {
			return map[string]any{}, atMost(t, "maxProperties", map[string]any{"type": "object", "additionalProperties": text(t, "value")})
		},
		"KeyValueList": func(t *rapid.T) (rule, tagField map[string]any) {
			items := map[string]any{"type": "object", "properties": map[string]any{"key": text(t, "key"), "value": text(t, "value")}}
			return map[string]any{"keyValueList": map[string]any{"key": "key", "value": "value"}}, atMost(t, "maxItems", map[string]any{"type": "array", "items": items})
		},
		"StringList": func(t *rapid.T) (rule, tagField map[string]any) {
			return map[string]any{"stringList": map[string]any{"separator": "="}}, atMost(t, "maxItems", map[string]any{"type": "array", "items": text(t, "entry")})
		},
		"Joined": func(t *rapid.T) (rule, tagField map[string]any) {
			return map[string]any{"joined": map[string]any{"separator": "=", "delimiter": ","}}, text(t, "all")
		},
	}

	for shape, drawn := range shapes {
		t.Run(shape, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				rule, tagField := drawn(t)
				rule["apiVersion"], rule["kind"], rule["fieldPath"], rule["shape"] = "*", "*", "spec.tags", shape

				schemaOfKind := map[string]any{"type": "object", "properties": map[string]any{"spec": map[string]any{"type": "object", "properties": map[string]any{"tags": tagField}}}}
				validator := validatorOf(t, schemaOfKind)

				in, err := v1beta1.Decode(tagstest.MustStructJSON(encode(t, map[string]any{
					"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", "provider": map[string]any{"value": "aws"},
					"sources": []any{map[string]any{"type": "Value", "values": map[string]any{"a": "1"}}}, "tagFields": []any{rule},
				})))
				if err != nil {
					t.Fatal(err)
				}

				s := &stamp.Stamper{
					Finder: locate.Finder{
						Input:      in,
						NewLocator: func(schemas field.Schemas) field.Locator { return field.ForInput(in, schemas) },
						Schemas: field.Schemas{
							Of: func(schema.GroupVersionKind) object.Node { return object.Node{} },
							Given: func(schema.GroupVersionKind) object.Node {
								return object.FromStruct(tagstest.MustStructJSON(encode(t, schemaOfKind))).Node()
							},
						},
					},
					Transformer: tags.NewTransformer(tags.PropagatingLabelSet(drawTags(t, "labels")).Labels(""), nil),
				}

				spec := make(map[string]any)
				if earlier := drawTags(t, "earlier"); len(earlier) > 0 {
					spec["tags"] = asField(shape, earlier)
				}

				before := map[string]any{"apiVersion": "example.org/v1", "kind": "Thing", "spec": spec}
				if errs := validation.ValidateCustomResource(nil, before, validator); len(errs) > 0 {
					t.Skip("what earlier steps set is theirs")
				}

				targets, err := s.Targets(t.Context(), map[string]*fnv1.Resource{"r": {Resource: tagstest.MustStructJSON(encode(t, before))}})
				if err != nil {
					t.Fatal(err)
				}

				out, err := s.Stamp(t.Context(), targets)
				if err != nil {
					t.Fatal(err)
				}

				after, ok := out.Changed["r"]
				if !ok {
					return
				}

				if errs := validation.ValidateCustomResource(nil, after.Struct().AsMap(), validator); len(errs) > 0 {
					t.Errorf("the API server refuses %s: %v", encode(t, after.Struct().AsMap()), errs.ToAggregate())
				}
			})
		})
	}
}

// atMost adds a limit to the schema, or none.
func atMost(t *rapid.T, name string, s map[string]any) map[string]any {
	if n := rapid.IntRange(-1, 4).Draw(t, name); n >= 0 {
		s[name] = n
	}

	return s
}

// drawText draws the schema of a string without its type, with others within it up to a depth.
func drawText(t *rapid.T, name string, depth int) map[string]any {
	s := make(map[string]any)

	keywords := map[string]func(){
		"maxLength": func() { s["maxLength"] = rapid.IntRange(0, 6).Draw(t, name+" maxLength") },
		"minLength": func() { s["minLength"] = rapid.IntRange(0, 2).Draw(t, name+" minLength") },
		"pattern": func() {
			s["pattern"] = rapid.SampledFrom([]string{"", "^[a-z=]*$", "a", "^.{0,3}$", `^\p{L}+$`, `^[^,]*$`, `\S`}).Draw(t, name+" pattern")
		},
		"enum":  func() { s["enum"] = []any{"a", "b", "a=b", "a=b,c=d", ""} },
		"allOf": func() { s["allOf"] = []any{drawText(t, name+" all", depth-1), drawText(t, name+" all", depth-1)} },
		"anyOf": func() { s["anyOf"] = []any{drawText(t, name+" any", depth-1), drawText(t, name+" any", depth-1)} },
		"oneOf": func() { s["oneOf"] = []any{drawText(t, name+" one", depth-1), drawText(t, name+" one", depth-1)} },
		"not":   func() { s["not"] = drawText(t, name+" not", depth-1) },
	}

	names := []string{"maxLength", "minLength", "pattern", "enum"}
	if depth > 0 {
		names = append(names, "allOf", "anyOf", "oneOf", "not")
	}

	for _, keyword := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 2, rapid.ID[string]).Draw(t, name+" keywords") {
		keywords[keyword]()
	}

	return s
}

func drawTags(t *rapid.T, name string) map[string]string {
	word := rapid.StringOfN(rapid.SampledFrom([]rune("abcZ1é ")), 0, 4, -1)
	return rapid.MapOfN(rapid.StringOfN(rapid.SampledFrom([]rune("abcd")), 1, 3, -1), word, 0, 5).Draw(t, name)
}

// asField is what a tag field of the shape has of the tags.
func asField(shape string, values map[string]string) any {
	asMap, list, entries := make(map[string]any), []any{}, []string{}

	for key, value := range values {
		asMap[key] = value

		entry := key + "=" + value
		if shape == "KeyValueList" {
			list = append(list, map[string]any{"key": key, "value": value})
		} else {
			list = append(list, entry)
		}

		entries = append(entries, entry)
	}

	switch shape {
	case "Map":
		return asMap
	case "Joined":
		return strings.Join(entries, ",")
	default:
		return list
	}
}

// validatorOf the schema, as the API server has it.
func validatorOf(t *rapid.T, s map[string]any) validation.SchemaValidator {
	v1, props := &extv1.JSONSchemaProps{}, &ext.JSONSchemaProps{}

	err := json.Unmarshal([]byte(encode(t, s)), v1)
	if err == nil {
		err = extv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v1, props, nil)
	}

	if err != nil {
		t.Fatal(err)
	}

	validator, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		t.Fatal(err)
	}

	return validator
}

func encode(t *rapid.T, v any) string {
	j, err := json.Marshal(v)
	if err != nil {
		t.Fatal(fmt.Sprint(err))
	}

	return string(j)
}
