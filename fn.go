package main

import (
	"context"
	"log/slog"
	"runtime/debug"

	"google.golang.org/grpc/status"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/coverage"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/metadata"
	"github.com/plexsphere/function-cloud-tags/tags/report"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
)

// A Function turns the labels of a composite resource into cloud tags of the
// resources that it is composed of. For an Operation, it counts tags.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log *slog.Logger

	// inputs that were decoded before.
	inputs v1beta1.Decoder

	// metrics count labels and resources, if there are any.
	metrics *report.Metrics

	// auditValues says that log lines about changed tags have their values.
	auditValues bool

	// limit of the size of responses.
	limit report.Limit
}

// RunFunction runs the function. It returns an error only if the client has gone, so that nobody reads a response. Any
// other failure is a fatal result, with the desired state of the request. If that state would make the response too large,
// the response leaves it out.
func (f *Function) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return f.Trace(ctx, req, nil)
}

// Trace does the same as RunFunction. The command explain prints the trace of a run on resources that have the tags of this step already.
// Without a trace, the run is one that Crossplane asks for.
func (f *Function) Trace(ctx context.Context, req *fnv1.RunFunctionRequest, trace *stamp.Trace) (rsp *fnv1.RunFunctionResponse, _ error) {
	run := report.NewRun(req, report.Options{Log: f.log, Metrics: f.metrics, AuditValues: f.auditValues, Limit: f.limit})

	defer func() {
		if cause := recover(); cause != nil {
			f.log.ErrorContext(ctx, "Recovered from a panic", "cause", cause, "stack", string(debug.Stack()))
			rsp = run.Done(ctx, nil, errors.Errorf("internal error: %v", cause))
		}
	}()

	rsp, err := f.stages(ctx, run, trace)
	if cause := ctx.Err(); cause != nil && errors.Is(err, cause) {
		return nil, status.FromContextError(cause).Err()
	}

	return run.Done(ctx, rsp, err), nil
}

// stages runs the stages of the function: decode, resolve, locate, stamp and report. An Operation counts instead.
func (f *Function) stages(ctx context.Context, run *report.Run, trace *stamp.Trace) (*fnv1.RunFunctionResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	req, required := run.Request, run.Required

	in, err := resolve.Input(ctx, &f.inputs, req, run.InputHash, required)
	if err != nil {
		return nil, report.Fail(report.ReasonInvalidInput, err)
	}

	run.Input = in
	// With Index, the function itself asks for no schemas.
	required.OnlyBootstrapped = in.FieldDiscovery == v1beta1.FieldDiscoveryIndex

	if required.Waiting() {
		return run.AskAgain(), nil
	}

	if require.IsOperation(req) {
		return operate(ctx, in, required, run)
	}

	set, err := resolve.Resolve(ctx, in, req, required, run.Budget)
	if err != nil {
		return nil, report.Fail(report.ReasonResolveFailed, err)
	}

	stamper := stamp.New(&stamp.Request{
		Input: in, Set: &set, Observed: req.GetObserved(), Required: required,
		Options: stamp.Options{
			EarlierTrustedTags: run.EarlierTrustedTags(), AlreadyStamped: trace != nil, Trace: trace,
			Audits: f.log.Enabled(ctx, slog.LevelInfo), Budget: run.Budget,
		},
	})

	targets, err := stamper.Targets(ctx, req.GetDesired().GetResources())
	if err != nil {
		return nil, err
	}

	copies := metadata.Select(set.Metadata, targets, stamper.Transformer)

	stamper.Require(targets)
	run.RequireSchema()

	if required.Waiting() {
		return run.AskAgain(), nil
	}

	run.LogLabels(ctx, &set)

	return respond(ctx, run, &set, stamper, targets, copies)
}

// operate counts the tags of the resources that an Operation requires.
func operate(ctx context.Context, in *v1beta1.CloudTags, required *require.Requirements, run *report.Run) (*fnv1.RunFunctionResponse, error) {
	o := coverage.Options{By: []string{"provider"}, Input: in, Schemas: stamp.Schemas(required)}

	if in.Coverage != nil {
		o.Keys = in.Coverage.Keys
	}

	tally := coverage.New(o)
	if err := tally.AddRequired(ctx, required.OfStep()); err != nil {
		return nil, err
	}

	required.RequireSchemas(tally.Schemas())

	if required.Waiting() {
		return run.AskAgain(), nil
	}

	return run.Counted(ctx, tally.Report())
}

// respond copies metadata, stamps the targets, and returns the response that reports it.
func respond(ctx context.Context, run *report.Run, set *resolve.LabelSet, stamper *stamp.Stamper, targets *locate.Targets, copies *metadata.Copies) (*fnv1.RunFunctionResponse, error) {
	copied, err := copies.Copy(ctx, run.Budget)
	if err != nil {
		return nil, report.Fail(report.ReasonResolveFailed, err)
	}

	targets.UseCopies(copied.Changed)

	stamped, err := stamper.Stamp(ctx, targets)
	if err != nil {
		return nil, report.Fail(report.ReasonTagConflict, err)
	}

	violations := tagpolicy.Violations(stamper.Input, stamper.Transformer, targets, stamped.Changed, stamped)
	if len(violations) > 0 && stamper.Input.TagPolicy.Enforcement == v1beta1.PolicyEnforcementError {
		return nil, run.FailPolicy(violations)
	}

	rsp := run.Success(ctx, &report.Facts{Set: *set, Outcome: *stamped, NotCopied: copied.NotCopied, Unmatched: targets.Unmatched(), Violations: violations})
	rsp.Desired = stamp.Apply(rsp.GetDesired(), stamped.Changed)

	return rsp, nil
}
