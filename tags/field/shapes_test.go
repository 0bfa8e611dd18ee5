package field_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestShapesTested proves that all packages with switches over shapes have tests of each shape.
func TestShapesTested(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "field.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}

	var shapes []string

	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if id, ok := spec.Type.(*ast.Ident); ok && id.Name == "Shape" && spec.Names[0].Name != "None" {
				shapes = append(shapes, spec.Names[0].Name)
			}
		}

		return true
	})

	if len(shapes) == 0 {
		t.Fatal("field.go has no shapes")
	}

	for _, dir := range []string{".", "../stamp", "../tagset", "../command/policy"} {
		var tests []byte

		for _, pattern := range []string{"*_test.go", "testdata/*", "testdata/*/*"} {
			files, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				t.Fatal(err)
			}

			for _, file := range files {
				text, _ := os.ReadFile(file) // A folder has none.
				tests = append(tests, text...)
			}
		}

		for _, shape := range shapes {
			if !regexp.MustCompile(`\b` + shape + `\b`).Match(tests) {
				t.Errorf("the tests in %s have no %s: add it to their tables of shapes", dir, shape)
			}
		}
	}
}
