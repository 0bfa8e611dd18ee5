package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
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

func TestRunFunction(t *testing.T) {
	// tagged returns the response to testRequest with the supplied tags on the
	// bucket.
	tagged := func(tags string, mutate func(rsp *fnv1.RunFunctionResponse)) *fnv1.RunFunctionResponse {
		req := testRequest(nil)
		bucket := req.GetDesired().GetResources()["bucket"].GetResource()
		bucket.GetFields()["spec"].GetStructValue().GetFields()["forProvider"].GetStructValue().Fields["tags"] = structpb.NewStructValue(resource.MustStructJSON(tags))

		rsp := &fnv1.RunFunctionResponse{
			Meta:    &fnv1.ResponseMeta{Tag: "tag", Ttl: durationpb.New(time.Minute)},
			Desired: req.GetDesired(),
			Context: req.GetContext(),
			Results: []*fnv1.Result{{
				Severity: fnv1.Severity_SEVERITY_NORMAL,
				Message:  "not tagged: config (v1 ConfigMap) has no tag field that is known",
				Reason:   new("NotTagged"),
				Target:   fnv1.Target_TARGET_COMPOSITE.Enum(),
			}},
			Conditions: []*fnv1.Condition{{
				Type:   "CloudTagsPropagated",
				Status: fnv1.Status_STATUS_CONDITION_TRUE,
				Reason: "AllPropagated",
				Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
			}},
		}
		mutate(rsp)

		return rsp
	}

	cases := map[string]struct {
		reason string
		input  *structpb.Struct
		want   *fnv1.RunFunctionResponse
	}{
		"Replace": {
			reason: "Labels of the composite resource become tags of the resources that have a tag field, in place of what earlier steps set if the source says so.",
			input:  testInput(`"provider": {"fromFieldPath": "spec.provider"}, "sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "onConflict": "Replace"}], "ttl": "5m"`),
			want: tagged(`{"Name": "assets", "plexsphere:platform/env": "prod", "plexsphere:acme:checkout/owner": "team-a"}`, func(rsp *fnv1.RunFunctionResponse) {
				rsp.Meta.Ttl = durationpb.New(5 * time.Minute)
			}),
		},
		"RetainAndSkip": {
			reason: "A tag that an earlier step set stays and is reported, and so is a label that the provider doesn't admit.",
			input:  testInput(`"provider": {"value": "AWS"}, "sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels"}, {"type": "Value", "values": {"aws:region": "eu"}}]`),
			want: tagged(`{"Name": "assets", "plexsphere:platform/env": "test", "plexsphere:acme:checkout/owner": "team-a"}`, func(rsp *fnv1.RunFunctionResponse) {
				rsp.Results = []*fnv1.Result{
					{
						Severity: fnv1.Severity_SEVERITY_WARNING,
						Message:  "aws: skipped 1 label: reserved-prefix (reserved: aws:): aws:region → plexsphere:aws:region",
						Reason:   new("ReservedPrefix"),
						Target:   fnv1.Target_TARGET_COMPOSITE.Enum(),
					},
					{
						Severity: fnv1.Severity_SEVERITY_NORMAL,
						Message:  "bucket: kept what earlier steps set for plexsphere:platform/env",
						Reason:   new("TagsWithheld"),
						Target:   fnv1.Target_TARGET_COMPOSITE.Enum(),
					},
					rsp.GetResults()[0],
				}
				rsp.Conditions[0].Reason = "SomeSkipped"
				rsp.Conditions[0].Message = new("1 label skipped on aws: reserved-prefix")
			}),
		},
		"NoLabels": {
			reason: "Having no labels is not an error, and changes and says nothing.",
			input:  testInput(`"provider": {"value": "aws"}, "sources": [{"type": "CompositeField", "fromFieldPath": "spec.none"}]`),
			want: tagged(`{"Name": "assets", "plexsphere:platform/env": "test"}`, func(rsp *fnv1.RunFunctionResponse) {
				rsp.Results = nil
			}),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &Function{log: slog.New(slog.DiscardHandler)}

			got, err := f.RunFunction(t.Context(), testRequest(tc.input))
			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}

			if err != nil {
				t.Errorf("\n%s\nRunFunction(...): unexpected error: %v", tc.reason, err)
			}
		})
	}
}

func TestRunFunctionFatal(t *testing.T) {
	const (
		provider = `"provider": {"value": "aws"}`
		sources  = `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels"}]`
	)

	cases := map[string]struct {
		reason string
		input  *structpb.Struct
		want   string // The fatal result's reason and message.
	}{
		"NoInput": {
			reason: "A step without an input has nothing to do, which can't be meant.",
			want:   "InvalidInput: invalid input: the pipeline step has no input: it needs one of apiVersion cloudtags.fn.plexsphere.com/v1beta1 and kind CloudTags",
		},
		"UnknownField": {
			reason: "A field that doesn't exist is a mistake that must not go unnoticed.",
			input:  testInput(provider + `, "sources": [{"type": "CompositeField", "fromFieldPaths": "spec.labels"}]`),
			want:   `InvalidInput: invalid input: unknown field "sources[0].fromFieldPaths"`,
		},
		"WrongType": {
			reason: "A value of a wrong type is named with its place.",
			input:  testInput(provider + `, "sources": [{"type": "Value", "values": {"a": "b", "platform/env": 1}}]`),
			want:   "InvalidInput: invalid input: sources[0].values.platform/env: must be a string, not a number",
		},
		"BadFieldPath": {
			reason: "A field path that can't be parsed is found before it is followed.",
			input:  testInput(provider + `, "sources": [{"type": "CompositeField", "fromFieldPath": "spec..labels"}]`),
			want:   `InvalidInput: invalid input: sources[0].fromFieldPath: Invalid value: "spec..labels": cannot parse field path "spec..labels": unexpected '.' at position 5`,
		},
		"UnknownSourceType": {
			reason: "The types of source that there are are named.",
			input:  testInput(provider + `, "sources": [{"type": "Secret"}]`),
			want:   `InvalidInput: invalid input: sources[0].type: Unsupported value: "Secret": supported values: "CompositeField", "Value"`,
		},
		"ValueAndFromFieldPath": {
			reason: "Two answers to one question are none.",
			input:  testInput(`"provider": {"value": "aws", "fromFieldPath": "spec.provider"}, ` + sources),
			want:   `InvalidInput: invalid input: provider: Invalid value: "": must have exactly one of value and fromFieldPath`,
		},
		"NotAString": {
			reason: "A label that isn't a string can't be resolved.",
			input:  testInput(provider + `, "sources": [{"type": "CompositeField", "name": "registry", "fromFieldPath": "spec.numbers"}]`),
			want:   `ResolveFailed: cannot resolve sources[0] "registry": spec.numbers[platform/env] is a number, not a string`,
		},
		"NotAMap": {
			reason: "Labels that aren't a map can't be resolved.",
			input:  testInput(provider + `, "sources": [{"type": "CompositeField", "fromFieldPath": "spec.text"}]`),
			want:   `ResolveFailed: cannot resolve sources[0]: spec.text is a string, not a map of strings`,
		},
		"RequiredMapAbsent": {
			reason: "A map that is required and isn't there can't be resolved.",
			input:  testInput(provider + `, "sources": [{"type": "CompositeField", "fromFieldPath": "spec.none", "policy": {"fromFieldPath": "Required"}}]`),
			want:   `ResolveFailed: cannot resolve sources[0]: spec.none is required, but the composite resource doesn't have it`,
		},
		"ProviderAbsent": {
			reason: "A provider that isn't known can't be resolved.",
			input:  testInput(`"provider": {"fromFieldPath": "spec.cloud"}, ` + sources),
			want:   `ResolveFailed: cannot resolve provider: spec.cloud is required, but the composite resource doesn't have it`,
		},
		"Conflict": {
			reason: "A tag that is there although the source forbids it fails the pipeline, and not one label of any source is written.",
			input:  testInput(provider + `, "sources": [{"type": "Value", "values": {"new": "x"}}, {"type": "CompositeField", "fromFieldPath": "spec.labels", "onConflict": "Error"}]`),
			want:   `TagConflict: cannot tag composed resource "bucket": an earlier step has set the tag "plexsphere:platform/env" to "test", and sources[1] with onConflict Error has the value "prod" for it`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &Function{log: slog.New(slog.DiscardHandler)}

			got, err := f.RunFunction(t.Context(), testRequest(tc.input))

			reason, message, _ := strings.Cut(tc.want, ": ")
			req := testRequest(tc.input)
			want := &fnv1.RunFunctionResponse{
				Meta:    &fnv1.ResponseMeta{Tag: "tag", Ttl: durationpb.New(0)},
				Desired: req.GetDesired(),
				Context: req.GetContext(),
				Results: []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL, Message: message, Reason: &reason, Target: fnv1.Target_TARGET_COMPOSITE.Enum()}},
				Conditions: []*fnv1.Condition{{
					Type:    "CloudTagsPropagated",
					Status:  fnv1.Status_STATUS_CONDITION_FALSE,
					Reason:  reason,
					Message: &message,
					Target:  fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
				}},
			}

			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}

			if err != nil {
				t.Errorf("\n%s\nRunFunction(...): unexpected error: %v", tc.reason, err)
			}
		})
	}
}

// TestRunFunctionUntouched proves that all that the step isn't concerned with comes
// back byte for byte, what this version of the protocol doesn't know included.
func TestRunFunctionUntouched(t *testing.T) {
	req := testRequest(testInput(`"provider": {"value": "aws"}, "sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "onConflict": "Replace"}]`))

	unknown := []byte{0xf8, 0x3f, 0x01} // Field 1023, a varint of 1.
	req.GetDesired().ProtoReflect().SetUnknown(unknown)
	req.GetDesired().GetComposite().ProtoReflect().SetUnknown(unknown)

	for _, r := range req.GetDesired().GetResources() {
		r.ProtoReflect().SetUnknown(unknown)
	}

	before := proto.CloneOf(req)

	f := &Function{log: slog.New(slog.DiscardHandler)}

	rsp, err := f.RunFunction(t.Context(), req)
	if err != nil {
		t.Fatalf("RunFunction(...): unexpected error: %v", err)
	}

	// With the tag field taken back, nothing differs.
	for _, r := range []*fnv1.Resource{before.GetDesired().GetResources()["bucket"], rsp.GetDesired().GetResources()["bucket"]} {
		delete(r.GetResource().GetFields()["spec"].GetStructValue().GetFields()["forProvider"].GetStructValue().GetFields(), "tags")
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
// response.
func TestRunFunctionDeterministic(t *testing.T) {
	req := func() *fnv1.RunFunctionRequest {
		values := make([]string, 0, 80)
		for i := range 80 {
			values = append(values, fmt.Sprintf(`"label-%02d%s": "v"`, i, strings.Repeat("x", i%3*50)))
		}

		return testRequest(testInput(`"provider": {"value": "aws"}, "sources": [{"type": "Value", "values": {` + strings.Join(values, ",") + `}}]`))
	}

	f := &Function{log: slog.New(slog.DiscardHandler)}
	want := []byte(nil)

	for range 50 {
		rsp, err := f.RunFunction(t.Context(), req())
		if err != nil {
			t.Fatalf("RunFunction(...): unexpected error: %v", err)
		}

		got := marshal(t, rsp)
		if want == nil {
			want = got
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("RunFunction(...): the same request got another response: -first, +this:\n%s", diff)
		}
	}
}

// panicHandler panics on the first log line below the level of errors.
type panicHandler struct{ slog.Handler }

func (panicHandler) Enabled(context.Context, slog.Level) bool { return true }

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

	f := &Function{log: slog.New(panicHandler{})}

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

// FuzzRunFunction runs the function on whatever decodes to a request.
func FuzzRunFunction(f *testing.F) {
	inputs := []*structpb.Struct{
		nil,
		testInput(`"provider": {"fromFieldPath": "spec.provider"}, "sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "onConflict": "Replace"}]`),
		testInput(`"sources": [{"type": "Value", "values": {"a": "1"}, "encoding": "JSON", "keyForm": "Tag"}], "tagFields": [{"apiVersion": "*", "kind": "*", "fieldPath": "spec.forProvider.tags", "shape": "KeyValueList"}]`),
		testInput(`"sources": [{"type": "Value", "values": {"a": "b"}, "include": {"fromFieldPath": "spec.list[0]"}}], "tagFields": [{"apiVersion": "v1", "kind": "*", "fieldPath": "data.a[1].b", "shape": "StringList", "stringList": {"maxLength": 3}}]`),
	}
	for _, in := range inputs {
		b, err := proto.MarshalOptions{Deterministic: true}.Marshal(testRequest(in))
		if err != nil {
			f.Fatalf("cannot marshal seed: %v", err)
		}

		f.Add(b)
	}

	fn := &Function{log: slog.New(slog.DiscardHandler)}

	f.Fuzz(func(t *testing.T, b []byte) {
		req := &fnv1.RunFunctionRequest{}
		if proto.Unmarshal(b, req) != nil {
			t.Skip("not a request")
		}

		before := proto.CloneOf(req)

		rsp, err := fn.RunFunction(t.Context(), req)
		if err != nil {
			t.Fatalf("RunFunction(...): unexpected error: %v", err)
		}

		again, err := fn.RunFunction(t.Context(), proto.CloneOf(before))
		if err != nil {
			t.Fatalf("RunFunction(...): unexpected error: %v", err)
		}

		// Bytes, because what isn't a number doesn't equal itself.
		if diff := cmp.Diff(marshal(t, rsp), marshal(t, again)); diff != "" {
			t.Errorf("RunFunction(...): the same request got another response: -first, +second:\n%s", diff)
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

		for name, r := range before.GetDesired().GetResources() {
			kept := rsp.GetDesired().GetResources()[name]
			if !keeps(r.GetResource(), kept.GetResource()) {
				t.Errorf("RunFunction(...): desired resource %q has lost a field: %v → %v", name, r, kept)
			}
		}
	})
}

// keeps is true if all fields of the supplied struct are still there, whatever their
// values.
func keeps(before, after *structpb.Struct) bool {
	for name, v := range before.GetFields() {
		kept, ok := after.GetFields()[name]
		if !ok || !keeps(v.GetStructValue(), kept.GetStructValue()) || len(kept.GetListValue().GetValues()) < len(v.GetListValue().GetValues()) {
			return false
		}
	}

	return true
}

func marshal(t *testing.T, m proto.Message) []byte {
	t.Helper()

	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatalf("cannot marshal %T: %v", m, err)
	}

	return b
}

// BenchmarkRunFunction runs the function on a composite resource of ten resources
// and twenty labels. BenchmarkEcho is the floor: a function that returns what it
// gets. Both decode a request and encode a response, as the server does.
func BenchmarkRunFunction(b *testing.B) {
	f := &Function{log: slog.New(slog.DiscardHandler)}
	benchmark(b, f.RunFunction)
}

func BenchmarkEcho(b *testing.B) {
	benchmark(b, func(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		return &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Tag: req.GetMeta().GetTag()}, Desired: req.GetDesired(), Context: req.GetContext()}, nil
	})
}

func benchmark(b *testing.B, run func(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)) {
	b.Helper()

	req := testRequest(testInput(`"provider": {"value": "aws"}, "sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels"}]`))

	labels := req.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue().GetFields()["labels"].GetStructValue().GetFields()
	for i := range 20 {
		labels[fmt.Sprintf("platform/label-%d", i)] = structpb.NewStringValue("value")
	}

	for i := range 10 {
		req.Desired.Resources[fmt.Sprintf("bucket-%d", i)] = &fnv1.Resource{Resource: resource.MustStructJSON(testBucket)}
	}

	wire, err := proto.Marshal(req)
	if err != nil {
		b.Fatalf("cannot marshal request: %v", err)
	}

	b.ReportAllocs()

	for b.Loop() {
		in := &fnv1.RunFunctionRequest{}
		if err := proto.Unmarshal(wire, in); err != nil {
			b.Fatalf("cannot unmarshal request: %v", err)
		}

		rsp, err := run(b.Context(), in)
		if err != nil {
			b.Fatalf("unexpected error: %v", err)
		}

		if _, err := proto.Marshal(rsp); err != nil {
			b.Fatalf("cannot marshal response: %v", err)
		}
	}
}
