package report

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/metadata"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A FailureError is an error that fails the pipeline.
type FailureError struct {
	error

	// Reason of the condition and of the fatal result.
	Reason string
}

// Fail returns a FailureError because of the error err: for the reason, unless what err is of says
// that labels could not be known, or that something is too large.
func Fail(reason string, err error) *FailureError {
	switch {
	case errors.Is(err, metadata.ErrTooLarge), errors.As(err, new(*stamp.LimitError)), errors.As(err, new(*resolve.LimitError)):
		reason = ReasonLimitExceeded
	case errors.As(err, new(*stamp.ResolveError)), errors.As(err, new(*v1beta1.StandardError)):
		reason = ReasonResolveFailed
	}

	return &FailureError{Reason: reason, error: err}
}

// Unwrap returns the error that fails the pipeline.
func (f *FailureError) Unwrap() error { return f.error }

// Done returns the response of the run, and counts it. If there is an error, or if the response is larger than the limit,
// it is a fatal one.
func (r *Run) Done(ctx context.Context, rsp *fnv1.RunFunctionResponse, err error) *fnv1.RunFunctionResponse {
	if err == nil {
		err = r.Limit.check(rsp)
	}

	if err != nil {
		rsp = r.fatal(ctx, err)
	}

	r.Metrics.ran(rsp)

	return rsp
}

// fatal responds to the request that the pipeline fails, and changes nothing else. An error that
// isn't a FailureError is an internal one. A response that would be larger than the limit has
// neither the desired state nor the context: Crossplane takes neither from a pipeline that fails.
//
// Crossplane up to v1.16 calls again until two responses require the same, and only then reads results. So a
// caller that doesn't say what it can do gets the requirements again. Later releases read fatal results first.
// The next call has the context of the response. So a response without it stops the first of the calls, by
// requiring nothing.
//
// The result is returned on every call. The digest in its condition is one that no successful run
// has, so that the next successful run says everything. Earlier steps have said what they have to
// say.
func (r *Run) fatal(ctx context.Context, err error) *fnv1.RunFunctionResponse {
	rsp := r.unchanged(0)
	text := err.Error()
	v := verdict{reason: ReasonInternalError, message: words.Shorten(text, words.MaxFatal)}

	if f := (*FailureError)(nil); errors.As(err, &f) {
		v.reason = f.Reason
	}

	what := "Cannot tag composed resources"
	if IsOperation(r.Request) {
		what = "Cannot count cloud tags"
	}

	failed := digest(r.steps.id, v.reason, text)
	steps := r.steps.with(failed)

	r.logOf(failed).LogAttrs(ctx, slog.LevelError, what, slog.String("error", v.message))

	v.set(rsp, steps.digests())
	rsp.Results = append(rsp.Results, result(fnv1.Severity_SEVERITY_FATAL, v.reason, v.message))

	if r.Required.Old() {
		r.Required.AddTo(rsp)
	}

	if r.Limit.check(rsp) != nil {
		rsp.Desired, rsp.Context = nil, nil

		if r.Required.Waiting() {
			rsp.Requirements = nil
		}
	}

	return rsp
}

// FailPolicy returns a FailureError because of violations of the tag policy, and counts them.
func (r *Run) FailPolicy(of []tagpolicy.Violation) *FailureError {
	r.Metrics.violated(of)

	return Fail(ReasonPolicyViolated, errors.Errorf("tagPolicy: %s", r.violations(of)))
}

// maxLargest is how many of the largest composed resources are named.
const maxLargest = 3

// A Limit of the size of responses, in bytes. Zero is none. That of Crossplane is gRPC's own for
// messages that clients receive, 4 MB: it sets no other.
type Limit int

// check that the response is within the limit. It returns a FailureError that says which parts of
// the response are large.
func (l Limit) check(rsp *fnv1.RunFunctionResponse) error {
	if l == 0 {
		return nil
	}

	size := proto.Size(rsp)
	if size <= int(l) {
		return nil
	}

	return Fail(ReasonLimitExceeded, errors.Errorf("the response has %d bytes, and Crossplane takes at most %d (%.4g MB): %s; "+
		"let nested composite resources compose a part of it", size, l, float64(l)/(1<<20), large(rsp)))
}

// large says what the response has, and how large that is.
func large(rsp *fnv1.RunFunctionResponse) string {
	desired := rsp.GetDesired()
	sizes := make(map[string]int)
	all := 0

	for name, r := range desired.GetResources() {
		sizes[name] = proto.Size(r)
		all += sizes[name]
	}

	names := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int { return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b)) })
	out := fmt.Sprintf("%s of %d", words.Count(len(names), "composed resource", "composed resources"), all)

	if len(names) > 0 {
		largest := words.Map(names[:min(len(names), maxLargest)], func(name string) string { return fmt.Sprintf("%s %d", words.Name(name), sizes[name]) })
		out += fmt.Sprintf(" (the largest: %s)", strings.Join(largest, ", "))
	}

	rest := &fnv1.RunFunctionResponse{Results: rsp.GetResults(), Conditions: rsp.GetConditions()}

	return fmt.Sprintf("%s, the composite resource of %d, the context of %d, and results of %d", out, proto.Size(desired.GetComposite()), proto.Size(rsp.GetContext()), proto.Size(rest))
}
