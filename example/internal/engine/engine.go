// Package engine is a model of what Crossplane makes of a composite resource (XR), as
// crossplane composition render shows it: one reconcile, which calls the functions of a
// Composition's pipeline in order, and then names and owns what they desire.
//
// CI renders all scenarios with this model and with the real Crossplane, and compares the requests
// to functions and the outcome. Each file models one part of Crossplane:
//
//   - composition.go and composite.go: before the pipeline
//   - pipeline.go and requirements.go: the pipeline
//   - composed.go: after the pipeline
//   - reconciler.go: Crossplane's own conditions and results
//   - operation.go: an Operation
//
// The model has no garbage collection, connection details, claims, credentials, XRs of
// before v2, or defaults of an XRD. Only the real Crossplane can render scenarios with them.
package engine

import (
	"context"
	"fmt"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A Function that pipelines call.
type Function interface {
	RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)
}

// Input of a rendering.
type Input struct {
	Composite   *structpb.Struct
	Composition *structpb.Struct

	// Operation, or CronOperation, that is rendered instead of an XR.
	Operation *structpb.Struct

	// Definition of the XR, if there is one.
	Definition *structpb.Struct

	// Observed composed resources.
	Observed []*structpb.Struct

	// Required are objects that functions can require.
	Required []*structpb.Struct

	// Schemas are OpenAPI documents with schemas that functions can require.
	Schemas []*structpb.Struct

	// Context that the pipeline begins with.
	Context *structpb.Struct
}

// Output of a rendering.
type Output struct {
	// Composite has the fields that Crossplane writes to the XR: references to the composed
	// resources, and the status. It is the whole of an Operation.
	Composite *unstructured.Unstructured

	// Composed resources, sorted by the names that they have in the pipeline, or those that an
	// Operation applies.
	Composed []*unstructured.Unstructured

	Results []Result
}

// A Result is an event of the XR.
type Result struct {
	Severity string
	Reason   string
	Message  string
}

// Render an XR with functions by name. The error is a *FatalError if a function's result
// is fatal.
func Render(ctx context.Context, in Input, functions map[string]Function) (*Output, error) {
	if in.Operation != nil {
		return renderOperation(ctx, in, functions)
	}

	composition, err := decodeComposition(in.Composition)
	if err != nil {
		return nil, fmt.Errorf("cannot read the Composition: %w", err)
	}

	if err := checkDefinition(in.Definition); err != nil {
		return nil, err
	}

	xr, err := newComposite(in.Composite, composition, in.Observed)
	if err != nil {
		return nil, err
	}

	state, err := xr.state()
	if err != nil {
		return nil, err
	}

	p := pipeline{
		functions: functions,
		observed:  state,
		cluster:   cluster{objects: slices.Concat(in.Required, in.Observed, []*structpb.Struct{state.GetComposite().GetResource()}), schemas: in.Schemas},
	}
	if err := p.run(ctx, composition.Spec.Pipeline, in.Context); err != nil {
		return nil, err
	}

	composed := xr.compose(p.desired.GetResources())

	out := &Output{
		Composite: xr.written(p.desired.GetComposite(), p.conditions, composed),
		Results:   results(xr, p.results, composed),
	}
	for _, c := range composed {
		out.Composed = append(out.Composed, c.object)
	}

	return out, nil
}
