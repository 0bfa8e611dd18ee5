package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
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
				Message:  "not tagged: config (v1 ConfigMap) has no tag field",
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
						Message:  "bucket: labels did not replace tags that earlier steps set to other values: plexsphere:platform/env",
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
			want:   `InvalidInput: invalid input: unknown field "sources[0].fromFieldPaths": allowed: contextKey, encoding, fromFieldPath, include, keyForm, name, onConflict, pick, policy, prefix, providerFieldPath, resource, trusted, type, values`,
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
			want:   `InvalidInput: invalid input: sources[0].type: Unsupported value: "Secret": supported values: "CompositeField", "CompositeMetadata", "ContextField", "RequiredResource", "Value"`,
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

// TestRunFunctionSchemas runs the function on a kind of a provider that it doesn't
// know.
func TestRunFunctionSchemas(t *testing.T) {
	const (
		widget = `{"apiVersion": "widget.example.org/v1", "kind": "Widget", "spec": {"forProvider": {"size": 1}}}`
		tagged = `{"apiVersion": "widget.example.org/v1", "kind": "Widget", "spec": {"forProvider": {"size": 1, "labels": [{"key": "plexsphere:platform/env", "value": "prod"}]}}}`
		schema = `{
			"x-kubernetes-group-version-kind": [{"group": "widget.example.org", "version": "v1", "kind": "Widget"}],
			"type": "object",
			"properties": {"spec": {"type": "object", "properties": {"forProvider": {"type": "object", "properties": {
				"size": {"type": "integer"},
				"labels": {"type": "array", "items": {"type": "object", "properties": {"key": {"type": "string"}, "value": {"type": "string"}}}}
			}}}}}
		}`

		// The name holds a hash of the selector.
		name = "schema-216806102dbc3889"
	)

	sources := `"sources": [{"type": "Value", "values": {"platform/env": "prod"}}]`
	able := []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS}
	asked := &fnv1.Requirements{Schemas: map[string]*fnv1.SchemaSelector{name: {ApiVersion: "widget.example.org/v1", Kind: "Widget"}}}
	propagated := []*fnv1.Condition{{
		Type:   "CloudTagsPropagated",
		Status: fnv1.Status_STATUS_CONDITION_TRUE,
		Reason: "AllPropagated",
		Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
	}}
	untagged := []*fnv1.Condition{{
		Type:    "CloudTagsPropagated",
		Status:  fnv1.Status_STATUS_CONDITION_TRUE,
		Reason:  "AllPropagated",
		Message: new("no composed resource can be tagged"),
		Target:  fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
	}}
	leftAlone := []*fnv1.Result{{
		Severity: fnv1.Severity_SEVERITY_NORMAL,
		Message:  "not tagged: widget (widget.example.org/v1 Widget) has no tag field that is known",
		Reason:   new("NotTagged"),
		Target:   fnv1.Target_TARGET_COMPOSITE.Enum(),
	}}

	cases := map[string]struct {
		reason  string
		input   string
		able    []fnv1.Capability
		schemas map[string]*fnv1.Schema
		want    *fnv1.RunFunctionResponse // Without meta and context.
		wantRes string
	}{
		"Ask": {
			reason:  "The schema of an unknown kind is asked for, and nothing else is said until it is here.",
			input:   sources,
			able:    able,
			want:    &fnv1.RunFunctionResponse{Requirements: asked},
			wantRes: widget,
		},
		"Answered": {
			reason:  "The schema says where tags go. It is asked for again, or Crossplane would call for ever.",
			input:   sources,
			able:    able,
			schemas: map[string]*fnv1.Schema{name: {OpenapiV3: resource.MustStructJSON(schema)}},
			want:    &fnv1.RunFunctionResponse{Requirements: asked, Conditions: propagated},
			wantRes: tagged,
		},
		"NotFound": {
			reason:  "A kind without a schema whose provider nobody knows is left alone.",
			input:   sources,
			able:    able,
			schemas: map[string]*fnv1.Schema{name: {}},
			want:    &fnv1.RunFunctionResponse{Requirements: asked, Conditions: untagged, Results: leftAlone},
			wantRes: widget,
		},
		"NotFoundOfKnownProvider": {
			reason:  "A kind without a schema whose provider is given is tagged where that provider's kinds usually are.",
			input:   sources + `, "provider": {"value": "hetzner"}`,
			able:    able,
			schemas: map[string]*fnv1.Schema{name: {}},
			want:    &fnv1.RunFunctionResponse{Requirements: asked, Conditions: propagated},
			wantRes: `{"apiVersion": "widget.example.org/v1", "kind": "Widget", "spec": {"forProvider": {"size": 1, "labels": {"plexsphere:platform/env": "prod"}}}}`,
		},
		"Bootstrapped": {
			reason:  "A schema that the step has asked for itself is used, whatever its name, and not asked for.",
			input:   sources,
			able:    able,
			schemas: map[string]*fnv1.Schema{"mine": {OpenapiV3: resource.MustStructJSON(schema)}},
			want:    &fnv1.RunFunctionResponse{Conditions: propagated},
			wantRes: tagged,
		},
		"OtherKind": {
			reason:  "What Crossplane answers for another kind is no answer.",
			input:   sources,
			able:    able,
			schemas: map[string]*fnv1.Schema{"schema-0123456789abcdef": {}},
			want:    &fnv1.RunFunctionResponse{Requirements: asked},
			wantRes: widget,
		},
		"NotAble": {
			reason:  "A Crossplane that can't answer isn't asked.",
			input:   sources,
			want:    &fnv1.RunFunctionResponse{Conditions: untagged, Results: leftAlone},
			wantRes: widget,
		},
		"Index": {
			reason:  "Nothing is asked if the input says so.",
			input:   sources + `, "fieldDiscovery": "Index"`,
			able:    able,
			want:    &fnv1.RunFunctionResponse{Conditions: untagged, Results: leftAlone},
			wantRes: widget,
		},
		"TagFields": {
			reason:  "Nothing is asked for a kind that the input knows.",
			input:   sources + `, "fieldDiscovery": "Schema", "tagFields": [{"apiVersion": "widget.example.org/*", "kind": "*", "shape": "KeyValueList", "fieldPath": "spec.forProvider.labels"}]`,
			able:    able,
			want:    &fnv1.RunFunctionResponse{Conditions: propagated},
			wantRes: tagged,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{
				Meta:            &fnv1.RequestMeta{Capabilities: tc.able},
				Input:           testInput(tc.input),
				RequiredSchemas: tc.schemas,
				Desired:         &fnv1.State{Resources: map[string]*fnv1.Resource{"widget": {Resource: resource.MustStructJSON(widget)}}},
			}

			want := proto.CloneOf(tc.want)
			want.Meta = &fnv1.ResponseMeta{Ttl: durationpb.New(time.Minute)}
			want.Desired = &fnv1.State{Resources: map[string]*fnv1.Resource{"widget": {Resource: resource.MustStructJSON(tc.wantRes)}}}

			got, err := (&Function{log: slog.New(slog.DiscardHandler)}).RunFunction(t.Context(), req)
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}

			if err != nil {
				t.Errorf("\n%s\nRunFunction(...): unexpected error: %v", tc.reason, err)
			}
		})
	}
}

// TestPrecedence runs the function on every way in which a tag can come to be: from a
// label, an annotation or both, of a parent, a child or both, trusted or not, with a
// reserved key or another, beside a tag of an earlier step or not, and with each
// policy for that. What should come of it is said here once more, in plain words.
func TestPrecedence(t *testing.T) {
	type level struct {
		label, annotation, trusted bool
	}

	levels := []level{{}}

	for _, trusted := range []bool{false, true} {
		levels = append(levels, level{label: true, trusted: trusted}, level{annotation: true, trusted: trusted}, level{label: true, annotation: true, trusted: trusted})
	}

	// object returns the object of a level, with values that tell where they are from.
	object := func(name string, l level) *structpb.Struct {
		o := map[string]any{"apiVersion": "example.org/v1", "kind": "Level"}
		meta := map[string]any{"name": name}

		if l.label {
			meta["labels"] = map[string]any{"tags.example.org/key": name + "-label"}
		}

		if l.annotation {
			meta["annotations"] = map[string]any{"tags.example.org/key": name + "-annotation"}
		}

		o["metadata"] = meta
		st, _ := structpb.NewStruct(o)

		return st
	}

	// value is what a level says, which is what its annotation says if it has one.
	value := func(name string, l level) string {
		switch {
		case l.annotation:
			return name + "-annotation"
		case l.label:
			return name + "-label"
		default:
			return ""
		}
	}

	n := 0

	for _, parent := range levels {
		for _, child := range levels {
			for _, reserved := range []bool{false, true} {
				for _, existing := range []string{"", "child-label", "other"} {
					for _, policy := range []string{"Retain", "Replace", "Error"} {
						n++

						name := fmt.Sprintf("parent %v child %v reserved %v existing %q policy %s", parent, child, reserved, existing, policy)

						// The child overrides the parent, but what may not
						// claim a reserved key says nothing.
						effective, trusted, claims := "", false, false

						for _, l := range []struct {
							level

							value string
						}{{parent, value("parent", parent)}, {child, value("child", child)}} {
							switch {
							case l.value == "":
							case reserved && !l.trusted:
								claims = true
							default:
								effective, trusted = l.value, l.trusted
							}
						}

						want, fatal := existing, false

						switch {
						case effective == "":
						case existing == "" || policy == "Replace" || reserved && trusted:
							want = effective
						case policy == "Error":
							fatal = true
						}

						keys := ""
						if reserved {
							keys = `"reservedKeys": ["key"], `
						}

						source := func(name string, l level) string {
							return fmt.Sprintf(`{"type": "RequiredResource", "prefix": "tags.example.org/", "trusted": %t, "onConflict": %q, "resource": {"apiVersion": "example.org/v1", "kind": "Level", "name": {"value": %q}}}`, l.trusted, policy, name)
						}

						bucket := resource.MustStructJSON(`{"apiVersion": "s3.aws.m.upbound.io/v1beta1", "kind": "Bucket", "spec": {"forProvider": {"region": "r"}}}`)
						if existing != "" {
							bucket.GetFields()["spec"].GetStructValue().GetFields()["forProvider"].GetStructValue().Fields["tags"] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"key": structpb.NewStringValue(existing)}})
						}

						rsp := settle(t, &fnv1.RunFunctionRequest{
							Meta:    &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}},
							Input:   testInput(`"keyPrefix": "", ` + keys + `"sources": [` + source("parent", parent) + `, ` + source("child", child) + `]`),
							Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"bucket": {Resource: bucket}}},
						}, map[string]*structpb.Struct{"parent": object("parent", parent), "child": object("child", child)})

						got := rsp.GetDesired().GetResources()["bucket"].GetResource().GetFields()["spec"].GetStructValue().
							GetFields()["forProvider"].GetStructValue().GetFields()["tags"].GetStructValue().GetFields()["key"].GetStringValue()
						if got != want {
							t.Errorf("%s: want the tag %q, got %q", name, want, got)
						}

						gotFatal, gotClaim := false, false
						for _, r := range rsp.GetResults() {
							gotFatal = gotFatal || r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL
							gotClaim = gotClaim || r.GetReason() == "ReservedKey"
						}

						if gotFatal != fatal || gotClaim != (claims && !fatal) {
							t.Errorf("%s: want fatal %t and a refused claim %t, got %v", name, fatal, claims, rsp.GetResults())
						}
					}
				}
			}
		}
	}

	if want := 7 * 7 * 2 * 3 * 3; n != want {
		t.Errorf("want %d cases, got %d", want, n)
	}
}

// settle runs the function until it has what it requires, as Crossplane does. The
// supplied objects are found by name.
func settle(t *testing.T, req *fnv1.RunFunctionRequest, objects map[string]*structpb.Struct) *fnv1.RunFunctionResponse {
	t.Helper()

	f := &Function{log: slog.New(slog.DiscardHandler)}

	for range 5 {
		rsp, err := f.RunFunction(t.Context(), proto.CloneOf(req))
		if err != nil {
			t.Fatalf("RunFunction(...): unexpected error: %v", err)
		}

		answers := make(map[string]*fnv1.Resources)
		for name, selector := range rsp.GetRequirements().GetResources() {
			answers[name] = &fnv1.Resources{Items: []*fnv1.Resource{{Resource: objects[selector.GetMatchName()]}}}
		}

		if len(req.GetRequiredResources()) == len(answers) || len(answers) == 0 {
			return rsp
		}

		req.RequiredResources = answers
	}

	t.Fatal("RunFunction(...): what is required didn't settle")

	return nil
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

// enabledHandler is a handler that is enabled.
type enabledHandler struct{ slog.Handler }

func (enabledHandler) Enabled(context.Context, slog.Level) bool { return true }

// blockHandler tells that a log line is being written, and waits until it may be.
type blockHandler struct {
	slog.Handler

	writing chan struct{}
	resume  chan struct{}
}

func (h blockHandler) Handle(_ context.Context, r slog.Record) error {
	if r.Level == slog.LevelWarn {
		close(h.writing)
		<-h.resume
	}

	return nil
}

// TestServeStopsGracefully proves that a call under way when the server is told to
// stop gets its answer, and that the server then stops.
func TestServeStopsGracefully(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()

	lis, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("cannot listen: %v", err)
	}

	h := blockHandler{Handler: enabledHandler{slog.DiscardHandler}, writing: make(chan struct{}), resume: make(chan struct{})}
	served := make(chan error, 1)

	go func() { served <- (&ServeCommand{Insecure: true, MaxRecvMessageSize: 4}).serve(ctx, lis, slog.New(h)) }()

	conn, err := grpc.NewClient(lis.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatalf("cannot connect: %v", err)
	}
	defer func() { _ = conn.Close() }()

	health, err := healthv1.NewHealthClient(conn).Check(t.Context(), &healthv1.HealthCheckRequest{}, grpc.WaitForReady(true))
	if err != nil || health.GetStatus() != healthv1.HealthCheckResponse_SERVING {
		t.Fatalf("Check(...): want SERVING, got %v, %v", health.GetStatus(), err)
	}

	req := testRequest(testInput(`"sources": [{"type": "Value", "values": {"aws:x": "skipped"}}]`))
	want, err := (&Function{log: slog.New(slog.DiscardHandler)}).RunFunction(t.Context(), proto.CloneOf(req))
	if err != nil {
		t.Fatalf("RunFunction(...): unexpected error: %v", err)
	}

	type answer struct {
		rsp *fnv1.RunFunctionResponse
		err error
	}

	answered := make(chan answer, 1)

	go func() {
		rsp, err := fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), req)
		answered <- answer{rsp: rsp, err: err}
	}()

	select {
	case <-h.writing:
	case got := <-answered:
		t.Fatalf("RunFunction(...): want a call that waits for its log line, got %v, %v", got.rsp, got.err)
	}

	stop()

	select {
	case err := <-served:
		t.Fatalf("serve(...): stopped with a call under way: %v", err)
	case <-time.After(100 * time.Millisecond):
	}

	close(h.resume)

	got := <-answered
	if diff := cmp.Diff(want, got.rsp, protocmp.Transform()); diff != "" || got.err != nil {
		t.Errorf("RunFunction(...): the call under way must be answered: error %v, -want, +got:\n%s", got.err, diff)
	}

	if err := <-served; err != nil {
		t.Errorf("serve(...): unexpected error: %v", err)
	}
}

func TestServeErrors(t *testing.T) {
	cases := map[string]struct {
		reason string
		cmd    ServeCommand
		want   string
	}{
		"NoCredentials": {
			reason: "A function without credentials would answer anyone, so that must be asked for.",
			cmd:    ServeCommand{Network: "tcp", Address: "127.0.0.1:0"},
			want:   "no credentials: give --tls-certs-dir, or --insecure to run without mTLS",
		},
		"NoCertificates": {
			reason: "Certificates that aren't there are named.",
			cmd:    ServeCommand{Network: "tcp", Address: "127.0.0.1:0", TLSCertsDir: "does-not-exist"},
			want:   "cannot set up mTLS: cannot load X509 keypair: open does-not-exist/tls.crt: no such file or directory",
		},
		"BadMetricsAddress": {
			reason: "Metrics that can't be served are not silently left out.",
			cmd:    ServeCommand{Network: "tcp", Address: "127.0.0.1:0", Insecure: true, MetricsAddress: "127.0.0.1:99999"},
			want:   `cannot listen for metrics connections at address "127.0.0.1:99999": listen tcp: address 99999: invalid port`,
		},
		"BadAddress": {
			reason: "An address that can't be listened at is named.",
			cmd:    ServeCommand{Network: "tcp", Address: "127.0.0.1:99999", Insecure: true},
			want:   `cannot listen for tcp connections at address "127.0.0.1:99999": listen tcp: address 99999: invalid port`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := tc.cmd.Run(t.Context())
			if diff := cmp.Diff(tc.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("\n%s\nRun(...): -want error, +got error:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestREADME proves that the inputs that README.md shows are valid.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatalf("cannot read README.md: %v", err)
	}

	inputs := 0

	for i, block := range strings.Split(string(readme), "```yaml\n")[1:] {
		text, _, _ := strings.Cut(block, "```")

		j, err := yaml.YAMLToJSONStrict([]byte(text))
		if err != nil {
			t.Errorf("YAML block %d: %v", i+1, err)
			continue
		}

		var in *structpb.Struct

		v := &structpb.Value{}
		if err := v.UnmarshalJSON(j); err != nil {
			t.Fatalf("YAML block %d: %v", i+1, err)
		}

		switch f := v.GetStructValue().GetFields(); {
		case f["kind"].GetStringValue() == v1beta1.Kind:
			in = v.GetStructValue()
		case f["sources"] != nil: // A part of an input.
			in = v.GetStructValue()
			in.Fields["apiVersion"] = structpb.NewStringValue(v1beta1.APIVersion)
			in.Fields["kind"] = structpb.NewStringValue(v1beta1.Kind)
		case len(v.GetListValue().GetValues()) == 1: // A step of a pipeline.
			in = v.GetListValue().GetValues()[0].GetStructValue().GetFields()["input"].GetStructValue()
		default:
			continue
		}

		inputs++

		if _, err := v1beta1.Decode(in); err != nil {
			t.Errorf("YAML block %d: Decode(...): %v", i+1, err)
		}
	}

	if inputs < 4 {
		t.Errorf("README.md shows %d inputs: want the first step, those of the chapters, and the whole input", inputs)
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
