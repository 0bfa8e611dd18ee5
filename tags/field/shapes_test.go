package field_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// shapes returns the names of all shapes in field.go but None.
func shapes(t *testing.T) []string {
	t.Helper()

	f, err := parser.ParseFile(token.NewFileSet(), "field.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}

	var out []string

	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if id, ok := spec.Type.(*ast.Ident); ok && id.Name == "Shape" && spec.Names[0].Name != "None" {
				out = append(out, spec.Names[0].Name)
			}
		}

		return true
	})

	if len(out) == 0 {
		t.Fatal("field.go has no shapes")
	}

	return out
}

// TestShapesFound has a row for each shape: its form in schemas, which TypeOf finds, and whether tagFields of the input may give it.
func TestShapesFound(t *testing.T) {
	cases := map[string]struct {
		reason, schema string
		input          bool
	}{
		"Map":          {reason: "A map of strings holds tags.", schema: `{"type": "object", "additionalProperties": {"type": "string"}}`, input: true},
		"MapOfLists":   {reason: "People write no such field.", schema: `{"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}}`},
		"KeyValueList": {reason: "A list of objects may hold tags.", schema: `{"type": "array", "items": {"type": "object"}}`, input: true},
		"StringList":   {reason: "A list of strings may hold tags.", schema: `{"type": "array", "items": {"type": "string"}}`, input: true},
		"Joined":       {reason: "Most strings hold no tags, so that people have to say so.", input: true},
		"Labels":       {reason: "A map of labels looks as one of tags.", input: true},
	}

	text := tagstest.ReadFile(t, "../../input/v1beta1/cloudtags.schema.json")

	shape, _ := findShape(tagstest.MustStructJSON(string(text)))

	for _, name := range shapes(t) {
		tc, ok := cases[name]
		if !ok {
			t.Errorf("%s: add a row with its form in schemas, which openapi.go finds, and with whether types.go of the input lists it", name)
			continue
		}

		if got := slices.Contains(shape, name); got != tc.input {
			t.Errorf("\n%s\nwant tagFields[].shape to admit %s: %t, got %t", tc.reason, name, tc.input, got)
		}

		if tc.schema == "" {
			continue
		}

		if got := field.TypeOf(object.FromStruct(tagstest.MustStructJSON(tc.schema)).Node()).Shape; string(got) != name {
			t.Errorf("\n%s\nTypeOf(%s): want the shape %s, got %q", tc.reason, tc.schema, name, got)
		}
	}
}

// findShape returns the values of the first property called shape in the schema.
func findShape(s *structpb.Struct) (names []string, found bool) {
	if shape := s.GetFields()["shape"].GetStructValue().GetFields()["enum"].GetListValue(); shape != nil {
		for _, v := range shape.GetValues() {
			names = append(names, v.GetStringValue())
		}

		return names, true
	}

	for _, v := range s.GetFields() {
		if names, found = findShape(v.GetStructValue()); found {
			return names, true
		}
	}

	return nil, false
}

// compared matches a comparison of a shape with one of the constants, besides None.
var compared = regexp.MustCompile(`Shape [!=]= (?:fields?\.)?(?:Map|MapOfLists|KeyValueList|StringList|Joined)\b`)

// TestShapesCompared proves that the stages ask Form about shapes: the linter then names it for a new shape, as it names switches.
func TestShapesCompared(t *testing.T) {
	for _, dir := range []string{".", "../tagset", "../locate", "../stamp", "../write", "../tagpolicy", "../coverage", "../report"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}

		for _, file := range files {
			text := tagstest.ReadFile(t, file)

			if found := compared.Find(text); found != nil && !strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s has %q: write a switch, or ask Form", file, found)
			}
		}
	}
}

// TestShapesTested proves that all packages with switches over shapes have tests of each shape.
func TestShapesTested(t *testing.T) {
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

		for _, shape := range shapes(t) {
			if !regexp.MustCompile(`(field\.|"|shape: |judged: )` + shape + `\b`).Match(tests) {
				t.Errorf("the tests in %s have no %s: add it to their tables of shapes", dir, shape)
			}
		}
	}
}
