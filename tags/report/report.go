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

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/metadata"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Run of the function that went well.
type Run struct {
	Request *fnv1.RunFunctionRequest
	Log     *slog.Logger

	// Metrics that count the run, if there are any.
	Metrics *Metrics

	// AuditValues says whether log lines about changed tags have their values.
	AuditValues bool

	// Required is what Crossplane must fetch.
	Required *require.Requirements

	// Input of the run.
	Input *v1beta1.CloudTags

	// Set that the sources of the input have come to.
	Set resolve.Set
}

// An Outcome is what came of a run: typed facts, of which this package makes words. The README says
// which facts belong where.
type Outcome struct {
	// Results of stamping, by the name of the resource, and labels that were skipped.
	Results []stamp.Result
	Skips   []stamp.Skip

	// CloudRefuses are labels that are tags, but that the cloud's API refuses, sorted as Skips.
	CloudRefuses []stamp.Skip

	// Unmatched are the selectors of the input that select no desired resource, by their paths
	// in the input, such as resources[0] or tagPolicy.rules[1].resources[0], in their order.
	Unmatched []string

	// Finals are what tag fields have in the end. They are needed only for the status.
	Finals []stamp.Final

	// NotCopied is metadata that was not copied.
	NotCopied []metadata.NotCopied

	// Changes of tags, by name of the resource.
	Changes []stamp.Change

	// Violations of the tag policy, by rule and name of the resource.
	Violations []tagpolicy.Violation
}

// Waiting responds that the request lacks what is required. It says nothing else,
// since Crossplane calls again.
func (r *Run) Waiting() *fnv1.RunFunctionResponse {
	rsp := unchanged(r.Request, r.Input.TTL.Duration)
	r.Required.AddTo(rsp)

	return rsp
}

// unchanged is a response that changes nothing of the request. It may be cached for the ttl.
func unchanged(req *fnv1.RunFunctionRequest, ttl time.Duration) *fnv1.RunFunctionResponse {
	return &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: req.GetMeta().GetTag(), Ttl: durationpb.New(ttl)},
		Desired: req.GetDesired(),
		Context: req.GetContext(),
	}
}

// Success responds with what came of the request, and writes log lines that tell of
// it.
func (r *Run) Success(ctx context.Context, out *Outcome) *fnv1.RunFunctionResponse {
	o := sort(out)

	// What was required is required again, or Crossplane would never be done with asking.
	rsp := r.Waiting()

	if xr := r.status(o); !xr.IsZero() {
		rsp.Desired = object.Copy(rsp.GetDesired())
		rsp.Desired.Composite = xr.On(rsp.GetDesired().GetComposite())
	}

	v := r.verdict(o)
	digest := r.digest(v, o)
	log := logOf(r.Log, r.Request, digest)

	logSkips(ctx, log, o.Skips)
	r.logChanges(ctx, log, o.Changes)
	r.Metrics.count(o, len(r.empty()))

	if results := say(ctx, log, r.topics(o)); !slices.Contains(Digests(object.Of(r.Request.GetObserved().GetComposite())), digest) {
		rsp.Results = results
	}

	steps := stepsOf(r.Request)
	steps.with(digest)

	rsp.Context = r.context(&steps, v, o)
	worst(v, steps.earlier).set(rsp, steps.digests())

	return rsp
}

// Fatal responds to the request that the pipeline fails, and changes nothing else. An error that
// isn't a FailureError is an internal one. A response that would be larger than the limit has
// neither the desired state nor the context: Crossplane takes neither from a pipeline that fails.
//
// The result is returned on every call. The digest in its condition is one that no successful run
// has, so that the next successful run says everything. Earlier steps have said what they have to
// say.
func Fatal(ctx context.Context, req *fnv1.RunFunctionRequest, log *slog.Logger, err error, limit Limit) *fnv1.RunFunctionResponse {
	rsp := unchanged(req, 0)
	text := err.Error()
	v := verdict{reason: ReasonInternalError, message: words.Shorten(text, words.MaxFatal)}

	if f := (*FailureError)(nil); errors.As(err, &f) {
		v.reason = f.Reason
	}

	what := "Cannot tag composed resources"
	if IsOperation(req) {
		what = "Cannot count cloud tags"
	}

	steps := stepsOf(req)
	d := newDigester()
	d.add(steps.id, v.reason, text)

	digest := d.digest()
	steps.with(digest)

	logOf(log, req, digest).LogAttrs(ctx, slog.LevelError, what, slog.String("error", v.message))

	v.set(rsp, steps.digests())
	rsp.Results = append(rsp.Results, result(fnv1.Severity_SEVERITY_FATAL, v.reason, v.message))

	if limit.Check(rsp) != nil {
		rsp.Desired, rsp.Context = nil, nil
	}

	return rsp
}

// sorted is an outcome whose results are sorted by what there is to say of them. Those of
// which there is nothing to say are nowhere.
type sorted struct {
	*Outcome

	// tagged resources have tags of labels, from withheld ones some were withheld, and protected
	// ones have tags that rules name and may not touch. To so many others labels are handed on.
	tagged, withheld, protected []*stamp.Result
	handedOn                    int

	// statusLacks are what could not be written to the composite resource's status.
	statusLacks []error

	// mismatched resources have a tag field that was left alone.
	mismatched []*stamp.Result

	// Of unknown resources nobody knows whether they have a tag field. Those not tagged were
	// left alone, too: so many of them because they have none, or are composite resources.
	unknown, notTagged []*stamp.Result
	noField, composite int
}

// sort the results of the outcome.
func sort(out *Outcome) *sorted {
	o := &sorted{Outcome: out, tagged: make([]*stamp.Result, 0, len(out.Results))}

	for i := range out.Results {
		switch s := &out.Results[i]; {
		case s.Mismatch != "":
			o.mismatched = append(o.mismatched, s)
			o.addActive(s) // That of what it launches is a mismatch, too.
		case s.Unknown:
			o.unknown = append(o.unknown, s)
		case s.LeftAlone != "":
			o.notTagged = append(o.notTagged, s)

			if s.Composite {
				o.composite++
			} else if s.NoField {
				o.noField++
			}
		default:
			o.addActive(s)

			if w := &s.Withheld; len(w.Retained)+len(w.Ignored)+len(w.Removed)+len(w.Unkept) > 0 {
				o.withheld = append(o.withheld, s)
			}

			if len(s.Withheld.Protected) > 0 {
				o.protected = append(o.protected, s)
			}
		}
	}

	return o
}

// addActive adds the result of a resource that has labels as tags, or that they are handed on to.
func (o *sorted) addActive(s *stamp.Result) {
	switch {
	case len(s.Active) == 0:
	case s.HandsOn:
		o.handedOn++
	default:
		o.tagged = append(o.tagged, s)
	}
}
