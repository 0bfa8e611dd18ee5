// Package report tells people what became of their labels: by results, which
// Crossplane makes events of, by a condition and by log lines.
package report

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/metadata"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// ConditionType of the condition that the function sets on the composite resource
// and its claim.
const ConditionType = "CloudTagsPropagated"

// Reasons of the condition. Those from ReasonInvalidInput on are also the reasons of
// fatal results. They tell apart what the metadata controller has conditions for: that
// the request is approved, that tags are applied, and that limits and requests fail.
const (
	// ReasonAllPropagated means that no label was skipped.
	ReasonAllPropagated = "AllPropagated"

	// ReasonSomeSkipped means that a label was skipped, or that the tag field of a
	// resource could not be written.
	ReasonSomeSkipped = "SomeSkipped"

	// ReasonUnknownKinds means that nobody knows whether a managed resource has a tag
	// field, so that it was left alone. It is also the reason of the results about it.
	ReasonUnknownKinds = "UnknownKinds"

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

// Reasons of results that are not about skipped labels.
const (
	reasonTagsWithheld     = "TagsWithheld"
	reasonTagsProtected    = "TagsProtected"
	reasonNotTagged        = "NotTagged"
	reasonTagFieldMismatch = "TagFieldMismatch"
	reasonStatusMismatch   = "StatusFieldMismatch"
	reasonMetadataSkipped  = "MetadataNotCopied"
	reasonSourceEmpty      = "SourceEmpty"
	reasonUnknownProvider  = "UnknownProvider"
)

// maxKeys is about how many withheld tags all results of a run name together. Each
// resource can have as many as there are labels.
const maxKeys = 20_000

// maxResources is the most resources that a log line names.
const maxResources = 10

// A FailureError is an error that fails the pipeline.
type FailureError struct {
	// Reason of the condition and of the fatal result.
	Reason string

	err error
}

// Fail returns a FailureError for the supplied reason and because of the supplied error.
func Fail(reason string, err error) *FailureError { return &FailureError{Reason: reason, err: err} }

// Error says why the pipeline fails.
func (f *FailureError) Error() string { return f.err.Error() }

// Unwrap returns the error that fails the pipeline.
func (f *FailureError) Unwrap() error { return f.err }

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
	rsp := response.To(req, 0)
	text := err.Error()
	msg := message(elideMiddle(text, maxFatal, len(text)))

	log.LogAttrs(ctx, slog.LevelError, "Cannot tag composed resources", slog.String("provisioned_resource", nameOf(req)), slog.Any("error", msg))

	reason := ReasonInternalError

	if f := (&FailureError{}); errors.As(err, &f) {
		reason = f.Reason
	}

	response.ConditionFalse(rsp, ConditionType, reason).WithMessage(string(msg)).TargetCompositeAndClaim()
	response.Fatal(rsp, msg)
	rsp.GetResults()[0].Reason = &reason

	return rsp
}

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

// Waiting responds that the request lacks what is required. It says nothing else,
// since Crossplane calls again.
func (r *Run) Waiting() *fnv1.RunFunctionResponse {
	rsp := response.To(r.Request, r.Input.TTL.Duration)
	r.Required.AddTo(rsp)

	return rsp
}

// Resolved writes a debug log line for each label that tells which source it came
// from, and which ones it overrode.
func (r *Run) Resolved(ctx context.Context) {
	if !r.Log.Enabled(ctx, slog.LevelDebug) {
		return
	}

	overrode := make(map[string][]string)
	for _, o := range r.Set.Overridden {
		overrode[o.TagKey] = append(overrode[o.TagKey], o.Source.Name)
	}

	for _, l := range r.Set.Labels {
		r.Log.LogAttrs(ctx, slog.LevelDebug, "Resolved label",
			slog.String("provisioned_resource", nameOf(r.Request)),
			slog.String("qualified_key", l.QualifiedKey),
			slog.String("source", l.Source.Name),
			slog.Any("overrode", overrode[l.TagKey]),
		)
	}
}

// An Outcome is what came of a run.
type Outcome struct {
	// Results of stamping, by the name of the resource, and labels that were skipped.
	Results []stamp.Result
	Skips   []stamp.Skip

	// NotCopied is metadata that was not copied.
	NotCopied []metadata.NotCopied

	// Changes of tags, by name of the resource.
	Changes []stamp.Change
}

// Success responds with what came of the request, and writes log lines that tell of
// it.
func (r *Run) Success(ctx context.Context, o *Outcome) *fnv1.RunFunctionResponse {
	rsp := response.To(r.Request, r.Input.TTL.Duration)
	r.Required.AddTo(rsp)

	logSkips(ctx, r.Log, nameOf(r.Request), o.Skips)
	r.audit(ctx, o.Changes)
	r.Metrics.count(o)

	warn(rsp, o)
	r.tell(rsp, o)

	xr := rsp.GetDesired().GetComposite().GetResource()

	if !r.Input.StatusFieldPath.IsZero() {
		with, err := status(xr, r.Input.StatusFieldPath, o, r.Set.Classes)
		if err != nil {
			response.Warning(rsp, err).WithReason(reasonStatusMismatch)
		} else {
			xr = with
		}
	}

	v := r.verdict(o)
	earlier := earlierSteps(r.Request)
	rsp.Context = r.context(earlier, v, o)

	// All steps of this function have one condition, so it is that of the worst.
	if w := worst(earlier); w.rank() > v.rank() {
		v = w
	}

	v.set(rsp)

	if !r.Input.StatusFieldPath.IsZero() {
		setStatus(rsp, xr)
	}

	return rsp
}

// warn of what the supplied outcome lacks.
func warn(rsp *fnv1.RunFunctionResponse, o *Outcome) {
	for _, g := range groups(o.Skips, func(a, b stamp.Skip) bool {
		return a.Provider == b.Provider && a.Reason == b.Reason && a.Limit == b.Limit
	}) {
		for _, msg := range g.messages() {
			response.Warning(rsp, msg).WithReason(pascalCase(g.reason))
		}
	}

	for i := range o.Results {
		if s := &o.Results[i]; s.Mismatch != "" {
			for _, msg := range split(fmt.Sprintf("%s: left the tag field alone: ", elide(s.Resource)), []string{elide(s.Mismatch)}) {
				response.Warning(rsp, message(msg)).WithReason(reasonTagFieldMismatch)
			}
		}
	}

	for _, msg := range split("not known whether these have a tag field ("+whatToDo+"): ", leftAlone(o.Results, isUnknown)) {
		response.Warning(rsp, message(msg)).WithReason(ReasonUnknownKinds)
	}

	for _, of := range notCopied(o.NotCopied) {
		for _, msg := range of {
			response.Warning(rsp, message(msg)).WithReason(reasonMetadataSkipped)
		}
	}
}

// tell what is as the input wants it, but may not be what people expect.
func (r *Run) tell(rsp *fnv1.RunFunctionResponse, o *Outcome) {
	most := max(1, maxKeys/max(1, countOf(o.Results, isWithheld)))

	for i := range o.Results {
		s := &o.Results[i]

		for _, msg := range split(elide(s.Resource)+": withheld: ", withheld(&s.Withheld, most)) {
			response.Normal(rsp, msg).WithReason(reasonTagsWithheld)
		}

		for _, msg := range split(elide(s.Resource)+": ignoreTags and removeTags of fields don't touch reserved keys: ", elideSome(s.Withheld.Protected, most)) {
			response.Normal(rsp, msg).WithReason(reasonTagsProtected)
		}
	}

	for _, msg := range split("not tagged: ", leftAlone(o.Results, isNotTagged)) {
		response.Normal(rsp, msg).WithReason(reasonNotTagged)
	}

	for _, msg := range r.Set.Empty {
		response.Normal(rsp, shorten(msg, maxMessage)).WithReason(reasonSourceEmpty)
	}

	if msg := r.unknownProvider(o); msg != "" {
		response.Normal(rsp, msg).WithReason(reasonUnknownProvider)
	}
}

// logSkips writes one line for each skipped label.
func logSkips(ctx context.Context, log *slog.Logger, xr string, skips []stamp.Skip) {
	for _, s := range skips {
		attrs := []slog.Attr{
			slog.String("provisioned_resource", xr),
			slog.String("qualified_key", s.QualifiedKey),
			slog.String("tag_key", s.TagKey),
			slog.String("provider", s.Provider),
			slog.String("reason", string(s.Reason)),
		}

		if n := len(s.Resources); n > 0 {
			attrs = append(attrs, slog.Any("composed_resources", s.Resources[:min(n, maxResources)]))
		}

		if more := len(s.Resources) - maxResources; more > 0 {
			attrs = append(attrs, slog.Int("more_composed_resources", more))
		}

		log.LogAttrs(ctx, slog.LevelWarn, "Skipped label", attrs...)
	}
}

// nameOf returns the name of the composite resource of the supplied request, behind
// its namespace if it has one.
func nameOf(req *fnv1.RunFunctionRequest) string {
	meta := req.GetObserved().GetComposite().GetResource().GetFields()["metadata"].GetStructValue().GetFields()
	name, namespace := meta["name"].GetStringValue(), meta["namespace"].GetStringValue()

	if namespace == "" {
		return name
	}

	return namespace + "/" + name
}

// A group of labels that a provider's profile skipped for one reason.
type group struct {
	provider string
	reason   tags.SkipReason
	limit    string
	skips    []stamp.Skip
}

// groups returns the supplied skips, which are sorted, in groups of the same.
func groups(skips []stamp.Skip, same func(a, b stamp.Skip) bool) []group {
	out := []group{}

	for i, s := range skips {
		if i == 0 || !same(skips[i-1], s) {
			out = append(out, group{provider: s.Provider, reason: s.Reason, limit: s.Limit})
		}

		g := &out[len(out)-1]
		g.skips = append(g.skips, s)
	}

	return out
}

func (g *group) messages() []message {
	items := make([]string, len(g.skips))

	for i, s := range g.skips {
		items[i] = elide(s.QualifiedKey) + " → " + elide(s.TagKey)

		if len(s.Resources) > 0 {
			items[i] += " on " + names(s.Resources)
		}
	}

	head := fmt.Sprintf("%s: skipped %s: %s (%s): ", g.provider, count(len(g.skips), "label"), g.reason, g.limit)
	out := []message{}

	for _, msg := range split(head, items) {
		out = append(out, message(msg))
	}

	return out
}

// withheld returns the tags that are not as labels, or the input, would have them,
// each with the reason: at most as many as supplied, and how many more there are.
func withheld(w *stamp.Withheld, most int) []string {
	why := map[string]string{}
	all := 0

	for _, of := range []struct {
		keys []string
		why  string
	}{
		{w.Retained, "an earlier step set another value"},
		{w.Ignored, "the cloud has another value, and ignoreTags names it"},
		{w.Removed, "removeTags names it"},
		{w.Unkept, "ignoreTags names it, but there is no tag slot left"},
	} {
		for _, key := range of.keys[:min(len(of.keys), most)] {
			why[key] = of.why
		}

		all += len(of.keys)
	}

	keys := slices.Sorted(maps.Keys(why))
	out := make([]string, 0, len(keys))

	for _, key := range keys[:min(len(keys), most)] {
		out = append(out, fmt.Sprintf("%s (%s)", elide(key), why[key]))
	}

	return andMore(out, all)
}

// notCopied returns messages about metadata that was not copied, by rule.
func notCopied(of []metadata.NotCopied) [][]string {
	out := [][]string{}

	for i := 0; i < len(of); {
		rule, items := of[i].Rule, []string{}
		for ; i < len(of) && of[i].Rule == rule; i++ {
			items = append(items, shorten(of[i].Why, 2*maxName))
		}

		out = append(out, split(fmt.Sprintf("kubernetesMetadata[%d]: not copied: ", rule), items))
	}

	return out
}

// isUnknown is true of a resource of which nobody knows whether it has a tag field, and
// isNotTagged of all others that were left alone.
func isUnknown(s *stamp.Result) bool   { return s.Unknown }
func isNotTagged(s *stamp.Result) bool { return s.LeftAlone != "" && !s.Unknown }

// isTagged is true of a resource that has tags of labels, and isMismatch of one whose tag
// field was left alone.
func isTagged(s *stamp.Result) bool   { return len(s.Active) > 0 }
func isMismatch(s *stamp.Result) bool { return s.Mismatch != "" }
func hasNoField(s *stamp.Result) bool { return s.NoField }

func isWithheld(s *stamp.Result) bool {
	w := &s.Withheld
	return len(w.Retained)+len(w.Ignored)+len(w.Removed)+len(w.Protected)+len(w.Unkept) > 0
}

// countOf returns how many of the supplied resources are of the supplied sort.
func countOf(of []stamp.Result, is func(s *stamp.Result) bool) int {
	n := 0

	for i := range of {
		if is(&of[i]) {
			n++
		}
	}

	return n
}

// leftAlone returns the supplied resources of the supplied sort, with the reason why each
// was left alone.
func leftAlone(of []stamp.Result, is func(s *stamp.Result) bool) []string {
	out := []string{}

	for i := range of {
		if s := &of[i]; is(s) {
			out = append(out, fmt.Sprintf("%s (%s %s) %s", elide(s.Resource), elide(s.APIVersion), elide(s.Kind), s.LeftAlone))
		}
	}

	return out
}

// unknownProvider says that the provider that the input, the composite resource or a
// class names is none that has a tag profile, or nothing. What isn't in the input counts
// only where nothing else is known of a resource's provider.
func (r *Run) unknownProvider(o *Outcome) string {
	name := r.Input.ProviderValue()

	if name == "" && (slices.ContainsFunc(o.Results, func(s stamp.Result) bool { return isTagged(&s) && s.Provider == tags.Generic }) ||
		slices.ContainsFunc(o.Skips, func(s stamp.Skip) bool { return s.Provider == tags.Generic })) {
		name = r.Set.Provider
	}

	known := tags.ProfileNames()
	if name == "" || slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) }) {
		return ""
	}

	return fmt.Sprintf("provider %s has no tag profile of its own: %s applies; known are %s", elide(strconv.Quote(name)), tags.Generic, strings.Join(known, ", "))
}

// pascalCase of the supplied reason, as reasons of results and events are written.
func pascalCase(r tags.SkipReason) string {
	b := strings.Builder{}
	for word := range strings.SplitSeq(string(r), "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}

	return b.String()
}
