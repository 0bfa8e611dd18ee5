package field

import (
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A Type has the properties of a field's type that matter to tags.
type Type struct {
	// Shape of tags that the field could hold, or empty if there is no such field
	// or it could hold none.
	Shape Shape

	// Atomic says whether server-side apply replaces the whole field.
	Atomic bool

	// Fields of a KeyValueList's entry and their types, e.g. key: string.
	Fields map[string]string

	// Key and Value name the fields of the entry that hold the key and the value of a tag.
	Key, Value string

	// Required fields of a KeyValueList's entry.
	Required []string

	// MaxLength of a StringList's entries, or 0 if there is no limit.
	MaxLength int
}

// typeAt returns the type of the field at the path in the schema of a kind. A [0] in the path is after the name of a list. It reads
// only the schemas of the fields on the path. A string or a boolean is a switch.
func typeAt(s object.Node, path object.Path) Type {
	s = schemaAt(s, path)
	if IsSwitch(s) {
		return Type{Shape: onOff}
	}

	return TypeOf(s)
}

// IsSwitch reports whether the schema is of a field that can be a switch: a string, or a boolean.
func IsSwitch(s object.Node) bool {
	t := text(s, "type")
	return t == "string" || t == "boolean"
}

// schemaAt returns the schema of the field at the path: see typeAt.
func schemaAt(s object.Node, path object.Path) object.Node {
	for name := range strings.SplitSeq(path.String(), ".") {
		name, isList := strings.CutSuffix(name, firstItem)
		s = s.Field("properties").Field(name)

		if isList {
			s = s.Field("items")
		}
	}

	return s
}

// takesLabels reports whether API servers take a map of strings at the path of a kind with the schema s: the schema has a map there, or
// keeps unknown fields. API servers refuse a whole resource for any other field.
func takesLabels(s object.Node, path object.Path) bool {
	for _, sg := range path.Segments() {
		in, isOpen := Inside(s, sg)
		if !in.IsObject() {
			return isOpen
		}

		s = in
	}

	values := s.Field("additionalProperties")

	return keepsUnknown(s) || values.Value().GetBoolValue() || values.IsObject() && (text(values, "type") == "string" || text(values, "type") == "")
}

// Inside returns the schema of the field or item sg of an object or a list with the schema s. Without such a schema, isOpen reports whether API
// servers keep anything there.
func Inside(s object.Node, sg object.Segment) (in object.Node, isOpen bool) {
	in = s.Field("properties").Field(sg.Field)

	switch {
	case sg.IsIndex:
		in = s.Field("items")
	case !in.IsThere():
		in = s.Field("additionalProperties")
	}

	return in, !in.IsObject() && (keepsUnknown(s) || in.Value().GetBoolValue())
}

// keepsUnknown reports whether API servers keep fields of an object that its schema s lacks.
func keepsUnknown(s object.Node) bool {
	return s.Field("x-kubernetes-preserve-unknown-fields").Value().GetBoolValue()
}

// TypeOf returns the type of the field that has the schema s, in OpenAPI v3. Any value will do: what
// isn't OpenAPI is a schema without a field.
func TypeOf(s object.Node) Type {
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
// strings, or of lists of strings. One with fields of its own is not, even if it admits others.
func mapType(s object.Node) Type {
	values := s.Field("additionalProperties")
	atomic := text(s, "x-kubernetes-map-type") == "atomic"

	switch {
	case !s.Field("properties").IsEmpty():
		return Type{}
	case isString(values):
		return Type{Shape: Map, Atomic: atomic}
	case text(values, "type") == "array" && isString(values.Field("items")):
		return Type{Shape: MapOfLists, Atomic: atomic}
	default:
		return Type{}
	}
}

// listType returns the type of an array, which holds tags if it is of strings or
// of objects.
func listType(s object.Node) Type {
	items := s.Field("items")

	// Lists are atomic unless they say otherwise. Maps are not.
	kind := text(s, "x-kubernetes-list-type")
	atomic := kind != "set" && kind != "map"

	// Whether a pattern admits a key and a value in one string we can't know.
	if isString(items) && text(items, "pattern") == "" {
		return Type{Shape: StringList, Atomic: atomic, MaxLength: bound(items, "maxLength", 0)}
	}

	if text(items, "type") != "object" {
		return Type{}
	}

	t := Type{Shape: KeyValueList, Atomic: atomic, Fields: make(map[string]string)}

	for name, v := range items.Field("properties").Fields() {
		t.Fields[string(name)] = text(v, "type")
	}

	t.Key, t.Value = KeyAndValue(func(name string) bool { return t.Fields[name] == "string" })

	for v := range items.Field("required").Items() {
		t.Required = append(t.Required, v.Text())
	}

	return t
}

// isString reports whether the schema is one of a string with any text: without an enumeration, and without a format such as a date.
func isString(s object.Node) bool {
	return text(s, "type") == "string" && text(s, "format") == "" && !s.Field("enum").IsThere()
}

func text(s object.Node, name string) string { return s.Field(name).Text() }
