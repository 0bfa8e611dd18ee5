package engine

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A pipeline is run once.
type pipeline struct {
	functions map[string]Function
	cluster   cluster
	observed  *fnv1.State

	// The outcome of the steps so far.
	desired    *fnv1.State
	conditions []*fnv1.Condition
	results    []Result

	// outputs of the steps of an Operation.
	outputs []any
}

// A FatalError ends the pipeline.
type FatalError struct {
	Step    string
	Message string
}

// Error says which step has failed, in the words of Crossplane.
func (e *FatalError) Error() string {
	return fmt.Sprintf("pipeline step %q returned a fatal result: %s", e.Step, e.Message)
}

// run the steps. Each is handed what the one before it has desired, and its context.
func (p *pipeline) run(ctx context.Context, steps []step, values *structpb.Struct) error {
	p.desired = &fnv1.State{}

	if values == nil {
		values = &structpb.Struct{}
	}

	for _, s := range steps {
		f, ok := p.functions[s.FunctionRef.Name]
		if !ok {
			return fmt.Errorf("step %s calls %q, which is no function that runs here", s.Step, s.FunctionRef.Name)
		}

		rsp, err := p.cluster.call(ctx, f, s.required(), &fnv1.RunFunctionRequest{
			Meta:     &fnv1.RequestMeta{Capabilities: capabilities},
			Observed: p.observed,
			Desired:  p.desired,
			Input:    s.Input,
			Context:  values,
		})
		if err != nil {
			return fmt.Errorf("cannot run Composition pipeline step %q: %w", s.Step, err)
		}

		p.desired = rsp.GetDesired()
		values = rsp.GetContext()
		p.conditions = append(p.conditions, rsp.GetConditions()...)

		for _, r := range rsp.GetResults() {
			if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
				return &FatalError{Step: s.Step, Message: r.GetMessage()}
			}

			p.results = append(p.results, resultOf(s.Step, r))
		}

		if o := rsp.GetOutput(); o != nil {
			p.outputs = append(p.outputs, map[string]any{"step": s.Step, "output": o.AsMap()})
		}
	}

	return nil
}
