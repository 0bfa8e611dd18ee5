// Package settings lists the settings of inputs, for tests that have values for each.
package settings

import (
	"reflect"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// All returns the paths of all settings of an input, such as sources[].include.keys, each with the type of its value.
func All() map[string]reflect.Type {
	out := make(map[string]reflect.Type)
	add(reflect.TypeFor[v1beta1.CloudTags](), "", out)

	return out
}

// add adds the settings of a type below the path to out.
func add(typ reflect.Type, path string, out map[string]reflect.Type) {
	switch kind := typ.Kind(); {
	case typ == reflect.TypeFor[object.Path](), typ == reflect.TypeFor[expression.Expression](), typ == reflect.TypeFor[expression.Regexp](), typ == reflect.TypeFor[profile.Pattern](), typ == reflect.TypeFor[v1beta1.Duration]():
		out[path] = typ
	case kind == reflect.Pointer:
		add(typ.Elem(), path, out)
	case kind == reflect.Slice && typ.Elem().Kind() == reflect.Struct && typ.Elem().PkgPath() == reflect.TypeFor[v1beta1.CloudTags]().PkgPath():
		add(typ.Elem(), path+"[]", out)
	case kind != reflect.Struct:
		out[path] = typ
	default:
		for f := range typ.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")

			switch {
			case f.Anonymous:
				add(f.Type, path, out)
			case name != "-" && name != "":
				add(f.Type, strings.TrimPrefix(path+"."+name, "."), out)
			}
		}
	}
}

// Has reports whether an input has a value at the path of a setting.
func Has(v *structpb.Value, path string) bool {
	if path == "" {
		return v != nil
	}

	name, rest, _ := strings.Cut(path, ".")
	name, isList := strings.CutSuffix(name, "[]")
	v = v.GetStructValue().GetFields()[name]

	if isList {
		return slices.ContainsFunc(v.GetListValue().GetValues(), func(item *structpb.Value) bool { return Has(item, rest) })
	}

	return Has(v, rest)
}
