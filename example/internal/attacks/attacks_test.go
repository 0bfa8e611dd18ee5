package attacks

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/settings"
)

// literal are names or paths of settings with a text that is no path, expression or pattern: the function reads no
// other field because of it.
var literal = []string{
	"apiVersion", "kind", "namespace", "provider", "key", "keys", "except", "value", "keyPrefix", "replace", "reservedKeys", "names", "prefixes", "domains", "toContextKey",
	"separator", "delimiter", "extra", "extends.name", "keyFormats[].prefix", "sources[].name", "sources[].values", "coverage.configMap.name",
	"sources[].resource.defaultMatchLabels", "kubernetesMetadata[].source.resource.defaultMatchLabels", // They select objects, as literal as their kind.

	"kubernetesMetadata[].source.resource.unless.fromFieldPath", "kubernetesMetadata[].source.resource.kindFieldPath", // Only classes allow them.
}

// isLiteral reports whether the setting of the type reads nothing: it is text of the input itself, a number, a boolean,
// or one of a few words.
func isLiteral(path string, typ reflect.Type) bool {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map && typ.Name() == "" {
		typ = typ.Elem()
	}

	isWord := typ.Kind() == reflect.String && typ.Name() != "string"
	isText := typ.Kind() == reflect.String && !isWord || typ == reflect.TypeFor[profile.Pattern]() || typ == reflect.TypeFor[v1beta1.Extra]()
	_, name, _ := cutLast(path, ".")

	switch {
	case slices.Contains(literal, path):
		return true
	case isText:
		return slices.Contains(literal, name)
	default:
		return isWord || typ.Kind() == reflect.Bool || typ.Kind() == reflect.Int32 || typ == reflect.TypeFor[v1beta1.Duration]()
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}

	return "", s, false
}

// TestAttacks proves that each setting of the input has an attack if it reads a field of the composite resource, of the
// context or of an object. With a new setting, add its attack.
func TestAttacks(t *testing.T) {
	want := make(map[string]bool)

	for path, typ := range settings.All() {
		if !isLiteral(path, typ) {
			want[path] = true
		}
	}

	got, names := make(map[string]bool), make(map[string]bool)

	for _, a := range All() {
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

		if !settings.Has(structpb.NewStructValue(req.GetInput()), a.Setting) {
			t.Errorf("\nThe input of an attack should have its setting.\n%s: %s is not there", a.Name, a.Setting)
		}
	}

	for name := range names {
		alone := strings.TrimSuffix(strings.TrimSuffix(name, timesResources), timesLabels)
		if !names[alone+timesResources] || !names[alone+timesLabels] {
			t.Errorf("\nEach attack should be there with many resources, and with many labels: %s", alone)
		}
	}

	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("\nEach setting that reads a field needs an attack with something long in the field.\nAll(): -settings, +attacks:\n%s", diff)
	}
}
