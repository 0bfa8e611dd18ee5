package load

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// tag all desired resources.
func tag(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	for _, r := range req.GetDesired().GetResources() {
		forProvider(r)["tags"] = value(map[string]any{"ours": "x"})
	}

	return &fnv1.RunFunctionResponse{Desired: req.GetDesired()}, nil
}

func forProvider(r *fnv1.Resource) map[string]*structpb.Value {
	return fields(r.GetResource(), "spec", "forProvider")
}

func TestRequest(t *testing.T) {
	type tagged struct{ Desired, Observed int }

	cases := map[string]struct {
		reason string
		state  State
		want   tagged
	}{
		"Changed": {reason: "No resource has the tags.", state: Changed},
		"Settled": {reason: "All resources have the tags.", state: Settled, want: tagged{Desired: 12, Observed: 12}},
		"Stable":  {reason: "Only what is observed has the tags.", state: Stable, want: tagged{Observed: 12}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req, err := Request(tc.state, Field, 12, 20, tag)
			if err != nil {
				t.Fatal(err)
			}

			count := func(s *fnv1.State) (n int) {
				for name, r := range s.GetResources() {
					if got := len(forProvider(r)); got != 41 && got != 40 {
						t.Errorf("%s: want 40 fields and perhaps tags, got %d fields", name, got)
					}

					if fields(r.GetResource(), "spec", "forProvider", "tags")["ours"] != nil {
						n++
					}
				}

				return n
			}

			if diff := cmp.Diff(tc.want, tagged{Desired: count(req.GetDesired()), Observed: count(req.GetObserved())}); diff != "" {
				t.Errorf("\n%s\nRequest(%s, ...): -want resources with tags, +got:\n%s", tc.reason, tc.state, diff)
			}

			if got := len(fields(req.GetObserved().GetComposite().GetResource(), "spec", "labels")); got != 20 {
				t.Errorf("Request(%s, ...): want 20 labels, got %d", tc.state, got)
			}

			if size := proto.Size(req) / 12; size < 10_000 || size > 12_000 {
				t.Errorf("Request(%s, ...): want about 10 KB for each resource, got %d bytes", tc.state, size)
			}
		})
	}
}

func TestRequestErrors(t *testing.T) {
	cases := map[string]struct {
		reason   string
		function Function
		want     string
	}{
		"Error": {
			reason: "A function that can't be called makes no request.",
			function: func(*fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				return nil, errors.New("unavailable")
			},
			want: "cannot tag resources: unavailable",
		},
		"Waiting": {
			reason: "A function that asks for more has not tagged anything.",
			function: func(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				return &fnv1.RunFunctionResponse{Desired: req.GetDesired(), Requirements: &fnv1.Requirements{}}, nil
			},
			want: "cannot tag resources: the function asks for more than the request has",
		},
		"Untagged": {
			reason: "A function that does less than it should is not measured.",
			function: func(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				return &fnv1.RunFunctionResponse{Desired: req.GetDesired()}, nil
			},
			want: "cannot tag resources: the function has left resource-00000 as it was, or dropped it",
		},
		"Fatal": {
			reason: "A function that fails has not tagged anything.",
			function: func(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				return &fnv1.RunFunctionResponse{Desired: req.GetDesired(), Results: []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL, Message: "no"}}}, nil
			},
			want: "cannot tag resources: no",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Request(Settled, Field, 1, 1, tc.function)
			if diff := cmp.Diff(tc.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("\n%s\nRequest(...): -want error, +got error:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestInput(t *testing.T) {
	cases := map[string]struct {
		reason string
		source Source
		want   map[string]any
	}{
		"Field": {
			reason: "Labels are those of the composite resource.", source: Field,
			want: map[string]any{"type": "CompositeField", "fromFieldPath": "spec.labels"},
		},
		"Name": {
			reason: "Expressions give the same, and every other one is of the composed resource.", source: Name,
			want: map[string]any{"type": "Expression", "expressions": map[string]any{
				"platform/label-0000": "xr.spec.labels['platform/label-0000']",
				"platform/label-0001": "xr.spec.labels['platform/label-0001'] + '/' + name",
				"platform/label-0002": "xr.spec.labels['platform/label-0002']",
			}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in, _ := input(tc.source, 3)
			if diff := cmp.Diff([]any{tc.want}, in.AsMap()["sources"]); diff != "" {
				t.Errorf("\n%s\ninput(%s, 3): -want sources, +got:\n%s", tc.reason, tc.source, diff)
			}
		})
	}
}
