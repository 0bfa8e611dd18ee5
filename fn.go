package main

import (
	"context"
	"log/slog"
	"runtime/debug"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/report"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// A Function turns the labels of a composite resource into cloud tags of the
// resources that it is composed of.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log *slog.Logger
}

// RunFunction runs the function. It never returns an error. Whatever stops it is a
// fatal result, beside the desired state as it was in the request.
func (f *Function) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (rsp *fnv1.RunFunctionResponse, _ error) {
	defer func() {
		if cause := recover(); cause != nil {
			f.log.ErrorContext(ctx, "Recovered from a panic", "cause", cause, "stack", string(debug.Stack()))
			rsp = report.Fatal(req, errors.Errorf("internal error: %v", cause))
		}
	}()

	rsp, err := f.run(ctx, req)
	if err != nil {
		f.log.InfoContext(ctx, "Cannot tag composed resources", "error", err)
		return report.Fatal(req, err), nil
	}

	return rsp, nil
}

// run the four stages of the function: resolve, transform, stamp and report.
func (f *Function) run(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	in, err := v1beta1.Decode(req.GetInput())
	if err != nil {
		return nil, report.Fail(report.ReasonInvalidInput, errors.Wrap(err, "invalid input"))
	}

	set, err := resolve.Resolve(in, req.GetObserved().GetComposite().GetResource())
	if err != nil {
		return nil, report.Fail(report.ReasonResolveFailed, err)
	}

	rules, err := field.NewRules(in.TagFields)
	if err != nil {
		return nil, report.Fail(report.ReasonInvalidInput, errors.Wrap(err, "invalid input"))
	}

	stamper := &stamp.Stamper{
		Input:       in,
		Provider:    set.Provider,
		Transformer: tags.NewTransformer(set.Labels, in.Formats()),
		Fields:      field.Chain{rules, field.ByProfile{}},
	}

	stamped, err := stamper.Stamp(req.GetDesired().GetResources())
	if err != nil {
		return nil, report.Fail(report.ReasonTagConflict, err)
	}

	return report.Success(ctx, req, f.log, in.ReuseFor(), stamped), nil
}
