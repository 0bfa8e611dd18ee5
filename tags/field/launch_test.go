package field_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/field/survey"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

//go:generate go test . -run TestLaunchedREADME -update

// TestLaunchedREADME tests that the README's table of launched fields is what families say.
func TestLaunchedREADME(t *testing.T) {
	table := &strings.Builder{}
	table.WriteString("| Family | Kind | Field | Tags of | A change takes effect | `Tag` |\n|---|---|---|---|---|---|\n")

	for _, row := range field.LaunchRows() {
		used := "no"
		if row.Used() {
			used = "yes"
		}

		fmt.Fprintf(table, "| %s | %s | `%s` | %s | %s | %s |\n", row.Family, row.Kind, row.Field, row.To, row.Change, used)
	}

	tagstest.Section(t, "README.md", "launched", table.String())
}

// What the index is sure of must be in every surveyed release that serves the version.
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

				for release, is := range in {
					sure++

					if !slices.ContainsFunc(field.ReadLaunched(gvk, object.Tree(is.Struct()).Node()), e[0].Field.WrittenAs) {
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

// Every field that is stamped without being asked for must be one that a surveyed release has.
func TestLaunchesAreThere(t *testing.T) {
	there := make(map[string]bool)

	for gvk := range field.BuiltIn().All() {
		family, _ := field.FamilyOf(gvk.GroupKind())

		for _, e := range field.BuiltIn().Launched(gvk) {
			for _, h := range e {
				path := strings.NewReplacer("spec.forProvider.", "", "[0]", "").Replace(h.Field.Path.String())
				there[family.Name+" "+gvk.Kind+" "+path] = true
			}
		}
	}

	for _, row := range field.LaunchRows() {
		_, kind, _ := strings.Cut(row.Kind, "/")

		path := row.Field
		if list, rest, ok := strings.Cut(path, "["); ok {
			_, within, _ := strings.Cut(rest, "]")
			path = list + within
		}

		if row.Used() && !there[row.Family+" "+kind+" "+path] {
			t.Errorf("%s of %s %s: want a surveyed release that has it", row.Field, row.Family, row.Kind)
		}

		if !row.Used() && there[row.Family+" "+kind+" "+path] {
			t.Errorf("%s of %s %s: want it not in the index", row.Field, row.Family, row.Kind)
		}
	}
}
