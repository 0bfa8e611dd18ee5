package report

import (
	"fmt"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// whatToDo about a resource of which nobody knows whether it has a tag field.
const whatToDo = "Crossplane 2.2 and newer can tell unless fieldDiscovery is Index, an entry of tagFields says so, " +
	"and the annotation " + stamp.IgnoreAnnotation + `: "true" leaves a resource alone`

// A verdict is what the condition says of a run that went well.
type verdict struct {
	reason  string
	message string
}

// rank of the verdict among others. The higher it is, the worse.
func (v verdict) rank() int {
	return slices.Index([]string{ReasonAllPropagated, ReasonSomeSkipped, ReasonUnknownKinds}, v.reason)
}

// set the condition of the supplied response.
func (v verdict) set(rsp *fnv1.RunFunctionResponse) {
	condition := response.ConditionTrue
	if v.reason == ReasonUnknownKinds {
		condition = response.ConditionFalse
	}

	c := condition(rsp, ConditionType, v.reason).TargetCompositeAndClaim()
	if v.message != "" {
		c.WithMessage(v.message)
	}
}

// verdict on the supplied outcome.
func (r *Run) verdict(o *Outcome) verdict {
	if v, ok := unknownKinds(o.Results); ok {
		return v
	}

	if why := skipped(o); len(why) > 0 {
		return verdict{reason: ReasonSomeSkipped, message: strings.Join(why, "; ")}
	}

	v := verdict{reason: ReasonAllPropagated}

	// A step without labels propagates none.
	if len(r.Input.Sources) > 0 {
		v.message = propagated(o)
	}

	return v
}

// unknownKinds returns a verdict on the resources of which nobody knows whether they
// have a tag field, and false if there are none.
func unknownKinds(of []stamp.Result) (verdict, bool) {
	unknown := []string{}

	for i := range of {
		if s := &of[i]; s.Unknown {
			unknown = append(unknown, fmt.Sprintf("%s (%s %s)", s.Resource, s.APIVersion, s.Kind))
		}
	}

	if len(unknown) == 0 {
		return verdict{}, false
	}

	return verdict{
		reason:  ReasonUnknownKinds,
		message: fmt.Sprintf("not known whether %s %s a tag field: %s; %s", count(len(unknown), "composed resource"), have(len(unknown)), names(unknown), whatToDo),
	}, true
}

// skipped returns what the supplied outcome lacks.
func skipped(o *Outcome) []string {
	why := []string{}

	for _, g := range groups(o.Skips, func(a, b stamp.Skip) bool { return a.Provider == b.Provider && a.Reason == b.Reason }) {
		// A label that breaks several limits is one label.
		seen := make(map[tags.SkippedLabel]bool, len(g.skips))
		keys := []string{}

		for _, s := range g.skips {
			if !seen[s.SkippedLabel] {
				seen[s.SkippedLabel] = true
				keys = append(keys, s.QualifiedKey)
			}
		}

		why = append(why, fmt.Sprintf("%s skipped on %s: %s (%s)", count(len(keys), "label"), g.provider, g.reason, names(keys)))
	}

	if n := countOf(o.Results, isMismatch); n > 0 {
		why = append(why, count(n, "tag field")+" left alone")
	}

	if len(o.NotCopied) > 0 {
		why = append(why, "metadata not copied")
	}

	return why
}

// propagated says on how many resources the tags of labels are, and why not on others.
func propagated(o *Outcome) string {
	noField := countOf(o.Results, hasNoField)
	out := "tags on " + count(countOf(o.Results, isTagged), "composed resource")

	if noField > 0 {
		out += fmt.Sprintf("; %d %s no tag field", noField, have(noField))
	}

	if n := countOf(o.Results, isNotTagged) - noField; n > 0 {
		out += fmt.Sprintf("; %d left alone", n)
	}

	return out
}
