package tests

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
	"github.com/plexsphere/function-cloud-tags/example/internal/testfunction"
	"github.com/plexsphere/function-cloud-tags/tags/command/remote"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// managedTags is the input of function-tag-manager, as far as it has types and policies.
type managedTags struct {
	AddTags    []managedTag `json:"addTags"`
	IgnoreTags []managedTag `json:"ignoreTags"`
	RemoveTags []managedTag `json:"removeTags"`
}

type managedTag struct {
	Type   string `json:"type"`
	Policy string `json:"policy"`
}

// TestTagManager compares the expected tags of scenarios with the recorded tags of function-tag-manager v0.9.0, by
// the step that the scenario's own step replaces.
//
// Its main.go may serve with --insecure at TAG_MANAGER_ADDRESS=127.0.0.1:9999. Then the recorded files are compared
// with its output, and missing files are written.
func TestTagManager(t *testing.T) {
	var scenarios []scenario.Scenario

	used := make(map[string]bool)

	_, every := all(t)
	for _, s := range every {
		text, err := os.ReadFile(filepath.Join(s.Dir, scenario.FileTagManager))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}

		if err != nil {
			t.Fatal(err)
		}

		var in managedTags
		if err := yaml.Unmarshal(text, &in); err != nil {
			t.Fatalf("scenario %s: %v", s.Name, err)
		}

		scenarios = append(scenarios, s)

		in.uses(used)
	}

	for _, from := range []string{"FromValue", "FromCompositeFieldPath", "FromEnvironmentFieldPath"} {
		for _, setting := range []string{"addTags Replace", "addTags Retain", "ignoreTags Replace", "ignoreTags Retain", "removeTags"} {
			if !used[setting+" "+from] {
				t.Errorf("no %s has %s %s", scenario.FileTagManager, setting, from)
			}
		}
	}

	if address := os.Getenv("TAG_MANAGER_ADDRESS"); address != "" {
		record(t, address, scenarios)
	}

	for _, s := range scenarios {
		t.Run(s.Name, func(t *testing.T) {
			expected := expected(t, s)

			recorded := read(t, filepath.Join(s.Dir, scenario.FileTagManagerExpected))

			want := composedTags(t, recorded)
			if len(want) == 0 {
				t.Fatal("there are no composed resources")
			}

			if diff := cmp.Diff(want, composedTags(t, expected.Text), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("spec.forProvider.tags of composed resources: -function-tag-manager, +ours:\n%s", diff)
			}
		})
	}
}

// uses adds the input's fields, policies and types.
func (in *managedTags) uses(used map[string]bool) {
	for field, tags := range map[string][]managedTag{"addTags": in.AddTags, "ignoreTags": in.IgnoreTags} {
		for _, tag := range tags {
			policy := tag.Policy
			if policy == "" {
				policy = "Replace"
			}

			used[fmt.Sprintf("%s %s %s", field, policy, tag.Type)] = true
		}
	}

	for _, tag := range in.RemoveTags {
		used["removeTags "+tag.Type] = true
	}
}

// record renders the scenarios with function-tag-manager, and compares the outputs with the recorded ones. A new
// output is recorded.
func record(t *testing.T, address string, scenarios []scenario.Scenario) {
	t.Helper()

	tagManager, err := remote.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	defer tagManager.Close()

	for _, s := range scenarios {
		// Its input takes the place of ours.
		input := &structpb.Struct{}
		tagstest.ReadYAML(t, filepath.Join(s.Dir, scenario.FileTagManager), input)

		called := functions.Func(func(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
			req.Input = input
			return tagManager.RunFunction(ctx, req)
		})

		got := render(t, scenario.BuiltIn{}, s, map[string]functions.Function{functions.CloudTags: called, functions.TestResources: testfunction.Function{}})

		if got.Failed {
			t.Fatalf("function-tag-manager fails in scenario %s: %s", s.Name, got.Text)
		}

		path := filepath.Join(s.Dir, scenario.FileTagManagerExpected)

		want, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			want, err = []byte(got.Text), os.WriteFile(path, []byte(got.Text), 0o644)
		}

		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(string(want), got.Text); diff != "" {
			t.Errorf("scenario %s with function-tag-manager: -%s, +got:\n%s", s.Name, scenario.FileTagManagerExpected, diff)
		}
	}
}

// composedTags returns the tags of the composed resources in an output, by their names in the pipeline.
func composedTags(t *testing.T, output string) map[string]map[string]string {
	t.Helper()

	all := make(map[string]map[string]string)

	for _, o := range decode(t, output) {
		r := &unstructured.Unstructured{Object: o}
		if name := r.GetAnnotations()[annotationName]; name != "" {
			all[name] = live.TagsOf(r)
		}
	}

	return all
}
