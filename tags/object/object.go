// Package object reads and writes objects of the control plane: protobuf structs, as the bytes
// that a request has of them. Trees become bytes before they are read.
package object

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/object/wire"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// An Object of the control plane. It is immutable: functions that change one return a new Object. The zero
// Object is none.
type Object struct {
	// resource has the bytes of a Resource in plain form: see package wire. The Object is the object in it.
	resource []byte
}

// FromStruct returns the Object with the fields of s. It is zero if s is nil, but not if s has no fields. Text that isn't UTF-8
// panics, as in NodeOf.
func FromStruct(s *structpb.Struct) Object {
	if s == nil {
		return Object{}
	}

	return Object{resource: encode(nil, &fnv1.Resource{Resource: s})}
}

// encode appends the bytes of m. Equal messages have equal bytes.
func encode(to []byte, m proto.Message) []byte {
	b, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(to, m)
	if err != nil {
		panic(err)
	}

	return b
}

// Of returns the object of the resource r.
//
// A codec leaves the bytes of a resource as unknown fields of r. They are encoded as any others, so
// that r stays the same resource for all readers. The methods of r don't see them: only this package
// may call these.
func Of(r *fnv1.Resource) Object {
	if b := Bytes(r); b != nil {
		return Object{resource: b}
	}

	return FromStruct(r.GetResource())
}

// OfSchema returns the OpenAPI schema of a kind, or no node if there is none.
func OfSchema(s *fnv1.Schema) Node {
	// A Schema has its OpenAPI schema in the field with the number that a Resource has its object in.
	if b := s.ProtoReflect().GetUnknown(); len(b) > 0 && b[0] == wire.Object {
		return Object{resource: b}.Node()
	}

	return FromStruct(s.GetOpenapiV3()).Node()
}

// SetBytes gives the bytes b of a Resource to r, which has nothing yet. They must be in plain form, as package wire makes it, and not
// change.
func SetBytes(r *fnv1.Resource, b []byte) { r.ProtoReflect().SetUnknown(b) }

// SetSchema is SetBytes for a schema.
func SetSchema(s *fnv1.Schema, b []byte) { s.ProtoReflect().SetUnknown(b) }

// Bytes returns the bytes of the resource r, or nil if r is a tree.
func Bytes(r *fnv1.Resource) []byte {
	if r.GetResource() != nil {
		return nil
	}

	// A resource without an object may be a tree, too. Its unknown fields begin with none of these.
	b := r.ProtoReflect().GetUnknown()
	if len(b) == 0 || b[0] != wire.Object && b[0] != wire.Details && b[0] != wire.Ready {
		return nil
	}

	return b
}

// PutInto returns a copy of the resource r with the object o in place of its object. The copy keeps connection details and
// readiness. The object o must come from Of(r), with changes by Set or Update: the bytes of o have these details, too.
func (o Object) PutInto(r *fnv1.Resource) *fnv1.Resource {
	if Bytes(r) != nil {
		r = &fnv1.Resource{} // Bytes are all that it has.
		SetBytes(r, o.resource)

		return r
	}

	r = Copy(r)
	r.Resource = o.Struct()

	return r
}

// Copy returns a copy of the message m. The two share the values of all fields.
func Copy[M proto.Message](m M) M {
	from := m.ProtoReflect()
	to := from.New()

	from.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		to.Set(field, v)
		return true
	})
	to.SetUnknown(from.GetUnknown())

	return to.Interface().(M) //nolint:forcetypeassert // It is of the same type.
}

// IsZero reports whether there is no object.
func (o Object) IsZero() bool { return !o.Node().IsThere() }

// Struct returns the object as a tree.
func (o Object) Struct() *structpb.Struct { return o.Node().Value().GetStructValue() }

// Node returns the object as a value.
func (o Object) Node() Node {
	if rest, _, body := wire.FindObject(o.resource); len(rest) > 0 {
		return Node{tag: wire.Struct, body: body}
	}

	return Node{}
}

// At returns the value at the path, or none if the path leads nowhere or to null. It is an error if
// the path leads through a value that can't have fields or items, e.g. a string.
func (o Object) At(path Path) (Node, error) {
	n := o.Node()
	if !n.IsThere() {
		return Node{}, nil
	}

	for i, sg := range path.segments {
		var err error
		if n, err = n.child(sg); err != nil {
			return Node{}, at(path.segments[:i], err)
		}

		if n.IsNull() {
			return Node{}, nil
		}
	}

	return n, nil
}

// Get is At, but returns the value as a tree, or nil if there is none.
func Get(o Object, path Path) (*structpb.Value, error) {
	n, err := o.At(path)
	return n.Value(), err
}

// Set returns the object o with the value n at the path, or without the value there if n isn't
// there. It shares what does not change. Objects that are missing on the path are made, but items
// of lists are not.
func Set(o Object, path Path, n Node) (Object, error) {
	out, _, err := Update(o, path, func(Node) (Node, error) { return n, nil })
	return out, err
}

// Update returns the object o with f's result in the place of the value at the path, as Set does. Without a value
// there, f gets the zero Node. A [*] in the path stands for every item of a list that isn't null. An error of f gets
// the path before it, so that it begins with a verb: is a number, not a string. changed is false, and the object is o,
// if f returns each value as it is.
func Update(o Object, path Path, f func(Node) (Node, error)) (_ Object, changed bool, _ error) {
	segments := path.segments
	if slices.ContainsFunc(segments, isItem) {
		segments = slices.Clone(segments) // For each item, its index takes the place of the [*].
	}

	before := o.Node()

	switch after, err := before.updated(segments, 0, f); {
	case err != nil:
		return Object{}, false, err
	case after.is(before):
		return o, false, nil
	default:
		return o.with(after), true, nil
	}
}

// ResourceNameAnnotation has the name of a composed resource in its pipeline. Crossplane sets it.
const ResourceNameAnnotation = "crossplane.io/composition-resource-name"

// APIVersion returns the apiVersion of the object o, or nothing.
func APIVersion(o Object) string { return o.Node().Field("apiVersion").Text() }

// Kind returns the kind of the object o, or nothing.
func Kind(o Object) string { return o.Node().Field("kind").Text() }

// GVK returns the API group, version and kind of the object o.
func GVK(o Object) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(APIVersion(o), Kind(o))
}

func metadata(o Object) Node { return o.Node().Field("metadata") }

// Name returns the name of the object o, or nothing.
func Name(o Object) string { return metadata(o).Field("name").Text() }

// Namespace returns the namespace of the object o, or nothing.
func Namespace(o Object) string { return metadata(o).Field("namespace").Text() }

// Title returns the name of the object o for messages: its kind and its name, with its namespace if it has one, as in
// ConfigMap platform/tags.
func Title(o Object) string {
	return strings.TrimSpace(Kind(o) + " " + strings.TrimPrefix(Namespace(o)+"/"+Name(o), "/"))
}

// FullTitle returns the title of the object o and its apiVersion: Bucket logs (s3.aws.upbound.io/v1beta1).
func FullTitle(o Object) string {
	return words.Name(Title(o)) + " (" + words.Name(APIVersion(o)) + ")"
}

// Compare orders objects by namespace, and then by name.
func Compare(a, b Object) int {
	return cmp.Or(strings.Compare(Namespace(a), Namespace(b)), strings.Compare(Name(a), Name(b)))
}

// Labels returns the labels of the object o. The API server has seen to it that they are strings.
func Labels(o Object) Node { return metadata(o).Field("labels") }

// HasLabels reports whether the object o has all of these labels.
func HasLabels(o Object, labels map[string]string) bool {
	there := Labels(o)

	for key, value := range labels {
		if !there.Field(key).IsText(value) {
			return false
		}
	}

	return true
}

// Annotations returns the annotations of the object o, which are strings, too.
func Annotations(o Object) Node { return metadata(o).Field("annotations") }

// Condition returns the condition of the type in the status of the object o, or the zero Node.
func Condition(o Object, typ string) Node {
	for c := range o.Node().Field("status").Field("conditions").Items() {
		if c.Field("type").IsText(typ) {
			return c
		}
	}

	return Node{}
}

// IsPrivate reports whether a label or an annotation with the key is meant only for its own object: keys of crossplane.io, its subdomains,
// kubectl.kubernetes.io and cloudtags.fn.plexsphere.com.
func IsPrivate(key string) bool {
	domain := KeyDomain(key)
	return IsDomainOf(domain, "crossplane.io") || domain == "kubectl.kubernetes.io" || domain == "cloudtags.fn.plexsphere.com"
}

// KeyDomain returns the domain of the key of a label or an annotation: node-role.kubernetes.io of node-role.kubernetes.io/worker. It is empty
// if the key has no slash.
func KeyDomain(key string) string { return key[:max(0, strings.Index(key, "/"))] }

// IsDomainOf reports whether domain is the parent, or a subdomain of it.
func IsDomainOf(domain, parent string) bool {
	sub, found := strings.CutSuffix(domain, parent)
	return found && (sub == "" || strings.HasSuffix(sub, "."))
}
