package report

import (
	"context"
	"log/slog"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// Reasons of the condition and of the fatal result of a run that fails. They tell apart
// what the metadata controller has conditions for: that the request is approved, that tags
// are applied, and that limits and requests fail.
const (
	// ReasonInvalidInput means that the step's input is not valid: it is not
	// approved.
	ReasonInvalidInput = "InvalidInput"

	// ReasonResolveFailed means that the labels, or the metadata to copy, could not
	// be known: the request failed.
	ReasonResolveFailed = "ResolveFailed"

	// ReasonTagConflict means that an earlier step had set a tag that no earlier
	// step may set: it can't be applied.
	ReasonTagConflict = "TagConflict"

	// ReasonLimitExceeded means that a resource has no slots for all tags, which
	// the limit policy doesn't accept.
	ReasonLimitExceeded = "LimitExceeded"

	// ReasonInternalError means that the function has a bug.
	ReasonInternalError = "InternalError"
)

// A FailureError is an error that fails the pipeline.
type FailureError struct {
	error

	// Reason of the condition and of the fatal result.
	Reason string
}

// Fail returns a FailureError for the supplied reason and because of the supplied error.
func Fail(reason string, err error) *FailureError { return &FailureError{Reason: reason, error: err} }

// Unwrap returns the error that fails the pipeline.
func (f *FailureError) Unwrap() error { return f.error }

// FailStamp returns a FailureError because of the supplied error of stamping.
func FailStamp(err error) *FailureError {
	if errors.As(err, new(*stamp.LimitError)) {
		return Fail(ReasonLimitExceeded, err)
	}

	return Fail(ReasonTagConflict, err)
}

// Fatal responds to the supplied request that the pipeline fails, and changes
// nothing else. An error that isn't a FailureError is an internal one.
func Fatal(ctx context.Context, req *fnv1.RunFunctionRequest, log *slog.Logger, err error) *fnv1.RunFunctionResponse {
	rsp := unchanged(req, 0)
	text := err.Error()
	v := verdict{reason: ReasonInternalError, message: elideMiddle(text, maxFatal, len(text))}

	if f := (*FailureError)(nil); errors.As(err, &f) {
		v.reason = f.Reason
	}

	log.LogAttrs(ctx, slog.LevelError, "Cannot tag composed resources", provisioned(req), slog.String("error", v.message))

	v.set(rsp)
	add(rsp, fnv1.Severity_SEVERITY_FATAL, v.reason, "", v.message)

	return rsp
}
