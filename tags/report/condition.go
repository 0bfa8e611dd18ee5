package report

import (
	"fmt"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// ConditionType is the type of the condition that the function sets on the composite resource and its claim.
const ConditionType = "CloudTagsPropagated"

// Reasons of the condition, and of the fatal result of a run that fails. The reasons of failures match the conditions
// of the metadata controller: whether a request is approved, whether tags are applied, and whether limits or requests
// fail.
const (
	// ReasonAllPropagated means that no label was skipped.
	ReasonAllPropagated = "AllPropagated"

	// ReasonSomeSkipped means that a label was skipped, or that the tag field of a resource was left alone.
	ReasonSomeSkipped = "SomeSkipped"

	// ReasonCloudRefuses means that the cloud's API refuses the tag of a label. The results about such tags have this
	// reason, too.
	ReasonCloudRefuses = "CloudRefuses"

	// ReasonPolicyViolated means that a resource breaks a rule of the tag policy, whether this fails the run or not.
	// The results about such resources have this reason, too.
	ReasonPolicyViolated = "PolicyViolated"

	// ReasonUnknownKinds means that nobody knows whether a managed resource has a tag field, so that it was left alone.
	// The results about such resources have this reason, too.
	ReasonUnknownKinds = "UnknownKinds"

	// ReasonNoResources means that the composite resource has composed resources, and that the step receives none: it stands before the
	// steps that make them, or they all go. The result about that has this reason, too, also while there are no composed resources yet.
	ReasonNoResources = "NoResources"

	// ReasonInvalidInput means that the step's input is not valid: the request is not approved.
	ReasonInvalidInput = "InvalidInput"

	// ReasonResolveFailed means that the labels, or the metadata to copy, could not
	// be known: the request failed.
	ReasonResolveFailed = "ResolveFailed"

	// ReasonTagConflict means that a tag has another value, and that the source of the label has onConflict Error: the
	// label can't be applied.
	ReasonTagConflict = "TagConflict"

	// ReasonLimitExceeded means that a resource lacks tag slots, which the limit policy doesn't accept, or that
	// Crossplane takes no response as large as this one.
	ReasonLimitExceeded = "LimitExceeded"

	// ReasonInternalError means that the function has a bug.
	ReasonInternalError = "InternalError"
)

// ranked are the reasons of the condition after a successful run, the worst one last. Up to ReasonCloudRefuses, the
// condition is true.
var ranked = []string{ReasonAllPropagated, ReasonSomeSkipped, ReasonCloudRefuses, ReasonUnknownKinds, ReasonNoResources, ReasonPolicyViolated}

// failures are the reasons of runs that fail.
var failures = []string{ReasonInvalidInput, ReasonResolveFailed, ReasonTagConflict, ReasonLimitExceeded, ReasonInternalError}

// A verdict is the reason and message of the condition on a run.
type verdict struct {
	reason  string
	message string

	// also counts the items that the message lacks, by the reason of the results about them: {"TagsKept": 2}.
	also map[string]int
}

// inMessage has the reasons of results whose items are in the verdict's message already, by the verdict's reason.
var inMessage = func() map[string][]string {
	skips := append(words.Map(profile.SkipReasons(), pascalCase), "TagFieldMismatch")

	return map[string][]string{
		ReasonAllPropagated:  {"NotTagged", "SourceEmpty", "SelectorEmpty"},
		ReasonSomeSkipped:    skips,
		ReasonCloudRefuses:   append(skips, ReasonCloudRefuses),
		ReasonUnknownKinds:   {ReasonUnknownKinds},
		ReasonNoResources:    {ReasonNoResources},
		ReasonPolicyViolated: {ReasonPolicyViolated},
	}
}()

// Covers reports whether the message of a condition with the reason has what results with the reason result are about.
func Covers(reason, result string) bool { return slices.Contains(inMessage[reason], result) }

// with returns the verdict with also: the number of items of each topic that the message lacks.
func (v verdict) with(topics []topic) verdict {
	v.also = make(map[string]int)

	for i := range topics {
		if t := &topics[i]; t.items > 0 && !Covers(v.reason, t.reason) {
			v.also[t.reason] += t.items + t.more
		}
	}

	return v
}

// rank returns the position of the verdict among the reasons of successful runs, or -1 if the run failed.
func (v verdict) rank() int { return slices.Index(ranked, v.reason) }

// set the condition of the response. Its message ends with the digests.
func (v verdict) set(rsp *fnv1.RunFunctionResponse, digests string) {
	c := &fnv1.Condition{
		Type:    ConditionType,
		Status:  fnv1.Status_STATUS_CONDITION_FALSE,
		Reason:  v.reason,
		Message: new(v.message + " [" + digests + "]"),
		Target:  fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
	}

	if rank := v.rank(); rank >= 0 && rank <= slices.Index(ranked, ReasonCloudRefuses) {
		c.Status = fnv1.Status_STATUS_CONDITION_TRUE
	}

	rsp.Conditions = append(rsp.Conditions, c)
}

// verdict returns the verdict on the findings f.
func (r *Run) verdict(f *findings) verdict {
	if len(f.Violations) > 0 {
		return verdict{reason: ReasonPolicyViolated, message: r.violations(f.Violations)}
	}

	if f.lacksResources {
		return verdict{reason: ReasonNoResources, message: strings.Join(f.early, "")}
	}

	if n := len(f.unknown); n > 0 {
		unknown := words.Map(f.unknown, func(s *stamp.Result) string { return fmt.Sprintf("%s (%s %s)", s.Resource, s.APIVersion, s.Kind) })

		return verdict{reason: ReasonUnknownKinds, message: fmt.Sprintf("unknown whether %s a tag field: %s; %s", words.Count(n, "composed resource has", "composed resources have"), words.Names(unknown), whatToDo)}
	}

	if len(f.CloudRefuses) > 0 {
		// Skipped labels are told even if the input says that the refused tags are meant.
		why := append(r.cloudRefuses(f.CloudRefuses), skipped(f)...)
		return verdict{reason: ReasonCloudRefuses, message: strings.Join(why, "; ")}
	}

	if why := skipped(f); len(why) > 0 {
		return verdict{reason: ReasonSomeSkipped, message: strings.Join(why, "; ")}
	}

	return verdict{reason: ReasonAllPropagated, message: r.propagated(f)}
}

// cloudRefuses says how many tags the cloud refuses and why, names the first of them, and says what to do.
func (r *Run) cloudRefuses(skips []stamp.Skip) []string {
	why := words.Map(words.Grouped(skips, limitOf), func(skips []stamp.Skip) string {
		keys := words.Map(skips, func(s stamp.Skip) string { return s.TagKey })
		return fmt.Sprintf("the API of %s refuses %s (%s: %s): %s", skips[0].Provider, words.Count(len(skips), "tag", "tags"), skips[0].Reason, skips[0].Limit, words.Names(keys))
	})

	return append(why, mends[r.Input.ProfileRules])
}

// skipped says which labels, tag fields and metadata the findings f lack.
func skipped(f *findings) []string {
	groups := words.Grouped(f.Skips, func(s stamp.Skip) [2]string { return [2]string{s.Provider, string(s.Reason)} })
	why := words.Map(groups, func(skips []stamp.Skip) string {
		// A label that breaks several limits is one label.
		labels := words.Grouped(skips, func(s stamp.Skip) tags.SkippedLabel { return s.SkippedLabel })
		keys := words.Map(labels, func(same []stamp.Skip) string { return same[0].QualifiedKey })

		return fmt.Sprintf("%s skipped on %s: %s (%s)", words.Count(len(keys), "label", "labels"), skips[0].Provider, skips[0].Reason, words.Names(keys))
	})

	if f.surplus > 0 {
		why = append(why, resolve.SurplusMessage(f.surplus))
	}

	if n := len(f.mismatched); n > 0 {
		why = append(why, words.Count(n, "tag field", "tag fields")+" left alone")
	}

	if len(f.NotCopied) > 0 {
		why = append(why, "metadata not copied")
	}

	return why
}

// propagated says how many resources have tags of labels, and why others have none.
func (r *Run) propagated(f *findings) string {
	out := []string{"tags on " + words.Count(len(f.tagged), "composed resource", "composed resources")}

	if len(r.Input.Sources) == 0 {
		out[0] = "no sources of labels"
	}

	if f.handedOn > 0 {
		out = append(out, "labels handed on to "+words.Count(f.handedOn, "composite resource", "composite resources"))
	}

	for _, resources := range []struct {
		n         int
		one, many string
	}{
		{f.noField, "has no tag field", "have no tag field"},
		{f.unlisted, "isn't known to have a tag field: an entry of tagFields can name it", "aren't known to have a tag field: entries of tagFields can name them"},
		{f.composite, "is a composite resource that gets no labels: its own Composition needs a step of this function, or an entry of tagFields with shape: Labels hands it the labels", "are composite resources that get no labels: their own Compositions need a step of this function, or entries of tagFields with shape: Labels hand them the labels"},
		{len(f.notTagged) - f.noField - f.unlisted - f.composite, "left alone", "left alone"},
	} {
		if resources.n > 0 {
			out = append(out, words.Count(resources.n, resources.one, resources.many))
		}
	}

	if len(f.empty) > 0 {
		out = append(out, "nothing found by "+words.Names(words.Map(f.empty, func(l resolve.SourceNote) string { return l.Source })))
	}

	if len(f.Unmatched) > 0 {
		out = append(out, "nothing selected by "+words.Names(f.Unmatched))
	}

	return strings.Join(out, "; ")
}
