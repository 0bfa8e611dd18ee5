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
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

func TestFromYAML(t *testing.T) {
	const quote = `quote what begins with & or *, such as the pattern "*"`

	anchor := func(line int) string {
		return fmt.Sprintf("line %d has an anchor of YAML, and neither anchors nor aliases are allowed: write the value out each time, or %s", line, quote)
	}

	cases := map[string]struct {
		reason string
		text   string
		want   any
		err    string
	}{
		"List":    {reason: "A list is one.", text: "- a\n- \"*\"\n", want: []any{"a", "*"}},
		"Map":     {reason: "A map is one, with the scalars of YAML 1.1, as kubectl reads them.", text: "a: yes\n1: 010", want: map[string]any{"a": true, "1": 8}},
		"JSON":    {reason: "JSON is YAML.", text: `{"a": [null, "b"]}`, want: map[string]any{"a": []any{nil, "b"}}},
		"Empty":   {reason: "An empty text has nothing.", text: "", want: nil},
		"Comment": {reason: "Comments are nothing.", text: "# &a *b\n", want: nil},

		"Ampersand": {
			reason: "An & is an anchor only where a value begins.",
			text:   "- R&D\n- a && b\n- \"&a *a\"\n- '&a'\n- |\n  &a\n- a\n  &b\n# &a\n",
			want:   []any{"R&D", "a && b", "&a *a", "&a", "&a\n", "a &b"},
		},
		"Star": {reason: "A * is an alias only where a value begins.", text: "- a/*\n- a *b\n", want: []any{"a/*", "a *b"}},

		"Aliases": {reason: "Aliases of aliases should never be expanded.", text: "a: &a \"" + strings.Repeat("x", 40<<10) + "\"\nb: &b [" + strings.Repeat("*a, ", 100) + "]\nc: [" + strings.Repeat("*b, ", 100) + "]\n", err: anchor(1)},
		"Anchor":  {reason: "An anchor without an alias is refused, too: it is of no use.", text: "a: b\nc:\n  - &d e\n", err: anchor(3)},
		"Map's":   {reason: "A map can have an anchor.", text: "a: &b {c: d}\n", err: anchor(1)},
		"Key's":   {reason: "A key can have an anchor.", text: "&a b: c\n", err: anchor(1)},
		"Merged":  {reason: "A merge key can have an anchor.", text: "<<: &a {b: c}\n", err: anchor(1)},
		"Tagged":  {reason: "A value with a tag can have an anchor.", text: "- !!str &a b\n", err: anchor(1)},
		"Alone":   {reason: "A pattern of * alone is no YAML, and what to write is said.", text: "- a\n- *\n", err: "it is no YAML: yaml: line 2: did not find expected alphabetic or numeric character: " + quote},
		"Suffix":  {reason: "So is a pattern that begins with *.", text: "- */env\n", err: "it is no YAML: yaml: did not find expected alphabetic or numeric character: " + quote},
		"Unknown": {reason: "An alias of nothing is likely a pattern.", text: "- *env\n", err: "it is no YAML: yaml: unknown anchor 'env' referenced: " + quote},
		"And":     {reason: "An & without a name is no YAML either.", text: "a: & b\n", err: "it is no YAML: yaml: did not find expected alphabetic or numeric character: " + quote},

		"Broken":    {reason: "The line of a mistake should be told.", text: "a: b\nc: [d", err: "it is no YAML: yaml: line 2: did not find expected ',' or ']'"},
		"Twice":     {reason: "A key should be there once.", text: "a: b\na: c", err: "it is no YAML: yaml: unmarshal errors:\n  line 2: key \"a\" already set in map"},
		"Documents": {reason: "A second document should not be lost in silence.", text: "- a\n---\n- b", err: "it must be one document of YAML, and nothing behind it"},
		"Behind":    {reason: "Nor what is behind the end of a document.", text: "- a\n...\n: [", err: "it must be one document of YAML, and nothing behind it"},
		"Number":    {reason: "JSON has no infinite numbers.", text: "a: .inf", err: "it is no YAML: json: unsupported value: +Inf"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := object.FromYAML(tc.text)
			if diff := cmp.Diff(tc.err, tagstest.Error(err)); diff != "" {
				t.Errorf("\n%s\nFromYAML(...): -want error, +got error:\n%s", tc.reason, diff)
			}

			if err != nil {
				return
			}

			want, err := structpb.NewValue(tc.want)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nFromYAML(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
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
		of, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}

		if !strings.Contains(of, "yaml") {
			continue
		}

		alias := "yaml" // So all of them are called.
		if i.Name != nil {
			alias = i.Name.Name
		}

		packages[alias] = true

		if alias == "." {
			out = append(out, fmt.Sprintf("%s imports all of %s", name, of))
		}
	}

	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name != "Marshal" {
			if of, ok := s.X.(*ast.Ident); ok && packages[of.Name] {
				out = append(out, fmt.Sprintf("%s uses %s.%s", name, of.Name, s.Sel.Name))
			}
		}

		return true
	})

	return out
}

// TestReaders proves that FromYAML alone reads YAML that others have written.
func TestReaders(t *testing.T) {
	var got []string

	// People run commands on files of their own.
	eachSource(t, []string{"tags/command", "tags/manifest", "tags/field/survey", "tags/tagstest", "example", "package"}, func(name string, source []byte) {
		if name != "tags/object/yaml.go" {
			got = append(got, readersIn(t, name, source)...)
		}
	})

	want := []string{"input/v1beta1/schema.go uses yaml.Unmarshal", "input/v1beta1/schema.go uses yaml.Unmarshal"} // Of files in the binary.
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
