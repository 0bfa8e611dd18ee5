package field_test

import (
	"os"
	"slices"
	"testing"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/field/survey"
)

// TestLaunchedIsCertain proves that the schemas of all surveyed releases have a launched field, if the index
// is sure of the field.
func TestLaunchedIsCertain(t *testing.T) {
	surveys, err := survey.ReadAll(os.DirFS("survey"))
	if err != nil {
		t.Fatal(err)
	}

	sure := 0

	for name, s := range surveys {
		for gvk, in := range s.Kinds {
			for _, e := range field.BuiltIn().Launched(gvk) {
				if len(e) != 1 {
					continue
				}

				for release, pruned := range in {
					sure++

					if !slices.ContainsFunc(field.ReadLaunched(gvk, pruned.Node()), e[0].Field.WrittenAs) {
						t.Errorf("%s of %s %s: want %s in the schema", gvk, name, release, e[0].Field.Path)
					}
				}
			}
		}
	}

	if sure < 100 {
		t.Errorf("want at least 100 launched fields of releases, got %d", sure)
	}
}
