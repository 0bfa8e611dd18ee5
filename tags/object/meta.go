package object

import (
	"cmp"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// APIVersion of the supplied object, or nothing.
func APIVersion(o *structpb.Struct) string { return o.GetFields()["apiVersion"].GetStringValue() }

// Kind of the supplied object, or nothing.
func Kind(o *structpb.Struct) string { return o.GetFields()["kind"].GetStringValue() }

// GVK is the API group, version and kind of the supplied object.
func GVK(o *structpb.Struct) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(APIVersion(o), Kind(o))
}

// Metadata of the supplied object, by name of the field.
func Metadata(o *structpb.Struct) map[string]*structpb.Value {
	return o.GetFields()["metadata"].GetStructValue().GetFields()
}

// Name of the supplied object, or nothing.
func Name(o *structpb.Struct) string { return Metadata(o)["name"].GetStringValue() }

// Namespace of the supplied object, or nothing.
func Namespace(o *structpb.Struct) string { return Metadata(o)["namespace"].GetStringValue() }

// Title is what messages call the supplied object: its kind and its name, with its namespace
// if it has one.
func Title(o *structpb.Struct) string {
	return strings.TrimSpace(Kind(o) + " " + strings.TrimPrefix(Namespace(o)+"/"+Name(o), "/"))
}

// Compare objects by namespace, then name.
func Compare(a, b *structpb.Struct) int {
	return cmp.Or(strings.Compare(Namespace(a), Namespace(b)), strings.Compare(Name(a), Name(b)))
}

// Labels of the supplied object. Those of an object that came from the API server are
// strings.
func Labels(o *structpb.Struct) map[string]*structpb.Value {
	return Metadata(o)["labels"].GetStructValue().GetFields()
}

// Annotations of the supplied object, as Labels.
func Annotations(o *structpb.Struct) map[string]*structpb.Value {
	return Metadata(o)["annotations"].GetStructValue().GetFields()
}
