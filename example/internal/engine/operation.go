package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// renderOperation runs the pipeline of an Operation once, as crossplane operation render shows
// it: nothing is observed, and what is desired is applied as it is.
func renderOperation(ctx context.Context, in Input, functions map[string]Function) (*Output, error) {
	op := operationOf(in.Operation)

	s, err := structpb.NewStruct(op.Object)
	if err != nil {
		return nil, err
	}

	steps, err := decodeComposition(s)
	if err != nil {
		return nil, fmt.Errorf("cannot read the Operation: %w", err)
	}

	p := pipeline{functions: functions, cluster: cluster{objects: in.Required, schemas: in.Schemas}}
	if err := p.run(ctx, steps.Spec.Pipeline, in.Context); err != nil {
		return nil, err
	}

	status := map[string]any{"conditions": []any{
		condition("Succeeded", "True", "PipelineSuccess", ""),
		condition("ValidPipeline", "True", "ValidPipeline", ""),
		synced(),
	}}
	if len(p.outputs) > 0 {
		status["pipeline"] = p.outputs
	}

	out := &Output{Composite: op, Results: p.results}
	for i := range out.Results {
		out.Results[i].Reason = "RunPipelineStep"
	}

	var refs []any

	for _, name := range slices.Sorted(maps.Keys(p.desired.GetResources())) {
		o := objectOf(p.desired.GetResources()[name].GetResource())
		out.Composed = append(out.Composed, o)

		ref := map[string]any{"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(), "name": o.GetName()}
		if o.GetNamespace() != "" {
			ref["namespace"] = o.GetNamespace()
		}

		refs = append(refs, ref)
	}

	if len(refs) > 0 {
		status["appliedResourceRefs"] = refs
	}

	op.Object["status"] = status

	return out, nil
}

// operationOf an Operation, or of the CronOperation that makes it.
func operationOf(s *structpb.Struct) *unstructured.Unstructured {
	op := objectOf(s)

	if spec, ok, _ := unstructured.NestedMap(op.Object, "spec", "operationTemplate", "spec"); ok {
		op.SetKind("Operation")
		op.Object["spec"] = spec
	}

	op.SetResourceVersion("999")

	return op
}
