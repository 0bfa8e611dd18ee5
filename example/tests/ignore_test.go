package tests

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestIgnoredTagsStay renders scenarios before the provider has looked at the cloud, and then ten times in a row, each time
// with what was rendered before as the observed spec. Halfway, the other system changes its tag.
func TestIgnoredTagsStay(t *testing.T) {
	t.Parallel()

	var cases map[string]struct {
		Reason   string   `json:"reason"`
		Scenario string   `json:"scenario"`
		Field    string   `json:"field"`
		Tag      []string `json:"tag"`
		To       string   `json:"to"`
		Before   any      `json:"before"`
		After    any      `json:"after"`
	}

	tagstest.ReadYAML(t, filepath.Join("testdata", "cases", "ignore.yaml"), &cases)

	root, _ := all(t)
	running := start(t, root)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := scenario.Scenario{Name: tc.Scenario, Dir: t.TempDir()}
			if err := os.CopyFS(s.Dir, os.DirFS(find(t, root, tc.Scenario).Dir)); err != nil {
				t.Fatal(err)
			}

			file := filepath.Join(s.Dir, "observed.yaml")

			observed := decode(t, read(t, file))[0]
			render := func() scenario.Rendering {
				tagstest.WriteFiles(t, map[string]string{file: marshal(t, observed)})
				return render(t, scenario.BuiltIn{}, s, running.Functions)
			}

			status := observed["status"]
			delete(observed, "status")

			if outcome := render(); outcome.Failed || strings.Contains(outcome.Text, "TagsUnreported") {
				t.Errorf("nothing should be said of tags before the provider has looked at the cloud:\n%s", outcome.Text)
			}

			observed["status"] = status
			want := tc.Before

			for i := range 10 {
				if i == 5 {
					want = tc.After
					set(at(t, observed, "status", "atProvider"), tc.To, tc.Tag...)
				}

				got := composed(t, render(), at(t, observed, "metadata", "name"))
				if diff := cmp.Diff(want, at(t, got, "spec", "forProvider", tc.Field)); diff != "" {
					t.Fatalf("\n%s\nRendering %d: -want, +got:\n%s", tc.Reason, i+1, diff)
				}

				observed["spec"] = got["spec"]
			}
		})
	}
}

// set sets the value at a path of fields and indices.
func set(v any, to string, path ...string) {
	for i, step := range path {
		switch in := v.(type) {
		case map[string]any:
			if v = in[step]; i == len(path)-1 {
				in[step] = to
			}
		case []any:
			n, _ := strconv.Atoi(step)
			if v = in[n]; i == len(path)-1 {
				in[n] = to
			}
		}
	}
}

// composed returns the object with the name in an outcome.
func composed(t *testing.T, o scenario.Rendering, name any) map[string]any {
	t.Helper()

	if !o.Failed {
		for _, object := range decode(t, o.Text) {
			if metadata, ok := object["metadata"].(map[string]any); ok && metadata["name"] == name {
				return object
			}
		}
	}

	t.Fatalf("%s is not in the output:\n%s", name, o.Text)

	return nil
}
