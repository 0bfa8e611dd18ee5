// Package calls has calls of the function that stand in files, and tells what comes of them. It is
// handed the function to call.
package calls

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

const (
	compositeResource = `{
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

	// Bucket is a resource with tags.
	Bucket = `{
		"apiVersion": "s3.aws.m.upbound.io/v1beta1",
		"kind": "Bucket",
		"metadata": {"labels": {"tier": "data"}},
		"spec": {"forProvider": {"region": "eu-central-1", "tags": {"Name": "assets", "plexsphere:platform/env": "test"}}}
	}`

	// ConfigMap is a resource that can't be tagged.
	ConfigMap = `{"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}}`
)

// Input returns an input with these fields, in JSON, beside its apiVersion and kind.
func Input(fields string) *structpb.Struct {
	return inputOf(tagstest.MustStructJSON(`{` + fields + `}`))
}

// Request returns a request with everything in it that the function must not touch.
func Request(input *structpb.Struct) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta:  &fnv1.RequestMeta{Tag: "tag"},
		Input: input,
		Observed: &fnv1.State{
			Composite: &fnv1.Resource{Resource: tagstest.MustStructJSON(compositeResource)},
			Resources: map[string]*fnv1.Resource{
				"bucket": {Resource: tagstest.MustStructJSON(Bucket), ConnectionDetails: map[string][]byte{"key": []byte("secret")}},
			},
		},
		Desired: &fnv1.State{
			Composite: &fnv1.Resource{
				Resource:          tagstest.MustStructJSON(`{"status": {"ready": true}}`),
				ConnectionDetails: map[string][]byte{"user": []byte("admin")},
				Ready:             fnv1.Ready_READY_FALSE,
			},
			Resources: map[string]*fnv1.Resource{
				"bucket": {Resource: tagstest.MustStructJSON(Bucket), Ready: fnv1.Ready_READY_TRUE, ConnectionDetails: map[string][]byte{"key": []byte("x")}},
				"config": {Resource: tagstest.MustStructJSON(ConfigMap)},
			},
		},
		Context: tagstest.MustStructJSON(`{"apiextensions.crossplane.io/environment": {"a": [1, null, {"b": "c"}]}}`),
	}
}

// A Function is the function under test.
type Function func(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)

// A Step is a call of the function. Its fields replace fields of Request.
type Step struct {
	// Input but for its apiVersion and kind, or nothing.
	Input *structpb.Struct `json:"input"`

	Composite    *structpb.Struct            `json:"composite"`
	Observed     map[string]*structpb.Struct `json:"observed"`
	Desired      map[string]*structpb.Struct `json:"desired"` // {} desires nothing.
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

// A Case is a step, or several.
type Case struct {
	Step

	Name   string `json:"name"`
	Reason string `json:"reason"`

	// Bare reports whether the request has nothing but the fields of the case.
	Bare bool `json:"bare"`

	// Values reports whether log lines have the values of tags.
	Values bool `json:"values"`

	// Steps of one pipeline: what one of them desires, the next one gets.
	Steps []Step `json:"steps"`

	// Reconciles of one step: what it desires and doesn't fail is observed by the next.
	Reconciles []Step `json:"reconciles"`
}

// Read returns the cases in a file.
func Read(tb testing.TB, path string) (cases []Case) {
	tb.Helper()
	tagstest.ReadYAML(tb, path, &cases)

	return cases
}

// All returns all steps of the case.
func (c *Case) All() []Step {
	if steps := slices.Concat(c.Steps, c.Reconciles); steps != nil {
		return steps
	}

	return []Step{c.Step}
}

// Run runs the case. It returns lines on the responses of the function, and on its log.
func (c *Case) Run(tb testing.TB, log *bytes.Buffer, function Function) []string {
	tb.Helper()

	var (
		last *fnv1.RunFunctionResponse
		out  []string
	)

	for i, s := range c.All() {
		req := Request(nil)
		if c.Bare {
			req = &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{}, Observed: &fnv1.State{Composite: &fnv1.Resource{}}, Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{}}}
		}

		s.Change(req)

		switch {
		case i > 0 && c.Steps != nil:
			req.Desired, req.Context = last.GetDesired(), last.GetContext()
		case c.Reconciles != nil:
			req.Observed.Resources = last.GetDesired().GetResources()
		}

		for key, value := range s.Tags {
			tagstest.ForProvider(req.GetDesired().GetResources()["bucket"])["tags"].GetStructValue().Fields[key] = structpb.NewStringValue(value)
		}

		if len(c.Steps)+len(c.Reconciles) > 1 {
			out = append(out, fmt.Sprintf("step %d:", i))
		}

		rsp, told := s.settle(tb, req, function)
		out = append(out, told...)

		for line := range strings.Lines(log.String()) {
			out = append(out, "log "+strings.TrimSuffix(line, "\n"))
		}

		log.Reset()

		// Crossplane doesn't apply the response of a call that fails or waits.
		if conditions := rsp.GetConditions(); c.Reconciles == nil || len(conditions) == 1 && conditions[0].GetStatus() == fnv1.Status_STATUS_CONDITION_TRUE {
			last = proto.CloneOf(rsp)
		}
	}

	return out
}

// inputOf the fields that it has beside its apiVersion and kind.
func inputOf(fields *structpb.Struct) *structpb.Struct {
	in := tagstest.Struct(map[string]any{"apiVersion": v1beta1.APIVersion, "kind": v1beta1.Kind})
	maps.Copy(in.GetFields(), fields.GetFields())

	return in
}

// Change changes a request to the request of the step.
func (s *Step) Change(req *fnv1.RunFunctionRequest) {
	if s.Input != nil {
		req.Input = inputOf(s.Input)
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

	if s.Desired != nil && len(s.Desired) == 0 {
		clear(req.GetDesired().GetResources())
	}

	for name, r := range s.Desired {
		req.Desired.Resources[name] = &fnv1.Resource{Resource: r}
	}

	for _, c := range s.Capabilities {
		req.Meta.Capabilities = append(req.Meta.Capabilities, fnv1.Capability(fnv1.Capability_value["CAPABILITY_"+c]))
	}

	if s.Required != nil {
		req.Observed, req.Desired.Composite = nil, nil
		req.RequiredResources = make(map[string]*fnv1.Resources)
	}

	s.require(req)

	req.RequiredSchemas = make(map[string]*fnv1.Schema)

	for name, openAPI := range s.Schemas {
		req.RequiredSchemas[name] = &fnv1.Schema{}
		if len(openAPI.GetFields()) > 0 {
			req.RequiredSchemas[name].OpenapiV3 = openAPI
		}
	}
}

// require adds what the step requires to the request of a call, as Crossplane does in each.
func (s *Step) require(req *fnv1.RunFunctionRequest) {
	for name, objects := range s.Required {
		req.RequiredResources[name] = tagstest.Items(objects...)
	}
}

// settle calls the function until two responses in a row require the same, if Crossplane
// finds anything, or until one is fatal, and tells of each.
func (s *Step) settle(tb testing.TB, req *fnv1.RunFunctionRequest, function Function) (rsp *fnv1.RunFunctionResponse, told []string) {
	tb.Helper()

	for before := (*fnv1.Requirements)(nil); ; {
		rsp, err := function(tb.Context(), proto.CloneOf(req))
		if err != nil {
			tb.Fatal(err)
		}

		told = append(told, tell(req, rsp)...)

		isFatal := func(r *fnv1.Result) bool { return r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL }
		if s.Objects == nil || proto.Equal(before, rsp.GetRequirements()) || slices.ContainsFunc(rsp.GetResults(), isFatal) {
			return rsp, told
		}

		before, req.Context = rsp.GetRequirements(), rsp.GetContext()
		require.Answer(req, before, s.Objects)
		s.require(req)
	}
}
