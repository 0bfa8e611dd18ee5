// Package testfunction is a composition function that makes the composed resources
// its input lists. It stands in for whatever makes resources in a real pipeline,
// and is for the examples and tests of this repository only.
package testfunction

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// The apiVersion and kind of the input.
const (
	apiVersion = "testfunction.example.org/v1"
	kind       = "Resources"
)

// Seen is a condition of the XR. Its message is the generation of the XR that the function has seen.
const Seen = "Seen"

// An input lists the resources to compose.
type input struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Resources  []struct {
		Name string         `json:"name"`
		Base map[string]any `json:"base"`
	} `json:"resources"`
}

// Function is the test function.
type Function struct{}

// RunFunction desires the resources of the input. It calls each of them ready,
// because Crossplane reports unready ones in random order. Other functions say how long
// its response holds.
//
// The response is made without the SDK's package response, which needs controller-runtime, client-go and k8s.io/api: with them, the first
// command of the README would take twice as long to compile.
func (Function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) { //nolint:unparam // Functions return an error.
	rsp := &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: req.GetMeta().GetTag(), Ttl: durationpb.New(0)},
		Desired: req.GetDesired(),
		Context: req.GetContext(),
	}

	metadata := req.GetObserved().GetComposite().GetResource().GetFields()["metadata"].GetStructValue()
	if generation := metadata.GetFields()["generation"].GetNumberValue(); generation > 0 {
		rsp.Conditions = []*fnv1.Condition{{
			Type: Seen, Status: fnv1.Status_STATUS_CONDITION_TRUE, Reason: "Observed", Message: new(strconv.FormatFloat(generation, 'f', -1, 64)),
			Target: fnv1.Target_TARGET_COMPOSITE.Enum(),
		}}
	}

	in, err := decode(req.GetInput())
	if err != nil {
		fail(rsp, fmt.Errorf("cannot read the input of the test function: %w", err))
		return rsp, nil
	}

	composed, err := compose(in, req.GetDesired().GetResources())
	if err != nil {
		fail(rsp, fmt.Errorf("cannot compose the resources of the test function's input: %w", err))
		return rsp, nil
	}

	rsp.Desired = &fnv1.State{Composite: req.GetDesired().GetComposite(), Resources: composed}

	return rsp, nil
}

// fail adds a fatal result to the response.
func fail(rsp *fnv1.RunFunctionResponse, err error) {
	rsp.Results = append(rsp.Results, &fnv1.Result{Severity: fnv1.Severity_SEVERITY_FATAL, Message: err.Error(), Target: fnv1.Target_TARGET_COMPOSITE.Enum()})
}

func decode(s *structpb.Struct) (input, error) {
	var in input

	text, err := s.MarshalJSON()
	if err != nil {
		return in, err
	}

	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()

	if err := d.Decode(&in); err != nil {
		return in, err
	}

	if in.APIVersion != apiVersion || in.Kind != kind {
		return in, fmt.Errorf("it must be of apiVersion %s and kind %s", apiVersion, kind)
	}

	return in, nil
}

// compose returns the resources of the input and of earlier steps.
func compose(in input, earlier map[string]*fnv1.Resource) (map[string]*fnv1.Resource, error) {
	composed := make(map[string]*fnv1.Resource, len(earlier)+len(in.Resources))
	maps.Copy(composed, earlier)

	for _, r := range in.Resources {
		if r.Name == "" {
			return nil, errors.New("every resource needs a name")
		}

		if _, found := composed[r.Name]; found {
			return nil, fmt.Errorf("there are two resources called %q", r.Name)
		}

		base, err := structpb.NewStruct(r.Base)
		if err != nil {
			return nil, fmt.Errorf("the base of resource %q: %w", r.Name, err)
		}

		composed[r.Name] = &fnv1.Resource{Resource: base, Ready: fnv1.Ready_READY_TRUE}
	}

	return composed, nil
}
