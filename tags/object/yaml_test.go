package object_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

func TestFromYAML(t *testing.T) {
	eachCase(t, "testdata/fromyaml.yaml", func(tc *objectCase) (any, error) {
		v, err := object.FromYAML(tc.Text)
		return v.AsInterface(), err
	})

	aliases := "a: &a \"" + strings.Repeat("x", 40<<10) + "\"\nb: &b [" + strings.Repeat("*a, ", 100) + "]\nc: [" + strings.Repeat("*b, ", 100) + "]\n"
	if _, err := object.FromYAML(aliases); !strings.HasPrefix(tagstest.Error(err), "line 1 has an anchor of YAML, and neither anchors nor aliases are allowed: ") {
		t.Errorf("\nAliases of aliases should never be expanded.\nFromYAML(...): got error %v", err)
	}

	many := strings.Repeat("a: b\n", 50_000)
	if _, err := object.FromYAML(many); len(tagstest.Error(err)) > 600 {
		t.Errorf("\nAn error should be short, however many mistakes a text has.\nFromYAML(...): %d bytes", len(tagstest.Error(err)))
	}
}

// readersIn returns what the file uses of packages of YAML, but for what writes it.
func readersIn(t *testing.T, name string, source []byte) (out []string) {
	t.Helper()

	f, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("cannot parse %s: %v", name, err)
	}

	packages := make(map[string]bool)

	for _, i := range f.Imports {
		imported, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}

		if !strings.Contains(imported, "yaml") {
			continue
		}

		alias := "yaml" // So all of them are called.
		if i.Name != nil {
			alias = i.Name.Name
		}

		packages[alias] = true

		if alias == "." {
			out = append(out, fmt.Sprintf("%s imports all of %s", name, imported))
		}
	}

	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name != "Marshal" {
			if pkg, ok := s.X.(*ast.Ident); ok && packages[pkg.Name] {
				out = append(out, fmt.Sprintf("%s uses %s.%s", name, pkg.Name, s.Sel.Name))
			}
		}

		return true
	})

	return out
}

// TestReaders proves that only FromYAML reads YAML of other people.
func TestReaders(t *testing.T) {
	var got []string

	// People run commands on files of their own.
	eachSource(t, []string{"tags/command", "tags/manifest", "tags/field/survey", "tags/tagstest", "example", "package"}, func(name string, source []byte) {
		if name != "tags/object/yaml.go" {
			got = append(got, readersIn(t, name, source)...)
		}
	})

	want := []string{"input/v1beta1/schema.go uses yaml.Unmarshal", "input/v1beta1/schema.go uses yaml.Unmarshal"} // Files in the binary.
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nYAML of a request may have aliases, which take memory without bound: read it by object.FromYAML.\n-want, +got:\n%s", diff)
	}
}

// TestReadersFound proves that readers are found.
func TestReadersFound(t *testing.T) {
	got := readersIn(t, "x.go", []byte(`package x
import (
	"encoding/json"
	. "gopkg.in/yaml.v3"
	"go.yaml.in/yaml/v2"
	util "k8s.io/apimachinery/pkg/util/yaml"
)
func f(b []byte) {
	_ = json.Unmarshal(b, nil)
	out, _ := yaml.Marshal(b)
	read := yaml.Unmarshal
	util.NewYAMLOrJSONDecoder(nil, 1).Decode(out)
}`))

	want := []string{"x.go imports all of gopkg.in/yaml.v3", "x.go uses yaml.Unmarshal", "x.go uses util.NewYAMLOrJSONDecoder"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nCalls and other uses should be found, and nothing else.\nreadersIn(...): -want, +got:\n%s", diff)
	}
}
