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
	"github.com/plexsphere/function-cloud-tags/tags/budget"
	"github.com/plexsphere/function-cloud-tags/tags/require"
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

// Fail returns a FailureError because of err. An error that labels can't be known, or that something is too large, has
// a reason of its own. Any other error has the given reason.
func Fail(reason string, err error) *FailureError {
	switch {
	case errors.As(err, new(*budget.ExceededError)), errors.As(err, new(*stamp.LimitError)), errors.As(err, new(*resolve.LimitError)):
		reason = ReasonLimitExceeded
	case errors.As(err, new(*stamp.ResolveError)), errors.As(err, new(*v1beta1.StandardError)):
		reason = ReasonResolveFailed
	}

	return &FailureError{Reason: reason, error: err}
}

// Unwrap returns the error that fails the pipeline.
func (f *FailureError) Unwrap() error { return f.error }

// Done returns the response of the run, counts it, and tells the facts of the run. If there is an error, or if the response is larger
// than the limit, the response is a fatal one, and Done tells no facts: no tag of such a run is ever applied.
func (r *Run) Done(ctx context.Context, rsp *fnv1.RunFunctionResponse, err error) *fnv1.RunFunctionResponse {
	if err == nil {
		err = r.Limit.check(rsp)
	}

	switch {
	case err != nil:
		rsp = r.fatal(ctx, err)
	case r.tell != nil:
		r.tell()
	}

	r.Metrics.ran(rsp)

	return rsp
}

// fatal returns a response that fails the pipeline, and changes nothing. An error besides a FailureError is an internal
// one. A response beyond the limit has neither the desired state nor the context: Crossplane reads neither of a
// pipeline that fails.
//
// Crossplane up to v1.16 calls again until two responses require the same, and only then reads results. So a caller
// without capabilities gets the requirements again. Later releases read fatal results first. The next call has the
// context of the response. So a response without context requires nothing, which stops the first of these calls.
//
// Each call returns the result. The digest in its condition differs from the digest of any successful run, so that the
// next successful run returns all results again. The digests of earlier steps stay.
func (r *Run) fatal(ctx context.Context, err error) *fnv1.RunFunctionResponse {
	rsp := r.unchanged(0)
	text := err.Error()
	v := verdict{reason: ReasonInternalError, message: words.Shorten(text, words.MaxFatal)}

	if f := (*FailureError)(nil); errors.As(err, &f) {
		v.reason = f.Reason
	}

	title := "Cannot tag composed resources"
	if require.IsOperation(r.Request) {
		title = "Cannot count cloud tags"
	}

	failed := digest(r.steps.id, v.reason, text)
	steps := r.steps.with(failed)

	r.logOf(failed).LogAttrs(ctx, slog.LevelError, title, slog.String("error", v.message))

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
func (r *Run) FailPolicy(violations []tagpolicy.Violation) *FailureError {
	r.Metrics.violated(violations)

	return Fail(ReasonPolicyViolated, errors.Errorf("tagPolicy: %s", r.violations(violations)))
}

// maxLargest is how many of the largest composed resources a message names.
const maxLargest = 3

// A Limit is the most bytes of a response. Zero is no limit. Crossplane has the limit of gRPC for clients, 4 MB, and
// sets no other.
type Limit int

// roomBeside returns how many bytes a response within the limit has room for, beside the desired state and the context of the request. Without
// a limit, it returns budget.MaxResponse. It does the same if there is no room at all, so that the run ends, and Done names the resources that
// are too large.
func (l Limit) roomBeside(req *fnv1.RunFunctionRequest) int {
	desired := req.GetDesired()
	room := int(l) - proto.Size(desired.GetComposite()) - proto.Size(req.GetContext())

	for name, resource := range desired.GetResources() { // For the whole map, proto.Size would make a copy of each entry.
		room -= len(name) + proto.Size(resource)
	}

	if room <= 0 {
		return budget.MaxResponse
	}

	return room
}

// check returns a FailureError if the response exceeds the limit. It names the large parts of the response.
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

// large says what the response has, and how many bytes of it.
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
