package tests

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/example/internal/engine"
	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestProviderConfigsSettle counts how often Crossplane calls the function until its requirements
// settle. The function should require the same on each call, and be called at most once more than without
// a source of type ProviderConfig.
func TestProviderConfigsSettle(t *testing.T) {
	t.Parallel()

	var file struct {
		Resources map[string]object  `json:"resources"`
		Sources   map[string]object  `json:"sources"`
		Selector  array              `json:"selector"`
		Composite *structpb.Struct   `json:"composite"`
		Schema    *structpb.Struct   `json:"schema"`
		Objects   []*structpb.Struct `json:"objects"`

		Cases map[string]struct {
			Reason    string `json:"reason"`
			Resources array  `json:"resources"`
			Sources   array  `json:"sources"`
			Select    array  `json:"select"`
			Absent    bool   `json:"absent"`

			// Want are the names of the required configs, once each.
			Want []string `json:"want"`
		} `json:"cases"`
	}

	tagstest.ReadYAML(t, filepath.Join("testdata", "cases", "provider-configs.yaml"), &file)

	root, _ := all(t)
	running := start(t, root)

	for name, tc := range file.Cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := engine.Input{Composite: file.Composite, Schemas: []*structpb.Struct{file.Schema}}
			if !tc.Absent {
				in.Required = file.Objects
			}

			calls := func(more ...any) []*fnv1.Requirements {
				input := object{"apiVersion": v1beta1.APIVersion, "kind": v1beta1.Kind, "sources": slices.Concat(tc.Sources, more)}
				if tc.Select != nil {
					input["resources"] = tc.Select
				}

				in.Composition = tagstest.Struct(object{"metadata": object{"name": "c"}, "spec": object{"compositeTypeRef": object{"apiVersion": "example.org/v1", "kind": "XR"}, "mode": "Pipeline", "pipeline": array{
					object{"step": "make", "functionRef": object{"name": functions.TestResources}, "input": object{"apiVersion": "testfunction.example.org/v1", "kind": "Resources", "resources": tc.Resources}},
					object{"step": "tag", "functionRef": object{"name": functions.CloudTags}, "input": input},
				}}})

				return required(t, in, running.Functions)
			}

			before, after := calls(), calls(object{"type": "ProviderConfig", "prefix": "tags.example.org/"})
			if len(after) > len(before)+1 {
				t.Errorf("\n%s\nwant at most %d calls, got %d", tc.Reason, len(before)+1, len(after))
			}

			for i, r := range after {
				if diff := cmp.Diff(names(after[0]), names(r)); diff != "" {
					t.Errorf("\nEach call should require the same.\n-the first call, +call %d:\n%s", i+1, diff)
				}
			}

			if diff := cmp.Diff(tc.Want, configs(after[0])); diff != "" {
				t.Errorf("\n%s\n-want configs, +got:\n%s", tc.Reason, diff)
			}
		})
	}
}

// required returns what the function requires on each call.
func required(t *testing.T, in engine.Input, all map[string]functions.Function) (out []*fnv1.Requirements) {
	t.Helper()

	tag := all[functions.CloudTags]

	_, err := engine.Render(t.Context(), in, map[string]engine.Function{
		functions.TestResources: all[functions.TestResources],
		functions.CloudTags: functions.Func(func(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
			rsp, err := tag.RunFunction(ctx, req)
			out = append(out, rsp.GetRequirements())

			return rsp, err
		}),
	})
	if err != nil {
		t.Fatal(err)
	}

	return out
}

// names returns the names of all requirements.
func names(r *fnv1.Requirements) [][]string {
	return [][]string{slices.Sorted(maps.Keys(r.GetResources())), slices.Sorted(maps.Keys(r.GetSchemas())), slices.Sorted(maps.Keys(r.GetExtraResources()))} //nolint:staticcheck // It may still ask so.
}

// configs returns the names of all required configs.
func configs(r *fnv1.Requirements) (out []string) {
	for _, s := range r.GetResources() {
		if s.GetKind() == "Namespace" {
			continue
		}

		name := s.GetKind() + " " + s.GetMatchName()
		if s.GetNamespace() != "" {
			name += " in " + s.GetNamespace()
		}

		out = append(out, name)
	}

	slices.Sort(out)

	return out
}
