package locate_test

import (
	"fmt"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestManyTagFields tests that entries of tagFields are compiled once, and each kind is read once, so that a match of both needs no memory.
func TestManyTagFields(t *testing.T) {
	const kinds, entries = 200, 400

	path := object.MustParsePath("metadata.annotations")
	desired := make(map[string]*fnv1.Resource, kinds)

	for i := range kinds {
		name := fmt.Sprintf("resource-%03d", i)
		desired[name] = &fnv1.Resource{Resource: tagstest.Struct(map[string]any{
			"apiVersion": fmt.Sprintf("group-%03d.with-a-name-of-many-letters.example.org/v1", i), "kind": "Thing", "spec": map[string]any{"forProvider": map[string]any{}},
		})}
	}

	allocations := func(entries int) float64 {
		in := &v1beta1.CloudTags{}
		for i := range entries {
			in.TagFields = append(in.TagFields, v1beta1.TagField{APIVersion: profile.Pattern(fmt.Sprintf("group-*.of-%03d/*", i)), Kind: "*", FieldPath: path, Shape: v1beta1.Shape(field.Map)})
		}

		return testing.AllocsPerRun(2, func() {
			finder := &locate.Finder{Input: in, NewLocator: func(s field.Schemas) field.Locator { return field.ForInput(in, s) }}

			ts, err := finder.Find(t.Context(), desired, true)
			if err != nil {
				t.Fatal(err)
			}

			for _, target := range ts.All {
				ts.WaysToTagsAt(target, path)
			}

			if got := len(ts.Unmatched()); got != entries {
				t.Fatalf("Unmatched(): want %d entries, got %d", entries, got)
			}
		})
	}

	none, many := allocations(0), allocations(entries)
	if limit := 10.0 * entries; many-none > limit {
		t.Errorf("Find(...), WaysToTagsAt(...) and Unmatched(): want at most %g allocations for %d entries and %d kinds, got %g", limit, entries, kinds, many-none)
	}
}
