package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/metadata"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/target"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

const (
	warning = fnv1.Severity_SEVERITY_WARNING
	normal  = fnv1.Severity_SEVERITY_NORMAL
)

// whatToDo about a resource of which nobody knows whether it has a tag field.
const whatToDo = "Crossplane 2.2 and newer can tell unless fieldDiscovery is Index, an entry of tagFields says so, " +
	"and the annotation " + target.IgnoreAnnotation + `: "true" leaves a resource alone`

// mends of tags that the cloud's API refuses, by the rules that admit them.
var mends = map[profile.Rules]string{
	"":               "profileRules: Cloud makes them legal or skips them, Contract says that they are meant",
	profile.Contract: "profileRules: Cloud makes them legal or skips them",
}

// topics are what there is to say of the outcome: what is lacking, and then what is as the
// input wants it, but may not be what people expect.
func (r *Run) topics(o *sorted) []topic {
	return slices.Concat(r.lacks(o), noteTopics(warning, o.Results), []topic{statusLacks(o)}, r.withheld(o), noteTopics(normal, o.Results), r.unseen(o))
}

// lacks are topics about labels, resources and metadata.
func (r *Run) lacks(o *sorted) []topic {
	var out []topic

	for _, of := range grouped(o.Violations, func(v tagpolicy.Violation) int { return v.Rule }) {
		head := fmt.Sprintf("%s: %s: ", r.Input.Where("tagPolicy.rules[%d]", of[0].Rule), r.ruled(of[0].Rule))
		out = append(out, texts(topic{severity: warning, reason: ReasonPolicyViolated, head: head, one: "violation", several: "violations"}, broken(of)...))
	}

	for _, of := range grouped(o.Skips, limitOf) {
		head := fmt.Sprintf("%s: skipped %s: %s (%s): ", of[0].Provider, words.Count(len(of), "label", "labels"), of[0].Reason, of[0].Limit)
		out = append(out, about(topic{severity: warning, reason: pascalCase(of[0].Reason), head: head, one: "label", several: "labels", logged: true}, of, skippedLabel))
	}

	out = append(out, r.refusals(o.CloudRefuses)...)

	out = append(out,
		about(topic{severity: warning, reason: "TagFieldMismatch", one: "resource", several: "resources", alone: true}, o.mismatched, func(s *stamp.Result) string {
			return words.Name(s.Resource) + ": left the tag field alone: " + words.Name(s.Mismatch)
		}),
		about(topic{
			severity: warning, reason: ReasonUnknownKinds, one: "resource", several: "resources",
			head: "not known whether these have a tag field (" + whatToDo + "): ",
		}, o.unknown, leftAlone),
	)

	for _, of := range grouped(o.NotCopied, func(n metadata.NotCopied) int { return n.Rule }) {
		t := topic{severity: warning, reason: "MetadataNotCopied", head: r.Input.Where("kubernetesMetadata[%d]", of[0].Rule) + ": not copied: ", one: "of them", several: "of them"}
		out = append(out, about(t, of, func(n metadata.NotCopied) string { return words.Show(n.Why, words.MaxText) }))
	}

	return out
}

// refusals are topics about the tags that the cloud's API refuses, unless whoever wrote the input means
// them.
func (r *Run) refusals(of []stamp.Skip) []topic {
	if r.Input.ProfileRules == profile.Contract {
		return nil
	}

	return words.Map(grouped(of, limitOf), func(of []stamp.Skip) topic {
		head := fmt.Sprintf("%s: its API refuses %s, so that the resource will fail (%s: %s; %s): ",
			of[0].Provider, words.Count(len(of), "tag", "tags"), of[0].Reason, of[0].Limit, mends[r.Input.ProfileRules])

		return about(topic{severity: warning, reason: ReasonCloudRefuses, head: head, one: "tag", several: "tags"}, of, skippedLabel)
	})
}

// statusLacks is the topic of what could not be written to the composite resource's status.
func statusLacks(o *sorted) topic {
	t := topic{severity: warning, reason: "StatusFieldMismatch", one: "field", several: "fields", alone: true}
	return about(t, o.statusLacks, func(err error) string { return words.Show(err.Error(), maxText) })
}

// withheld are topics about the resources of which tags were withheld, each of which has a result
// of its own.
func (r *Run) withheld(o *sorted) []topic {
	return []topic{
		about(topic{severity: normal, reason: "TagsWithheld", one: "resource", several: "resources", alone: true}, o.withheld, func(s *stamp.Result) string {
			first, all := withheldTags(&s.Withheld)
			return words.Items(words.Name(s.Resource)+": withheld: ", first, all, maxText)
		}),
		about(topic{severity: normal, reason: "TagsProtected", one: "resource", several: "resources", alone: true}, o.protected, func(s *stamp.Result) string {
			keys := s.Withheld.Protected
			return words.Items(words.Name(s.Resource)+": ignoreTags and removeTags of fields don't touch reserved keys: ", words.Map(keys, words.Name), len(keys)+s.Withheld.MoreProtected, maxText)
		}),
	}
}

// unseen are topics about what people can't see.
func (r *Run) unseen(o *sorted) []topic {
	return []topic{
		about(topic{severity: normal, reason: "NotTagged", head: "not tagged: ", one: "resource", several: "resources"}, o.notTagged, leftAlone),
		about(topic{severity: normal, reason: "SourceEmpty", one: "source", several: "sources", alone: true}, r.empty(), lack),
		about(topic{severity: normal, reason: "ExpressionEmpty", head: "these expressions have no value: ", one: "expression", several: "expressions"}, r.Set.Valueless(), func(l resolve.Lack) string {
			return words.Name(l.String())
		}),
		about(topic{severity: normal, reason: "SelectorEmpty", head: "these select no desired resource, so that nothing comes of them: ", one: "selector", several: "selectors"}, o.Unmatched, words.Name),
		r.unprofiled(o),
	}
}

// empty are the sources that find nothing.
func (r *Run) empty() []resolve.Lack { return slices.Concat(r.Set.Empty, r.Set.PerResource.Empty()) }

// lack is how messages put what a source lacks.
func lack(of resolve.Lack) string { return words.Show(of.String(), maxText) }

// ruled says what the rule at the position i of the tag policy asks for.
func (r *Run) ruled(i int) string {
	rule := &r.Input.TagPolicy.Rules[i]
	out := words.Name(rule.Key)

	if allowed := rule.Allowed(); len(allowed) > 0 {
		out += " (allowed: " + words.Name(strings.Join(allowed, ", ")) + ")"
	}

	return out
}

// broken says what the violations of one rule are, and which resources have them.
func broken(of []tagpolicy.Violation) []string {
	by := make(map[string][]string)
	for _, v := range of {
		by[v.String()] = append(by[v.String()], v.Resource)
	}

	return words.Map(slices.Sorted(maps.Keys(by)), func(what string) string { return words.Name(what) + " on " + words.Names(by[what], 0) })
}

// violations of the tag policy, in short.
func (r *Run) violations(of []tagpolicy.Violation) string {
	return strings.Join(words.Map(grouped(of, func(v tagpolicy.Violation) int { return v.Rule }), func(of []tagpolicy.Violation) string {
		return r.ruled(of[0].Rule) + " " + words.Names(broken(of), 0)
	}), "; ")
}

// grouped puts neighbours with the same key into one group.
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

// limitOf the label that is skipped, or whose tag the cloud refuses: with this, labels are grouped.
func limitOf(s stamp.Skip) [3]string { return [3]string{s.Provider, string(s.Reason), s.Limit} }

// skippedLabel is how messages put a label that was skipped, or whose tag the cloud refuses.
func skippedLabel(s stamp.Skip) string {
	out := words.Name(s.QualifiedKey) + " → " + words.Name(s.TagKey)
	if len(s.Sources) > 0 {
		out += " of " + words.Names(s.Sources, 0)
	}

	if len(s.Resources) > 0 {
		out += " on " + words.Names(s.Resources, len(s.Resources)+s.More)
	}

	return out
}

// leftAlone says why the resource was left alone.
func leftAlone(s *stamp.Result) string {
	return words.Name(s.Resource) + " (" + words.Name(s.APIVersion) + " " + words.Name(s.Kind) + ") " + s.LeftAlone
}

// withheldTags returns the first tags that are not as labels, or the input, would have them, each with
// the reason, sorted by key, and how many there are in all.
func withheldTags(w *stamp.Withheld) (first []string, all int) {
	why := map[string]string{}
	all = w.More

	for _, of := range []struct {
		reason string
		keys   []string
	}{
		{"an earlier step set another value", w.Retained},
		{"the cloud has another value, and ignoreTags names it", w.Ignored},
		{"removeTags names it", w.Removed},
		{"ignoreTags names it, but there is no tag slot left", w.Unkept},
	} {
		all += len(of.keys)

		for _, key := range of.keys {
			why[key] = of.reason
		}
	}

	return words.Map(slices.Sorted(maps.Keys(why)), func(key string) string { return words.Name(key) + " (" + why[key] + ")" }), all
}

// unprofiled is the topic of providers and API groups that have no tag profile of their own.
func (r *Run) unprofiled(o *sorted) topic {
	head := fmt.Sprintf("no tag profile is known for these, so that %s applies (provider, or an entry of tagFields, can name %s): ", profile.Generic, strings.Join(profile.Names(), ", "))
	return texts(topic{severity: normal, reason: "UnknownProvider", head: head, one: "of them", several: "of them"}, r.unprofiledNames(o)...)
}

// unprofiledNames are the names of providers and API groups that have no tag profile of their own. A
// provider that the input names is most likely a mistake, whatever the resources.
func (r *Run) unprofiledNames(o *sorted) []string {
	providers, groups := make(map[string]bool), make(map[string]bool)

	if name := r.Input.ProviderValue(); name != "" && !profile.Has(name) {
		providers[name] = true
	}

	for i := range o.Results {
		switch u := &o.Results[i].Unprofiled; {
		case u.Provider != "":
			providers[u.Provider] = true
		case u.Group != "":
			groups[u.Group] = true
		}
	}

	return slices.Concat(
		words.Map(slices.Sorted(maps.Keys(providers)), func(name string) string { return "provider " + words.Name(strconv.Quote(name)) }),
		words.Map(slices.Sorted(maps.Keys(groups)), func(name string) string { return "API group " + words.Name(name) }),
	)
}

// pascalCase of the reason r, as reasons of results and events are written.
func pascalCase(r profile.SkipReason) string {
	return strings.Join(words.Map(strings.Split(string(r), "-"), func(word string) string { return strings.ToUpper(word[:1]) + word[1:] }), "")
}
