package stamp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/errors"
)

// noImporter imports no package: what a package declares itself is known without.
type noImporter struct{}

func (noImporter) Import(path string) (*types.Package, error) {
	return nil, errors.Errorf("%s is not imported", path)
}

// TestFilesUseLowerFiles compares what each file uses with the order of the files in the comment of the package. A file may use files below it.
// So who changes a file needs to know nothing of the files above.
func TestFilesUseLowerFiles(t *testing.T) {
	upwards := map[string]string{
		"decide.go uses ignored.go": "Decide does all steps of a decision, and the step for ignoreTags has a file of its own.",
		"stamper.go uses trace.go":  "The options of a run have the Trace that the caller gives.",
	}

	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}

	fset := token.NewFileSet()

	var files []*ast.File

	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}

		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}

		files = append(files, f)
	}

	var order []string

	for _, f := range files {
		for _, listed := range regexp.MustCompile(`(?m)^ {2}- (\w+\.go) `).FindAllStringSubmatch(f.Doc.Text(), -1) {
			order = append(order, listed[1])
		}
	}

	info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	config := types.Config{Importer: noImporter{}, Error: func(error) {}}
	pkg, _ := config.Check("stamp", fset, files, info) // Without the packages that it imports, it has errors.

	file := func(p token.Pos) string { return filepath.Base(fset.Position(p).Filename) }
	got := make(map[string]string)

	for id, o := range info.Uses {
		from, to := file(id.Pos()), file(o.Pos())
		if v, isVar := o.(*types.Var); o.Pkg() != pkg || isVar && v.IsField() { // A field belongs to its type.
			continue
		}

		if slices.Index(order, from) > slices.Index(order, to) {
			got[from+" uses "+to] = o.Name()
		}
	}

	if diff := cmp.Diff(slices.Sorted(maps.Keys(upwards)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("\nA file should use what files below it have, or the list should have another order.\nfiles that use files above them: -want, +got:\n%s\n%v", diff, got)
	}

	names := make([]string, 0, len(files))
	for _, f := range files {
		names = append(names, file(f.Pos()))
	}

	if diff := cmp.Diff(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(order))); diff != "" {
		t.Errorf("\nThe comment of the package should list each file.\nfiles: -want, +got:\n%s", diff)
	}
}
