package tests

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
)

// asked skips a test unless somebody has asked for those that take minutes, the first time:
// they need the real Crossplane, which is built of its source.
func asked(t *testing.T) {
	t.Helper()

	if os.Getenv("CROSSPLANE") == "" {
		t.Skip("CROSSPLANE=1 go test ./example/tests renders with the real Crossplane, and runs a cluster, too.")
	}
}

// realCrossplane returns the real Crossplane's renderer, if somebody has asked for it.
func realCrossplane(t *testing.T, root string) scenario.Engine {
	t.Helper()
	asked(t)

	crossplane, err := scenario.NewCrossplane(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}

	return crossplane
}

// TestAgreement renders each scenario with the model of Crossplane and with the real one.
// Functions must be asked the same, by which context, answers to requirements and observed
// state are the same, too, and the same must come out, errors included.
func TestAgreement(t *testing.T) {
	t.Parallel()

	root, scenarios := all(t)
	crossplane := realCrossplane(t, root)
	running := start(t, root)

	for _, s := range scenarios {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()

			if engineOf(t, root, s) != (scenario.BuiltIn{}) {
				t.Skip("Only the real Crossplane renders it.")
			}

			want := rendered(t, s, crossplane, running.Functions)
			got := rendered(t, s, scenario.BuiltIn{}, running.Functions)

			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("-crossplane, +model:\n%s", diff)
			}
		})
	}
}

// A rendering is what can be compared of one.
type rendering struct {
	// Calls of functions, in order.
	Calls []call

	// Error, or else the objects that are printed.
	Error   string
	Objects []map[string]any

	// Results of the pipeline in order, and all others sorted: Crossplane tells of
	// resources in a random one.
	Pipeline, Others []map[string]any
}

type call struct {
	Function string
	Request  *fnv1.RunFunctionRequest
	Response *fnv1.RunFunctionResponse
}

// rendered renders a scenario.
func rendered(t *testing.T, s scenario.Scenario, engine scenario.Engine, all map[string]functions.Function) rendering {
	t.Helper()

	var (
		out      rendering
		mu       sync.Mutex
		recorded = make(map[string]functions.Function)
	)

	for name, f := range all {
		recorded[name] = functions.Func(func(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
			c := call{Function: name, Request: timeless(req)}
			rsp, err := f.RunFunction(ctx, req)
			c.Response = proto.CloneOf(rsp)
			c.Response.GetMeta().Tag = ""

			mu.Lock()
			defer mu.Unlock()

			out.Calls = append(out.Calls, c)

			return rsp, err
		})
	}

	outcome := render(t, engine, s, recorded)

	if outcome.Failed {
		out.Error = outcome.Text
		return out
	}

	for _, o := range decode(t, outcome.Text) {
		message, _ := o["message"].(string)

		switch {
		case o["kind"] != "Result":
			out.Objects = append(out.Objects, o)
		case strings.HasPrefix(message, "Pipeline step "):
			out.Pipeline = append(out.Pipeline, o)
		default:
			out.Others = append(out.Others, o)
		}
	}

	slices.SortFunc(out.Others, func(a, b map[string]any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })

	return out
}

// timeless is a request without what differs from run to run: its tag, which is a hash, and
// when conditions of the XR have changed.
func timeless(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionRequest {
	req = proto.CloneOf(req)
	req.GetMeta().Tag = ""

	status := req.GetObserved().GetComposite().GetResource().GetFields()["status"].GetStructValue()
	for _, c := range status.GetFields()["conditions"].GetListValue().GetValues() {
		c.GetStructValue().GetFields()["lastTransitionTime"] = structpb.NewStringValue("")
	}

	return req
}
