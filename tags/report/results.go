package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/metadata"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

const (
	warning = fnv1.Severity_SEVERITY_WARNING
	normal  = fnv1.Severity_SEVERITY_NORMAL
)

// maxKeys is about how many withheld tags all results of a run name together. Each
// resource can have as many as there are labels.
const maxKeys = 20_000

// whatToDo about a resource of which nobody knows whether it has a tag field.
const whatToDo = "Crossplane 2.2 and newer can tell unless fieldDiscovery is Index, an entry of tagFields says so, " +
	"and the annotation " + stamp.IgnoreAnnotation + `: "true" leaves a resource alone`

// mend of tags that the cloud's API refuses.
const mend = "profileRules: Cloud makes them legal or skips them, Contract says that they are meant"

// warnings of what the supplied outcome lacks.
func (r *Run) warnings(rsp *fnv1.RunFunctionResponse, o *sorted) {
	for _, of := range grouped(o.Violations, func(v stamp.Violation) int { return v.Rule }) {
		add(rsp, warning, ReasonPolicyViolated, fmt.Sprintf("tagPolicy.rules[%d]: %s: ", of[0].Rule, r.ruled(of[0].Rule)), broken(of)...)
	}

	for _, of := range grouped(o.Skips, func(s stamp.Skip) [3]string { return [3]string{s.Provider, string(s.Reason), s.Limit} }) {
		head := fmt.Sprintf("%s: skipped %s: %s (%s): ", of[0].Provider, count(len(of), "label", "labels"), of[0].Reason, of[0].Limit)
		add(rsp, warning, pascalCase(of[0].Reason), head, mapped(of, skippedLabel)...)
	}

	for _, of := range grouped(o.CloudRefuses, func(s stamp.Skip) string { return s.Provider }) {
		head := fmt.Sprintf("%s: its API refuses %s that profileRules left out admits, so the resource will fail (%s): ",
			of[0].Provider, count(len(of), "tag", "tags"), mend)
		add(rsp, warning, ReasonCloudRefuses, head, mapped(of, refused)...)
	}

	for _, s := range o.mismatched {
		add(rsp, warning, "TagFieldMismatch", elide(s.Resource)+": left the tag field alone: ", elide(s.Mismatch))
	}

	add(rsp, warning, ReasonUnknownKinds, "not known whether these have a tag field ("+whatToDo+"): ", mapped(o.unknown, leftAlone)...)

	for _, of := range grouped(o.NotCopied, func(n metadata.NotCopied) int { return n.Rule }) {
		why := mapped(of, func(n metadata.NotCopied) string { return shorten(n.Why, 2*maxName) })
		add(rsp, warning, "MetadataNotCopied", fmt.Sprintf("kubernetesMetadata[%d]: not copied: ", of[0].Rule), why...)
	}

	addNotes(rsp, warning, o.Results)
}

// normals tell what is as the input wants it, but may not be what people expect.
func (r *Run) normals(rsp *fnv1.RunFunctionResponse, o *sorted) {
	most := max(1, maxKeys/max(1, len(o.withheld)))

	for _, s := range o.withheld {
		name := elide(s.Resource)

		add(rsp, normal, "TagsWithheld", name+": withheld: ", withheld(&s.Withheld, most)...)
		add(rsp, normal, "TagsProtected", name+": ignoreTags and removeTags of fields don't touch reserved keys: ", first(s.Withheld.Protected, len(s.Withheld.Protected), most, elide)...)
	}

	addNotes(rsp, normal, o.Results)
	add(rsp, normal, "NotTagged", "not tagged: ", mapped(o.notTagged, leftAlone)...)

	for _, of := range slices.Concat(r.Set.Empty, r.Set.PerResource.Empty()) {
		add(rsp, normal, "SourceEmpty", "", shorten(of.String(), maxMessage))
	}

	add(rsp, normal, "ExpressionEmpty", "these expressions have no value: ", mapped(r.Set.Valueless(), func(l resolve.Lack) string { return shorten(l.String(), maxName) })...)
	add(rsp, normal, "SelectorEmpty", "these select no desired resource, so that nothing comes of them: ", mapped(o.Unmatched, elide)...)
	add(rsp, normal, "UnknownProvider", "", r.unknownProvider(o)...)
}

// ruled says what the rule of the tag policy at the supplied position asks for.
func (r *Run) ruled(i int) string {
	rule := &r.Input.TagPolicy.Rules[i]
	out := elide(rule.Key)

	if len(rule.Values) > 0 {
		out += " (allowed: " + shorten(strings.Join(mapped(rule.Values, tags.Pattern.String), ", "), maxName) + ")"
	}

	return out
}

// broken says what the supplied violations of one rule are, and of which resources.
func broken(of []stamp.Violation) []string {
	by := make(map[string][]string)
	for _, v := range of {
		by[v.What] = append(by[v.What], v.Resource)
	}

	return mapped(slices.Sorted(maps.Keys(by)), func(what string) string { return shorten(what, maxName) + " on " + names(by[what]) })
}

// violations of the tag policy, in short.
func (r *Run) violations(of []stamp.Violation) string {
	return strings.Join(mapped(grouped(of, func(v stamp.Violation) int { return v.Rule }), func(of []stamp.Violation) string {
		return r.ruled(of[0].Rule) + " " + names(broken(of))
	}), "; ")
}

// add as many results to the supplied response as it takes to name all of the supplied
// items behind the supplied head, if there are any.
func add(rsp *fnv1.RunFunctionResponse, severity fnv1.Severity, reason, head string, items ...string) {
	for _, msg := range split(head, items) {
		rsp.Results = append(rsp.Results, &fnv1.Result{Severity: severity, Reason: new(reason), Message: msg, Target: fnv1.Target_TARGET_COMPOSITE.Enum()})
	}
}

// grouped are the supplied things, which are sorted, in groups of the same.
func grouped[T any, K comparable](of []T, key func(T) K) [][]T {
	var out [][]T

	for start, i := 0, 1; i <= len(of); i++ {
		if i == len(of) || key(of[i]) != key(of[start]) {
			out = append(out, of[start:i])
			start = i
		}
	}

	return out
}

// skippedLabel is how messages put a label that was skipped.
func skippedLabel(s stamp.Skip) string {
	out := elide(s.QualifiedKey) + " → " + elide(s.TagKey)
	if len(s.Resources) > 0 {
		out += " on " + names(s.Resources)
	}

	return out
}

// refused is how messages put a label whose tag the cloud's API refuses.
func refused(s stamp.Skip) string {
	return skippedLabel(s) + " (" + string(s.Reason) + ": " + s.Limit + ")"
}

// leftAlone says why the supplied resource was left alone.
func leftAlone(s *stamp.Result) string {
	return elide(s.Resource) + " (" + elide(s.APIVersion) + " " + elide(s.Kind) + ") " + s.LeftAlone
}

// withheld returns the tags that are not as labels, or the input, would have them,
// each with the reason: at most as many as supplied, and how many more there are.
func withheld(w *stamp.Withheld, most int) []string {
	why := map[string]string{}
	because := func(reason string, keys []string) {
		for _, key := range keys[:min(len(keys), most)] {
			why[key] = reason
		}
	}

	because("an earlier step set another value", w.Retained)
	because("the cloud has another value, and ignoreTags names it", w.Ignored)
	because("removeTags names it", w.Removed)
	because("ignoreTags names it, but there is no tag slot left", w.Unkept)

	all := len(w.Retained) + len(w.Ignored) + len(w.Removed) + len(w.Unkept)

	return first(slices.Sorted(maps.Keys(why)), all, most, func(key string) string { return elide(key) + " (" + why[key] + ")" })
}

// unknownProvider says that the provider that the input, the composite resource or a
// class names is none that has a tag profile, or nothing. What isn't in the input counts
// only where nothing else is known of a resource's provider.
func (r *Run) unknownProvider(o *sorted) []string {
	name := r.Input.ProviderValue()

	if name == "" && (slices.ContainsFunc(o.tagged, func(s *stamp.Result) bool { return s.Provider == tags.Generic }) ||
		slices.ContainsFunc(o.Skips, func(s stamp.Skip) bool { return s.Provider == tags.Generic })) {
		name = r.Set.Provider
	}

	known := tags.ProfileNames()
	if name == "" || slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) }) {
		return nil
	}

	return []string{fmt.Sprintf("provider %s has no tag profile of its own: %s applies; known are %s",
		elide(strconv.Quote(name)), tags.Generic, strings.Join(known, ", "))}
}

// pascalCase of the supplied reason, as reasons of results and events are written.
func pascalCase(r tags.SkipReason) string {
	return strings.Join(mapped(strings.Split(string(r), "-"), func(word string) string { return strings.ToUpper(word[:1]) + word[1:] }), "")
}
