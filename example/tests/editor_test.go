package tests

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
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

// TestEditorSchemas checks files by the schemas for editors, and says where a mistake is: of inputs, and of the built-in
// index as data.
func TestEditorSchemas(t *testing.T) {
	t.Parallel()
	asked(t)

	root, _ := all(t)

	jv := built(t, root, "jv")

	check := func(schema, file string) (string, error) {
		out, err := exec.CommandContext(t.Context(), jv, filepath.Join(root, schema), file).CombinedOutput()
		return string(out), err
	}

	wanted := func(schema, name, reason, text, want string) {
		t.Helper()

		file := filepath.Join(t.TempDir(), name+".json")
		tagstest.WriteFiles(t, map[string]string{file: text})

		if out, err := check(schema, file); (err != nil) != (want != "") || !strings.Contains(out, want) {
			t.Errorf("%s: %s\n%v\nwant %q, got\n%.1000s", name, reason, err, want, out)
		}
	}

	good := append(checked(t, root), filepath.Join(root, "input", "v1beta1", "testdata", "everything.yaml"))
	for _, file := range good {
		if out, err := check(editorSchema, file); (err != nil) != strings.Contains(file, "malformed-input") {
			t.Errorf("%s: %v\n%s", file, err, out)
		}
	}

	var cases struct {
		Cases map[string]struct {
			Reason string          `json:"reason"`
			File   json.RawMessage `json:"file"`
			Want   string          `json:"want"`
		} `json:"cases"`
		Index map[string]struct {
			Reason string `json:"reason"`
			Old    string `json:"old"`
			New    string `json:"new"`
			Want   string `json:"want"`
		} `json:"index"`
	}

	tagstest.ReadYAML(t, filepath.Join("testdata", "cases", "editors.yaml"), &cases)

	for name, tc := range cases.Cases {
		wanted(editorSchema, name, tc.Reason, string(tc.File), tc.Want)
	}

	index, err := json.Marshal(field.BuiltIn().List())
	if err != nil {
		t.Fatal(err)
	}

	for name, tc := range cases.Index {
		wanted(indexSchema, name, tc.Reason, strings.ReplaceAll(string(index), tc.Old, tc.New), tc.Want)
	}
}
