package survey

import (
	"encoding/json"
	"slices"
	"sync"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	objects "github.com/plexsphere/function-cloud-tags/tags/object"
)

// A Schema is the JSON text of a schema in OpenAPI v3, with only those parts that are about fields
// like tags.
type Schema string

// Node returns the schema as field.Read reads it.
func (s Schema) Node() objects.Node {
	out := &structpb.Struct{}
	_ = out.UnmarshalJSON([]byte(s)) // It comes from Prune, or Parse has tried it.

	return objects.FromStruct(out).Node()
}

// looksLikeTags returns the names of the fields that families have as tags, and some other names. By these, a
// test sees which fields are left out.
var looksLikeTags = sync.OnceValue(func() []string {
	return append(field.Names(), "metadata", "resourceTags", "tagSpecifications", "tagging", "volumeTags")
})

// An object is a part of a schema.
type object = map[string]any

// keywords on which the type of a field depends, besides the keywords of inner schemas.
var keywords = []string{"type", "maxLength", "required", "x-kubernetes-list-type", "x-kubernetes-map-type"}

// Prune returns the parts of a kind's schema, in OpenAPI v3, that are about fields like tags.
func Prune(s objects.Node) Schema {
	tops, levels := object{}, 3

	fields := property(s, "spec").Field("properties")
	managed := fields.Field("forProvider").IsObject()

	switch {
	case managed:
		levels = 2
	case property(fields.Field("template"), "spec").IsObject():
		levels = 5 // In spec.template.spec is what another kind has in spec.
	}

	for top, field := range map[string]string{"spec": "forProvider", "status": "atProvider"} {
		outer := property(s, top)
		if managed {
			outer = property(outer, field)
		}

		kept := prune(outer, levels, nil)
		if managed && len(kept) > 0 {
			kept = object{"properties": object{field: kept}}
		}

		put(tops, top, kept)
	}

	out := object{}
	put(out, "properties", tops)

	text, _ := json.Marshal(out) //nolint:errchkjson // It was JSON.

	return Schema(text)
}

// property is the schema of a field of an object that has the schema s.
func property(s objects.Node, name string) objects.Node { return s.Field("properties").Field(name) }

// prune returns the parts of the schema s to keep:
//
//   - the keywords in keep, if s is the schema of a field like tags, or of its entries;
//   - fields like tags, and fields around such fields, down to so many levels;
//   - the types of all fields of an entry.
func prune(s objects.Node, levels int, keep []string) object {
	out, fields := object{}, object{}
	if !s.IsObject() {
		return out
	}

	for keyword, levels := range map[string]int{"items": levels, "additionalProperties": 0} {
		put(out, keyword, prune(s.Field(keyword), levels, keep))
	}

	for _, keyword := range keep {
		if v := s.Field(keyword); v.IsThere() {
			out[keyword] = v.Value().AsInterface()
		}
	}

	for name, sub := range s.Field("properties").Fields() {
		name, kept := string(name), object{}

		switch {
		case levels > 0 && slices.Contains(looksLikeTags(), name) && field.TypeOf(sub).Shape != "":
			kept = prune(sub, levels-1, keywords)
		case levels > 0 && slices.Contains(field.SwitchNames(), name) && field.IsSwitch(sub):
			kept = prune(sub, 0, keywords)
		case levels > 1:
			kept = prune(sub, levels-1, nil)
		}

		if keep != nil {
			kept["type"] = sub.Field("type").Text()
		}

		put(fields, name, kept)
	}

	put(out, "properties", fields)

	return out
}

// put puts the part into the object under the name, unless the part is empty.
func put(into object, name string, part object) {
	if len(part) > 0 {
		into[name] = part
	}
}
