package tests

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
)

// TestIgnoredTagsStay renders scenarios before the provider has looked at the cloud, and then ten times in a row, each time
// with what was rendered before as the observed spec. Halfway, the other system changes its tag.
func TestIgnoredTagsStay(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason   string
		scenario string
		field    string

		// tag of the other system in status.atProvider, and what it changes to.
		tag []any
		to  string

		before, after any
	}{
		"Map": {
			reason:   "A map has the value that the cloud has.",
			scenario: "ignore-map",
			field:    "tags",
			tag:      []any{"tagsAll", "Patch Group"},
			to:       "bsd",
			before: map[string]any{
				"Name": "web-1", "Patch Group": "linux", "plexsphere:platform/cost-center": "0815", "plexsphere:platform/env": "prod",
				"awsApplication": "arn:aws:resource-groups:eu-central-1:123456789012:group/shop/0123456789abcdef0123456789",
			},
			after: map[string]any{
				"Name": "web-1", "Patch Group": "bsd", "plexsphere:platform/cost-center": "0815", "plexsphere:platform/env": "prod",
				"awsApplication": "arn:aws:resource-groups:eu-central-1:123456789012:group/shop/0123456789abcdef0123456789",
			},
		},
		"KeyValueList": {
			reason:   "An entry of a list of keys and values has the value that the cloud has, and all else that it says.",
			scenario: "ignore-key-value-list",
			field:    "tag",
			tag:      []any{"tag", 2, "value"},
			to:       "shared",
			before: []any{
				map[string]any{"key": "k8s.io/cluster-autoscaler/enabled", "value": "true", "propagateAtLaunch": false},
				map[string]any{"key": "Name", "value": "web", "propagateAtLaunch": true},
				map[string]any{"key": "k8s.io/cluster-autoscaler/shop", "value": "owned", "propagateAtLaunch": false},
				map[string]any{"key": "plexsphere:platform/cost-center", "value": "4711", "propagateAtLaunch": true},
				map[string]any{"key": "plexsphere:platform/env", "value": "prod", "propagateAtLaunch": true},
			},
			after: []any{
				map[string]any{"key": "k8s.io/cluster-autoscaler/enabled", "value": "true", "propagateAtLaunch": false},
				map[string]any{"key": "Name", "value": "web", "propagateAtLaunch": true},
				map[string]any{"key": "k8s.io/cluster-autoscaler/shop", "value": "shared", "propagateAtLaunch": false},
				map[string]any{"key": "plexsphere:platform/cost-center", "value": "4711", "propagateAtLaunch": true},
				map[string]any{"key": "plexsphere:platform/env", "value": "prod", "propagateAtLaunch": true},
			},
		},
		"StringList": {
			reason:   "A string of a list has the value that the cloud has, and one without a value stays, too.",
			scenario: "ignore-string-list",
			field:    "tags",
			tag:      []any{"allTags", 0},
			to:       "openshiftClusterID=shop-b4q9z",
			before:   []any{"openshiftClusterID=shop-x7k2p", "zone=north", "plexsphere:platform/cost-center=4711", "plexsphere:platform/env=prod", "shop-x7k2p-primaryClusterNetwork"},
			after:    []any{"openshiftClusterID=shop-b4q9z", "zone=north", "plexsphere:platform/cost-center=4711", "plexsphere:platform/env=prod", "shop-x7k2p-primaryClusterNetwork"},
		},
	}

	root, _ := all(t)
	running := start(t, root)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := scenario.Scenario{Name: tc.scenario, Dir: t.TempDir()}
			if err := os.CopyFS(s.Dir, os.DirFS(find(t, root, tc.scenario).Dir)); err != nil {
				t.Fatal(err)
			}

			file := filepath.Join(s.Dir, "observed.yaml")

			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}

			observed := decode(t, bytes.NewReader(text))[0]
			render := func() scenario.Outcome {
				text, err := yaml.Marshal(observed)
				if err != nil {
					t.Fatal(err)
				}

				if err := os.WriteFile(file, text, 0o600); err != nil {
					t.Fatal(err)
				}

				outcome, err := scenario.BuiltIn{}.Render(t.Context(), s, running.Functions)
				if err != nil {
					t.Fatal(err)
				}

				return outcome
			}

			status := observed["status"]
			delete(observed, "status")

			if outcome := render(); outcome.Failed || strings.Contains(outcome.Text, "TagsUnreported") {
				t.Errorf("nothing should be said of tags before the provider has looked at the cloud:\n%s", outcome.Text)
			}

			observed["status"] = status
			want := tc.before

			for i := range 10 {
				if i == 5 {
					want = tc.after
					set(t, at(t, observed, "status", "atProvider"), tc.to, tc.tag...)
				}

				got := composed(t, render(), at(t, observed, "metadata", "name"))
				if diff := cmp.Diff(want, at(t, got, "spec", "forProvider", tc.field)); diff != "" {
					t.Fatalf("\n%s\nRendering %d: -want, +got:\n%s", tc.reason, i+1, diff)
				}

				observed["spec"] = got["spec"]
			}
		})
	}
}

// set the value at a path of fields and indices.
func set(t *testing.T, in any, to string, path ...any) {
	t.Helper()

	last := path[len(path)-1]

	switch v := at(t, in, path[:len(path)-1]...).(type) {
	case map[string]any:
		key, _ := last.(string)
		v[key] = to
	case []any:
		i, _ := last.(int)
		v[i] = to
	}
}

// composed returns the object with the name in an outcome.
func composed(t *testing.T, o scenario.Outcome, name any) map[string]any {
	t.Helper()

	if !o.Failed {
		for _, object := range decode(t, strings.NewReader(o.Text)) {
			if metadata, ok := object["metadata"].(map[string]any); ok && metadata["name"] == name {
				return object
			}
		}
	}

	t.Fatalf("%s is not in the output:\n%s", name, o.Text)

	return nil
}
