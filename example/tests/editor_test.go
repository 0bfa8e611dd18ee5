package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plexsphere/function-cloud-tags/example/internal/tool"
	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
)

const (
	editorSchema = "input/v1beta1/cloudtags.schema.json"
	indexSchema  = "tags/field/cloudtags.index.schema.json"
)

// checked are the files of scenarios that editors check by the schema, below root.
func checked(t *testing.T, root string) []string {
	t.Helper()

	var files []string

	for _, pattern := range []string{"example/*/*/composition.yaml", "example/*/*/operation.yaml"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}

		files = append(files, found...)
	}

	return files
}

// TestEditorLines proves that each file with an input names the schema for editors in its first line.
func TestEditorLines(t *testing.T) {
	t.Parallel()

	root, _ := all(t)

	for _, file := range checked(t, root) {
		path, err := filepath.Rel(filepath.Dir(file), filepath.Join(root, editorSchema))
		if err != nil {
			t.Fatal(err)
		}

		want := "# yaml-language-server: $schema=" + filepath.ToSlash(path)
		if got, _, _ := strings.Cut(read(t, file), "\n"); got != want {
			t.Errorf("%s: want the first line %q, got %q", file, want, got)
		}
	}
}

// checker returns what checks a file by the schema, and says what is wrong.
func checker(t *testing.T, root, schema string) func(file string) (string, error) {
	t.Helper()

	jv, err := tool.Build(t.Context(), root, "jv")
	if err != nil {
		t.Fatal(err)
	}

	return func(file string) (string, error) {
		out, err := exec.CommandContext(t.Context(), jv, filepath.Join(root, schema), file).CombinedOutput()
		return string(out), err
	}
}

// TestIndexSchema checks the built-in index as data by its schema, which takes nothing else.
func TestIndexSchema(t *testing.T) {
	t.Parallel()
	asked(t)

	root, _ := all(t)
	check := checker(t, root, indexSchema)

	text, err := json.Marshal(field.BuiltIn().List())
	if err != nil {
		t.Fatal(err)
	}

	for name, tc := range map[string]struct {
		reason   string
		old, new string
		want     string // Where the mistake is, and what. Without one, there is none.
	}{
		"Index":   {"What is printed is as the schema says.", "", "", ""},
		"Shape":   {"All shapes that there can be are known.", `"shape":"KeyValueList"`, `"shape":"List"`, "/shape': value must be one of"},
		"Field":   {"All fields that there can be are known.", `"immutable":`, `"imutable":`, "additional properties 'imutable' not allowed"},
		"Missing": {"What is always there is said.", `"versions":`, `"reported":`, "missing property 'versions'"},
		"Path":    {"What a path looks like is known.", `"spec.forProvider.tags"`, `"spec.forProvider.tags[*]"`, "does not match pattern"},
		"Type":    {"The type of each field is known.", `"maxLength":255`, `"maxLength":"255"`, "got string, want integer"},
	} {
		file := filepath.Join(t.TempDir(), name+".json")
		if err := os.WriteFile(file, bytes.ReplaceAll(text, []byte(tc.old), []byte(tc.new)), 0o600); err != nil {
			t.Fatal(err)
		}

		if out, err := check(file); (err != nil) != (tc.want != "") || !strings.Contains(out, tc.want) {
			t.Errorf("%s: %s\n%v\nwant %q, got\n%.1000s", name, tc.reason, err, tc.want, out)
		}
	}
}

// TestEditorSchema checks files by the schema for editors: it has nothing against what the function takes, and says
// where a mistake is.
func TestEditorSchema(t *testing.T) {
	t.Parallel()
	asked(t)

	root, _ := all(t)
	check := checker(t, root, editorSchema)

	good := append(checked(t, root), filepath.Join(root, "input", "v1beta1", "testdata", "everything.yaml"))
	for _, file := range good {
		if out, err := check(file); (err != nil) != strings.Contains(file, "malformed-input") {
			t.Errorf("%s: %v\n%s", file, err, out)
		}
	}

	in := func(fields string) string {
		return fmt.Sprintf("{apiVersion: %s, kind: %s, %s}", v1beta1.APIVersion, v1beta1.Kind, fields)
	}
	step := func(fields string) string {
		return "{spec: {pipeline: [{step: a, input: {kind: Resources, a: b}}, {step: b, input: " + in(fields) + "}]}, kind: Composition}"
	}

	for name, tc := range map[string]struct {
		reason string
		text   string
		want   string // Where the mistake is, and what. Without one, there is none.
	}{
		"Input":        {"An input alone is checked, too.", in("sources: [{type: Valeu}]"), "at '/sources/0/type': value must be one of"},
		"Field":        {"A field that is misspelled is found.", in("source: []"), "additional properties 'source' not allowed"},
		"Type":         {"A value of another type is found.", in("keyPrefix: 1"), "at '/keyPrefix': got number, want string"},
		"Missing":      {"A field that has to be there is found.", in("sources: [{name: a}]"), "at '/sources/0': missing property 'type'"},
		"Version":      {"Another version is not this one.", "{apiVersion: v1, kind: CloudTags}", "at '/apiVersion': value must be"},
		"Composition":  {"A step of a Composition is checked.", step("keyPrefix: 1"), "at '/spec/pipeline/1/input/keyPrefix'"},
		"Operation":    {"An Operation has steps, too.", strings.Replace(step("ttl: 1"), "Composition", "Operation", 1), "at '/spec/pipeline/1/input/ttl'"},
		"Cron":         {"A CronOperation has an Operation.", "{kind: CronOperation, spec: {operationTemplate: " + step("ttl: 1") + "}}", "at '/spec/operationTemplate/spec/pipeline/1/input/ttl'"},
		"OtherInputs":  {"Nothing is known of inputs of other functions.", step("keyPrefix: a"), ""},
		"OtherObjects": {"Nothing is known of other objects.", "{kind: Bucket, spec: {pipeline: 1, sources: a}}", ""},
		"Extra":        {"What entries of a tag field have besides is free.", in("tagFields: [{apiVersion: a/v1, kind: A, shape: KeyValueList, keyValueList: {extra: {a: {b: [1]}}}}]"), ""},
	} {
		file := filepath.Join(t.TempDir(), name+".yaml")
		if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}

		if out, err := check(file); (err != nil) != (tc.want != "") || !strings.Contains(out, tc.want) {
			t.Errorf("%s: %s\n%v\nwant %q, got\n%s", name, tc.reason, err, tc.want, out)
		}
	}
}
