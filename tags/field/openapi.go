package field

import (
	"math"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A Type is what matters to tags of the type of a field.
type Type struct {
	// Shape of tags that the field could hold, or empty if there is no such field
	// or it could hold none.
	Shape Shape

	// Atomic is true if server-side apply replaces the whole field.
	Atomic bool

	// Fields of a KeyValueList's entry and their types, e.g. key: string.
	Fields map[string]string

	// Required fields of a KeyValueList's entry.
	Required []string

	// MaxLength of a StringList's entries, or 0 if there is no limit.
	MaxLength int
}

// typeAt returns the type of the field at the supplied path in the supplied schema of
// a kind. A [0] in the path is behind the name of a list. Nothing but the schemas of the
// fields on the path is looked at.
func typeAt(s *structpb.Struct, path object.Path) Type {
	for name := range strings.SplitSeq(path.String(), ".") {
		name, isList := strings.CutSuffix(name, firstItem)
		s = child(child(s, "properties"), name)

		if isList {
			s = child(s, "items")
		}
	}

	return TypeOf(s)
}

// TypeOf returns the type of a field of which the supplied schema, in OpenAPI v3, is.
// Whatever it is, and if it is nil, it is a schema: where it isn't OpenAPI, there is no
// field.
func TypeOf(s *structpb.Struct) Type {
	switch text(s, "type") {
	case "object":
		return mapType(s)
	case "array":
		return listType(s)
	default:
		return Type{}
	}
}

// mapType returns the type of an object, which holds tags if it is a map of
// strings. One with fields of its own is not, even if it admits others.
func mapType(s *structpb.Struct) Type {
	if !isString(child(s, "additionalProperties")) || len(child(s, "properties").GetFields()) > 0 {
		return Type{}
	}

	return Type{Shape: Map, Atomic: text(s, "x-kubernetes-map-type") == "atomic"}
}

// listType returns the type of an array, which holds tags if it is of strings or
// of objects.
func listType(s *structpb.Struct) Type {
	items := child(s, "items")

	// Lists are atomic unless they say otherwise. Maps are not.
	kind := text(s, "x-kubernetes-list-type")
	atomic := kind != "set" && kind != "map"

	if isString(items) {
		// Whether a pattern admits a key and a value in one string we can't know.
		if text(items, "pattern") != "" {
			return Type{}
		}

		return Type{Shape: StringList, Atomic: atomic, MaxLength: integer(items, "maxLength")}
	}

	if text(items, "type") != "object" {
		return Type{}
	}

	t := Type{Shape: KeyValueList, Atomic: atomic, Fields: make(map[string]string)}

	for name, v := range child(items, "properties").GetFields() {
		t.Fields[name] = text(v.GetStructValue(), "type")
	}

	for _, v := range items.GetFields()["required"].GetListValue().GetValues() {
		t.Required = append(t.Required, v.GetStringValue())
	}

	return t
}

// isString is true if the supplied schema is of a string of which we may choose
// the text: no enumeration, and no format such as a date.
func isString(s *structpb.Struct) bool {
	return text(s, "type") == "string" && text(s, "format") == "" && s.GetFields()["enum"] == nil
}

func child(s *structpb.Struct, name string) *structpb.Struct {
	return s.GetFields()[name].GetStructValue()
}

func text(s *structpb.Struct, name string) string {
	return s.GetFields()[name].GetStringValue()
}

// integer returns a whole number, or 0 if there is none.
func integer(s *structpb.Struct, name string) int {
	n := s.GetFields()[name].GetNumberValue()
	if n > math.MaxInt32 || n != math.Trunc(n) {
		return 0
	}

	return int(n)
}
