package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"weak"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/command/serve/codec"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/report"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/explaining"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/load"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/removal"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/trust"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

const (
	testXR = `{
		"apiVersion": "platform.example.org/v1alpha1",
		"kind": "Storage",
		"metadata": {"namespace": "team-a", "name": "assets"},
		"spec": {
			"provider": "aws",
			"labels": {"platform/env": "prod", "acme:checkout/owner": "team-a"},
			"numbers": {"platform/env": 1},
			"text": "labels"
		}
	}`

	testBucket = `{
		"apiVersion": "s3.aws.m.upbound.io/v1beta1",
		"kind": "Bucket",
		"metadata": {"labels": {"tier": "data"}},
		"spec": {"forProvider": {"region": "eu-central-1", "tags": {"Name": "assets", "plexsphere:platform/env": "test"}}}
	}`

	testConfigMap = `{"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}}`
)

// testInput returns an input with the supplied fields beside its apiVersion and kind.
func testInput(fields string) *structpb.Struct {
	return resource.MustStructJSON(`{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", ` + fields + `}`)
}

// testRequest returns a request with everything in it that the function must not
// touch.
func testRequest(input *structpb.Struct) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta:  &fnv1.RequestMeta{Tag: "tag"},
		Input: input,
		Observed: &fnv1.State{
			Composite: &fnv1.Resource{Resource: resource.MustStructJSON(testXR)},
			Resources: map[string]*fnv1.Resource{
				"bucket": {Resource: resource.MustStructJSON(testBucket), ConnectionDetails: map[string][]byte{"key": []byte("secret")}},
			},
		},
		Desired: &fnv1.State{
			Composite: &fnv1.Resource{
				Resource:          resource.MustStructJSON(`{"status": {"ready": true}}`),
				ConnectionDetails: map[string][]byte{"user": []byte("admin")},
				Ready:             fnv1.Ready_READY_FALSE,
			},
			Resources: map[string]*fnv1.Resource{
				"bucket": {Resource: resource.MustStructJSON(testBucket), Ready: fnv1.Ready_READY_TRUE, ConnectionDetails: map[string][]byte{"key": []byte("x")}},
				"config": {Resource: resource.MustStructJSON(testConfigMap)},
			},
		},
		Context: resource.MustStructJSON(`{"apiextensions.crossplane.io/environment": {"a": [1, null, {"b": "c"}]}}`),
	}
}

// A step is a call of the function, by what differs from testRequest.
type step struct {
	// Input but for its apiVersion and kind, or nothing.
	Input *structpb.Struct `json:"input"`

	Composite    *structpb.Struct            `json:"composite"`
	Observed     map[string]*structpb.Struct `json:"observed"`
	Desired      map[string]*structpb.Struct `json:"desired"`
	Context      *structpb.Struct            `json:"context"`
	Capabilities []string                    `json:"capabilities"`
	Schemas      map[string]*structpb.Struct `json:"schemas"`

	// Required are objects that an Operation's step requires, by requirement. Its request has
	// nothing observed.
	Required map[string][]*structpb.Struct `json:"required"`

	// Objects that Crossplane finds. It fetches none without any.
	Objects []*structpb.Struct `json:"objects"`

	// Tags that another step sets on the bucket before this one.
	Tags map[string]string `json:"tags"`
}

// A functionCase is a step, or several.
type functionCase struct {
	step

	Name   string `json:"name"`
	Reason string `json:"reason"`

	// Bare is true if the request has nothing but what the case says.
	Bare bool `json:"bare"`

	// Values is true if log lines have the values of tags.
	Values bool `json:"values"`

	// Steps of one pipeline: what one of them desires, the next one gets.
	Steps []step `json:"steps"`

	// Reconciles of one step: what it desires and doesn't fail is observed by the next.
	Reconciles []step `json:"reconciles"`
}

// responses is where the cases of TestRunFunction are, and what becomes of them.
const responses = "tags/testdata/responses"

// TestRunFunction tests what the function answers, logs and counts.
func TestRunFunction(t *testing.T) {
	g := tagstest.NewGoldenIn(t, responses)

	for _, tc := range readCases(t) {
		t.Run(tc.Name, func(t *testing.T) {
			got := tc.run(t, onBytes)
			g.Check(t, tc.Reason, got)

			if diff := cmp.Diff(tc.run(t, onTrees), got); diff != "" {
				t.Errorf("\n%s\nRunFunction(...): -on trees, +on bytes:\n%s", tc.Reason, diff)
			}
		})
	}
}

// readCases reads the cases of TestRunFunction.
func readCases(tb testing.TB) (cases []functionCase) {
	tb.Helper()

	tagstest.ReadYAML(tb, responses+"/requests.yaml", &cases)

	return cases
}

// run the case in the supplied way. It returns what the function answers, logs and counts.
func (tc *functionCase) run(t *testing.T, run runner) []string {
	t.Helper()

	log := &bytes.Buffer{}
	f := &Function{log: testLogger(log), metrics: report.NewMetrics(), auditValues: tc.Values}
	steps := slices.Concat(tc.Steps, tc.Reconciles)

	if steps == nil {
		steps = []step{tc.step}
	}

	var (
		last *fnv1.RunFunctionResponse
		out  []string
	)

	for i, s := range steps {
		req := testRequest(nil)
		if tc.Bare {
			req = &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{}, Observed: &fnv1.State{Composite: &fnv1.Resource{}}, Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{}}}
		}

		s.change(req)

		if i > 0 && tc.Steps != nil {
			req.Desired, req.Context = last.GetDesired(), last.GetContext()
		}

		if tc.Reconciles != nil {
			req.Observed.Resources = last.GetDesired().GetResources()
		}

		for key, value := range s.Tags {
			tagstest.ForProvider(req.GetDesired().GetResources()["bucket"])["tags"].GetStructValue().Fields[key] = structpb.NewStringValue(value)
		}

		rsp, told := s.settle(t, run, f, req)
		if len(steps) > 1 {
			out = append(out, fmt.Sprintf("step %d:", i))
		}

		for line := range strings.Lines(log.String()) {
			told = append(told, "log "+strings.TrimSuffix(line, "\n"))
		}

		log.Reset()

		out = append(out, told...)

		// What fails or waits is not applied.
		if c := rsp.GetConditions(); tc.Reconciles == nil || len(c) == 1 && c[0].GetStatus() == fnv1.Status_STATUS_CONDITION_TRUE {
			last = proto.CloneOf(rsp)
		}
	}

	counted := slices.DeleteFunc(gather(t, f.metrics), func(l string) bool { return strings.HasSuffix(l, " 0") })

	return append(out, counted...)
}

// change the supplied request to that of the step.
func (s *step) change(req *fnv1.RunFunctionRequest) {
	if s.Input != nil {
		req.Input = testInput(`"sources": []`)
		delete(req.GetInput().GetFields(), "sources")
		maps.Copy(req.GetInput().GetFields(), s.Input.GetFields())
	}

	if s.Composite != nil {
		req.Observed.Composite = &fnv1.Resource{Resource: s.Composite}
	}

	if s.Context != nil {
		req.Context = s.Context
	}

	for name, r := range s.Observed {
		req.Observed.Resources[name] = &fnv1.Resource{Resource: r}
	}

	for name, r := range s.Desired {
		req.Desired.Resources[name] = &fnv1.Resource{Resource: r}
	}

	for _, c := range s.Capabilities {
		req.Meta.Capabilities = append(req.Meta.Capabilities, fnv1.Capability(fnv1.Capability_value["CAPABILITY_"+c]))
	}

	if s.Required != nil {
		req.Observed, req.Desired.Composite = nil, nil
	}

	for name, objects := range s.Required {
		found := &fnv1.Resources{}
		for _, o := range objects {
			found.Items = append(found.Items, &fnv1.Resource{Resource: o})
		}

		if req.RequiredResources == nil {
			req.RequiredResources = make(map[string]*fnv1.Resources)
		}

		req.RequiredResources[name] = found
	}

	req.RequiredSchemas = make(map[string]*fnv1.Schema)

	for name, openAPI := range s.Schemas {
		req.RequiredSchemas[name] = &fnv1.Schema{}
		if len(openAPI.GetFields()) > 0 {
			req.RequiredSchemas[name].OpenapiV3 = openAPI
		}
	}
}

// settle calls the function until two responses in a row require the same, if Crossplane
// finds anything, and tells of each.
func (s *step) settle(t *testing.T, run runner, f *Function, req *fnv1.RunFunctionRequest) (rsp *fnv1.RunFunctionResponse, told []string) {
	t.Helper()

	var (
		before *fnv1.Requirements
		out    []string
	)

	for {
		rsp, err := run(t.Context(), f, proto.CloneOf(req))
		if err != nil {
			t.Fatal(err)
		}

		if s.Objects == nil || proto.Equal(before, rsp.GetRequirements()) {
			return rsp, append(out, tell(req, rsp)...)
		}

		out = append(out, tell(req, rsp)...)
		before, req.Context = rsp.GetRequirements(), rsp.GetContext()
		require.Answer(req, before, s.Objects)
	}
}

// tell what the supplied response has that the request hasn't.
func tell(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) []string {
	out := []string{}
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	text := func(v any) string {
		j, err := json.Marshal(v)
		if err != nil {
			return err.Error()
		}

		return string(j)
	}

	if want := req.GetMeta().GetTag(); rsp.GetMeta().GetTag() != want {
		say("tag %q", rsp.GetMeta().GetTag())
	}

	say("ttl %s", rsp.GetMeta().GetTtl().AsDuration())

	for _, name := range slices.Sorted(maps.Keys(rsp.GetRequirements().GetSchemas())) {
		s := rsp.GetRequirements().GetSchemas()[name]
		say("requires %s: %s %s", name, s.GetApiVersion(), s.GetKind())
	}

	for _, name := range slices.Sorted(maps.Keys(rsp.GetRequirements().GetResources())) {
		s := rsp.GetRequirements().GetResources()[name]
		say("requires %s: %s %s %s", name, s.GetApiVersion(), s.GetKind(), s.GetMatchName())
	}

	if rsp.GetRequirements() != nil && len(out) == 1 {
		say("requires nothing, but not nil")
	}

	desired := func(name string, before, after *fnv1.Resource) {
		if proto.Equal(before, after) {
			return
		}

		say("desired %s %s", name, text(after.GetResource().AsMap()))

		rest := proto.CloneOf(before)
		rest.Resource = after.GetResource()

		if !proto.Equal(rest, after) {
			say("more than the resource differs")
		}
	}
	desired("composite", req.GetDesired().GetComposite(), rsp.GetDesired().GetComposite())

	if n := len(rsp.GetDesired().GetResources()); n != len(req.GetDesired().GetResources()) {
		say("%d resources", n)
	}

	for _, name := range slices.Sorted(maps.Keys(req.GetDesired().GetResources())) {
		desired(name, req.GetDesired().GetResources()[name], rsp.GetDesired().GetResources()[name])
	}

	for _, name := range slices.Sorted(maps.Keys(rsp.GetDesired().GetResources())) {
		if req.GetDesired().GetResources()[name] == nil {
			say("desired %s %s", name, text(rsp.GetDesired().GetResources()[name].GetResource().AsMap()))
		}
	}

	if rsp.GetOutput() != nil {
		say("output %s", text(rsp.GetOutput().AsMap()))
	}

	for _, key := range slices.Sorted(maps.Keys(rsp.GetContext().GetFields())) {
		if v := rsp.GetContext().GetFields()[key]; !proto.Equal(v, req.GetContext().GetFields()[key]) {
			say("context %s %s", key, text(v.AsInterface()))
		}
	}

	if len(rsp.GetContext().GetFields()) < len(req.GetContext().GetFields()) {
		say("context %s", text(rsp.GetContext().AsMap()))
	}

	for _, r := range rsp.GetResults() {
		say("%s %s: %s (%s)", strings.TrimPrefix(r.GetSeverity().String(), "SEVERITY_"), r.GetReason(), r.GetMessage(), strings.TrimPrefix(r.GetTarget().String(), "TARGET_"))
	}

	for _, c := range rsp.GetConditions() {
		message := "none"
		if c.Message != nil {
			message = c.GetMessage()
		}

		say("%s %s %s: %s (%s)", c.GetType(), strings.TrimPrefix(c.GetStatus().String(), "STATUS_CONDITION_"), c.GetReason(), message, strings.TrimPrefix(c.GetTarget().String(), "TARGET_"))
	}

	return out
}

// testLogger returns a logger that writes lines without a time to the supplied buffer.
func testLogger(b *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(b, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{}
			}

			return a
		},
	}))
}

// A runner runs a function.
type runner func(ctx context.Context, f *Function, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)

// onTrees runs a function on a request as it is.
func onTrees(ctx context.Context, f *Function, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return f.RunFunction(ctx, req)
}

// onBytes runs a function on a request as its client sends it.
func onBytes(ctx context.Context, f *Function, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	b, err := proto.Marshal(req)
	if err != nil {
		return nil, err
	}

	return served(ctx, f, b)
}

// served runs a function as its server does: on what the codec decodes of the supplied bytes.
// What the codec encodes of the response is what the client gets.
func served(ctx context.Context, f *Function, b []byte) (*fnv1.RunFunctionResponse, error) {
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

// A pair runs a function in both ways.
type pair struct {
	*Function

	log *bytes.Buffer
}

func newPair() pair {
	log := &bytes.Buffer{}
	return pair{Function: &Function{log: testLogger(log), metrics: report.NewMetrics(), auditValues: true}, log: log}
}

// run the function on the supplied request. It fails if responses or log lines differ.
func (p pair) run(t rapid.TB, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()

	one := func(run runner, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, string) {
		p.log.Reset()

		rsp, err := run(context.Background(), p.Function, req)
		if err != nil {
			t.Fatalf("RunFunction(...): %v", err)
		}

		return rsp, p.log.String()
	}

	got, lines := one(onBytes, req)
	want, wantLines := one(onTrees, proto.CloneOf(req))

	if !proto.Equal(want, got) {
		t.Fatalf("RunFunction(...): -on trees, +on bytes:\n%s", cmp.Diff(want, got, protocmp.Transform()))
	}

	if diff := cmp.Diff(wantLines, lines); diff != "" {
		t.Fatalf("RunFunction(...): -log lines of trees, +of bytes:\n%s", diff)
	}

	return got
}

// changeable are values that may stand anywhere, though some of them don't belong there.
func changeable() []*structpb.Value {
	values := resource.MustStructJSON(`{"of": [null, true, 0, -1.5, "", "x", "true", "aws", "plexsphere:a=b", {}, {"a": "b"}, {"a": null, "b": 1}, [], ["a=b", "c"], [{"key": "a", "value": "b"}, null]]}`).GetFields()["of"].GetListValue().GetValues()

	return append(values, &structpb.Value{})
}

// valuesIn returns all values within the supplied one, itself included.
func valuesIn(v *structpb.Value) []*structpb.Value {
	out := []*structpb.Value{v}

	for _, key := range slices.Sorted(maps.Keys(v.GetStructValue().GetFields())) {
		out = append(out, valuesIn(v.GetStructValue().GetFields()[key])...)
	}

	for _, item := range v.GetListValue().GetValues() {
		out = append(out, valuesIn(item)...)
	}

	return out
}

// TestRunFunctionForms changes the requests of TestRunFunction anywhere, and proves that it
// doesn't matter whether resources are bytes or trees.
func TestRunFunctionForms(t *testing.T) {
	cases, p := readCases(t), newPair()

	rapid.Check(t, func(t *rapid.T) {
		tc := rapid.SampledFrom(cases).Draw(t, "case")
		s := rapid.SampledFrom(slices.Concat([]step{tc.step}, tc.Steps, tc.Reconciles)).Draw(t, "step")

		req := testRequest(nil)
		s.change(req)

		req = proto.CloneOf(req)
		if len(s.Objects) > 0 {
			require.Answer(req, p.run(t, req).GetRequirements(), s.Objects)
			req = proto.CloneOf(req)
		}

		var values []*structpb.Value

		resources := func(of map[string]*fnv1.Resource) {
			for _, name := range slices.Sorted(maps.Keys(of)) {
				values = append(values, valuesIn(structpb.NewStructValue(of[name].GetResource()))...)
			}
		}
		resources(req.GetDesired().GetResources())
		resources(req.GetObserved().GetResources())

		for _, name := range slices.Sorted(maps.Keys(req.GetRequiredResources())) {
			for _, r := range req.GetRequiredResources()[name].GetItems() {
				values = append(values, valuesIn(structpb.NewStructValue(r.GetResource()))...)
			}
		}

		for _, name := range slices.Sorted(maps.Keys(req.GetRequiredSchemas())) {
			values = append(values, valuesIn(structpb.NewStructValue(req.GetRequiredSchemas()[name].GetOpenapiV3()))...)
		}

		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			v := rapid.SampledFrom(values).Draw(t, "value")
			to := proto.CloneOf(rapid.SampledFrom(changeable()).Draw(t, "to"))

			// A field goes, comes, or changes.
			fields := v.GetStructValue().GetFields()
			if name := rapid.SampledFrom(append(slices.Sorted(maps.Keys(fields)), "", "apiVersion", "x")).Draw(t, "field"); fields == nil {
				v.Kind = to.GetKind()
			} else if rapid.Bool().Draw(t, "goes") {
				delete(fields, name)
			} else {
				fields[name] = to
			}
		}

		for _, of := range []*fnv1.State{req.GetDesired(), req.GetObserved()} {
			name := rapid.SampledFrom(append(slices.Sorted(maps.Keys(of.GetResources())), "none")).Draw(t, "resource")
			if rapid.IntRange(0, 5).Draw(t, "without an object") == 0 && of.GetResources() != nil {
				of.Resources[name] = &fnv1.Resource{Ready: fnv1.Ready_READY_TRUE}
			}
		}

		p.run(t, req)
	})
}

// TestRunFunctionClientGone tests that nobody works for a client that has gone.
func TestRunFunctionClientGone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	log := &bytes.Buffer{}
	f := &Function{log: testLogger(log), metrics: report.NewMetrics()}

	rsp, err := f.RunFunction(ctx, testRequest(testInput(`"sources": [{"type": "Value", "values": {"a": "1"}}]`)))
	if rsp != nil || grpcstatus.Code(err) != codes.Canceled {
		t.Errorf("RunFunction(...): want no response and an error with code %s, got %v and %v", codes.Canceled, rsp, err)
	}

	if log.Len() > 0 {
		t.Errorf("RunFunction(...): want no log line, got %s", log)
	}

	if diff := cmp.Diff(gather(t, report.NewMetrics()), gather(t, f.metrics)); diff != "" {
		t.Errorf("RunFunction(...): want nothing counted: -want, +got:\n%s", diff)
	}
}

// TestRunFunctionUntouched proves that all that the step isn't concerned with comes
// back byte for byte, what this version of the protocol doesn't know included.
func TestRunFunctionUntouched(t *testing.T) {
	req := testRequest(testInput(`"provider": {"value": "aws"}, "sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "onConflict": "Replace"}],
		"removeTags": [{"key": "Name"}], "ignoreTags": [{"key": "backup:*"}], "resources": [{"kind": "Bucket"}], "limitPolicy": "ApplyStrict",
		"kubernetesMetadata": [{"source": {"type": "CompositeMetadata", "annotationsFieldPath": "spec.labels"}, "copy": ["Annotations"], "select": {"prefixes": ["platform/"]}, "resources": [{"name": "bucket"}]}]`))
	status := resource.MustStructJSON(`{"atProvider": {"tagsAll": {"backup:plan": "daily"}}}`)
	req.GetObserved().GetResources()["bucket"].GetResource().Fields["status"] = structpb.NewStructValue(status)

	unknown := []byte{0xf8, 0x3f, 0x01} // Field 1023, a varint of 1.
	req.ProtoReflect().SetUnknown(unknown)
	req.GetDesired().ProtoReflect().SetUnknown(unknown)
	req.GetDesired().GetComposite().ProtoReflect().SetUnknown(unknown)

	for _, r := range req.GetDesired().GetResources() {
		r.ProtoReflect().SetUnknown(unknown)
	}

	before := proto.CloneOf(req)
	rsp := newPair().run(t, req)

	bucket := rsp.GetDesired().GetResources()["bucket"]
	metadata := func(r *fnv1.Resource) map[string]*structpb.Value {
		return r.GetResource().GetFields()["metadata"].GetStructValue().GetFields()
	}

	for what, want := range map[*structpb.Value]string{
		tagstest.ForProvider(bucket)["tags"]: `{"backup:plan": "daily", "plexsphere:platform/env": "prod", "plexsphere:acme:checkout/owner": "team-a"}`,
		metadata(bucket)["annotations"]:      `{"platform/env": "prod"}`,
	} {
		if diff := cmp.Diff(resource.MustStructJSON(want), what.GetStructValue(), protocmp.Transform()); diff != "" {
			t.Fatalf("RunFunction(...): want tags and annotations to be touched: -want, +got:\n%s", diff)
		}
	}

	// With the tag field, the annotations and the step's verdict taken back, nothing differs.
	delete(rsp.GetContext().GetFields(), v1beta1.StepsContextKey)

	for _, r := range []*fnv1.Resource{before.GetDesired().GetResources()["bucket"], bucket} {
		delete(tagstest.ForProvider(r), "tags")
		delete(metadata(r), "annotations")
	}

	for what, pair := range map[string][2]proto.Message{
		"desired state": {before.GetDesired(), rsp.GetDesired()},
		"context":       {before.GetContext(), rsp.GetContext()},
	} {
		want, got := marshal(t, pair[0]), marshal(t, pair[1])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("RunFunction(...): %s is not byte for byte what it was: -want, +got:\n%s", what, diff)
		}
	}
}

// TestRunFunctionDeterministic proves that the same request always gets the same
// response, and the same log lines.
func TestRunFunctionDeterministic(t *testing.T) {
	// pairs returns many keys and values.
	pairs := func(key, value string) string {
		out := make([]string, 0, 80)
		for i := range 80 {
			out = append(out, fmt.Sprintf(`"%s-%02d%s": %q`, key, i, strings.Repeat("x", i%3*50), value))
		}

		return "{" + strings.Join(out, ",") + "}"
	}

	request := func() *fnv1.RunFunctionRequest {
		req := testRequest(testInput(`"provider": {"value": "aws"}, "keyPrefix": "", "statusFieldPath": "status.cloudTags", "reservedKeys": ["label-1*"],
		"sources": [{"type": "Value", "values": ` + pairs("label", "v") + `, "include": {"keys": ["label-1*"]}, "trusted": true},
			{"type": "Value", "values": ` + pairs("label", "v") + `, "include": {"except": ["label-1*"]}}, {"type": "Value", "values": ` + pairs("kept", "v") + `}],
		"ignoreTags": [{"key": "kept-0*"}, {"key": "backup-*"}, {"fromFieldPath": "spec.keys"}],
		"removeTags": [{"key": "label-2*"}, {"key": "Name"}, {"key": "kept-3*", "value": "w"}, {"fromFieldPath": "spec.keys"}],
		"kubernetesMetadata": [
			{"source": {"type": "CompositeMetadata", "labelsFieldPath": "spec.meta", "annotationsFieldPath": "spec.meta"}, "select": {"all": true}},
			{"source": {"type": "ComposedResource", "name": "bucket"}, "copy": ["Labels", "Annotations"], "select": {"all": true},
				"toFieldPaths": {"labels": ["data", "data.a", "spec.template"], "annotations": ["spec.forProvider.region", "metadata.annotations"]}}
		]`))

		spec := req.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue()
		maps.Copy(spec.GetFields(), resource.MustStructJSON(`{"keys": ["label-1*", "kept-4*"], "meta": `+pairs("meta", "v v")+`}`).GetFields())

		status := resource.MustStructJSON(`{"atProvider": {"tagsAll": ` + strings.TrimSuffix(pairs("kept", "w"), "}") + "," + strings.TrimPrefix(pairs("backup", "w"), "{") + `}}`)
		req.GetObserved().GetResources()["bucket"].GetResource().Fields["status"] = structpb.NewStructValue(status)

		tagstest.ForProvider(req.GetObserved().GetResources()["bucket"])["tags"] = structpb.NewStructValue(resource.MustStructJSON(pairs("gone", "v")))

		return req
	}

	log := &bytes.Buffer{}
	f := &Function{log: testLogger(log), auditValues: true}
	want, lines := []byte(nil), ""

	for i := range 50 {
		log.Reset()

		run := onTrees
		if i%2 == 1 {
			run = onBytes
		}

		rsp, err := run(t.Context(), f, request())
		if err != nil {
			t.Fatalf("RunFunction(...): unexpected error: %v", err)
		}

		if len(rsp.GetResults()) < 2 || rsp.GetResults()[0].GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			t.Fatalf("RunFunction(...): want much to tell of, got %v", rsp.GetResults())
		}

		got := marshal(t, rsp)
		if want == nil {
			want, lines = got, log.String()
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("RunFunction(...): the same request got another response: -first, +this:\n%s", diff)
		}

		if diff := cmp.Diff(lines, log.String()); diff != "" {
			t.Fatalf("RunFunction(...): the same request got other log lines: -first, +this:\n%s", diff)
		}
	}
}

// TestRunFunctionForgets proves that nothing that is kept after a call points into what it
// came in, which may be megabytes.
func TestRunFunctionForgets(t *testing.T) {
	f := benchmarked()
	req := testRequest(testInput(`"provider": {"fromFieldPath": "spec.provider"}, "statusFieldPath": "status.cloudTags", "fieldDiscovery": "Schema",
		"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels"}, {"type": "CompositeMetadata", "labelsFieldPath": "metadata.labels"},
			{"type": "RequiredResource", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": {"value": "a"}}, "fromFieldPath": "data"}],
		"kubernetesMetadata": [{"source": {"type": "ComposedResource", "name": "bucket"}, "select": {"all": true}}]`))
	req.Meta.Capabilities = []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS}

	// run the function. It returns what points to the bytes of the request.
	run := func() weak.Pointer[byte] {
		b := marshal(t, req)

		rsp, err := served(t.Context(), f, b)
		if err != nil {
			t.Fatal(err)
		}

		require.Answer(req, rsp.GetRequirements(), []*structpb.Struct{resource.MustStructJSON(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "team-a", "name": "a"}, "data": {"a": "b"}}`)})

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

// TestRunFunctionAllocations proves that resources that aren't tagged cost hardly more than the
// codec takes to decode and encode them.
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
			resource: testBucket, input: `"resources": [{"name": "bucket"}]`, want: 0.05, // A larger map has a few more.
		},
		"NoField": {
			reason:   "What has no tag field should only cost the text of the result that says so.",
			resource: testConfigMap, input: `"limitPolicy": "ApplyPartial"`, want: 1.4,
		},
	}

	echo := func(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) { //nolint:unparam // As call asks for.
		return &fnv1.RunFunctionResponse{Desired: req.GetDesired(), Context: req.GetContext()}, nil
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			// allocations of the function that an echo doesn't make, for so many resources.
			allocations := func(n int) float64 {
				req := testRequest(testInput(`"provider": {"value": "aws"}, "sources": [{"type": "Value", "values": {"a": "1"}}], ` + tc.input))
				for i := range n {
					req.Desired.Resources[fmt.Sprintf("r%d", i)] = &fnv1.Resource{Resource: resource.MustStructJSON(tc.resource)}
				}

				data := mem.BufferSlice{mem.SliceBuffer(marshal(t, req))}
				of := func(run func(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)) float64 {
					return testing.AllocsPerRun(5, func() { call(t, codec.Codec{}, data, run) })
				}

				return of((&Function{log: slog.New(slog.DiscardHandler), metrics: report.NewMetrics()}).RunFunction) - of(echo)
			}

			got := (allocations(2000) - allocations(1000)) / 1000
			if got > tc.want {
				t.Errorf("\n%s\nRunFunction(...): want at most %g allocations for each resource, got %g", tc.reason, tc.want, got)
			}
		})
	}
}

// panicHandler panics on the first log line below the level of errors.
type panicHandler struct{ enabledHandler }

func (panicHandler) Handle(_ context.Context, r slog.Record) error {
	if r.Level < slog.LevelError {
		panic("boom")
	}

	return nil
}

func TestRunFunctionPanic(t *testing.T) {
	// The log line of the skipped label panics, after everything else is done.
	req := testRequest(testInput(`"provider": {"value": "aws"}, "sources": [{"type": "Value", "values": {"aws:x": "y", "z": "z"}}]`))
	want := proto.CloneOf(req).GetDesired()

	f := &Function{log: slog.New(panicHandler{enabledHandler{slog.DiscardHandler}})}

	rsp, err := f.RunFunction(t.Context(), req)
	if err != nil {
		t.Fatalf("RunFunction(...): unexpected error: %v", err)
	}

	if diff := cmp.Diff(want, rsp.GetDesired(), protocmp.Transform()); diff != "" {
		t.Errorf("RunFunction(...): a panic must leave desired state as it was: -want, +got:\n%s", diff)
	}

	wantResults := []*fnv1.Result{{
		Severity: fnv1.Severity_SEVERITY_FATAL,
		Message:  "internal error: boom",
		Reason:   new("InternalError"),
		Target:   fnv1.Target_TARGET_COMPOSITE.Enum(),
	}}
	if diff := cmp.Diff(wantResults, rsp.GetResults(), protocmp.Transform()); diff != "" {
		t.Errorf("RunFunction(...): a panic must be one fatal result: -want, +got:\n%s", diff)
	}
}

// TestRunFunctionTransitions tests that results are there once, over gRPC, with the condition that
// Crossplane stores in between: two steps of one pipeline, of which each may be called twice.
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

	f := &Function{log: slog.New(slog.DiscardHandler), metrics: report.NewMetrics()}

	var condition *fnv1.Condition

	call := func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		rsp, err := overGRPC(t, f, proto.CloneOf(req))
		if err != nil {
			t.Fatal(err)
		}

		return rsp
	}

	for i, run := range runs {
		req := testRequest(nil)

		if condition != nil {
			xr := req.GetObserved().GetComposite().GetResource()
			xr.Fields["status"] = structpb.NewStructValue(resource.MustStructJSON(fmt.Sprintf(`{"conditions": [{"type": "Ready", "message": "[a]"}, {"type": %q, "message": %q}]}`,
				condition.GetType(), condition.GetMessage())))
		}

		var got []int

		for _, input := range run.steps {
			req.Input = testInput(input)
			rsp := call(req)

			if run.again {
				again := proto.CloneOf(req)
				again.Context = rsp.GetContext()

				if diff := cmp.Diff(rsp, call(again), protocmp.Transform()); diff != "" {
					t.Errorf("run %d: %s\nRunFunction(...): -first call, +call with its own context:\n%s", i, run.reason, diff)
				}
			}

			got = append(got, len(rsp.GetResults()))
			condition = rsp.GetConditions()[0]
			req.Desired, req.Context = rsp.GetDesired(), rsp.GetContext()
		}

		if diff := cmp.Diff(run.want, got); diff != "" {
			t.Errorf("run %d: %s\nresults of steps: -want, +got:\n%s\ncondition: %s", i, run.reason, diff, condition.GetMessage())
		}
	}
}

// digests that the message of a condition ends with.
var digests = regexp.MustCompile(` \[[0-9a-f]{6}( [0-9a-f]{6})*\]$`)

// TestRunFunctionSize proves that a client with the options of Crossplane, which are none, gets an
// answer, however large it would be.
func TestRunFunctionSize(t *testing.T) {
	const (
		crossplanes = 4 << 20
		waiting     = `"sources": [{"type": "RequiredResource", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": {"value": "a"}}, "fromFieldPath": "data"}]`
	)

	labels := `"sources": [{"type": "Value", "values": {"long": "` + strings.Repeat("x", 255) + `", "longer": "` + strings.Repeat("x", 256) + `"}}], "statusFieldPath": "status.cloudTags"`

	// request with so many bytes in one of its resources.
	request := func(input string, n int) *fnv1.RunFunctionRequest {
		req := testRequest(testInput(input))
		req.Meta.Capabilities = []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}
		req.GetDesired().GetResources()["config"].GetResource().GetFields()["data"].GetStructValue().Fields["a"] = structpb.NewStringValue(strings.Repeat("x", n))

		return req
	}

	// unlimited response to such a request.
	unlimited := func(input string, n int) *fnv1.RunFunctionResponse {
		rsp, err := onBytes(t.Context(), &Function{log: slog.New(slog.DiscardHandler)}, request(input, n))
		if err != nil {
			t.Fatal(err)
		}

		return rsp
	}

	// exactly is how many bytes a resource must have for a response of four megabytes.
	exactly := func(input string) int { return crossplanes - proto.Size(unlimited(input, crossplanes)) + crossplanes }

	// fatal response.
	fatal := func(reason, message string, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
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

	tooLarge := func(size, composed, config, bucket, xr, context, results int, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		return fatal(report.ReasonLimitExceeded, fmt.Sprintf("the response has %d bytes, and Crossplane takes at most 4194304 (4 MB): "+
			"2 composed resources of %d (the largest: config %d, bucket %d), the composite resource of %d, the context of %d, and results of %d; "+
			"let nested composite resources compose a part of it", size, composed, config, bucket, xr, context, results), req)
	}

	n := exactly(labels)

	cases := map[string]struct {
		reason string
		limit  report.Limit
		req    *fnv1.RunFunctionRequest
		want   *fnv1.RunFunctionResponse
		code   codes.Code
	}{
		"Exactly":     {reason: "A response of the greatest size should be sent.", limit: crossplanes, req: request(labels, n), want: unlimited(labels, n)},
		"NoLimit":     {reason: "Without a limit, the client should take the same response.", req: request(labels, n), want: unlimited(labels, n)},
		"NoLimitMore": {reason: "Without a limit, the client should refuse a response of a byte more.", req: request(labels, n+1), code: codes.ResourceExhausted},
		"OneMore": {
			reason: "A byte more should be a fatal result that says so, beside the desired state as it came.", limit: crossplanes, req: request(labels, n+1),
			want: tooLarge(4194305, 4192969, 4192149, 820, 828, 285, 169, request(labels, n+1)),
		},
		"Desired": {
			reason: "Desired state that is too large itself should not be sent.", limit: crossplanes, req: request(labels, crossplanes),
			want: tooLarge(4196545, 4195209, 4194389, 820, 828, 285, 169, nil),
		},
		"Waiting": {
			reason: "A response that requires something is as limited.", limit: crossplanes, req: request(waiting, exactly(waiting)+1),
			want: tooLarge(4194305, 4194071, 4193825, 246, 46, 85, 0, nil),
		},
		"WaitingExactly": {reason: "A response that requires something may be as large.", limit: crossplanes, req: request(waiting, exactly(waiting)), want: unlimited(waiting, exactly(waiting))},
		"Failure": {
			reason: "What fails anyhow should tell why.", limit: crossplanes, req: request(`"sources": 1`, crossplanes),
			want: fatal(report.ReasonInvalidInput, "invalid input: sources: must be a list, not a number", nil),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := overGRPC(t, &Function{log: slog.New(slog.DiscardHandler), limit: tc.limit}, tc.req)
			if code := grpcstatus.Code(err); code != tc.code {
				t.Errorf("\n%s\nRunFunction(...): want %s, got %v", tc.reason, tc.code, err)
			}
			for _, c := range got.GetConditions() {
				if c.GetStatus() == fnv1.Status_STATUS_CONDITION_FALSE {
					c.Message = new(digests.ReplaceAllString(c.GetMessage(), ""))
				}
			}

			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nRunFunction(...): -want, +got:\n%.5000s", tc.reason, diff)
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

// enabledHandler is a handler that is enabled.
type enabledHandler struct{ slog.Handler }

func (enabledHandler) Enabled(context.Context, slog.Level) bool { return true }

// gather the supplied metrics as they are served.
func gather(t interface {
	Helper()
	Context() context.Context
}, m *report.Metrics,
) []string {
	t.Helper()

	registry := prometheus.NewRegistry()
	registry.MustRegister(m.Collectors()...)

	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))

	lines := strings.Split(strings.TrimSuffix(w.Body.String(), "\n"), "\n")

	return slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "#") })
}

// TestRunFunctionMetrics proves that no request makes a series.
func TestRunFunctionMetrics(t *testing.T) {
	f := &Function{log: slog.New(slog.DiscardHandler), metrics: report.NewMetrics()}

	names := func() []string {
		lines := gather(t, f.metrics)
		for i, l := range lines {
			lines[i] = l[:strings.LastIndex(l, " ")]
		}

		return lines
	}

	before := names()

	// Ten thousand distinct labels, on resources and composite resources of distinct
	// names and kinds.
	for i := range 100 {
		values := make([]string, 0, 100)
		for j := range cap(values) {
			values = append(values, fmt.Sprintf(`"label-%d-%d": "value-%d-%d"`, i, j, i, j))
		}

		req := testRequest(testInput(fmt.Sprintf(`"provider": {"value": "cloud-%d"}, "sources": [{"type": "Value", "values": {%s}}]`, i, strings.Join(values, ","))))
		req.GetMeta().Tag = fmt.Sprintf("tag-%d", i)
		req.GetObserved().GetComposite().GetResource().Fields["metadata"] = structpb.NewStructValue(resource.MustStructJSON(fmt.Sprintf(`{"name": "assets-%d"}`, i)))
		req.GetDesired().Resources = map[string]*fnv1.Resource{
			fmt.Sprintf("bucket-%d", i): {Resource: resource.MustStructJSON(testBucket)},
			fmt.Sprintf("config-%d", i): {Resource: resource.MustStructJSON(fmt.Sprintf(`{"apiVersion": "v%d", "kind": "Kind%d"}`, i, i))},
		}

		rsp, err := f.RunFunction(t.Context(), req)
		if err != nil || rsp.GetConditions()[0].GetReason() != report.ReasonSomeSkipped {
			t.Fatalf("RunFunction(...): want skipped labels, got %v, %v", rsp, err)
		}
	}

	if diff := cmp.Diff(before, names()); diff != "" {
		t.Errorf("RunFunction(...): want labels and names only to count: -series before, +series after:\n%s", diff)
	}
}

// TestImports proves that nothing large comes into the binary unseen. What is imported for a few
// lines may bring all of Kubernetes' API: half of what the binary once was.
func TestImports(t *testing.T) {
	allowed := []string{
		"github.com/plexsphere/function-cloud-tags", "github.com/plexsphere/function-cloud-tags/...",
		"github.com/crossplane/function-sdk-go/errors", "github.com/crossplane/function-sdk-go/proto/...",

		// Serving.
		"google.golang.org/grpc", "google.golang.org/grpc/...", "google.golang.org/protobuf/...", "google.golang.org/genproto/googleapis/rpc/status",
		"golang.org/x/net/...", "golang.org/x/sys/unix", "golang.org/x/text/...", "github.com/grpc-ecosystem/go-grpc-middleware/...",
		"github.com/prometheus/...", "github.com/beorn7/perks/quantile", "github.com/cespare/xxhash/v2", "github.com/munnerz/goautoneg",

		// Commands.
		"github.com/alecthomas/kong", "golang.org/x/term",

		// Expressions, which are 5 MB.
		"github.com/google/cel-go/...", "cel.dev/expr", "github.com/antlr4-go/antlr/v4", "golang.org/x/exp/slices", "golang.org/x/exp/constraints",
		"google.golang.org/genproto/googleapis/api/expr/v1alpha1", "go.yaml.in/yaml/v3",

		// Kubernetes' rules for names and texts.
		"k8s.io/apimachinery/pkg/runtime/schema", "k8s.io/apimachinery/pkg/version", "k8s.io/apimachinery/pkg/util/validation/field",
		"k8s.io/apimachinery/pkg/api/validate/constraints", "k8s.io/apimachinery/pkg/api/validate/content",
		"k8s.io/apimachinery/pkg/util/errors", "k8s.io/apimachinery/pkg/util/json", "k8s.io/apimachinery/pkg/util/sets", "k8s.io/apimachinery/pkg/util/yaml",
		"sigs.k8s.io/json", "sigs.k8s.io/json/...", "sigs.k8s.io/yaml", "go.yaml.in/yaml/v2",
	}

	isAllowed := func(pkg string) bool {
		domain, _, _ := strings.Cut(pkg, "/")

		return !strings.Contains(domain, ".") || slices.ContainsFunc(allowed, func(a string) bool {
			below, all := strings.CutSuffix(a, "...")
			return pkg == a || all && strings.HasPrefix(pkg, below)
		})
	}

	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", `{{if not .Standard}}{{.ImportPath}} {{join .Imports " "}}{{end}}`, ".").Output()
	if err != nil {
		t.Fatalf("cannot list imports: %v", err)
	}

	for line := range strings.Lines(string(out)) {
		imports := strings.Fields(line)
		for _, pkg := range imports[1:] {
			if isAllowed(imports[0]) && !isAllowed(pkg) {
				t.Errorf("\nThe binary should have only what is listed here.\n%s imports %s: measure what that brings, by go build -ldflags='-s -w', before it is listed", imports[0], pkg)
			}
		}
	}
}

// TestREADMEs proves that the inputs that the READMEs show are valid.
func TestREADMEs(t *testing.T) {
	inputs := make(map[string]int)

	for _, pattern := range []string{"README.md", "*/README.md", "*/*/README.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}

		for _, name := range names {
			inputs[name] = validInputs(t, name)
		}
	}

	for _, name := range []string{"README.md", "input/v1beta1/README.md", "tags/coverage/README.md", "tags/metadata/README.md", "tags/resolve/README.md", "tags/stamp/README.md"} {
		if inputs[name] == 0 {
			t.Errorf("%s shows no input", name)
		}
	}
}

// TestFirstInput proves that what people read first begins with labels in the input itself, which need
// nothing of an XR.
func TestFirstInput(t *testing.T) {
	for _, name := range []string{"README.md", "package/marketplace/readme/readme.md", "package/crossplane.yaml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}

		_, sources, _ := strings.Cut(string(text), " sources:\n")
		if first, _, _ := strings.Cut(strings.TrimSpace(sources), "\n"); first != "- type: Value" {
			t.Errorf("%s: want the first source to be labels in the input, - type: Value, got %s", name, first)
		}
	}
}

// validInputs returns how many inputs the supplied document shows, which must be valid.
func validInputs(t *testing.T, name string) int {
	t.Helper()

	readme, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}

	inputs := 0
	for i, block := range strings.Split(string(readme), "```yaml\n")[1:] {
		text, _, _ := strings.Cut(block, "```")

		for document := range strings.SplitSeq(text, "\n---\n") {
			j, err := yaml.YAMLToJSONStrict([]byte(document))
			if err != nil {
				t.Errorf("%s: YAML block %d: %v", name, i+1, err)
				continue
			}

			v := &structpb.Value{}
			if err := v.UnmarshalJSON(j); err != nil {
				t.Fatalf("%s: YAML block %d: %v", name, i+1, err)
			}

			for _, in := range inputsIn(v.GetStructValue()) {
				inputs++

				if _, err := v1beta1.Decode(in); err != nil {
					t.Errorf("%s: YAML block %d: Decode(...): %v", name, i+1, err)
				}
			}
		}
	}

	return inputs
}

// inputsIn returns the inputs that the supplied object has: it is one, a part of one, or a
// Composition with steps of the function.
func inputsIn(o *structpb.Struct) []*structpb.Struct {
	f := o.GetFields()

	switch {
	case f["kind"].GetStringValue() == v1beta1.Kind:
		return []*structpb.Struct{o}
	case f["sources"] != nil || f["resources"] != nil || f["removeTags"] != nil || f["kubernetesMetadata"] != nil:
		in := testInput(`"sources": [{"type": "Value", "values": {}}]`)
		maps.Copy(in.GetFields(), f)

		return []*structpb.Struct{in}
	}

	spec := f["spec"].GetStructValue().GetFields()
	if template := spec["operationTemplate"].GetStructValue(); template != nil {
		return inputsIn(template)
	}

	var inputs []*structpb.Struct

	for _, step := range spec["pipeline"].GetListValue().GetValues() {
		if in := step.GetStructValue().GetFields()["input"].GetStructValue(); in.GetFields()["kind"].GetStringValue() == v1beta1.Kind {
			inputs = append(inputs, in)
		}
	}

	return inputs
}

// TestExplainAgrees asks explain and the function about the same labels.
func TestExplainAgrees(t *testing.T) {
	dir := t.TempDir()

	rapid.Check(t, func(t *rapid.T) {
		log := &bytes.Buffer{}
		f := &Function{log: testLogger(log), metrics: report.NewMetrics()}

		explaining.Check(t, dir, &explaining.Function{
			Run: func(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				return onBytes(t.Context(), f, req)
			},
			Log:     log,
			Metrics: func() []string { return gather(t, f.metrics) },
		})
	})
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
	values := []string{"1", "2", "UPPER", "a b", "", "<%>", strings.Repeat("x", 300), "null", "none"}
	fn := &Function{log: slog.New(slog.DiscardHandler)}

	rapid.Check(t, func(t *rapid.T) {
		of := make(map[string]any)
		req := testRequest(testInput(`"reservedKeys": ["zone", "team"], "sources": [
			{"type": "Value", "trusted": true, "values": {"zone": "eu", "d": "trusted"}},
			{"type": "Expression", "trusted": true, "keyForm": "Tag", "expressions": {"team": "xr.spec.of[name].a"}},
			{"type": "Expression", "onConflict": "Replace", "expressions": {"a": "xr.spec.of[name].a", "b": "xr.spec.of[name].b + name", "Zone": "name"}},
			{"type": "Expression", "keyForm": "Tag", "expressions": {"b": "xr.spec.of[name].b", "c": "xr.spec.of[name].c", "C": "xr.spec.of[name].a", "d": "xr.spec.of[name].d"}},
			{"type": "Value", "values": {"fixed": "1"}}],
			"tagFields": [{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "fieldPath": "metadata.labels", "shape": "Map", "provider": "aws"}]`))
		req.Desired.Resources, req.Observed.Resources = make(map[string]*fnv1.Resource), nil

		for i := range rapid.IntRange(1, 8).Draw(t, "resources") {
			name := fmt.Sprintf("r%d", i)
			own := make(map[string]any)

			for _, key := range []string{"a", "b", "c", "d"} {
				switch v := rapid.SampledFrom(values).Draw(t, key); v {
				case "none":
				case "null":
					own[key] = nil
				default:
					own[key] = v
				}
			}

			// What isn't there can't be added to.
			if own["b"] == nil {
				own["b"] = ""
			}

			of[name] = own
			req.Desired.Resources[name] = &fnv1.Resource{Resource: resource.MustStructJSON(rapid.SampledFrom(kinds).Draw(t, "kind"))}
		}

		req.Observed.Composite.Resource = tagstest.Struct(map[string]any{"apiVersion": "a/v1", "kind": "A", "metadata": map[string]any{"name": "x"}, "spec": map[string]any{"of": of}})

		together, err := fn.RunFunction(context.Background(), proto.CloneOf(req))
		if err != nil || slices.ContainsFunc(together.GetResults(), func(r *fnv1.Result) bool { return r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL }) {
			t.Fatalf("RunFunction(...): %v, %v", together.GetResults(), err)
		}

		for name, r := range req.GetDesired().GetResources() {
			alone := proto.CloneOf(req)
			alone.Desired.Resources = map[string]*fnv1.Resource{name: proto.CloneOf(r)}

			rsp, err := fn.RunFunction(context.Background(), alone)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(rsp.GetDesired().GetResources()[name], together.GetDesired().GetResources()[name], protocmp.Transform()); diff != "" {
				t.Fatalf("%s: -alone, +with others:\n%s", name, diff)
			}
		}
	})
}

// TestRunFunctionTrust proves that no tag of a platform can be forged or displaced: of profiles as they
// come, and under the race detector, where time is no matter, of each.
func TestRunFunctionTrust(t *testing.T) {
	p := newPair()

	if tagstest.Race {
		for _, provider := range profile.Names() {
			t.Run(provider, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					trust.Check(t, provider, rapid.SampledFrom(trust.Shapes).Draw(t, "shape"), p.run)
				})
			})
		}

		return
	}

	for _, shape := range trust.Shapes {
		t.Run(shape, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				trust.Check(t, rapid.SampledFrom(profile.Names()).Draw(t, "provider"), shape, p.run)
			})
		})
	}
}

// FuzzRunFunction runs the function on whatever decodes to a request.
func FuzzRunFunction(f *testing.F) {
	inputs := []*structpb.Struct{
		nil,
		testInput(`"provider": {"fromFieldPath": "spec.provider"}, "sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "onConflict": "Replace"}]`),
		testInput(`"sources": [{"type": "Value", "values": {"a": "1"}, "encoding": "JSON", "keyForm": "Tag"}], "tagFields": [{"apiVersion": "*", "kind": "*", "fieldPath": "spec.forProvider.tags", "shape": "KeyValueList"}]`),
		testInput(`"sources": [{"type": "Value", "values": {"a": "b"}, "include": {"fromFieldPath": "spec.list[0]"}}], "tagFields": [{"apiVersion": "v1", "kind": "*", "fieldPath": "data.a[1].b", "shape": "StringList", "stringList": {"maxLength": 3}}]`),
		testInput(`"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "onConflict": "Error"}], "limitPolicy": "ApplyStrict", "reservedTags": {"aws": 48}, "resources": [{"name": "b*", "matchTags": {"Name": "assets"}}, {"kind": "C*"}]`),
		testInput(`"removeTags": [{"key": "Name", "value": "assets"}, {"key": "plexsphere:*"}, {"fromFieldPath": "a[0]", "contextKey": "apiextensions.crossplane.io/environment"}], "statusFieldPath": "status.tags"`),
		testInput(`"ignoreTags": [{"key": "N*"}, {"fromFieldPath": "spec.list", "onConflict": "Retain"}], "removeTags": [{"key": "a"}], "tagFields": [{"apiVersion": "*", "kind": "*", "fieldPath": "spec.forProvider.list", "shape": "KeyValueList", "keyValueList": {"extra": {"x": 1}}}]`),
		testInput(`"sources": [{"type": "Value", "values": {"a": "b"}, "onConflict": "Replace"}], "ignoreTags": [{"key": "b*"}], "removeTags": [{"key": "e*"}, {"key": "c", "value": "d"}], "tagFields": [{"apiVersion": "*", "kind": "*", "fieldPath": "spec.forProvider.strings", "shape": "StringList"}]`),
		testInput(`"sources": [{"type": "Value", "values": {"a": "b", "c": "d,e"}, "onConflict": "Replace"}], "removeTags": [{"key": "e*"}], "tagFields": [{"apiVersion": "*", "kind": "Bucket", "fieldPath": "spec.forProvider.joined", "shape": "Joined"}, {"apiVersion": "*", "kind": "*", "fieldPath": "metadata.annotations[example.org/tags]", "shape": "Joined", "joined": {"separator": ": ", "delimiter": "; "}}]`),
		testInput(`"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels"}], "tagFields": [{"apiVersion": "*", "kind": "*"}]`),
		testInput(`"reservedKeys": ["zone"], "sources": [{"type": "Expression", "expressions": {"a": "xr.spec.labels['platform/env']", "Zone": "name", "b": "desired.spec.forProvider.tags.map(k, k).join()", "c": "observed.?spec.forProvider.region"}}]`),
		testInput(`"kubernetesMetadata": [{"source": {"type": "CompositeMetadata", "labelsFieldPath": "spec.labels"}, "copy": ["Labels"], "select": {"all": true}, "toFieldPaths": {"labels": ["metadata.labels", "spec.forProvider.tags"]}}, {"source": {"type": "ComposedResource", "name": "bucket"}, "select": {"prefixes": ["platform/"], "domains": ["example.org"]}, "resources": [{"name": "config"}]}]`),
	}
	for _, in := range inputs {
		req := testRequest(in)

		// Tags in lists, and what the cloud has of all shapes.
		maps.Copy(tagstest.ForProvider(req.GetDesired().GetResources()["bucket"]), resource.MustStructJSON(`{
			"list": [{"key": "a", "value": "1"}, {"key": "b", "value": "2", "x": null}, {"key": "a", "value": "3"}], "strings": ["plexsphere:a=1", "c=d", "e", "e=f=g"],
			"joined": "plexsphere:a=1, c = d,e,,e=f=g,h=i\\,j"
		}`).GetFields())
		req.GetObserved().GetResources()["bucket"].GetResource().Fields["status"] = structpb.NewStructValue(resource.MustStructJSON(`{"atProvider": {
			"tagsAll": {"Name": "other", "b": "c"}, "list": [{"key": "N", "value": "1", "x": true}], "strings": ["b=c", "b"]
		}}`))

		f.Add(marshal(f, req))
	}

	log := &bytes.Buffer{}
	fn := &Function{log: testLogger(log), metrics: report.NewMetrics(), auditValues: true}

	for _, tc := range readCases(f) {
		for _, s := range slices.Concat([]step{tc.step}, tc.Steps, tc.Reconciles) {
			req := testRequest(nil)
			s.change(req)

			// What is found is there from the first call on.
			rsp, err := fn.RunFunction(f.Context(), proto.CloneOf(req))
			if err != nil {
				f.Fatal(err)
			}

			if s.Required == nil {
				require.Answer(req, rsp.GetRequirements(), s.Objects)
			}

			f.Add(marshal(f, req))
		}
	}

	f.Fuzz(func(t *testing.T, b []byte) {
		req := &fnv1.RunFunctionRequest{}
		if want := proto.Unmarshal(b, req); want != nil {
			if _, err := served(t.Context(), fn, b); fmt.Sprint(err) != fmt.Sprint(want) {
				t.Errorf("RunFunction(...): want a refusal by the codec, %v, got %v", want, err)
			}

			return
		}

		before := proto.CloneOf(req)

		log.Reset()

		rsp, err := fn.RunFunction(t.Context(), req)
		if err != nil {
			t.Fatalf("RunFunction(...): unexpected error: %v", err)
		}

		lines := log.String()

		for how, again := range map[string]func() (*fnv1.RunFunctionResponse, error){
			"the same request":  func() (*fnv1.RunFunctionResponse, error) { return onTrees(t.Context(), fn, proto.CloneOf(before)) },
			"the bytes of that": func() (*fnv1.RunFunctionResponse, error) { return served(t.Context(), fn, b) },
		} {
			log.Reset()

			again, err := again()
			if err != nil {
				t.Fatalf("RunFunction(...): unexpected error: %v", err)
			}

			// Bytes, because what isn't a number doesn't equal itself.
			if diff := cmp.Diff(marshal(t, rsp), marshal(t, again)); diff != "" {
				t.Errorf("RunFunction(...): %s got another response: -first, +second:\n%s", how, diff)
			}

			if diff := cmp.Diff(lines, log.String()); diff != "" && !strings.Contains(lines, `"stack":`) {
				t.Errorf("RunFunction(...): %s got other log lines: -first, +second:\n%s", how, diff)
			}
		}

		fatal := false
		for _, r := range rsp.GetResults() {
			fatal = fatal || r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL

			if strings.HasPrefix(r.GetMessage(), "internal error") {
				t.Errorf("RunFunction(...): %s", r.GetMessage())
			}
		}

		if fatal {
			if diff := cmp.Diff(marshal(t, before.GetDesired()), marshal(t, rsp.GetDesired())); diff != "" {
				t.Errorf("RunFunction(...): a fatal result came with another desired state: -before, +after:\n%s", diff)
			}
		}

		// What fails has lost nothing, as was seen above.
		of, ok := removal.Of(before, schemas)
		if fatal || !ok {
			return
		}

		for name, r := range before.GetDesired().GetResources() {
			kept := rsp.GetDesired().GetResources()[name]
			if !of.Keeps(r.GetResource(), kept.GetResource()) {
				t.Errorf("RunFunction(...): desired resource %q has lost a field: %v → %v", name, r, kept)
			}
		}
	})
}

func marshal(tb testing.TB, m proto.Message) []byte {
	tb.Helper()

	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		tb.Fatalf("cannot marshal %T: %v", m, err)
	}

	return b
}

// BenchmarkRunFunction decodes a request, runs the function as it is served, and encodes its
// response. BenchmarkEcho is the floor: a function that returns what it gets.
func BenchmarkRunFunction(b *testing.B) { eachLoad(b, codec.Codec{}, benchmarked().RunFunction) }

func BenchmarkEcho(b *testing.B) {
	eachLoad(b, encoding.GetCodecV2("proto"), func(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		return &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Tag: req.GetMeta().GetTag()}, Desired: req.GetDesired(), Context: req.GetContext()}, nil
	})
}

// benchmarked is a function as it is served, but for what it logs: that is written, and only
// then discarded.
func benchmarked() *Function {
	return &Function{log: slog.New(slog.NewJSONHandler(io.Discard, nil)), metrics: report.NewMetrics(), limit: math.MaxInt32} //nolint:sloglint // As above.
}

// BenchmarkExpressions is of a settled composite resource with 100 resources and 20 labels: those of
// a field, and the same by expressions of which half differ per resource.
func BenchmarkExpressions(b *testing.B) {
	for _, source := range []load.Source{load.Field, load.Name, load.Desired, load.Observed} {
		b.Run(string(source), func(b *testing.B) {
			f, in := benchmarked(), load.Input(source, 20)

			req, err := load.Request(load.Settled, 100, 20, func(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				req.Input = in
				return f.RunFunction(b.Context(), req)
			})
			if err != nil {
				b.Fatal(err)
			}

			req.Input = in
			wire := marshal(b, req)

			b.ReportAllocs()

			for b.Loop() {
				call(b, codec.Codec{}, mem.BufferSlice{mem.SliceBuffer(wire)}, f.RunFunction)
			}
		})
	}
}

func eachLoad(b *testing.B, c encoding.CodecV2, run func(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)) {
	b.Helper()

	eachRequest(b, func(b *testing.B, req *fnv1.RunFunctionRequest) {
		b.Helper()

		wire, err := proto.Marshal(req)
		if err != nil {
			b.Fatalf("cannot marshal request: %v", err)
		}

		b.ReportAllocs()

		for b.Loop() {
			call(b, c, mem.BufferSlice{mem.SliceBuffer(wire)}, run)
		}
	})
}

// call a function with the supplied bytes of a request, and encode its response.
func call(tb testing.TB, c encoding.CodecV2, data mem.BufferSlice, run func(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)) {
	tb.Helper()

	in := &fnv1.RunFunctionRequest{}
	if err := c.Unmarshal(data, in); err != nil {
		tb.Fatalf("cannot unmarshal request: %v", err)
	}

	rsp, err := run(tb.Context(), in)
	if err != nil {
		tb.Fatalf("unexpected error: %v", err)
	}

	out, err := c.Marshal(rsp)
	if err != nil {
		tb.Fatalf("cannot marshal response: %v", err)
	}

	out.Free()
}

// eachRequest runs a benchmark with few and many resources and labels, that are to be
// tagged or have been.
func eachRequest(b *testing.B, run func(b *testing.B, req *fnv1.RunFunctionRequest)) {
	b.Helper()

	for _, resources := range []int{10, 100, 500, 2000} {
		for _, labels := range []int{0, 20, 200} {
			for _, state := range []load.State{load.Changed, load.Settled} {
				b.Run(fmt.Sprintf("resources=%d/labels=%d/%s", resources, labels, state), func(b *testing.B) {
					req, err := load.Request(state, resources, labels, func(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
						return benchmarked().RunFunction(b.Context(), req)
					})
					if err != nil {
						b.Fatal(err)
					}

					run(b, req)
				})
			}
		}
	}
}

// BenchmarkStages runs each stage of the function on what those before have made, once.
func BenchmarkStages(b *testing.B) {
	eachRequest(b, func(b *testing.B, req *fnv1.RunFunctionRequest) {
		b.Helper()

		f := benchmarked()

		// Stages that come later need this one, even if it's not asked for.
		stage := func(name string, run func() error) {
			if err := run(); err != nil {
				b.Fatal(err)
			}

			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()

				for b.Loop() {
					if err := run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}

		var (
			in       *v1beta1.CloudTags
			set      resolve.Set
			required = require.New(req)
			err      error
		)

		stage("decode", func() error {
			in, err = f.inputs.Decode(req.GetInput())
			return err
		})
		stage("resolve", func() error {
			set, err = resolve.Resolve(b.Context(), in, req, required)
			return err
		})
		stage("transform", func() error {
			set.Transformer(in).Transform(profile.Of("aws"))
			return nil
		})

		var (
			stamper *stamp.Stamper
			targets *target.Targets
			stamped *stamp.Outcome
		)

		stage("locate", func() error {
			stamper = newStamper(in, set, req, required)
			targets, err = stamper.Targets(b.Context(), req.GetDesired().GetResources())

			return err
		})
		// The stamper has asked for the tags of each profile once, so this is what each
		// resource costs.
		stage("stamp", func() error {
			stamped, err = stamper.Stamp(b.Context(), targets)
			return err
		})
		stage("report", func() error {
			run := &report.Run{Request: req, Log: f.log, Metrics: f.metrics, Required: required, Input: in, Set: set}
			run.Success(b.Context(), &report.Outcome{Results: stamped.Results, Skips: stamped.Skips, Changes: stamped.Changes})

			return nil
		})
	})
}

// TestMain is the program itself, if a test runs it as such.
func TestMain(m *testing.M) {
	if os.Getenv("RUN_MAIN") != "" {
		main()
		return
	}

	os.Exit(m.Run())
}

// TestFirstSignal proves that a command which reads what doesn't come ends at the first signal.
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
