package engine

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// schema of a kind, with what it refers to. It is empty if there is none.
func (c cluster) schema(s *fnv1.SchemaSelector) *fnv1.Schema {
	for _, document := range c.schemas {
		schemas := document.GetFields()["components"].GetStructValue().GetFields()["schemas"].GetStructValue().GetFields()

		for name, schema := range schemas {
			if apiVersion, kind := kindOf(schema.GetStructValue()); apiVersion == s.GetApiVersion() && kind == s.GetKind() {
				return &fnv1.Schema{OpenapiV3: inline(schema, schemas, []string{name}).GetStructValue()}
			}
		}
	}

	return &fnv1.Schema{}
}

// kindOf returns the kind that a schema is of, if it is of one.
func kindOf(schema *structpb.Struct) (apiVersion, kind string) {
	kinds := schema.GetFields()["x-kubernetes-group-version-kind"].GetListValue().GetValues()
	if len(kinds) != 1 {
		return "", ""
	}

	f := kinds[0].GetStructValue().GetFields()

	return strings.TrimPrefix(f["group"].GetStringValue()+"/"+f["version"].GetStringValue(), "/"), f["kind"].GetStringValue()
}

// inline puts the schemas in the place of references to them. Within itself, a schema is
// any object.
func inline(v *structpb.Value, schemas map[string]*structpb.Value, within []string) *structpb.Value {
	switch k := v.GetKind().(type) {
	case *structpb.Value_ListValue:
		out := &structpb.ListValue{}
		for _, item := range k.ListValue.GetValues() {
			out.Values = append(out.Values, inline(item, schemas, within))
		}

		return structpb.NewListValue(out)
	case *structpb.Value_StructValue:
		name := referred(k.StructValue)
		if slices.Contains(within, name) {
			return structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"type": structpb.NewStringValue("object")}})
		}

		if to, ok := schemas[name]; ok {
			return inline(to, schemas, append(slices.Clip(within), name))
		}

		out := &structpb.Struct{Fields: make(map[string]*structpb.Value)}
		for name, field := range k.StructValue.GetFields() {
			out.Fields[name] = inline(field, schemas, within)
		}

		return structpb.NewStructValue(out)
	default:
		return v
	}
}

// referred is the name of the schema that one refers to, by itself or, so that it can have a
// description, in an allOf.
func referred(schema *structpb.Struct) string {
	refs := []*structpb.Value{schema.GetFields()["$ref"]}
	for _, s := range schema.GetFields()["allOf"].GetListValue().GetValues() {
		refs = append(refs, s.GetStructValue().GetFields()["$ref"])
	}

	for _, ref := range refs {
		if name, ok := strings.CutPrefix(ref.GetStringValue(), "#/components/schemas/"); ok {
			return name
		}
	}

	return ""
}
