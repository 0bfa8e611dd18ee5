package object_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gettersIn returns where the file uses getters of resources and schemas, which give nothing if
// these are bytes.
func gettersIn(t *testing.T, name string, source []byte) []string {
	t.Helper()

	files := token.NewFileSet()

	f, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("cannot parse %s: %v", name, err)
	}

	var out []string

	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains([]string{"GetResource", "GetReady", "GetConnectionDetails", "GetOpenapiV3"}, s.Sel.Name) {
			out = append(out, fmt.Sprintf("%s uses %s", files.Position(s.Sel.Pos()), s.Sel.Name))
		}

		return true
	})

	return out
}

// eachSource calls f with each Go file of the module, except tests and what is below the folders.
func eachSource(t *testing.T, except []string, f func(name string, source []byte)) {
	t.Helper()

	root := os.DirFS("../..")
	seen := 0

	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains(except, name)):
			return fs.SkipDir
		case path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}

		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}

		seen++

		f(name, source)

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	if seen < 50 {
		t.Errorf("want all files of the module to be read, got %d", seen)
	}
}

// TestGetters proves that only this package uses getters of resources and schemas.
func TestGetters(t *testing.T) {
	// Here they are asked with care. The others have trees only.
	eachSource(t, []string{"tags/object", "tags/tagstest", "example"}, func(name string, source []byte) {
		for _, found := range gettersIn(t, name, source) {
			t.Errorf("\nA resource may be bytes, which have nothing to the getters of what protobuf generates: object.Of and object.OfSchema know both.\n%s", found)
		}
	})
}

// TestGettersFound proves that getters are found.
func TestGettersFound(t *testing.T) {
	got := gettersIn(t, "x.go", []byte(`package x
// r.GetResource() is what comments may say.
func f(r *fnv1.Resource, s *fnv1.State) any {
	text := "r.GetReady()"
	_ = s.GetResources()["GetReady"]
	ready := r.GetReady
	return g(s.GetComposite().GetResource().GetFields(), (*fnv1.Resource).GetConnectionDetails, schema.GetOpenapiV3(), text, ready())
}`))

	want := []string{"x.go:6:13 uses GetReady", "x.go:7:28 uses GetResource", "x.go:7:72 uses GetConnectionDetails", "x.go:7:101 uses GetOpenapiV3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nCalls and other uses should be found, and nothing else.\ngettersIn(...): -want, +got:\n%s", diff)
	}
}
