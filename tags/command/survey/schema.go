package survey

import (
	"encoding/json"
	"slices"
	"sync"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	objects "github.com/plexsphere/function-cloud-tags/tags/object"
)

// A Schema is the JSON text of a schema in OpenAPI v3, pruned of all that says nothing of
// fields that look like tags.
type Schema string

// parseSchema returns the supplied text if it is that of a schema.
func parseSchema(text string) (Schema, error) {
	err := protojson.Unmarshal([]byte(text), &structpb.Struct{})
	return Schema(text), errors.Wrapf(err, "%q is no schema", text)
}

// Struct is the schema as field.Read reads it.
func (s Schema) Struct() *structpb.Struct {
	out := &structpb.Struct{}
	_ = protojson.Unmarshal([]byte(s), out) // It comes from Prune or from parseSchema.

	return out
}

// looksLikeTags are the names of the fields that families have as tags, and of those that
// no family has: so that a test sees what is left out.
var looksLikeTags = sync.OnceValue(func() []string {
	return append(field.Names(), "metadata", "resourceTags", "tagSpecifications", "tagging", "volumeTags")
})

// An object is a part of a schema.
type object = map[string]any

// Prune the supplied schema of a kind.
func Prune(s *structpb.Struct) Schema {
	out := object{}

	for _, top := range [...][2]string{{"spec", "forProvider"}, {"status", "atProvider"}} {
		outer := properties(s)[top[0]].GetStructValue()

		if kept := prune(properties(outer)[top[1]].GetStructValue(), 2); kept != nil {
			out[top[0]] = object{"properties": object{top[1]: kept}}
		}
	}

	if len(out) > 0 {
		out = object{"properties": out}
	}

	text, _ := json.Marshal(out) //nolint:errchkjson // It was JSON.

	return Schema(text)
}

// prune the schema of an object, or of a list of objects, of all fields but those that
// look like tags or have fields that do, down to so many levels. Nil if there are none.
func prune(s *structpb.Struct, levels int) object {
	if items := s.GetFields()["items"].GetStructValue(); items != nil {
		if kept := prune(items, levels); kept != nil {
			return object{"items": kept}
		}

		return nil
	}

	fields := object{}

	for name, v := range properties(s) {
		is := object{}

		if of := v.GetStructValue(); slices.Contains(looksLikeTags(), name) && field.TypeOf(objects.NodeOf(v)).Shape != "" {
			is = leaf(of)
		}

		if levels > 1 {
			merge(is, prune(v.GetStructValue(), levels-1))
		}

		if len(is) > 0 {
			fields[name] = is
		}
	}

	if len(fields) == 0 {
		return nil
	}

	return object{"properties": fields}
}

// leaf prunes the schema of a field of all that its type doesn't depend on.
func leaf(s *structpb.Struct) object {
	out := object{}

	for _, keyword := range [...]string{"type", "maxLength", "required", "x-kubernetes-list-type", "x-kubernetes-map-type"} {
		if v, ok := s.GetFields()[keyword]; ok {
			out[keyword] = v.AsInterface()
		}
	}

	for _, keyword := range [...]string{"items", "additionalProperties"} {
		if in := s.GetFields()[keyword].GetStructValue(); in != nil {
			out[keyword] = leaf(in)
		}
	}

	fields := object{}
	for name, v := range properties(s) {
		fields[name] = object{"type": v.GetStructValue().GetFields()["type"].GetStringValue()}
	}

	if len(fields) > 0 {
		out["properties"] = fields
	}

	return out
}

// merge more of a schema into it.
func merge(into, more object) {
	for name, v := range more {
		has, both := into[name].(object)
		if add, ok := v.(object); ok && both {
			merge(has, add)
		} else {
			into[name] = v
		}
	}
}

func properties(s *structpb.Struct) map[string]*structpb.Value {
	return s.GetFields()["properties"].GetStructValue().GetFields()
}
