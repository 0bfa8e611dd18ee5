// Package report tells people what became of their labels: by results, which
// Crossplane makes events of, by a condition, by the status of the composite resource, by
// log lines and by metrics.
package report

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/metadata"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
)

// A Run of the function, for one request.
type Run struct {
	Request *fnv1.RunFunctionRequest
	Log     *slog.Logger

	// Metrics that count the run, if there are any.
	Metrics *Metrics

	// AuditValues says whether log lines about changed tags have their values.
	AuditValues bool

	// Limit of the size of responses.
	Limit Limit

	// Required is what Crossplane must fetch.
	Required *require.Requirements

	// Input of the run, and the hash of the step's own.
	Input     *v1beta1.CloudTags
	InputHash v1beta1.Hash

	// Set that the sources of the input have come to.
	Set resolve.LabelSet

	// Targets whose tags Stamper decides on, once they are located. Whoever explains the run asks Stamper about them.
	Targets *locate.Targets
	Stamper *stamp.Stamper

	// Rendered is true if the request has the resources of a run of this step, which is to be explained.
	Rendered bool

	// xr is the observed composite resource, and steps are those that ran before.
	xr    object.Object
	steps steps
}

// NewRun returns the run for the request.
func NewRun(req *fnv1.RunFunctionRequest) *Run {
	xr, hash := object.Of(req.GetObserved().GetComposite()), v1beta1.HashOf(req.GetInput())

	return &Run{Request: req, Required: require.New(req), InputHash: hash, xr: xr, steps: stepsOf(req, hash, xr)}
}

// Again lets the run return all results, also those that an earlier run has returned.
func (r *Run) Again() *Run {
	r.steps.said = nil

	return r
}

// An Outcome is what came of a run: typed facts, which this package puts into words. The README says
// which facts belong where.
type Outcome struct {
	// Outcome of stamping: the records of labels.
	stamp.Outcome

	// Unmatched are the entries of the input that select no desired resource: see locate.Targets.
	Unmatched []string

	// NotCopied is metadata that was not copied.
	NotCopied []metadata.NotCopied

	// Violations of the tag policy, by rule and name of the resource.
	Violations []tagpolicy.Violation
}

// Waiting responds that the request lacks what is required. It says nothing else,
// since Crossplane calls again.
func (r *Run) Waiting() *fnv1.RunFunctionResponse {
	rsp := r.unchanged(r.Input.TTL.Duration)
	r.Required.AddTo(rsp)

	return rsp
}

// unchanged is a response that changes nothing of the request. It may be cached for the ttl.
func (r *Run) unchanged(ttl time.Duration) *fnv1.RunFunctionResponse {
	return &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: r.Request.GetMeta().GetTag(), Ttl: durationpb.New(ttl)},
		Desired: r.Request.GetDesired(),
		Context: r.Request.GetContext(),
	}
}

// Success responds with the outcome of the run, and logs it.
func (r *Run) Success(ctx context.Context, out *Outcome) *fnv1.RunFunctionResponse {
	// A response has the same requirements again, or Crossplane would never stop to call.
	rsp := r.Waiting()

	xr, lacks := r.status(out)
	if !xr.IsZero() {
		rsp.Desired = object.Copy(rsp.GetDesired())
		rsp.Desired.Composite = xr.On(rsp.GetDesired().GetComposite())
	}

	f := r.find(out, lacks)
	topics := r.topics(f)
	v := r.verdict(f).with(topics)

	digest := f.digest(r.steps.id, v)
	log := r.logOf(digest)

	logSkips(ctx, log, f)
	r.logChanges(ctx, log, f.Results)
	r.Metrics.count(f)

	if results := say(ctx, log, topics); !slices.Contains(r.steps.said, digest) {
		rsp.Results = results
	}

	steps := r.steps.with(digest)

	rsp.Context = r.context(&steps, v, f)
	steps.worst(v).set(rsp, steps.digests())

	return rsp
}
