package testfunction

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

func TestRunFunction(t *testing.T) {
	t.Parallel()

	earlier := &fnv1.State{
		Composite: &fnv1.Resource{Resource: tagstest.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "XR"}`)},
		Resources: map[string]*fnv1.Resource{
			"earlier": {Resource: tagstest.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "Earlier"}`)},
		},
	}

	fatal := func(message string) *fnv1.RunFunctionResponse {
		return &fnv1.RunFunctionResponse{
			Meta:    &fnv1.ResponseMeta{Ttl: durationpb.New(0)},
			Desired: earlier,
			Results: []*fnv1.Result{{
				Severity: fnv1.Severity_SEVERITY_FATAL,
				Message:  message,
				Target:   fnv1.Target_TARGET_COMPOSITE.Enum(),
			}},
		}
	}

	cases := map[string]struct {
		input string
		want  *fnv1.RunFunctionResponse
	}{
		"Resources": {
			input: `{"apiVersion": "testfunction.example.org/v1", "kind": "Resources", "resources": [
				{"name": "a", "base": {"apiVersion": "example.org/v1", "kind": "A", "spec": {"number": 1}}},
				{"name": "b", "base": {"apiVersion": "example.org/v1", "kind": "B"}}
			]}`,
			want: &fnv1.RunFunctionResponse{
				Meta: &fnv1.ResponseMeta{Ttl: durationpb.New(0)},
				Desired: &fnv1.State{
					Composite: earlier.GetComposite(),
					Resources: map[string]*fnv1.Resource{
						"earlier": earlier.GetResources()["earlier"],
						"a": {
							Resource: tagstest.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "A", "spec": {"number": 1}}`),
							Ready:    fnv1.Ready_READY_TRUE,
						},
						"b": {
							Resource: tagstest.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "B"}`),
							Ready:    fnv1.Ready_READY_TRUE,
						},
					},
				},
			},
		},
		"OtherKind": {
			input: `{"apiVersion": "testfunction.example.org/v1", "kind": "Other"}`,
			want:  fatal("cannot read the input of the test function: it must be of apiVersion testfunction.example.org/v1 and kind Resources"),
		},
		"UnknownField": {
			input: `{"apiVersion": "testfunction.example.org/v1", "kind": "Resources", "resource": []}`,
			want:  fatal(`cannot read the input of the test function: json: unknown field "resource"`),
		},
		"NoName": {
			input: `{"apiVersion": "testfunction.example.org/v1", "kind": "Resources", "resources": [{"base": {}}]}`,
			want:  fatal("cannot compose the resources of the test function's input: every resource needs a name"),
		},
		"NameTwice": {
			input: `{"apiVersion": "testfunction.example.org/v1", "kind": "Resources", "resources": [{"name": "a"}, {"name": "a"}]}`,
			want:  fatal(`cannot compose the resources of the test function's input: there are two resources called "a"`),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			got, err := Function{}.RunFunction(t.Context(), &fnv1.RunFunctionRequest{
				Desired: earlier,
				Input:   tagstest.MustStructJSON(tc.input),
			})
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("RunFunction(...): -want, +got:\n%s", diff)
			}
		})
	}
}
