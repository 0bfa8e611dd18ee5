package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// The model's words and the pinned Crossplane are of one version.
func TestVersion(t *testing.T) {
	pins := tagstest.ReadFile(t, filepath.Join("..", "..", "..", ".ci", "tools", "crossplane", "go.mod"))

	if !strings.Contains(string(pins), "github.com/crossplane/crossplane/v2 "+Version+" ") {
		t.Errorf("%s isn't the version that .ci/tools/crossplane pins: see what has changed in what crossplane internal render does, and TestAgreement", Version)
	}
}

// A fake function says what is in it.
type fake func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse

func (f fake) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return f(req), nil
}

const (
	xr      = `{"apiVersion": "example.org/v1", "kind": "XR", "metadata": {"name": "x", "namespace": "a", "generation": 2}}`
	onestep = `{"metadata": {"name": "c"}, "spec": {"compositeTypeRef": {"apiVersion": "example.org/v1", "kind": "XR"}, "mode": "Pipeline", "pipeline": [{"step": "s", "functionRef": {"name": "f"}}]}}`
)

// TestRender tests what no scenario shows, because the functions there don't do it. The
// texts are what Crossplane v2.4.2 says, as its source has it.
func TestRender(t *testing.T) {
	desire := func(names ...string) *fnv1.State {
		s := &fnv1.State{Resources: make(map[string]*fnv1.Resource)}
		for _, name := range names {
			s.Resources[name] = &fnv1.Resource{Resource: tagstest.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "R", "metadata": {"name": "` + name + `"}}`)}
		}

		return s
	}

	cases := map[string]struct {
		reason   string
		response *fnv1.RunFunctionResponse
		results  []Result
		ready    map[string]any
	}{
		"Nothing": {
			reason:   "An XR without resources is ready.",
			response: &fnv1.RunFunctionResponse{},
			ready:    condition("Ready", "True", "Available", ""),
		},
		"Unready": {
			reason:   "Resources that nobody calls ready are named.",
			response: &fnv1.RunFunctionResponse{Desired: desire("b", "a")},
			results: []Result{
				{Severity: "Normal", Reason: "ComposeResources", Message: `Composed resource "a" is not yet ready`},
				{Severity: "Normal", Reason: "ComposeResources", Message: `Composed resource "b" is not yet ready`},
			},
			ready: condition("Ready", "False", "Creating", "Unready resources: a, b"),
		},
		"ReadyXR": {
			reason: "What the pipeline says of the XR counts, whatever its resources are.",
			response: &fnv1.RunFunctionResponse{Desired: &fnv1.State{
				Composite: &fnv1.Resource{Ready: fnv1.Ready_READY_TRUE},
				Resources: desire("a").GetResources(),
			}},
			results: []Result{{Severity: "Normal", Reason: "ComposeResources", Message: `Composed resource "a" is not yet ready`}},
			ready:   condition("Ready", "True", "Available", ""),
		},
		"OtherNamespace": {
			reason: "Resources are in the namespace of the XR.",
			response: &fnv1.RunFunctionResponse{Desired: &fnv1.State{
				Composite: &fnv1.Resource{Ready: fnv1.Ready_READY_FALSE},
				Resources: map[string]*fnv1.Resource{"a": {
					Resource: tagstest.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "R", "metadata": {"name": "a", "namespace": "b"}}`),
					Ready:    fnv1.Ready_READY_TRUE,
				}},
			}},
			results: []Result{{Severity: "Warning", Reason: "NamespaceOverridden", Message: `cannot create composed resource "a" in namespace "b", using XR namespace "a" instead`}},
			ready:   condition("Ready", "False", "Creating", ""),
		},
		"Results": {
			reason: "Results have a severity and a reason, and conditions of Crossplane can't be set.",
			response: &fnv1.RunFunctionResponse{
				Results: []*fnv1.Result{
					{Severity: fnv1.Severity_SEVERITY_NORMAL, Message: "m"},
					{Message: "n"},
				},
				Conditions: []*fnv1.Condition{{Type: "Ready", Status: fnv1.Status_STATUS_CONDITION_FALSE}},
			},
			results: []Result{
				{Severity: "Normal", Reason: "ComposeResources", Message: `Pipeline step "s": m`},
				{Severity: "Warning", Reason: "ComposeResources", Message: `Pipeline step "s" returned a result of unknown severity (assuming warning): n`},
			},
			ready: condition("Ready", "True", "Available", ""),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := fake(func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse { return tc.response })

			out, err := Render(t.Context(), Input{Composite: tagstest.MustStructJSON(xr), Composition: tagstest.MustStructJSON(onestep)}, map[string]Function{"f": f})
			if err != nil {
				t.Fatal(err)
			}

			selected := Result{Severity: "Normal", Reason: "SelectComposition", Message: "Successfully selected composition: c"}
			if diff := cmp.Diff(append([]Result{selected}, tc.results...), out.Results); diff != "" {
				t.Errorf("\n%s\nresults: -want, +got:\n%s", tc.reason, diff)
			}

			responsive := condition("Responsive", "True", "WatchCircuitClosed", "")
			responsive["observedGeneration"] = int64(2)

			want := []any{responsive, condition("Synced", "True", "ReconcileSuccess", ""), tc.ready}
			if diff := cmp.Diff(map[string]any{"conditions": want}, out.Composite.Object["status"]); diff != "" {
				t.Errorf("\n%s\nstatus: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// A function is called until it requires the same objects twice. Each call has the objects that the function and
// the step require.
func TestRequirements(t *testing.T) {
	const steps = `{"spec": {"compositeTypeRef": {"apiVersion": "example.org/v1", "kind": "XR"}, "mode": "Pipeline", "pipeline": [{
		"step": "s", "functionRef": {"name": "f"}, "requirements": {
			"requiredResources": [{"requirementName": "one", "apiVersion": "v1", "kind": "A", "namespace": "n", "name": "a"}],
			"requiredSchemas": [{"requirementName": "schema", "apiVersion": "v1", "kind": "A"}]}}]}}`

	object := tagstest.MustStructJSON(`{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a", "namespace": "n"}}`)
	kind := `"x-kubernetes-group-version-kind": [{"version": "v1", "kind": "A"}]`
	document := tagstest.MustStructJSON(`{"components": {"schemas": {"A": {"properties": {"a": {"$ref": "#/components/schemas/A"}, "b": {"allOf": [{"$ref": "#/components/schemas/B"}]}}, ` + kind + `}, "B": {"type": "string"}}}}`)
	schema := tagstest.MustStructJSON(`{"properties": {"a": {"type": "object"}, "b": {"type": "string"}}, ` + kind + `}`)

	cases := map[string]struct {
		// requires is how often the function requires something else.
		requires int
		err      error
	}{
		"Nothing": {},
		"Settles": {requires: 5},
		"Never":   {requires: 6, err: errors.New(`cannot run Composition pipeline step "s": requirements didn't stabilize after the maximum number of iterations (5)`)},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			calls := 0
			f := fake(func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				want := map[string][]*structpb.Struct{"one": {object}}
				if calls > 0 {
					want[strconv.Itoa(min(calls, tc.requires))] = []*structpb.Struct{object}
				}

				got := make(map[string][]*structpb.Struct)
				for name, r := range req.GetRequiredResources() {
					for _, item := range r.GetItems() {
						got[name] = append(got[name], item.GetResource())
					}
				}

				if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
					t.Errorf("required resources of call %d: -want, +got:\n%s", calls+1, diff)
				}

				if diff := cmp.Diff(schema, req.GetRequiredSchemas()["schema"].GetOpenapiV3(), protocmp.Transform()); diff != "" {
					t.Errorf("required schema of call %d: -want, +got:\n%s", calls+1, diff)
				}

				calls++

				rsp := &fnv1.RunFunctionResponse{}
				if tc.requires > 0 {
					rsp.Requirements = &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{
						strconv.Itoa(min(calls, tc.requires)): {ApiVersion: "v1", Kind: "A"},
					}}
				}

				return rsp
			})

			_, err := Render(t.Context(), Input{
				Composite:   tagstest.MustStructJSON(xr),
				Composition: tagstest.MustStructJSON(steps),
				Required:    []*structpb.Struct{object},
				Schemas:     []*structpb.Struct{document},
			}, map[string]Function{"f": f})
			if fmt.Sprint(err) != fmt.Sprint(tc.err) {
				t.Errorf("Render(...) = %v, want %v", err, tc.err)
			}
		})
	}
}

// The model refuses input that only the real Crossplane can render, and input that Crossplane refuses.
func TestRefused(t *testing.T) {
	step := func(s string) string { return strings.Replace(onestep, `"functionRef"`, s+`, "functionRef"`, 1) }
	controlled := `{"metadata": {"namespace": "b", "name": "o", "annotations": {"crossplane.io/composition-resource-name": "o"}, "ownerReferences": [{"controller": true, "uid": "other"}]}}`

	cases := map[string]struct {
		composition, xrd, observed string
		want                       string
	}{
		"Credentials":    {composition: step(`"credentials": [{"name": "c"}]`), want: "--engine crossplane"},
		"Defaults":       {xrd: `{"apiVersion": "apiextensions.crossplane.io/v2", "spec": {"versions": [{"schema": {"default": 1}}]}}`, want: "--engine crossplane"},
		"LegacyXRD":      {xrd: `{"apiVersion": "apiextensions.crossplane.io/v1", "spec": {}}`, want: "--engine crossplane"},
		"OtherKind":      {composition: strings.Replace(onestep, "XR", "YR", 1), want: "Kind=YR, but the XR is a example.org/v1, Kind=XR"},
		"OtherMode":      {composition: strings.Replace(onestep, "Pipeline", "Resources", 1), want: "spec.mode: Pipeline"},
		"OtherFunction":  {composition: strings.Replace(onestep, `"f"`, `"g"`, 1), want: `step s calls "g"`},
		"Anonymous":      {observed: `{"metadata": {"name": "o"}}`, want: "o has no annotation"},
		"Controlled":     {observed: controlled, want: "whose UID isn't the XR's"},
		"OtherNamespace": {observed: strings.Replace(controlled, `"ownerReferences"`, `"others"`, 1), want: "isn't in the namespace of the XR"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := Input{Composite: tagstest.MustStructJSON(xr), Composition: tagstest.MustStructJSON(onestep)}
			if tc.composition != "" {
				in.Composition = tagstest.MustStructJSON(tc.composition)
			}

			if tc.xrd != "" {
				in.Definition = tagstest.MustStructJSON(tc.xrd)
			}

			if tc.observed != "" {
				in.Observed = []*structpb.Struct{tagstest.MustStructJSON(tc.observed)}
			}

			f := fake(func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse { return &fnv1.RunFunctionResponse{} })
			if _, err := Render(t.Context(), in, map[string]Function{"f": f}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Render(...) = %v, want an error that says: %s", err, tc.want)
			}
		})
	}
}

// Names end with a hash of what there is one of, and are no longer than 63 bytes.
func TestChildName(t *testing.T) {
	for prefix, want := range map[string]string{
		"x":                           "x-3e23e8160039",
		"x-":                          "x-3e23e8160039",
		strings.Repeat("x", 50) + "-": strings.Repeat("x", 50) + "-3e23e8160039",
		strings.Repeat("x", 51) + "-": strings.Repeat("x", 50) + "-3e23e8160039",
	} {
		if got := childName(prefix, "b"); got != want {
			t.Errorf("childName(%q, b) = %q, want %q", prefix, got, want)
		}
	}
}
