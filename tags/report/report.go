// Package report tells people about their labels: by results, which Crossplane makes events of, by a condition, by the
// status of the composite resource, by log lines and by metrics.
package report

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/budget"
	"github.com/plexsphere/function-cloud-tags/tags/metadata"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
)

// A Run is one run of the function, for one request.
type Run struct {
	Options

	Request *fnv1.RunFunctionRequest

	// Budget has what the run has spent so far.
	Budget *budget.Budget

	// Required are the objects that Crossplane must fetch.
	Required *require.Requirements

	// Input of the run, and the hash of the step's own input.
	Input     *v1beta1.CloudTags
	InputHash v1beta1.Hash

	// tell writes log lines about the facts of the run, and counts them in Metrics. A run that fails tells none of them.
	tell func()

	// xr is the observed composite resource, and steps are the steps of this function that ran before.
	xr    object.Object
	steps steps
}

// Options say where all runs of a function tell their facts.
type Options struct {
	Log *slog.Logger

	// Metrics that count the run, if there are any.
	Metrics *Metrics

	// AuditValues says that log lines about changed tags have their values.
	AuditValues bool

	// Limit of the size of responses.
	Limit Limit
}

// NewRun returns the run for the request. The Budget gets the room that the response has beside the desired state of the request.
func NewRun(req *fnv1.RunFunctionRequest, o Options) *Run {
	xr, hash := object.Of(req.GetObserved().GetComposite()), v1beta1.HashOf(req.GetInput())

	return &Run{
		Options: o, Request: req, Budget: budget.New(o.Limit.roomBeside(req)), Required: require.New(req), InputHash: hash,
		xr: xr, steps: stepsOf(req, hash, xr),
	}
}

// Facts are all that a run has found out. This package puts them into words, and its README says where.
type Facts struct {
	// Outcome of stamping, with the records of labels.
	stamp.Outcome

	// Set has the labels that the sources of the input give.
	Set resolve.LabelSet

	// Unmatched are the entries of the input that select no desired resource: see locate.Targets.
	Unmatched []string

	// NotCopied is metadata that could not be copied.
	NotCopied []metadata.NotCopied

	// Violations of the tag policy, by rule and name of the resource.
	Violations []tagpolicy.Violation
}

// AskAgain returns a response with the objects that the request lacks. It says nothing else, since Crossplane calls
// again.
func (r *Run) AskAgain() *fnv1.RunFunctionResponse {
	rsp := r.unchanged(r.Input.TTL.Duration)
	r.Required.AddTo(rsp)

	return rsp
}

// unchanged returns a response that changes nothing of the request. It may be cached for the ttl.
func (r *Run) unchanged(ttl time.Duration) *fnv1.RunFunctionResponse {
	return &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: r.Request.GetMeta().GetTag(), Ttl: durationpb.New(ttl)},
		Desired: r.Request.GetDesired(),
		Context: r.Request.GetContext(),
	}
}

// Success returns the response to a successful run with these facts. Done tells them, once the response is within its limit.
func (r *Run) Success(ctx context.Context, out *Facts) *fnv1.RunFunctionResponse {
	// A response has the same requirements again, or Crossplane would call for ever.
	rsp := r.AskAgain()

	xr, lacks := r.status(out)
	if !xr.IsZero() {
		rsp.Desired = object.Copy(rsp.GetDesired())
		rsp.Desired.Composite = xr.PutInto(rsp.GetDesired().GetComposite())
	}

	f := r.find(out, lacks)
	topics := r.topics(f)
	v := r.verdict(f).with(topics)

	results, leftOut := say(topics)
	digest := r.steps.digestOf(v, results, leftOut)

	if !slices.Contains(r.steps.said, digest) {
		rsp.Results = results
	}

	r.tell = func() {
		log := r.logOf(digest)
		defer log.end(ctx)

		logSkips(ctx, log, f)
		r.logChanges(ctx, log, f.Results)
		logLeftOut(ctx, log, leftOut)
		r.Metrics.count(f)
	}

	steps := r.steps.with(digest)

	rsp.Context = r.context(&steps, v, f)
	steps.worst(v).set(rsp, steps.digests())

	return rsp
}
