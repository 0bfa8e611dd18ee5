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

// TestCrossplaneV1 renders scenarios with crossplane beta render, whose command line tool calls
// functions itself, by v1beta1 of their protocol.
//
// It shows less than a newer one: of the XR only what functions desire of its status, and that it's
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

	for name, reason := range map[string]string{
		"aws-s3-bucket":       "Labels of the XR become tags.",
		"multi-cloud":         "Labels become tags of each cloud.",
		"hierarchy":           "Objects that sources require come by --extra-resources.",
		"all-objects":         "So do those that are required by labels.",
		"environment":         "Context comes by --context-files.",
		"ignore-map":          "Observed resources come by --observed-resources.",
		"skips":               "Results say which labels are skipped.",
		"tag-policy-warn":     "Results say which tags are missing.",
		"cost-allocation":     "The status of the XR has the active list.",
		"on-conflict-replace": "Tags of earlier steps are there.",
		"bad-label-value":     "A failure is told.",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := find(t, root, name)

			want, err := s.Expected()
			if err != nil {
				t.Fatal(err)
			}

			got, err := crossplane.Render(t.Context(), s, running.Functions)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(shown(t, want), shown(t, got)); diff != "" {
				t.Errorf("\n%s\ncrossplane beta render: -want, +got:\n%s", reason, diff)
			}
		})
	}
}

// TestCrossplaneV1Fails renders scenarios without the objects that they require. The command line tool reads why a step
// fails only once the step requires the same in two responses in a row.
func TestCrossplaneV1Fails(t *testing.T) {
	t.Parallel()
	asked(t)

	root, _ := all(t)
	running := start(t, root)

	crossplane, err := scenario.NewCrossplaneV1(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}

	for name, tc := range map[string]struct{ reason, want string }{
		"hierarchy": {
			reason: "An object that a source names isn't there.",
			want:   `sources[0] "organization": there is no Organization (platform.example.org/v1alpha1) named "acme"`,
		},
		"classes": {
			reason: "A class isn't there.",
			want:   `sources[0] "class": there is no CacheClass (platform.example.org/v1alpha1) with the labels engineVersion=3.2,grade=standard`,
		},
		"registry": {
			reason: "The objects aren't there that say which labels become tags.",
			want:   `sources[0] "definitions": there is no LabelDefinition (labels.example.org/v1) with any labels`,
		},
		"hops":    {reason: "The first of two objects isn't there.", want: `sources[0] "namespace": there is no Namespace (v1) named "zone-a-team"`},
		"capsule": {reason: "The namespace isn't there that leads to a tenant.", want: `sources[0] "namespace": there is no Namespace (v1) named "oil-production"`},
		"standard": {
			reason: "The standard that the input extends isn't there.",
			want: `extends: there is no ConfigMap (v1) named "tag-standard" in the namespace "platform": ` +
				"Crossplane before v2 can't fetch an object in a namespace by name, only by labels",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			from := find(t, root, name).Dir
			dir := t.TempDir()

			tagstest.WriteFiles(t, map[string]string{
				filepath.Join(dir, "xr.yaml"):          read(t, filepath.Join(from, "xr.yaml")),
				filepath.Join(dir, "composition.yaml"): read(t, filepath.Join(from, "composition.yaml")),
			})

			got, err := crossplane.Render(t.Context(), scenario.Scenario{Name: name, Dir: dir}, running.Functions)
			if err != nil {
				t.Fatal(err)
			}

			want := "\"propagate-tags\" returned a fatal result: cannot resolve " + tc.want + "\n"
			if diff := cmp.Diff(map[string]any{"failure": want}, shown(t, got)); diff != "" {
				t.Errorf("\n%s\ncrossplane beta render: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// shown is what each command line tool shows of an outcome: the XR's status without conditions,
// composed resources by their name in the pipeline, and the pipeline's results, in order.
func shown(t *testing.T, o scenario.Outcome) map[string]any {
	t.Helper()

	if o.Failed {
		_, failure, _ := strings.Cut(o.Text, "pipeline step ")
		return map[string]any{"failure": failure}
	}

	var results []string

	out := make(map[string]any)

	for _, object := range decode(t, strings.NewReader(o.Text)) {
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

// resultOf a step of the pipeline: its severity, the step, and the message.
func resultOf(object map[string]any) (result string, ok bool) {
	severity, message := fmt.Sprint(object["severity"]), fmt.Sprint(object["message"])

	// This is how old command line tools say it.
	if step, ok := object["step"].(string); ok {
		severity = strings.TrimPrefix(severity, "SEVERITY_")
		message = fmt.Sprintf("Pipeline step %q: %s", step, message)
	}

	return strings.ToUpper(severity) + " " + message, strings.HasPrefix(message, "Pipeline step ")
}
