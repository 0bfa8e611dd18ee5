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

	// firstItem comes after the name of a list of one item.
	firstItem = "[0]"

	// unknownName stands for a name that nobody knows, in an entry of tagFields that people have to complete.
	unknownName = "…"

	// kubernetesLabels is the path of an object's labels.
	kubernetesLabels = "metadata.labels"
)

// Schemas locates the tag fields of managed resources by the OpenAPI schemas of their
// kinds.
type Schemas struct {
	// Of returns the schema of a kind, or no object if there is none or if Crossplane hasn't sent it
	// yet. Package locate notes each kind that Of gets, so that Crossplane sends its schema.
	Of func(k schema.GroupVersionKind) object.Node

	// Given returns the schema of a kind that the pipeline step itself requires, or no object. Nobody
	// notes the kind. Given may be nil.
	Given func(k schema.GroupVersionKind) object.Node
}

// Locate returns the tag field of the kind by its schema. It doesn't ask for schemas of resources
// without a provider.
func (s Schemas) Locate(k Kind) (Field, bool) {
	if !k.Managed {
		return Field{}, false
	}

	node := s.Of(k.GroupVersionKind)
	if !node.IsObject() {
		return Field{}, false
	}

	return Read(k.GroupVersionKind, node).unasked(), true
}

// unasked returns f for an input whose tagFields don't ask for the kind's field. It is None if the field
// is on request.
func (f Field) unasked() Field {
	if f.OnRequest {
		return Field{Layout: Layout{Shape: None}, Path: f.Path, OnRequest: true}
	}

	return f
}

// Read returns the field of the kind that carries its cloud tags, by the kind's schema in
// OpenAPI v3. Crossplane answers requirements with such schemas, and custom resource
// definitions have them. The shape is None if the schema has no candidate of the
// provider's family.
func Read(gvk schema.GroupVersionKind, s object.Node) Field {
	fam, service := familyOf(gvk.GroupKind())

	for _, c := range fam.candidates(service, gvk.Kind) {
		if c.version != "" && c.version != gvk.Version {
			continue
		}

		if f := c.read(s); f.Shape != None {
			fam.complete(&f, fam.filling(service, gvk.Kind))
			f.Immutable, _ = fam.refuses(service, gvk.GroupKind())

			return f
		}
	}

	for _, c := range fam.possibleFields {
		if like := c.read(s); like.Shape != None {
			return Field{Layout: Layout{Shape: None}, PossibleField: &like}
		}
	}

	return Field{Layout: Layout{Shape: None}}
}

// read returns the field of the candidate in the schema s. Its shape is None if the schema lacks the field.
func (c *candidate) read(s object.Node) Field {
	for _, path := range c.paths {
		if f := c.readAt(path, s); f.Shape != None {
			return f
		}
	}

	return Field{Layout: Layout{Shape: None}}
}

// readAt is read for one of the paths.
func (c *candidate) readAt(path object.Path, s object.Node) Field {
	t := typeAt(s, path)
	if path.String() == kubernetesLabels { // No schema shows them.
		t = Type{Shape: Map}
	}

	if !slices.Contains(c.shapes, t.Shape) {
		return Field{Layout: Layout{Shape: None}}
	}

	f := Field{Layout: Layout{Shape: t.Shape}, Path: path, Key: t.Key, Value: t.Value, Atomic: t.Atomic, OnRequest: c.onRequest, Fixed: c.fixed, Immutable: c.refuses, Within: c.inside, Sorted: c.inOrder}

	switch t.Shape {
	case KeyValueList:
		if t.Key == "" && c.anyNames && hasTwoStrings(t.Fields) {
			f.Key, f.Value = unknownName, unknownName
			break
		}

		if f.Extra = c.extraOf(t); t.Key == "" || f.Extra == nil {
			return Field{Layout: Layout{Shape: None}}
		}
	case StringList:
		f.Separator, f.MaxLength = c.separator, c.maxLength
		if t.MaxLength > 0 {
			f.MaxLength = min(f.MaxLength, t.MaxLength)
		}
	case Map, MapOfLists, Joined, Labels, None:
	}

	for _, path := range c.observed {
		if o := typeAt(s, path); o.Shape == t.Shape && o.Key == t.Key && o.Value == t.Value {
			f.Observed = append(f.Observed, path)
		}
	}

	return f
}

// KeyAndValue returns the names of an entry's fields for the key and the value of a tag. isString reports whether a field of the entry is a
// string. Both names are empty if the entry has no such fields.
func KeyAndValue(isString func(name string) bool) (key, value string) {
	for _, n := range [...][2]string{
		{"key", "value"},
		{"tagKey", "tagValue"}, // KMS.
		{"tag", "value"},       // Redshift.
		{"name", "value"},
		{"Key", "Value"},
		{"scope", "tag"}, // NSX-T.
	} {
		if isString(n[0]) && isString(n[1]) {
			return n[0], n[1]
		}
	}

	return "", ""
}

// hasTwoStrings reports whether two or more of an entry's fields are strings, so that they may be a key and a value.
func hasTwoStrings(fields map[string]string) bool {
	count := 0

	for _, typ := range fields {
		if typ == "string" {
			count++
		}
	}

	return count >= 2
}

// extraOf returns the fields that an entry of the type must have besides key and value. It returns nil
// if the entry is no tag, because it has an unknown field: the comparison of a filter, or the
// description of a schema.
func (c *candidate) extraOf(t Type) map[string]*structpb.Value {
	extra := make(map[string]*structpb.Value)

	for name, typ := range t.Fields {
		if name == t.Key || name == t.Value {
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

// hasType reports whether the value, a string or a boolean, has the type, which an OpenAPI schema names.
func hasType(v *structpb.Value, name string) bool {
	if _, isString := v.GetKind().(*structpb.Value_StringValue); isString {
		return name == "string"
	}

	return name == "boolean"
}
