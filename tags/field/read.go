package field

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

const (
	forProvider = "spec.forProvider."
	atProvider  = "status.atProvider."

	// firstItem is behind the name of a list that has one item.
	firstItem = "[0]"

	// kubernetesLabels is the path of an object's labels.
	kubernetesLabels = "metadata.labels"
)

// Schemas locates the tag fields of managed resources by the OpenAPI schemas of their
// kinds.
type Schemas struct {
	// Of returns the schema of a kind, or no object if there is none. Each call asks Crossplane for
	// the schema.
	Of func(k schema.GroupVersionKind) object.Node

	// Given returns the schema of a kind that is there though the function doesn't ask for it,
	// or no object. It may be nil.
	Given func(k schema.GroupVersionKind) object.Node
}

// Locate the tag field of the kind by its schema. The schema of resources that no provider manages
// isn't asked for.
func (s Schemas) Locate(k Kind) (Field, bool) {
	if !k.Managed {
		return Field{}, false
	}

	of := s.Of(k.GroupVersionKind)
	if !of.IsObject() {
		return Field{}, false
	}

	return Read(k.GroupVersionKind, of).unasked(), true
}

// unasked is f for an input without a rule that asks for the kind's field: None, if the field is on
// request.
func (f Field) unasked() Field {
	if f.OnRequest {
		return Field{Shape: None, Path: f.Path, OnRequest: true}
	}

	return f
}

// Read which field of the kind carries its cloud tags, from the kind's schema in
// OpenAPI v3, as Crossplane answers a requirement for it and as a custom resource
// definition has it. The kind is known to have none if the schema has no field that counts
// in its provider's family.
func Read(gvk schema.GroupVersionKind, s object.Node) Field {
	of, service := familyOf(gvk.GroupKind())

	for _, c := range of.candidates(service, gvk.Kind) {
		if c.version != "" && c.version != gvk.Version {
			continue
		}

		if f, ok := c.read(s); ok {
			of.complete(&f, of.filling(service, gvk.Kind))
			f.Immutable, _ = of.refuses(service, gvk.GroupKind())

			return f
		}
	}

	for _, c := range of.looksLike {
		if like, ok := c.read(s); ok {
			return Field{Shape: None, LooksLike: &like}
		}
	}

	return Field{Shape: None}
}

// read the field that the candidate is in the schema s, if it is there.
func (c *candidate) read(s object.Node) (Field, bool) {
	for _, path := range c.paths {
		if f, ok := c.readAt(path, s); ok {
			return f, true
		}
	}

	return Field{}, false
}

func (c *candidate) readAt(path object.Path, s object.Node) (Field, bool) {
	t := typeAt(s, path)
	if c.asserted != "" {
		t = Type{Shape: c.asserted}
	}

	if !slices.Contains(c.shapes, t.Shape) {
		return Field{}, false
	}

	key, value := keyAndValue(t)
	f := Field{Path: path, Shape: t.Shape, Key: key, Value: value, Atomic: t.Atomic, OnRequest: c.onRequest, Fixed: c.fixed, Within: c.inside, Sorted: c.inOrder}

	switch t.Shape {
	case KeyValueList:
		if f.Extra = c.extraOf(t, key, value); key == "" || f.Extra == nil {
			return Field{}, false
		}
	case StringList:
		f.Separator, f.MaxLength = c.separator, c.maxLength
		if t.MaxLength > 0 {
			f.MaxLength = min(f.MaxLength, t.MaxLength)
		}
	case Map, MapOfLists, Joined, Labels, None:
	}

	for _, path := range c.observed {
		if observes(typeAt(s, path), f) {
			f.Observed = append(f.Observed, path)
		}
	}

	return f, true
}

// observes is true if a field of the type t can report what is in the tag field f.
func observes(t Type, f Field) bool {
	key, value := keyAndValue(t)
	return t.Shape == f.Shape && key == f.Key && value == f.Value
}

// keyAndValue returns what an entry of the type calls the key and the value of a tag. Both are empty
// if it has none.
func keyAndValue(t Type) (key, value string) {
	for _, n := range [...][2]string{
		{"key", "value"},
		{"tagKey", "tagValue"}, // KMS.
		{"tag", "value"},       // Redshift.
		{"name", "value"},
		{"Key", "Value"},
		{"scope", "tag"}, // NSX-T.
	} {
		if t.Fields[n[0]] == "string" && t.Fields[n[1]] == "string" {
			return n[0], n[1]
		}
	}

	return "", ""
}

// extraOf returns what an entry of the type must have besides key and value. It returns nil if the
// entry is something else than a tag, because it has a field that we don't know: the comparison of a
// filter, or the description of a schema.
func (c *candidate) extraOf(t Type, key, value string) map[string]*structpb.Value {
	extra := make(map[string]*structpb.Value)

	for name, typ := range t.Fields {
		if name == key || name == value {
			continue
		}

		if v, ok := c.extra[name]; ok && hasType(v, typ) {
			extra[name] = v
		} else if !slices.Contains(c.spare, name) || slices.Contains(t.Required, name) {
			return nil
		}
	}

	return extra
}

// hasType is true if the value has the type, which an OpenAPI schema names.
func hasType(v *structpb.Value, name string) bool {
	switch v.GetKind().(type) {
	case *structpb.Value_StringValue:
		return name == "string"
	case *structpb.Value_BoolValue:
		return name == "boolean"
	default:
		return false
	}
}
