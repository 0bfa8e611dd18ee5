package load

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	objects "github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// settings adds the settings of a type below the path to out, each with the type of its value.
func settings(of reflect.Type, path string, out map[string]reflect.Type) {
	switch kind := of.Kind(); {
	case of == reflect.TypeFor[objects.Path](), of == reflect.TypeFor[expression.Expression](), of == reflect.TypeFor[expression.Regexp](), of == reflect.TypeFor[profile.Pattern](), of == reflect.TypeFor[v1beta1.Duration]():
		out[path] = of
	case kind == reflect.Pointer:
		settings(of.Elem(), path, out)
	case kind == reflect.Slice && of.Elem().Kind() == reflect.Struct && of.Elem().PkgPath() == reflect.TypeFor[v1beta1.CloudTags]().PkgPath():
		settings(of.Elem(), path+"[]", out)
	case kind != reflect.Struct:
		out[path] = of
	default:
		for f := range of.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")

			switch {
			case f.Anonymous:
				settings(f.Type, path, out)
			case name != "-" && name != "":
				settings(f.Type, strings.TrimPrefix(path+"."+name, "."), out)
			}
		}
	}
}

// literal are the names of settings, or their paths, whose value is text that stands in the input itself, and says of
// nothing else where it is.
var literal = []string{
	"apiVersion", "kind", "namespace", "provider", "key", "keys", "except", "value", "keyPrefix", "replace", "reservedKeys", "names", "prefixes", "domains", "toContextKey",
	"separator", "delimiter", "extra", "extends.name", "keyFormats[].prefix", "sources[].name", "sources[].values", "coverage.configMap.name",
	"sources[].resource.defaultMatchLabels", "kubernetesMetadata[].source.resource.defaultMatchLabels", // They select objects, as literal as their kind.

	"kubernetesMetadata[].source.resource.unless.fromFieldPath", // Only classes allow it.
}

// isLiteral reports whether the setting of the type reads nothing: it is text of the input itself, a number, a boolean,
// or one of a few words.
func isLiteral(path string, of reflect.Type) bool {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map && of.Name() == "" {
		of = of.Elem()
	}

	isWord := of.Kind() == reflect.String && of.Name() != "string"
	isText := of.Kind() == reflect.String && !isWord || of == reflect.TypeFor[profile.Pattern]() || of == reflect.TypeFor[v1beta1.Extra]()
	_, name, _ := cutLast(path, ".")

	switch {
	case slices.Contains(literal, path):
		return true
	case isText:
		return slices.Contains(literal, name)
	default:
		return isWord || of.Kind() == reflect.Bool || of.Kind() == reflect.Int32 || of == reflect.TypeFor[v1beta1.Duration]()
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}

	return "", s, false
}

// has reports whether an input has a value at the path of a setting.
func has(v *structpb.Value, path string) bool {
	if path == "" {
		return v != nil
	}

	name, rest, _ := strings.Cut(path, ".")
	name, isList := strings.CutSuffix(name, "[]")
	v = v.GetStructValue().GetFields()[name]

	if isList {
		return slices.ContainsFunc(v.GetListValue().GetValues(), func(item *structpb.Value) bool { return has(item, rest) })
	}

	return has(v, rest)
}

// TestAttacks proves that something long is tried for each setting of the input that reads a field of the composite resource, of
// the context or of an object. Whoever adds a setting adds its attack.
func TestAttacks(t *testing.T) {
	all := make(map[string]reflect.Type)
	settings(reflect.TypeFor[v1beta1.CloudTags](), "", all)

	want := make(map[string]bool)

	for path, of := range all {
		if !isLiteral(path, of) {
			want[path] = true
		}
	}

	got, names := make(map[string]bool), make(map[string]bool)

	for _, a := range Attacks() {
		if want[a.Setting] {
			got[a.Setting] = true
		}

		if names[a.Name] {
			t.Errorf("\nEach attack should have a name of its own: %s", a.Name)
		}

		names[a.Name] = true

		req, _ := a.Request(1000)

		if _, err := v1beta1.Decode(req.GetInput()); err != nil {
			t.Errorf("\nThe input of an attack should be admitted.\n%s: %v", a.Name, err)
		}

		if !has(structpb.NewStructValue(req.GetInput()), a.Setting) {
			t.Errorf("\nThe input of an attack should have its setting.\n%s: %s is not there", a.Name, a.Setting)
		}
	}

	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("\nEach setting that reads a field needs an attack with something long in the field.\nAttacks(): -settings, +attacks:\n%s", diff)
	}
}
