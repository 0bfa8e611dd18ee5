package main

import (
	"bytes"
	stdcmp "cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"weak"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/command/explain"
	"github.com/plexsphere/function-cloud-tags/tags/command/serve/codec"
	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/report"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/awsedges"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/calls"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/load"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/removal"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/rights"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/trust"
)

// A logged function is one whose log is kept.
type logged struct {
	*Function

	log *bytes.Buffer
}

func newLogged() logged {
	log := &bytes.Buffer{}
	return logged{Function: &Function{log: tagstest.Logger(log, slog.LevelInfo), metrics: report.NewMetrics()}, log: log}
}

// counted are the series that the function has counted.
func (f logged) counted() []string { return tagstest.Counted(f.metrics.Collectors()...) }

// onBytes runs the function on a request as its client sends it.
func (f logged) onBytes(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	b, err := proto.Marshal(req)
	if err != nil {
		return nil, err
	}

	return f.served(ctx, b)
}

// served runs the function as its server does: the codec decodes b, and encodes the response for the client.
func (f logged) served(ctx context.Context, b []byte) (*fnv1.RunFunctionResponse, error) {
	before, in := bytes.Clone(b), &fnv1.RunFunctionRequest{}
	if err := codec.Unmarshal(b, in); err != nil {
		return nil, err
	}

	rsp, err := f.RunFunction(ctx, in)
	if err != nil {
		return nil, err
	}

	data, err := codec.Codec{}.Marshal(rsp)
	if err != nil {
		return nil, err
	}

	if !bytes.Equal(before, b) {
		return nil, errors.New("the bytes of the request were changed")
	}

	out := &fnv1.RunFunctionResponse{}

	return out, proto.Unmarshal(data.Materialize(), out)
}

// run the function on a request that b has, twice on its resources as trees, and once as bytes. It fails
// unless it gets the same each time, byte for byte: the response and log lines.
func (f logged) run(t rapid.TB, req *fnv1.RunFunctionRequest, b []byte) *fnv1.RunFunctionResponse {
	t.Helper()

	var (
		first *fnv1.RunFunctionResponse
		lines string
	)

	for how, run := range []func() (*fnv1.RunFunctionResponse, error){
		func() (*fnv1.RunFunctionResponse, error) { return f.served(context.Background(), b) },
		func() (*fnv1.RunFunctionResponse, error) {
			return f.RunFunction(context.Background(), proto.CloneOf(req))
		},
		func() (*fnv1.RunFunctionResponse, error) {
			return f.RunFunction(context.Background(), proto.CloneOf(req))
		},
	} {
		f.log.Reset()

		rsp, err := run()
		if err != nil {
			t.Fatalf("RunFunction(...): unexpected error: %v", err)
		}

		if first == nil {
			first, lines = rsp, f.log.String()
		}

		// Bytes, because what isn't a number doesn't equal itself.
		if !bytes.Equal(marshal(t, first), marshal(t, rsp)) {
			t.Fatalf("RunFunction(...): another response: -on bytes, +on trees (%d):\n%s", how, cmp.Diff(first, rsp, protocmp.Transform()))
		}

		if diff := cmp.Diff(lines, f.log.String()); diff != "" && !strings.Contains(lines, `"stack":`) {
			t.Fatalf("RunFunction(...): other log lines: -on bytes, +on trees (%d):\n%s", how, diff)
		}
	}

	return first
}

// marshal a message, always in the same way.
func marshal(t rapid.TB, m proto.Message) []byte {
	t.Helper()

	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatalf("cannot marshal %T: %v", m, err)
	}

	return b
}

// responses is the folder of the cases of TestRunFunction, and of what the function answers.
const responses = "tags/testdata/responses"

// TestRunFunction tests what the function answers, logs and counts.
func TestRunFunction(t *testing.T) {
	g := tagstest.NewGoldenIn(t, responses)

	for _, tc := range calls.Read(t, responses+"/requests.yaml") {
		t.Run(tc.Name, func(t *testing.T) {
			f := newLogged()
			f.auditValues = tc.Values
			g.Check(t, tc.Reason, append(tc.Run(t, f.log, f.onBytes), f.counted()...))
		})
	}
}

// requests returns the requests of the cases of TestRunFunction, with the objects that Crossplane finds for them.
func requests(tb testing.TB) (out []*fnv1.RunFunctionRequest) {
	tb.Helper()

	for _, tc := range calls.Read(tb, responses+"/requests.yaml") {
		for _, s := range tc.All() {
			req := calls.Request(nil)
			s.Change(req)

			rsp, err := newLogged().RunFunction(tb.Context(), proto.CloneOf(req))
			if err != nil {
				tb.Fatal(err)
			}

			if s.Required == nil {
				require.Answer(req, rsp.GetRequirements(), s.Objects)
			}

			out = append(out, req)
		}
	}

	return out
}

// TestExtendsWaits proves that an input waits for its standard in silence, whatever else it says.
func TestExtendsWaits(t *testing.T) {
	for _, req := range requests(t) {
		fields := maps.Clone(req.GetInput().GetFields())
		req.Input = calls.Input(`"extends": {"apiVersion": "v1", "kind": "A", "name": "none", "fromFieldPath": "a"}`)
		delete(fields, "extends")
		maps.Copy(req.GetInput().GetFields(), fields)

		in, err := v1beta1.Decode(req.GetInput())
		if err != nil || require.IsOperation(req) && in.CheckOperation() != nil || !require.IsOperation(req) && in.CheckComposition() != nil {
			continue // The input itself is wrong.
		}

		rsp, err := newLogged().RunFunction(t.Context(), req)
		if err != nil || rsp.GetRequirements() == nil || len(rsp.GetResults())+len(rsp.GetConditions()) > 0 || !proto.Equal(req.GetDesired(), rsp.GetDesired()) {
			t.Errorf("RunFunction(...): want it to wait for the standard of %v, got %v, %v", req.GetInput(), rsp, err)
		}
	}
}

// TestOldCallers proves that Crossplane up to v1.16 reads why a run fails. It takes the first response that requires
// the same as the one before, and calls five times at most. Later releases take the first response that fails, too.
func TestOldCallers(t *testing.T) {
	failed := 0

	for _, tc := range calls.Read(t, responses+"/requests.yaml") {
		for i, s := range tc.All() {
			if s.Required != nil {
				continue // No old Crossplane has Operations.
			}

			for _, objects := range [][]*structpb.Struct{s.Objects, nil} {
				fails, taken := old(t, &s, objects)
				if fails == nil {
					continue
				}

				failed++

				if diff := cmp.Diff(fails.GetResults(), taken.GetResults(), protocmp.Transform()); diff != "" {
					t.Errorf("%s, step %d, %d objects: -results that say why the step fails, +results that are taken:\n%s", tc.Name, i, len(objects), diff)
				}
			}
		}
	}

	if failed < 50 {
		t.Errorf("want at least 50 steps that fail, got %d", failed)
	}
}

// old calls the function for the step as Crossplane v1.16 does. It returns the first response that fails the step, if any,
// and the one that Crossplane takes, or none if it gives up.
func old(t *testing.T, s *calls.Step, objects []*structpb.Struct) (fails, taken *fnv1.RunFunctionResponse) {
	t.Helper()

	req := calls.Request(nil)
	s.Change(req)
	req.Meta.Capabilities, req.RequiredSchemas = nil, nil

	for required, n := (*fnv1.Requirements)(nil), 0; n < 5; n++ {
		rsp, err := newLogged().onBytes(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}

		if fails == nil && command.Fatal(rsp) != nil {
			fails = rsp
		}

		if proto.Equal(required, rsp.GetRequirements()) {
			return fails, rsp
		}

		required, req.Context = rsp.GetRequirements(), rsp.GetContext()
		require.Answer(req, required, objects)
	}

	return fails, nil
}

// TestRunFunctionForms changes the requests of TestRunFunction anywhere, and proves that it
// doesn't matter whether resources are bytes or trees.
func TestRunFunctionForms(t *testing.T) {
	all, f := requests(t), newLogged()

	rapid.Check(t, func(t *rapid.T) {
		req := proto.CloneOf(rapid.SampledFrom(all).Draw(t, "request"))
		calls.Mutate(t, req)
		f.run(t, req, marshal(t, req))
	})
}

// TestRunFunctionClientGone proves that the function stops if the client has gone.
func TestRunFunctionClientGone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	f := newLogged()

	rsp, err := f.RunFunction(ctx, calls.Request(calls.Input(`"sources": [{"type": "Value", "values": {"a": "1"}}]`)))
	if rsp != nil || grpcstatus.Code(err) != codes.Canceled {
		t.Errorf("RunFunction(...): want no response and an error with code %s, got %v and %v", codes.Canceled, rsp, err)
	}

	if f.log.Len() > 0 || len(f.counted()) > 0 {
		t.Errorf("RunFunction(...): want nothing logged or counted, got %s and %s", f.log, f.counted())
	}
}

// TestRunFunctionUntouched proves that all else of a request comes back as it was. That includes fields of a newer version of
// the protocol.
func TestRunFunctionUntouched(t *testing.T) {
	req := calls.Request(calls.Input(`"provider": {"value": "aws"}, "sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "onConflict": "Replace"}],
		"removeTags": [{"key": "Name"}], "ignoreTags": [{"key": "backup:*"}], "resources": [{"kind": "Bucket"}], "limitPolicy": "ApplyStrict",
		"kubernetesMetadata": [{"source": {"type": "CompositeMetadata", "annotationsFieldPath": "spec.labels"}, "copy": ["Annotations"], "select": {"prefixes": ["platform/"]}, "resources": [{"name": "bucket"}]}]`))
	req.GetObserved().GetResources()["bucket"].GetResource().Fields["status"] = structpb.NewStructValue(tagstest.MustStructJSON(`{"atProvider": {"tagsAll": {"backup:plan": "daily"}}}`))

	unknown := []byte{0xf8, 0x3f, 0x01} // Field 1023, a varint of 1.
	for _, m := range []proto.Message{req, req.GetDesired(), req.GetDesired().GetComposite(), req.GetDesired().GetResources()["bucket"], req.GetDesired().GetResources()["config"]} {
		m.ProtoReflect().SetUnknown(unknown)
	}

	want := proto.CloneOf(req)
	bucket := want.GetDesired().GetResources()["bucket"]
	tagstest.ForProvider(bucket)["tags"] = structpb.NewStructValue(tagstest.MustStructJSON(`{"backup:plan": "daily", "plexsphere:platform/env": "prod", "plexsphere:acme:checkout/owner": "team-a"}`))
	bucket.GetResource().GetFields()["metadata"].GetStructValue().Fields["annotations"] = structpb.NewStructValue(tagstest.MustStructJSON(`{"platform/env": "prod"}`))

	got := newLogged().run(t, req, marshal(t, req))
	delete(got.GetContext().GetFields(), v1beta1.StepsContextKey)

	for name, states := range map[string][2]proto.Message{"desired state": {want.GetDesired(), got.GetDesired()}, "context": {want.GetContext(), got.GetContext()}} {
		if diff := cmp.Diff(states[0], states[1], protocmp.Transform()); diff != "" {
			t.Errorf("RunFunction(...): want tags and annotations, and all else of %s untouched: -want, +got:\n%s", name, diff)
		}
	}
}

// TestRunFunctionForgets proves that the function keeps no pointer into a request, which may have megabytes.
func TestRunFunctionForgets(t *testing.T) {
	f := newLogged()
	req := calls.Request(calls.Input(`"provider": {"fromFieldPath": "spec.provider"}, "statusFieldPath": "status.cloudTags", "fieldDiscovery": "Schema",
		"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels"}, {"type": "CompositeMetadata", "labelsFieldPath": "metadata.labels"},
			{"type": "RequiredResource", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": {"value": "a"}}, "fromFieldPath": "data"}],
		"kubernetesMetadata": [{"source": {"type": "ComposedResource", "name": "bucket"}, "select": {"all": true}}]`))
	req.Meta.Capabilities = []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS}

	// run the function. It returns what points to the bytes of the request.
	run := func() weak.Pointer[byte] {
		b := marshal(t, req)

		rsp, err := f.served(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}

		require.Answer(req, rsp.GetRequirements(), []*structpb.Struct{tagstest.MustStructJSON(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "team-a", "name": "a"}, "data": {"a": "b"}}`)})

		return weak.Make(&b[0])
	}

	for range 3 {
		came := run()

		runtime.GC()

		if came.Value() != nil {
			t.Error("RunFunction(...): want the bytes of a request to be freed after the call")
		}
	}

	runtime.KeepAlive(f)
}

// TestRunFunctionAllocations proves that resources without tags cost hardly more than to decode and encode them.
func TestRunFunctionAllocations(t *testing.T) {
	if tagstest.Race {
		t.Skip("under the race detector, encoders allocate more")
	}

	cases := map[string]struct {
		reason   string
		resource string
		input    string
		want     float64
	}{
		"NotSelected": {
			reason:   "What isn't selected should cost no allocation of its own.",
			resource: calls.Bucket, input: `"resources": [{"name": "bucket"}]`, want: 0.05, // A larger map has a few more.
		},
		"NoField": {
			reason:   "What has no tag field should only cost the text of the result that says so.",
			resource: calls.ConfigMap, input: `"limitPolicy": "ApplyPartial"`, want: 1.4,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			// allocations of the function that an echo doesn't make, for so many resources.
			allocations := func(n int) float64 {
				req := calls.Request(calls.Input(`"provider": {"value": "aws"}, "sources": [{"type": "Value", "values": {"a": "1"}}], ` + tc.input))
				for i := range n {
					req.Desired.Resources[fmt.Sprintf("r%d", i)] = &fnv1.Resource{Resource: tagstest.MustStructJSON(tc.resource)}
				}

				b := marshal(t, req)
				perCall := func(function calls.Function) float64 {
					return testing.AllocsPerRun(5, func() { call(t, codec.Codec{}, b, function) })
				}

				return perCall((&Function{log: slog.New(slog.DiscardHandler), metrics: report.NewMetrics()}).RunFunction) - perCall(echo)
			}

			got := (allocations(2000) - allocations(1000)) / 1000
			if got > tc.want {
				t.Errorf("\n%s\nRunFunction(...): want at most %g allocations for each resource, got %g", tc.reason, tc.want, got)
			}
		})
	}
}

// TestRunFunctionSettledAllocations proves that settled tag fields are compared as bytes. Nearly all reconciles change nothing.
func TestRunFunctionSettledAllocations(t *testing.T) {
	if tagstest.Race {
		t.Skip("under the race detector, encoders allocate more")
	}

	function := benchmarked().RunFunction

	req, err := load.Request(load.Settled, load.Field, 100, 20, func(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		return function(t.Context(), req)
	})
	if err != nil {
		t.Fatal(err)
	}

	b := marshal(t, req)
	if got := testing.AllocsPerRun(5, func() { call(t, codec.Codec{}, b, function) }); got > 12700 {
		t.Errorf("RunFunction(...): want at most 12,700 allocations for 100 settled resources with 20 labels, got %g", got)
	}
}

// echo is a function that returns its request.
func echo(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Tag: req.GetMeta().GetTag()}, Desired: req.GetDesired(), Context: req.GetContext()}, nil
}

// panicWriter panics if something is written to it, unless that is of an error.
type panicWriter struct{}

func (panicWriter) Write(b []byte) (int, error) {
	if !bytes.Contains(b, []byte("ERROR")) {
		panic("boom")
	}

	return len(b), nil
}

// TestRunFunctionPanic tests that a panic, after everything else is done, is one fatal result, and leaves
// desired state as it was.
func TestRunFunctionPanic(t *testing.T) {
	req := calls.Request(calls.Input(`"provider": {"value": "aws"}, "sources": [{"type": "Value", "values": {"aws:x": "y", "z": "z"}}]`))
	f := &Function{log: slog.New(slog.NewTextHandler(panicWriter{}, nil))}

	got, err := f.RunFunction(t.Context(), proto.CloneOf(req))
	if err != nil {
		t.Fatalf("RunFunction(...): unexpected error: %v", err)
	}

	if diff := cmp.Diff(fatal("InternalError", "internal error: boom", req), withoutDigests(got), protocmp.Transform()); diff != "" {
		t.Errorf("RunFunction(...): -want, +got:\n%s", diff)
	}
}

// fatal is the response to a request that fails. Without a request, it has neither desired state nor context.
func fatal(reason, message string, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	return &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: "tag", Ttl: durationpb.New(0)},
		Desired: req.GetDesired(),
		Context: req.GetContext(),
		Results: []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL, Reason: &reason, Message: message, Target: fnv1.Target_TARGET_COMPOSITE.Enum()}},
		Conditions: []*fnv1.Condition{{
			Type: report.ConditionType, Status: fnv1.Status_STATUS_CONDITION_FALSE, Reason: reason, Message: &message,
			Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
		}},
	}
}

// withoutDigests returns a response without those that the message of its condition ends with, if it fails.
func withoutDigests(rsp *fnv1.RunFunctionResponse) *fnv1.RunFunctionResponse {
	for _, c := range rsp.GetConditions() {
		if c.GetStatus() == fnv1.Status_STATUS_CONDITION_FALSE {
			c.Message = new(regexp.MustCompile(` \[[0-9a-f ]+\]$`).ReplaceAllString(c.GetMessage(), ""))
		}
	}

	return rsp
}

// TestRunFunctionTransitions tests that results are there once, with the condition that Crossplane
// stores in between: two steps of one pipeline, of which each may be called twice.
func TestRunFunctionTransitions(t *testing.T) {
	const (
		long    = `"sources": [{"type": "Value", "values": {"long": "%s"}}]`
		another = `"sources": [{"type": "Value", "values": {"platform/team": "a"}}, {"type": "CompositeField", "fromFieldPath": "spec.nowhere"}], "keyPrefix": ""`
		wrong   = `"sources": 1`
	)

	skipping, changed := fmt.Sprintf(long, strings.Repeat("x", 300)), fmt.Sprintf(long, strings.Repeat("y", 301))

	// Each run is its steps, and says so many results of each.
	runs := []struct {
		reason string
		steps  []string
		again  bool
		want   []int
	}{
		{reason: "The first run says everything.", steps: []string{skipping, another}, want: []int{2, 2}},
		{reason: "A run that is equal says nothing.", steps: []string{skipping, another}, want: []int{0, 0}},
		{reason: "A step that is called again with its own context says as much.", steps: []string{skipping, another}, again: true, want: []int{0, 0}},
		{reason: "A step that has changed says everything, and others nothing.", steps: []string{changed, another}, want: []int{2, 0}},
		{reason: "A step that is gone takes its digest away.", steps: []string{another}, want: []int{0}},
		{reason: "A step that is back says everything.", steps: []string{changed, another}, again: true, want: []int{2, 0}},
		{reason: "A fatal result is returned, and earlier steps have said what they have to.", steps: []string{changed, wrong}, want: []int{0, 1}},
		{reason: "It is returned on every call.", steps: []string{changed, wrong}, want: []int{0, 1}},
		{reason: "After it the step says everything.", steps: []string{changed, another}, want: []int{0, 2}},
		{reason: "Then nothing.", steps: []string{changed, another}, want: []int{0, 0}},
		{reason: "Two steps with one input say nothing twice, either.", steps: []string{changed, changed}, want: []int{0, 0}},
		{reason: "They are as silent as others.", steps: []string{changed, changed}, again: true, want: []int{0, 0}},
	}

	f := newLogged()

	var condition *fnv1.Condition

	for i, run := range runs {
		req := calls.Request(nil)
		req.GetObserved().GetComposite().GetResource().Fields["status"] = structpb.NewStructValue(tagstest.Struct(map[string]any{"conditions": []any{
			map[string]any{"type": "Ready", "message": "[a]"}, map[string]any{"type": condition.GetType(), "message": condition.GetMessage()},
		}}))

		var got []int

		for _, input := range run.steps {
			req.Input = calls.Input(input)

			// A call with its own context gets the same.
			var rsp *fnv1.RunFunctionResponse

			for n := range map[bool]int{false: 1, true: 2}[run.again] {
				before := rsp

				var err error
				if rsp, err = f.onBytes(t.Context(), req); err != nil {
					t.Fatal(err)
				}

				if diff := cmp.Diff(before, rsp, protocmp.Transform()); n > 0 && diff != "" {
					t.Errorf("run %d: %s\nRunFunction(...): -first call, +call with its own context:\n%s", i, run.reason, diff)
				}

				req.Context = rsp.GetContext()
			}

			got = append(got, len(rsp.GetResults()))
			condition, req.Desired = rsp.GetConditions()[0], rsp.GetDesired()
		}

		if diff := cmp.Diff(run.want, got); diff != "" {
			t.Errorf("run %d: %s\nresults of steps: -want, +got:\n%s\ncondition: %s", i, run.reason, diff, condition.GetMessage())
		}
	}
}

// TestRunFunctionSize proves that a client with the options of Crossplane, which are none, gets an
// answer, however large it would be.
func TestRunFunctionSize(t *testing.T) {
	const (
		limit   = 4 << 20
		waiting = `"sources": [{"type": "RequiredResource", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": {"value": "a"}}, "fromFieldPath": "data"}]`
	)

	labels := `"sources": [{"type": "Value", "values": {"long": "` + strings.Repeat("x", 255) + `", "longer": "` + strings.Repeat("x", 256) + `"}}], "statusFieldPath": "status.cloudTags"`

	// request with so many bytes in one of its resources.
	request := func(input string, n int) *fnv1.RunFunctionRequest {
		req := calls.Request(calls.Input(input))
		req.Meta.Capabilities = []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}
		req.GetDesired().GetResources()["config"].GetResource().GetFields()["data"].GetStructValue().Fields["a"] = structpb.NewStringValue(strings.Repeat("x", n))

		return req
	}

	// exactly is how many bytes a resource must have for a response of the limit's size, and that response.
	exactly := func(input string) (n int, rsp *fnv1.RunFunctionResponse) {
		n = limit

		for range 2 {
			var err error
			if rsp, err = newLogged().onBytes(t.Context(), request(input, n)); err != nil {
				t.Fatal(err)
			}

			n += limit - proto.Size(rsp)
		}

		return n, rsp
	}

	tooLarge := func(size, composed, config, bucket, xr, context, results int, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		return fatal(report.ReasonLimitExceeded, fmt.Sprintf("the response has %d bytes, and Crossplane takes at most 4194304 (4 MB): "+
			"2 composed resources of %d (the largest: config %d, bucket %d), the composite resource of %d, the context of %d, and results of %d; "+
			"let nested composite resources compose a part of it", size, composed, config, bucket, xr, context, results), req)
	}

	ofLabels, labelled := exactly(labels)
	ofWaiting, _ := exactly(waiting)

	cases := map[string]struct {
		reason string
		limit  report.Limit
		req    *fnv1.RunFunctionRequest
		want   *fnv1.RunFunctionResponse
		code   codes.Code
	}{
		"Exactly":     {reason: "A response of the greatest size should be sent.", limit: limit, req: request(labels, ofLabels), want: labelled},
		"NoLimitMore": {reason: "Without a limit, the client should refuse a response of a byte more.", req: request(labels, ofLabels+1), code: codes.ResourceExhausted},
		"OneMore": {
			reason: "A byte more should be a fatal result that says so, beside the desired state as it came.", limit: limit, req: request(labels, ofLabels+1),
			want: tooLarge(4194305, 4192969, 4192149, 820, 828, 285, 169, request(labels, ofLabels+1)),
		},
		"Desired": {
			reason: "Desired state that is too large itself should not be sent.", limit: limit, req: request(labels, limit),
			want: tooLarge(4196545, 4195209, 4194389, 820, 828, 285, 169, nil),
		},
		"Waiting": {
			reason: "A response that requires something is as limited.", limit: limit, req: request(waiting, ofWaiting+1),
			want: tooLarge(4194305, 4194071, 4193825, 246, 46, 85, 0, nil),
		},
		"Failure": {
			reason: "What fails anyhow should tell why.", limit: limit, req: request(`"sources": 1`, limit),
			want: fatal(report.ReasonInvalidInput, "invalid input: sources: must be a list, not a number", nil),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := overGRPC(t, &Function{log: slog.New(slog.DiscardHandler), limit: tc.limit}, tc.req)
			if code := grpcstatus.Code(err); code != tc.code {
				t.Errorf("\n%s\nRunFunction(...): want %s, got %v", tc.reason, tc.code, err)
			}

			if diff := cmp.Diff(tc.want, withoutDigests(got), protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nRunFunction(...): -want, +got:\n%.5000s", tc.reason, diff)
			}
		})
	}
}

// TestRunFunctionBudget tests runs of two things that are each bounded, but that are too much together. Such a run ends with the first
// work that is too much: it fails, and neither log nor metrics tell of tags that are never applied.
func TestRunFunctionBudget(t *testing.T) {
	const (
		resources = 8000
		ofXR      = `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels"}]`
		exceeded  = "would add too much to the response: a run adds at most "
		undecided = "would be too much to decide: all tag fields of a run have at most 2,600,000 labels together: "
		megabyte  = 1 << 20

		// maxAllocated is in megabytes. A run that stamps all tags allocates more than a gigabyte.
		maxAllocated = 900
	)

	cases := map[string]struct {
		reason string
		input  string
		key    string // The key of a label has a number in the place of the verb.
		want   string // In the message.
	}{
		"Tags":       {"Crossplane takes no response with so many tags.", ofXR, "label-%04d", exceeded},
		"Removed":    {"Labels that become no tags are decided on, too.", ofXR + `, "removeTags": [{"key": "plexsphere:*"}]`, "label-%04d", undecided},
		"Status":     {"The status has each tag once more.", ofXR + `, "statusFieldPath": "status.cloudTags"`, "label-%04d", exceeded},
		"PerName":    {"Labels that are computed for each resource take longer.", `"sources": [{"type": "Expression", "expressions": {"a": "name"}}, ` + strings.TrimPrefix(ofXR, `"sources": [`), "aws:%04d", undecided},
		"HandedOn":   {"A composite resource has no cap.", ofXR + `, "tagFields": [{"apiVersion": "*", "kind": "*", "fieldPath": "spec.labels", "shape": "Labels"}]`, "label-%04d", exceeded},
		"Annotation": {"Metadata is copied to each resource.", `"kubernetesMetadata": [{"source": {"type": "CompositeMetadata", "labelsFieldPath": "spec.labels"}, "select": {"all": true}}]`, "label-%04d", exceeded},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := calls.Request(calls.Input(tc.input))
			labels := &structpb.Struct{Fields: make(map[string]*structpb.Value)}

			for i := range 1000 {
				labels.Fields[fmt.Sprintf(tc.key, i)] = structpb.NewStringValue("v")
			}

			req.GetObserved().GetComposite().GetResource().Fields["spec"] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"labels": structpb.NewStructValue(labels)}})

			for i := range resources {
				req.Desired.Resources[fmt.Sprintf("r%04d", i)] = &fnv1.Resource{Resource: tagstest.MustStructJSON(calls.Bucket)}
			}

			f := newLogged()
			f.limit = 4 * megabyte

			var before, after runtime.MemStats

			runtime.ReadMemStats(&before)

			rsp, err := f.onBytes(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}

			runtime.ReadMemStats(&after)

			result := rsp.GetResults()[0]
			if result.GetReason() != report.ReasonLimitExceeded || !strings.Contains(result.GetMessage(), tc.want) || !strings.Contains(result.GetMessage(), `composed resource "`) {
				t.Errorf("\n%s\nRunFunction(...): want %s with a composed resource and %q, got %v", tc.reason, report.ReasonLimitExceeded, tc.want, result)
			}

			if diff := cmp.Diff([]string{`function_cloud_tags_runs_total{reason="LimitExceeded"} 1`}, f.counted()); diff != "" {
				t.Errorf("\n%s\nRunFunction(...): -want metrics, +got metrics:\n%s", tc.reason, diff)
			}

			if n := strings.Count(f.log.String(), "\n"); n != 1 {
				t.Errorf("\n%s\nRunFunction(...): want one line that says what fails, got %d:\n%.1000s", tc.reason, n, f.log)
			}

			if got := (after.TotalAlloc - before.TotalAlloc) / megabyte; got > maxAllocated && !tagstest.Race {
				t.Errorf("\n%s\nRunFunction(...): want at most %d MB of allocations, got %d", tc.reason, maxAllocated, got)
			}
		})
	}
}

// overGRPC runs a function as it is served, but for the size of requests, by a client that has no
// options.
func overGRPC(t *testing.T, f *Function, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	t.Helper()

	lis := bufconn.Listen(1 << 20)
	srv := grpc.NewServer(grpc.ForceServerCodecV2(codec.Codec{}), grpc.MaxRecvMsgSize(math.MaxInt32))
	fnv1.RegisterFunctionRunnerServiceServer(srv, f)

	go func() { _ = srv.Serve(lis) }()
	defer srv.Stop()

	conn, err := grpc.NewClient("passthrough:", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return lis.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()

	return fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), req)
}

// TestImports proves that nothing large comes into the binary unseen. One import for a few lines may bring all of Kubernetes'
// API, which once was half of the binary.
func TestImports(t *testing.T) {
	var allowed []struct {
		For      string   `json:"for"`
		Packages []string `json:"packages"`
	}

	tagstest.ReadYAML(t, "tags/testdata/imports.yaml", &allowed)

	isAllowed := func(pkg string) bool {
		domain, _, _ := strings.Cut(pkg, "/")
		allows := !strings.Contains(domain, ".")

		for _, a := range allowed {
			allows = allows || slices.ContainsFunc(a.Packages, func(a string) bool {
				below, all := strings.CutSuffix(a, "...")
				return pkg == a || all && strings.HasPrefix(pkg, below)
			})
		}

		return allows
	}

	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", `{{if not .Standard}}{{.ImportPath}} {{join .Imports " "}}{{end}}`, ".").Output()
	if err != nil {
		t.Fatalf("cannot list imports: %v", err)
	}

	for line := range strings.Lines(string(out)) {
		imports := strings.Fields(line)
		for _, pkg := range imports[1:] {
			if isAllowed(imports[0]) && !isAllowed(pkg) {
				t.Errorf("\nThe binary should have only what tags/testdata/imports.yaml lists.\n%s imports %s: measure what that brings, by go build -ldflags='-s -w', before it is listed", imports[0], pkg)
			}
		}
	}
}

// TestExplain runs the command lines of explain's cases.yaml. If one has files or an input, c is a Composition with
// the input, and x a composite resource, unless they are among the files. Others read the files of the package.
func TestExplain(t *testing.T) {
	t.Chdir("tags/command/explain")

	tagstest.CommandLines(t, func(t *testing.T, line *tagstest.CommandLine, in io.Reader, out io.Writer) error {
		t.Helper()

		if line.Input != "" || line.Files != nil {
			t.Chdir(t.TempDir())
			tagstest.WriteFiles(t, map[string]string{"c": tagstest.Composition("x", "example.org/v1", "XR", line.Input), "x": `
apiVersion: example.org/v1
kind: XR
metadata: {namespace: team-a, name: a, annotations: {tags.example.org/note: note}}
spec:
  labels: {env: prod}
  tags: {env: prod}
  provider: gcp
`})
			tagstest.WriteFiles(t, line.Files)
		}

		return explained(t, line.Args, in, out, terminal.Terminal{Color: line.Color, Width: line.Width})
	})
}

// explained runs explain with the arguments.
func explained(t *testing.T, args []string, in io.Reader, out io.Writer, on terminal.Terminal) error {
	t.Helper()

	c := &explain.Command{Terminal: on, Function: newLogged().Trace}

	if err := tagstest.ParseArgs(c, args); err != nil {
		return err
	}

	return c.Explain(t.Context(), in, out)
}

// TestExamples parses the examples that the help of each command has, and proves that only the program itself serves.
func TestExamples(t *testing.T) {
	for _, c := range program(pluginTitle).Commands() {
		examples := strings.Split(c.Example, "\n")
		if len(examples) < 2 && c.Name() != "version" {
			t.Errorf("%s: its help should have two examples", c.Name())
		}

		for _, example := range examples {
			if err := c.ParseFlags(strings.Fields(example)); err != nil {
				t.Errorf("%s %s: %v", c.Name(), example, err)
			} else if err := c.ValidateArgs(c.Flags().Args()); err != nil {
				t.Errorf("%s %s: %v", c.Name(), example, err)
			}
		}

		if c.Name() == "serve" && c.IsAvailableCommand() {
			t.Error("kubectl's plugin serves nothing, so that its help should have no such command")
		}
	}
}

// TestExplainFile lets explain write to a file, which is no terminal.
func TestExplainFile(t *testing.T) {
	t.Chdir(t.TempDir())

	out, err := os.Create("out")
	if err != nil {
		t.Fatal(err)
	}

	defer func(stdout *os.File) { os.Stdout = stdout }(os.Stdout)
	os.Stdout = out

	tagstest.WriteFiles(t, map[string]string{"labels.yaml": "a: b\n"})

	if err := (&explain.Command{File: "labels.yaml", Provider: []string{"aws"}, Output: "table", Function: newLogged().Trace}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}

	got, err := os.ReadFile("out")
	if diff := cmp.Diff("LABEL  VALUE  AWS\na      b      plexsphere:a\n", string(got)); diff != "" || err != nil {
		t.Errorf("\nWhat is no terminal has no colors.\nRun(...): %v, -want, +got:\n%s", err, diff)
	}
}

// TestExplainDecidesOnce counts how often the function decides in one run of explain --rendered: once for each tag field. The count is that
// of the function Decide in a program with the counters of go test -cover.
func TestExplainDecidesOnce(t *testing.T) {
	const scenario, decides = "example/kinds/launched-resources/", "tags/stamp/decide.go"

	dir := t.TempDir()
	program, counters := filepath.Join(dir, "program"), filepath.Join(dir, "counters")

	run := func(name string, args ...string) []byte {
		cmd := exec.CommandContext(t.Context(), name, args...) //nolint:gosec // The go command, and the program that it builds.
		cmd.Env = append(os.Environ(), "GOCOVERDIR="+counters)

		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", cmd, err)
		}

		return out
	}

	if err := os.Mkdir(counters, 0o700); err != nil {
		t.Fatal(err)
	}

	run("go", "build", "-cover", "-covermode=count", "-coverpkg=.,./tags/stamp", "-o", program, ".")

	out := run(program, "explain", "--composition", scenario+"composition.yaml", "--xr", scenario+"xr.yaml", "--rendered", scenario+"expected.yaml", "--output", "json")

	var resources []explain.Rendered
	if err := json.Unmarshal(out, &resources); err != nil {
		t.Fatal(err)
	}

	want := 0

	for i := range resources {
		want += len(resources[i].Launched)
		if resources[i].FieldPath != "" {
			want++
		}
	}

	source, err := os.ReadFile(decides)
	if err != nil {
		t.Fatal(err)
	}

	before, _, _ := strings.Cut(string(source), "\nfunc Decide(")
	line := 2 + strings.Count(before, "\n")

	// A line is a block of statements, their number, and how often they ran: tags/stamp/decide.go:79.45,84.34 4 6.
	blocks := run("go", "tool", "covdata", "textfmt", "-i="+counters, "-o=/dev/stdout")
	found := regexp.MustCompile(fmt.Sprintf(`(?m)/%s:%d\..* (\d+)$`, decides, line)).FindSubmatch(blocks)

	if found == nil || want < 2 || string(found[1]) != strconv.Itoa(want) {
		t.Errorf("explain --rendered: want %d decisions, one for each tag field, got %q", want, found)
	}
}

func TestExplainBrokenPipes(t *testing.T) {
	err := explained(t, []string{"-"}, tagstest.BrokenPipe{}, io.Discard, terminal.Terminal{})
	if diff := cmp.Diff("cannot read labels from -: the pipe is broken", fmt.Sprint(err)); diff != "" {
		t.Errorf("\nStandard input that can't be read is a failure.\nexplained(...): -want error, +got error:\n%s", diff)
	}

	for _, output := range []string{"table", "json", "yaml"} {
		err := explained(t, []string{"--strict", "--provider", "hetzner", "-o", output, "-"}, strings.NewReader("a b: c"), tagstest.BrokenPipe{}, terminal.Terminal{})
		if diff := cmp.Diff("cannot write explanation: the pipe is broken", fmt.Sprint(err)); diff != "" {
			t.Errorf("\nStandard output that can't be written is a failure, also if labels are skipped.\nexplained(...) to %s: -want error, +got error:\n%s", output, diff)
		}
	}
}

// TestExplainAgrees asks explain and the function about the same labels: before there are resources, and of the resources that
// the function has tagged, one of each cloud.
func TestExplainAgrees(t *testing.T) {
	dir := t.TempDir()

	rapid.Check(t, func(t *rapid.T) {
		f, input, xr := newLogged(), drawInput(t), drawLabelled(t)
		req := manifest.Request(tagstest.Struct(xr), nil)
		req.Input, req.Desired = calls.Input(input), &fnv1.State{Resources: make(map[string]*fnv1.Resource)}

		for _, name := range profile.Names() {
			req.Desired.Resources[name] = &fnv1.Resource{Resource: tagstest.Struct(map[string]any{
				"apiVersion": "cloud.example.org/v1", "kind": name, "metadata": map[string]any{"annotations": map[string]any{"crossplane.io/composition-resource-name": name}},
			})}
		}

		rsp, err := f.RunFunction(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}

		c := &explain.Command{Output: "json", Function: f.Trace, Provider: profile.Names(), Composition: filepath.Join(dir, "c"), XR: filepath.Join(dir, "x")}
		write := func(path, text string) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		ask := func(said any) {
			out := &bytes.Buffer{}
			if err := errors.Join(c.Explain(t.Context(), nil, out), json.Unmarshal(out.Bytes(), said)); err != nil {
				t.Fatal(err)
			}
		}

		write(c.Composition, tagstest.Composition("x", "example.org/v1", "XR", input))
		write(c.XR, protojson.Format(tagstest.Struct(xr)))

		var clouds []explain.Explanation

		ask(&clouds)

		fails, got := false, make(map[string][]string)

		for _, x := range clouds {
			got[x.Provider] = wordsOf(x.Provider, x.Tags)
			fails = fails || strings.Contains(strings.Join(x.Notes, "\n"), "the function fails: ")
		}

		if err := command.Fatal(rsp); (err != nil) != fails {
			t.Fatalf("explain should tell whether the function fails: it says %t, but the function %v", fails, err)
		} else if fails {
			return
		}

		want, items := make(map[string][]string), []string{}

		for name, r := range rsp.GetDesired().GetResources() {
			want[name], items = desiredWords(name, r), append(items, protojson.Format(r.GetResource()))
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("explain should say of clouds what the function does (-function, +explain):\n%s", diff)
		}

		var rendered []explain.Rendered

		c.Provider, c.Rendered = nil, filepath.Join(dir, "r")
		write(c.Rendered, strings.Join(items, "\n---\n"))
		ask(&rendered)

		for _, x := range rendered {
			tags := make(map[string]string)
			for _, tag := range x.Tags {
				tags[tag.Key] = tag.Value
			}

			got[x.Resource] = wordsOf(x.Resource, tags)
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("explain should say of resources what the function has done (-function, +explain):\n%s", diff)
		}
	})
}

// drawLabelled draws a composite resource with labels whose keys some profiles, formats or reservations treat as one, and
// others don't.
func drawLabelled(t *rapid.T) map[string]any {
	labels := rapid.MapOfN(
		rapid.SampledFrom([]string{
			"env", "Env", "a/b", "a.b", "a_b", "plexsphere:env", "aws:x", "crossplane-kind", "entigo", "entigo:zone", "entigo-zone", "b c", "é", "", strings.Repeat("k", 54), "k1", "k2", "k3", "k4", "k5",
		}),
		rapid.SampledFrom([]string{"x", "X", "a:b", "a b", "", strings.Repeat("v", 62), strings.Repeat("v", 254)}), 0, 16)

	return map[string]any{"apiVersion": "example.org/v1", "kind": "XR", "spec": map[string]any{"a": labels.Draw(t, "a"), "b": labels.Draw(t, "b"), "c": labels.Draw(t, "c")}}
}

// drawInput draws an input with these labels, for a resource of each cloud.
func drawInput(t *rapid.T) string {
	one := func(name string, values ...string) string { return rapid.SampledFrom(values).Draw(t, name) }

	var sources, fields, reserved []string

	for _, field := range []string{"a", "b", "c"} {
		sources = append(sources, fmt.Sprintf(`{"type": "CompositeField", "fromFieldPath": "spec.%s", "trusted": %s, "keyForm": %q, "onConflict": %q}`,
			field, one("trusted", "false", "false", "true"), one("form", "Qualified", "Tag"), one("conflict", "Retain", "Replace", "Error")))
	}

	for _, name := range profile.Names() {
		shape := `"shape": "Map"`
		if profile.Of(name).FoldEntries { // Its lists have whole words, which it compares without case.
			shape = fmt.Sprintf(`"shape": "StringList", "stringList": {"separator": %q}`, separatorOf(name))
		}

		fields = append(fields, fmt.Sprintf(`{"apiVersion": "cloud.example.org/v1", "kind": %q, "fieldPath": "spec.forProvider.tags", "provider": %q, %s}`, name, name, shape))
		reserved = append(reserved, fmt.Sprintf("%q: %d", name, rapid.SampledFrom([]int{0, 0, profile.Of(name).MaxTags - 8}).Draw(t, "reserved slots")))
	}

	return fmt.Sprintf(`"sources": [%s], "tagFields": [%s], "reservedTags": {%s}, "providerTags": "None", "keyPrefix": %q, "reservedKeys": ["entigo:*", %q], "limitPolicy": %q,
		"profileRules": %q, "removeTags": [{"key": %q, "value": %q}], "keyFormats": [{"provider": "aws", "replace": {"/": "_", ".": "_"}, "lowercase": %s}]`,
		strings.Join(sources, ", "), strings.Join(fields, ", "), strings.Join(reserved, ", "), one("prefix", "plexsphere:", "", "acme-"), one("reserved", "workspace", "env", "a_b"),
		one("limits", "ApplyPartial", "ApplyPartial", "ApplyStrict"), one("rules", "Contract", "Cloud"), one("remove", "Env", "a/*", "k1"), one("at", "x", "X"), one("lowercase", "true", "false"))
}

// separatorOf key and value in words of the cloud.
func separatorOf(cloud string) string { return stdcmp.Or(profile.Of(cloud).Separator, ":") }

// wordsOf the tags of the cloud, sorted: only words tell what lists have.
func wordsOf(cloud string, tags map[string]string) []string {
	out := []string{}
	for key, value := range tags {
		out = append(out, key+separatorOf(cloud)+value)
	}

	slices.Sort(out)

	return out
}

// desiredWords returns the words of the tags of a resource of the cloud.
func desiredWords(cloud string, r *fnv1.Resource) []string {
	field, tags := tagstest.ForProvider(r)["tags"], make(map[string]string)
	for key, v := range field.GetStructValue().GetFields() {
		tags[key] = v.GetStringValue()
	}

	out := wordsOf(cloud, tags)
	for _, v := range field.GetListValue().GetValues() {
		out = append(out, v.GetStringValue())
	}

	slices.Sort(out)

	return out
}

// TestRunFunctionTrust proves that no tag of a platform can be forged or displaced. It draws the profiles with relevant
// differences or, under the race detector, all profiles.
func TestRunFunctionTrust(t *testing.T) {
	f := newLogged()

	if tagstest.Race {
		for _, provider := range profile.Names() {
			t.Run(provider, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) { trust.Check(t, []string{provider}, trust.Shapes, f.onBytes) })
			})
		}

		return
	}

	for _, shapes := range [][]string{{"Map", "Joined"}, {"KeyValueList", "StringList"}} {
		t.Run(strings.Join(shapes, "And"), func(t *testing.T) {
			providers := trust.Providers()
			rapid.Check(t, func(t *rapid.T) { trust.Check(t, providers, shapes, f.onBytes) })
		})
	}
}

// TestRunFunctionDeterministic proves that the same request always gets the same response, and the same log
// lines, though much of what there is to say comes out of maps.
func TestAWSModels(t *testing.T) {
	subjects, without := awsedges.Subjects(t)

	if diff := cmp.Diff([]string{"evidently", "opsworks", "qldb"}, without); diff != "" {
		t.Errorf("\nOnly services that AWS has stopped should have no row.\nSubjects(): -want, +got:\n%s", diff)
	}

	for _, s := range subjects {
		s.Check(t, newLogged().RunFunction)
	}
}

func TestRunFunctionDeterministic(t *testing.T) {
	// pairs are many keys, each with the value.
	pairs := func(key, value string) map[string]any {
		out := make(map[string]any, 80)
		for i := range 80 {
			out[fmt.Sprintf("%s-%02d%s", key, i, strings.Repeat("x", i%3*50))] = value
		}

		return out
	}

	req := calls.Request(calls.Input(`"provider": {"value": "aws"}, "keyPrefix": "", "statusFieldPath": "status.cloudTags", "reservedKeys": ["label-1*"],
		"sources": [{"type": "CompositeField", "fromFieldPath": "spec.many", "include": {"keys": ["label-1*"]}, "trusted": true},
			{"type": "CompositeField", "fromFieldPath": "spec.many", "include": {"except": ["label-1*"]}}, {"type": "CompositeField", "fromFieldPath": "spec.kept"}],
		"ignoreTags": [{"key": "kept-0*"}, {"key": "backup-*"}, {"fromFieldPath": "spec.keys"}],
		"removeTags": [{"key": "label-2*"}, {"key": "Name"}, {"key": "kept-3*", "value": "w"}, {"fromFieldPath": "spec.keys"}],
		"kubernetesMetadata": [
			{"source": {"type": "CompositeMetadata", "labelsFieldPath": "spec.meta", "annotationsFieldPath": "spec.meta"}, "select": {"all": true}},
			{"source": {"type": "ComposedResource", "name": "bucket"}, "copy": ["Labels", "Annotations"], "select": {"all": true},
				"toFieldPaths": {"labels": ["data", "data.a", "spec.template"], "annotations": ["spec.forProvider.region", "metadata.annotations"]}}
		]`))
	req.Observed.Composite.Resource.Fields["spec"] = structpb.NewStructValue(tagstest.Struct(map[string]any{
		"keys": []string{"label-1*", "kept-4*"}, "meta": pairs("meta", "v v"), "many": pairs("label", "v"), "kept": pairs("kept", "v"),
	}))

	cloud := pairs("kept", "w")
	maps.Copy(cloud, pairs("backup", "w"))

	bucket := req.GetObserved().GetResources()["bucket"]
	bucket.Resource.Fields["status"] = structpb.NewStructValue(tagstest.Struct(map[string]any{"atProvider": map[string]any{"tagsAll": cloud}}))
	before := pairs("gone", "v")
	maps.Copy(before, pairs("label", "before"))
	tagstest.ForProvider(bucket)["tags"] = structpb.NewStructValue(tagstest.Struct(before))

	f := newLogged()
	f.auditValues = true

	for range 3 {
		if r := f.run(t, req, marshal(t, req)).GetResults(); len(r) < 2 || r[0].GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			t.Fatalf("RunFunction(...): want much to tell of, got %v", r)
		}
	}
}

// TestExpressionsAlone proves that no resource gets, or lacks, a tag because of other resources whose
// labels differ.
func TestExpressionsAlone(t *testing.T) {
	kinds := []string{
		`{"apiVersion": "s3.aws.m.upbound.io/v1beta1", "kind": "Bucket", "spec": {"forProvider": {}}}`,
		`{"apiVersion": "s3.aws.m.upbound.io/v1beta1", "kind": "Bucket", "spec": {"forProvider": {"tags": {"b": "earlier", "other": "x", "plexsphere:a": "1"}}}}`,
		`{"apiVersion": "autoscaling.aws.m.upbound.io/v1beta1", "kind": "AutoscalingGroup", "spec": {"forProvider": {"tag": [{"key": "b", "value": "earlier", "propagateAtLaunch": true}]}}}`,
		`{"apiVersion": "storage.gcp.m.upbound.io/v1beta1", "kind": "Bucket", "spec": {"forProvider": {}}}`,
		`{"apiVersion": "networking.openstack.m.crossplane.io/v1alpha1", "kind": "NetworkV2", "spec": {"forProvider": {}}}`,
		`{"apiVersion": "droplet.digitalocean.m.crossplane.io/v1alpha1", "kind": "Droplet", "spec": {"forProvider": {}}}`,
		`{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"labels": {"other": "x"}}}`,
		`{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"labels": {"team": "earlier"}}}`,
	}
	values := rapid.SampledFrom([]any{"1", "2", "UPPER", "a b", "", "<%>", strings.Repeat("x", 300), nil})
	in := calls.Input(`"reservedKeys": ["zone", "team"], "sources": [
		{"type": "Value", "trusted": true, "values": {"zone": "eu", "d": "trusted"}},
		{"type": "Expression", "trusted": true, "keyForm": "Tag", "expressions": {"team": "xr.spec.of[name].a"}},
		{"type": "Expression", "onConflict": "Replace", "expressions": {"a": "xr.spec.of[name].a", "b": "xr.spec.of[name].b + name", "Zone": "name"}},
		{"type": "Expression", "keyForm": "Tag", "expressions": {"b": "xr.spec.of[name].b", "c": "xr.spec.of[name].c", "C": "xr.spec.of[name].a", "d": "xr.spec.of[name].d"}},
		{"type": "Value", "values": {"fixed": "1"}}],
		"tagFields": [{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "fieldPath": "metadata.labels", "shape": "Map", "provider": "aws"}]`)
	f := newLogged()

	rapid.Check(t, func(t *rapid.T) {
		byName, desired := make(map[string]any), make(map[string]*fnv1.Resource)

		for i := range rapid.IntRange(1, 5).Draw(t, "resources") {
			name := fmt.Sprintf("r%d", i)
			texts := rapid.MapOf(rapid.SampledFrom([]string{"a", "c", "d"}), values).Draw(t, "values")
			texts["b"] = rapid.SampledFrom([]string{"", "1", "a b"}).Draw(t, "what is added to")
			byName[name] = texts
			desired[name] = &fnv1.Resource{Resource: tagstest.MustStructJSON(rapid.SampledFrom(kinds).Draw(t, "kind"))}
		}

		run := func(desired map[string]*fnv1.Resource) map[string]*fnv1.Resource {
			req := calls.Request(in)
			req.Observed = &fnv1.State{Composite: &fnv1.Resource{Resource: tagstest.Struct(map[string]any{"apiVersion": "a/v1", "kind": "A", "metadata": map[string]any{"name": "x"}, "spec": map[string]any{"of": byName}})}}
			req.Desired.Resources = desired

			rsp, err := f.RunFunction(context.Background(), proto.CloneOf(req))
			if err != nil || slices.ContainsFunc(rsp.GetResults(), func(r *fnv1.Result) bool { return r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL }) {
				t.Fatalf("RunFunction(...): %v, %v", rsp.GetResults(), err)
			}

			return rsp.GetDesired().GetResources()
		}

		together := run(desired)
		for name, r := range desired {
			alone := run(map[string]*fnv1.Resource{name: r})
			if diff := cmp.Diff(alone[name], together[name], protocmp.Transform()); diff != "" {
				t.Fatalf("%s: -alone, +with others:\n%s", name, diff)
			}
		}
	})
}

// FuzzRunFunction runs the function on whatever decodes to a request.
func FuzzRunFunction(f *testing.F) {
	var inputs []*structpb.Struct

	tagstest.ReadYAML(f, responses+"/inputs.yaml", &inputs)

	for _, in := range inputs {
		req := calls.Request(nil)
		(&calls.Step{Input: in}).Change(req)

		// Tags in lists, and what the cloud has of all shapes.
		maps.Copy(tagstest.ForProvider(req.GetDesired().GetResources()["bucket"]), tagstest.MustStructJSON(`{
			"list": [{"key": "a", "value": "1"}, {"key": "b", "value": "2", "x": null}, {"key": "a", "value": "3"}], "strings": ["plexsphere:a=1", "c=d", "e", "e=f=g"],
			"joined": "plexsphere:a=1, c = d,e,,e=f=g,h=i\\,j"
		}`).GetFields())
		req.GetObserved().GetResources()["bucket"].GetResource().Fields["status"] = structpb.NewStructValue(tagstest.MustStructJSON(`{"atProvider": {
			"tagsAll": {"Name": "other", "b": "c"}, "list": [{"key": "N", "value": "1", "x": true}], "strings": ["b=c", "b"]
		}}`))

		f.Add(marshal(f, req))
	}

	for _, req := range requests(f) {
		f.Add(marshal(f, req))
	}

	fn := newLogged()
	fn.auditValues = true

	f.Fuzz(func(t *testing.T, b []byte) {
		req := &fnv1.RunFunctionRequest{}
		if want := proto.Unmarshal(b, req); want != nil {
			if _, err := fn.served(t.Context(), b); fmt.Sprint(err) != fmt.Sprint(want) {
				t.Errorf("RunFunction(...): want a refusal by the codec, %v, got %v", want, err)
			}

			return
		}

		rsp := fn.run(t, req, b)

		fatal := false
		for _, r := range rsp.GetResults() {
			fatal = fatal || r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL

			if strings.HasPrefix(r.GetMessage(), "internal error") {
				t.Errorf("RunFunction(...): %s", r.GetMessage())
			}
		}

		if fatal && !bytes.Equal(marshal(t, req.GetDesired()), marshal(t, rsp.GetDesired())) {
			t.Errorf("RunFunction(...): a fatal result came with another desired state: -before, +after:\n%s", cmp.Diff(req.GetDesired(), rsp.GetDesired(), protocmp.Transform()))
		}

		// A run that fails has lost nothing: see above.
		if decoded, ok := removal.Of(req, stamp.Schemas); ok && !fatal {
			for name, r := range req.GetDesired().GetResources() {
				if kept := rsp.GetDesired().GetResources()[name]; !decoded.Keeps(r.GetResource(), kept.GetResource()) {
					t.Errorf("RunFunction(...): desired resource %q has lost a field: %v → %v", name, r, kept)
				}
			}
		}
	})
}

// benchmarked is a function as it is served, but for what it logs: that is written, and only
// then discarded.
func benchmarked() *Function {
	return &Function{log: slog.New(slog.NewJSONHandler(io.Discard, nil)), metrics: report.NewMetrics(), limit: math.MaxInt32} //nolint:sloglint // As above.
}

// BenchmarkRunFunction decodes a request, runs the function as it is served, and encodes its
// response. BenchmarkEcho is the floor.
func BenchmarkRunFunction(b *testing.B) { eachLoad(b, codec.Codec{}, benchmarked().RunFunction) }

func BenchmarkEcho(b *testing.B) { eachLoad(b, encoding.GetCodecV2("proto"), echo) }

// BenchmarkExpressions is of a settled composite resource with 100 resources and 20 labels. A field
// has the labels, or expressions do, of which half differ per resource. load.Kind adds a label for one kind.
func BenchmarkExpressions(b *testing.B) {
	eachSource(b, 100, load.Field, load.Kind, load.Name, load.Desired, load.Observed)
}

// BenchmarkExtends is of a settled composite resource with 10 resources and an input of 200 lines: written out, and
// in a standard that is a text or an object. These should cost at most a tenth more.
func BenchmarkExtends(b *testing.B) { eachSource(b, 10, load.Written, load.Text, load.Object) }

// BenchmarkSelects is of a settled composite resource with 10 resources, and labels of three objects. Names select
// them, or each object leads to the next. That should cost at most a tenth more.
func BenchmarkSelects(b *testing.B) { eachSource(b, 10, load.Names, load.Chain) }

// eachSource runs a benchmark with a settled request of 20 labels for each of the sources.
func eachSource(b *testing.B, resources int, sources ...load.Source) {
	b.Helper()

	for _, source := range sources {
		b.Run(string(source), func(b *testing.B) {
			benchmark(b, codec.Codec{}, benchmarked().RunFunction, func(function load.Function) (*fnv1.RunFunctionRequest, error) {
				return load.Request(load.Settled, source, resources, 20, function)
			})
		})
	}
}

// BenchmarkServices is of a settled composite resource with 100 resources of 20 services of AWS and 20 labels, by each of the rules.
func BenchmarkServices(b *testing.B) {
	for _, rules := range []profile.Rules{profile.Contract, profile.Cloud} {
		b.Run(string(rules), func(b *testing.B) {
			benchmark(b, codec.Codec{}, benchmarked().RunFunction, func(function load.Function) (*fnv1.RunFunctionRequest, error) {
				return load.Services(rules, 100, 20, function)
			})
		})
	}
}

// eachLoad runs a benchmark with few and many resources and labels, that are to be
// tagged or have been.
func eachLoad(b *testing.B, c encoding.CodecV2, function calls.Function) {
	b.Helper()

	for _, resources := range []int{10, 100, 500, 1000} {
		for _, labels := range []int{0, 20, 200} {
			for _, state := range []load.State{load.Changed, load.Settled} {
				b.Run(fmt.Sprintf("resources=%d/labels=%d/%s", resources, labels, state), func(b *testing.B) {
					benchmark(b, c, function, func(function load.Function) (*fnv1.RunFunctionRequest, error) {
						return load.Request(state, load.Field, resources, labels, function)
					})
				})
			}
		}
	}
}

// benchmark the calls of a function with a request whose resources are tagged.
func benchmark(b *testing.B, c encoding.CodecV2, function calls.Function, request func(load.Function) (*fnv1.RunFunctionRequest, error)) {
	b.Helper()

	req, err := request(func(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		return benchmarked().RunFunction(b.Context(), req)
	})
	if err != nil {
		b.Fatal(err)
	}

	wire := marshal(b, req)

	b.ReportAllocs()

	for b.Loop() {
		call(b, c, wire, function)
	}
}

// call a function with the bytes of a request, and encode its response.
func call(tb testing.TB, c encoding.CodecV2, wire []byte, function calls.Function) {
	tb.Helper()

	in := &fnv1.RunFunctionRequest{}
	if err := c.Unmarshal(mem.BufferSlice{mem.SliceBuffer(wire)}, in); err != nil {
		tb.Fatalf("cannot unmarshal request: %v", err)
	}

	rsp, err := function(tb.Context(), in)
	if err != nil {
		tb.Fatalf("unexpected error: %v", err)
	}

	out, err := c.Marshal(rsp)
	if err != nil {
		tb.Fatalf("cannot marshal response: %v", err)
	}

	out.Free()
}

// TestMain is the program itself, if a test runs it as such.
func TestMain(m *testing.M) {
	if os.Getenv("RUN_MAIN") != "" {
		main()
		return
	}

	debug.SetGCPercent(400) // The program itself collects garbage as rarely: see pace in package serve.
	os.Exit(m.Run())
}

// TestFirstSignal proves that a command ends at the first signal while it waits for its input.
func TestFirstSignal(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "coverage", "-") //nolint:gosec // This program.
	cmd.Env = append(os.Environ(), "RUN_MAIN=1")
	cmd.WaitDelay = time.Second

	in, err := cmd.StdinPipe()
	if err := errors.Join(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}

	// More than a pipe holds: once it is written, the command reads.
	if _, err := in.Write(bytes.Repeat([]byte("# not yet all\n"), 1<<16)); err != nil {
		t.Fatal(err)
	}

	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}

	late := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
	defer late.Stop()

	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM { //nolint:forcetypeassert // It is of Unix.
		t.Errorf("want the command to end at SIGTERM, got %v", err)
	}
}

// TestRunFunctionRights proves the rights in RIGHTS.md: other text of a person changes nothing that is left to others.
func TestRunFunctionRights(t *testing.T) {
	f := newLogged()
	rapid.Check(t, func(t *rapid.T) { rights.Check(t, f.onBytes) })
}
