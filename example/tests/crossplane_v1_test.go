package tests

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestCrossplaneV1 renders scenarios with crossplane beta render. Its command line tool calls
// functions itself, by v1beta1 of their protocol.
//
// It shows less than a newer one: only the status of the XR that functions desire, and that it's
// ready. It knows no conditions of functions, no reasons of results, no names that Crossplane
// generates, no namespaces and no schemas.
func TestCrossplaneV1(t *testing.T) {
	t.Parallel()
	asked(t)

	root, _ := all(t)
	running := start(t, root)

	crossplane, err := scenario.NewCrossplaneV1(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}

	var cases struct {
		Renders map[string]string `json:"renders"` // The reason of each.
		Fails   map[string]string `json:"fails"`   // The error of each.
	}

	tagstest.ReadYAML(t, filepath.Join("testdata", "cases", "crossplane-v1.yaml"), &cases)

	wanted := func(t *testing.T, s scenario.Scenario, want map[string]any, reason string) {
		t.Helper()

		got := render(t, crossplane, s, running.Functions)

		if diff := cmp.Diff(want, shown(t, got)); diff != "" {
			t.Errorf("\n%s\ncrossplane beta render: -want, +got:\n%s", reason, diff)
		}
	}

	for name, reason := range cases.Renders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := find(t, root, name)

			want := expected(t, s)

			wanted(t, s, shown(t, want), reason)
		})
	}

	// The command line tool reads why a step fails only once the step requires the same in two responses in a row.
	for name, failure := range cases.Fails {
		t.Run(name+" without objects", func(t *testing.T) {
			t.Parallel()

			from, dir := find(t, root, name).Dir, t.TempDir()

			tagstest.WriteFiles(t, map[string]string{
				filepath.Join(dir, "xr.yaml"):          read(t, filepath.Join(from, "xr.yaml")),
				filepath.Join(dir, "composition.yaml"): read(t, filepath.Join(from, "composition.yaml")),
			})

			failure := "\"propagate-tags\" returned a fatal result: cannot resolve " + failure + "\n"
			wanted(t, scenario.Scenario{Name: name, Dir: dir}, map[string]any{"failure": failure}, "An object is missing.")
		})
	}
}

// shown returns the parts of an outcome that each command line tool shows: the XR's status without conditions,
// composed resources by their name in the pipeline, and the pipeline's results, in order.
func shown(t *testing.T, o scenario.Rendering) map[string]any {
	t.Helper()

	if o.Failed {
		_, failure, _ := strings.Cut(o.Text, "pipeline step ")
		return map[string]any{"failure": failure}
	}

	var results []string

	out := make(map[string]any)

	for _, object := range decode(t, o.Text) {
		metadata, _ := object["metadata"].(map[string]any)
		annotations, _ := metadata["annotations"].(map[string]any)
		name, isComposed := annotations["crossplane.io/composition-resource-name"].(string)

		switch {
		case object["kind"] == "Result":
			if r, ok := resultOf(object); ok {
				results = append(results, r)
			}
		case isComposed:
			object["metadata"] = map[string]any{"labels": metadata["labels"], "annotations": annotations}
			out["resource "+name] = object
		default:
			status, _ := object["status"].(map[string]any)
			delete(status, "conditions")

			out["status"] = status
		}
	}

	out["results"] = results

	return out
}

// resultOf returns a result of a step of the pipeline: its severity, the step, and the message.
func resultOf(object map[string]any) (result string, ok bool) {
	severity, message := fmt.Sprint(object["severity"]), fmt.Sprint(object["message"])

	// This is how old command line tools say it.
	if step, ok := object["step"].(string); ok {
		severity = strings.TrimPrefix(severity, "SEVERITY_")
		message = fmt.Sprintf("Pipeline step %q: %s", step, message)
	}

	return strings.ToUpper(severity) + " " + message, strings.HasPrefix(message, "Pipeline step ")
}
