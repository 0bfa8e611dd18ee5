package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/report"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// maxCauses is the greatest number of causes that stand above the tables.
const maxCauses = 5

// causes returns why tags may be missing, in the order in which to look: what nobody could read, what keeps Crossplane from applying
// anything, and then the labels of single resources and facts that the function tells.
func (x *rendering) causes(l *live) []string {
	subject := title(l.xr)
	if l.resource != "" {
		subject = title(l.asked) + ", " + words.Name(l.resource) + " of " + subject
	}

	out := words.Map(l.unread, func(why string) string { return "not read: " + why })
	add := func(cause string) { out = append(out, cause) }

	out = append(out, x.conditionCauses(l)...)

	var others []string // Labels of sources that leave a resource out: a Composition means that most often.

	for _, r := range x.Resources {
		name := words.Name(r.Resource) + ": "
		if l.resource != "" {
			name = "" // The subject has it.
		}

		why, whyOthers := r.causes(l.resource != "")
		others = append(others, words.Map(whyOthers, func(why string) string { return name + why })...)

		for _, why := range why {
			if len(x.faults) == 0 || !strings.HasSuffix(why, whyEarly) { // The fault says it already.
				add(name + why)
			}
		}

		if why := because(l.composed[r.Resource]); why != "" {
			add(name + "not in the cloud" + why)
		}
	}

	for _, e := range x.Events {
		// The condition says what is fatal, and the label of a tag that is withheld says so, too.
		isSaid := e.Severity == "Fatal" || slices.Contains(x.faults, e.Reason+": "+e.Message) || e.Reason == "TagsWithheld" || e.Reason == "NotTagged" || x.saysCondition() && report.Covers(x.Condition.Reason, e.Reason)
		if !isSaid {
			add(e.Reason + ": " + e.Message)
		}
	}

	out = append(out, others...)

	if l.resource == "" {
		for _, r := range x.Resources {
			if r.LeftAlone != "" {
				add(words.Name(r.Resource) + ": " + r.LeftAlone)
			}
		}
	} else if len(x.Resources) == 0 && !x.fails {
		add("the composite resource no longer names it")
	}

	if len(out) == 0 {
		add(l.nothingMissing())
	}

	out[0] = subject + ": " + out[0]

	if more := len(out) - maxCauses; more > 0 {
		out = append(out[:maxCauses], fmt.Sprintf("and %d more", more))
	}

	return out
}

// nothingMissing says that no tag is missing.
func (l *live) nothingMissing() string {
	if len(l.composed) == 0 {
		return "it has no composed resource that could have tags"
	}

	return "no tag is missing: the resources have the tags of all labels"
}

// isAboutSources reports whether the event is about the sources of labels, and not about resources.
func isAboutSources(e Event) bool {
	return slices.Contains([]string{"SourceEmpty", "ClassAmbiguous", "ClassChanged", "ExpressionEmpty"}, e.Reason)
}

// saysCondition reports whether the condition of the run has a cause.
func (x *rendering) saysCondition() bool {
	return x.Condition != nil && (x.fails || x.Condition.Reason != report.ReasonAllPropagated)
}

// conditionCauses returns the faults of the step, and the causes that conditions have: the condition of this run, and the conditions of the
// composite resource in the cluster.
func (x *rendering) conditionCauses(l *live) (out []string) {
	if why := because(l.xr); why != "" {
		out = append(out, "not applied"+why)
	}

	out = append(out, x.faults...)

	// The last run may have known less: the context, or an older release of the function. That the step received no resources is a fault.
	c := object.Condition(l.xr, report.ConditionType)
	if c.Field("status").IsText("False") && !c.Field("reason").IsText(report.ReasonNoResources) && !x.saysCondition() {
		out = append(out, whenCrossplaneRan+said(report.ConditionType, c))
	}

	if !x.saysCondition() {
		return out
	}

	condition := x.Condition.Reason + ": " + report.WithoutDigests(x.Condition.Message)
	if x.fails { // Crossplane can't apply anything, and says less of it.
		return append([]string{condition}, out...)
	}

	return append(out, condition)
}

// causes returns why the resource lacks tags. It also returns the labels of sources that are for other resources only. Alone, these are causes,
// too, and so is a resource without a tag field: most Compositions have such resources.
func (x *Rendered) causes(alone bool) (out, others []string) { //nolint:revive // See above.
	if x.LeftAlone != "" && alone {
		out = append(out, x.LeftAlone)
	}

	for _, f := range x.fields() {
		if f.Mismatch != "" {
			out = append(out, f.Mismatch)
		}

		for i := range f.Labels {
			if l := &f.Labels[i]; l.forOthers && !alone {
				others = append(others, l.String())
			} else {
				out = append(out, l.String())
			}
		}

		for _, t := range f.Tags {
			if t.differs || t.CloudRefuses != "" {
				out = append(out, "tag "+words.Cell(t.Key)+": "+t.Note)
			}
		}
	}

	return append(out, words.Map(x.Broken, BrokenRule.String)...), others
}

// earlyByCondition says that the step received no resources when Crossplane ran the function, if the condition has it.
func (l *live) earlyByCondition() string {
	c := object.Condition(l.xr, report.ConditionType)
	if !c.Field("reason").IsText(report.ReasonNoResources) {
		return ""
	}

	return whenCrossplaneRan + said(report.ConditionType, c)
}

// whenCrossplaneRan begins causes that the condition in the cluster has.
const whenCrossplaneRan = "when Crossplane ran the function, "

// title returns the kind and the name of the object.
func title(o object.Object) string { return words.Name(object.Title(o)) }

// because returns why Crossplane or a provider has not applied the object, by its conditions: ": Synced is False, ReconcilePaused: …". It
// returns nothing if they don't say so.
func because(o object.Object) string {
	for _, typ := range []string{"Synced", "Responsive"} {
		c := object.Condition(o, typ)
		generation, observed := o.Node().Field("metadata").Field("generation").Value(), c.Field("observedGeneration").Value()

		switch {
		case c.Field("status").IsText("False"):
			return ": " + said(typ, c)
		case observed != nil && observed.GetNumberValue() < generation.GetNumberValue():
			return ": it has changed since " + typ + " was True"
		}
	}

	return ""
}

// said returns what the condition says, such as Synced is False, ReconcilePaused: the reconciliation is paused.
func said(typ string, c object.Node) string {
	out := typ + " is " + words.Name(c.Field("status").Text()) + ", " + words.Name(c.Field("reason").Text())
	if message := report.WithoutDigests(c.Field("message").Text()); message != "" {
		out += ": " + words.Show(message, words.MaxText)
	}

	return out
}
