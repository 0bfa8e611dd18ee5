package rights

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// TestKinds proves that kinds.yaml has all tag fields that the index knows of its kinds, and that it has fields of all shapes.
func TestKinds(t *testing.T) {
	shapes := make(map[field.Shape]bool)

	for _, k := range kinds {
		gvk := schema.FromAPIVersionAndKind(k.APIVersion, k.Kind)

		var want []field.Field

		if f, ok := field.BuiltIn().Known(gvk); ok && f.Shape != field.None {
			want = append(want, f)
		}

		for _, variants := range field.BuiltIn().Launched(gvk) {
			want = append(want, variants[0].Field)
		}

		for _, f := range want {
			if !slices.ContainsFunc(k.Fields, func(has tagField) bool {
				return has.Path.Equal(f.Path) && has.Shape == f.Shape && has.Separator == f.Separator
			}) {
				t.Errorf("\nAll tag fields of a kind should be there.\n%s: %s %s is missing", gvk, f.Path, f.Shape)
			}
		}

		for _, f := range k.Fields {
			shapes[f.Shape] = true

			if path := f.reported(); !path.IsZero() && path.Equal(object.MustParsePath(f.Path.String())) {
				t.Errorf("\nA provider reports tags in the status.\n%s: %s", gvk, f.Path)
			}
		}
	}

	for _, s := range []field.Shape{field.Map, field.MapOfLists, field.KeyValueList, field.StringList, field.Joined} {
		if !shapes[s] {
			t.Errorf("\nFields of all shapes should be drawn: %s isn't.", s)
		}
	}
}
