package v1beta1

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
)

// decodesItself is what types implement that have no fields to be unknown.
var decodesItself = reflect.TypeFor[json.Unmarshaler]()

// unknownFields returns an error for each field of the supplied value, at the supplied
// path, that the supplied type doesn't have. It says which fields there are.
func unknownFields(p *field.Path, v *structpb.Value, t reflect.Type) []error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	if reflect.PointerTo(t).Implements(decodesItself) {
		return nil
	}

	errs := []error{}

	switch k := v.GetKind().(type) {
	case *structpb.Value_ListValue:
		for i, item := range k.ListValue.GetValues() {
			if t.Kind() == reflect.Slice {
				errs = append(errs, unknownFields(p.Index(i), item, t.Elem())...)
			}
		}
	case *structpb.Value_StructValue:
		if t.Kind() != reflect.Struct {
			return nil
		}

		types := fieldTypes(t)
		fields := k.StructValue.GetFields()

		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if of, ok := types[name]; ok {
				errs = append(errs, unknownFields(p.Child(name), fields[name], of)...)
				continue
			}

			allowed := strings.Join(slices.Sorted(maps.Keys(types)), ", ")
			errs = append(errs, errors.Errorf("unknown field %q: allowed: %s", p.Child(name), allowed))
		}
	}

	return errs
}

// fieldTypes returns the types of the supplied struct's fields by their names, those of
// structs that it embeds included.
func fieldTypes(t reflect.Type) map[string]reflect.Type {
	out := make(map[string]reflect.Type, t.NumField())

	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			maps.Copy(out, fieldTypes(f.Type))
			continue
		}

		out[name] = f.Type
	}

	return out
}
