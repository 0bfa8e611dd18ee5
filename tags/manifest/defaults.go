package manifest

import (
	"maps"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// compositeDefinition is the kind of definitions of composite resources, in any version.
var compositeDefinition = schema.GroupKind{Group: "apiextensions.crossplane.io", Kind: "CompositeResourceDefinition"}

// Default sets the fields of o that aren't there to the defaults that the definition of its kind in the file has: a
// CompositeResourceDefinition, or the CustomResourceDefinition that Crossplane makes of it.
func (r *Reader) Default(file string, o *structpb.Struct) error {
	objects, err := r.Objects(file)
	if err != nil {
		return err
	}

	gvk := object.GVK(object.Tree(o))

	var found *Definition

	for _, d := range objects {
		if of := object.GVK(object.Tree(d)); of != definition && of.GroupKind() != compositeDefinition {
			continue
		}

		eachVersion(d, func(d Definition) {
			if d.GroupVersionKind == gvk {
				found = &d
			}
		})
	}

	if found == nil {
		return errors.Errorf("cannot read %s: it has no definition of kind %s that serves apiVersion %s", file, words.Name(gvk.Kind), words.Name(gvk.GroupVersion().String()))
	}

	setDefaults(structpb.NewStructValue(o), structpb.NewStructValue(found.Schema))

	return nil
}

// setDefaults sets the defaults of a schema in a value, as the API server does: see its package
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting. Null where the schema doesn't admit it is as if it
// weren't there.
func setDefaults(v, s *structpb.Value) {
	of := fields(s)

	for _, item := range v.GetListValue().GetValues() {
		if usual := defaultOf(of["items"]); isWrongNull(item, of["items"]) && usual != nil {
			item.Kind = usual.GetKind()
		}

		setDefaults(item, of["items"])
	}

	if v.GetStructValue() == nil {
		return
	}

	if len(v.GetStructValue().GetFields()) == 0 {
		v.GetStructValue().Fields = make(map[string]*structpb.Value)
	}

	all := v.GetStructValue().GetFields()

	for name, field := range all {
		if isWrongNull(field, schemaOf(name, of)) {
			all[name] = defaultOf(schemaOf(name, of))
		}
	}

	for name, property := range fields(of["properties"]) {
		if all[name] == nil {
			all[name] = defaultOf(property)
		}
	}

	maps.DeleteFunc(all, func(_ string, field *structpb.Value) bool { return field == nil })

	for name, field := range all {
		setDefaults(field, schemaOf(name, of))
	}
}

// schemaOf returns the schema of a field of objects that have the schema s, or nil if it has none.
func schemaOf(name string, s map[string]*structpb.Value) *structpb.Value {
	if property := fields(s["properties"])[name]; property != nil {
		return property
	}

	return s["additionalProperties"]
}

// isWrongNull is true if the value is null, and the schema doesn't admit that.
func isWrongNull(v, s *structpb.Value) bool {
	return object.IsNull(v) && s.GetStructValue() != nil && !fields(s)["nullable"].GetBoolValue()
}

// defaultOf returns a copy of the default that the schema has, or nil if it has none.
func defaultOf(s *structpb.Value) *structpb.Value {
	if usual := fields(s)["default"]; usual != nil {
		return proto.CloneOf(usual)
	}

	return nil
}
