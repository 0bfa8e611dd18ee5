package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/metadata"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

const (
	warning = fnv1.Severity_SEVERITY_WARNING
	normal  = fnv1.Severity_SEVERITY_NORMAL
)

// ReasonUnknownProvider is the reason of results about providers and API groups without a tag profile.
const ReasonUnknownProvider = "UnknownProvider"

// A topic has items to tell, after a head, in as many results as it takes.
type topic struct {
	severity fnv1.Severity
	reason   string
	head     string

	// one and several are the words for one item and for several: label, labels.
	one, several string

	// items is how many items there are, and text returns each for messages. The last one stands for so many more. With
	// alone, each item has a result of its own.
	items int
	more  int
	text  func(i int) string
	alone bool

	// logged says that each item has a line in the log, whether a result has the item or not.
	logged bool
}

// about returns the topic with the items.
func about[T any](t topic, items []T, text func(T) string) topic {
	t.items, t.text = len(items), func(i int) string { return text(items[i]) }
	return t
}

// texts returns the topic with items that are texts already.
func texts(t topic, items ...string) topic {
	return about(t, items, func(s string) string { return s })
}

// noteWords has the reasons, severities and heads of results about notes, in the order of the results.
var noteWords = []struct {
	kind     stamp.NoteKind
	severity fnv1.Severity
	reason   string
	head     string
}{
	{
		stamp.NoteReserved, warning, "ReservedTagsStay",
		"these tags have reserved keys, but can't be taken away, since another field manager owns them (edit the managed resource): ",
	},
	{
		stamp.NoteReservedLaunched, warning, "ReservedTagsStay",
		"these tags of what is launched have reserved keys, but stay, since a change there fails, replaces what runs or has no effect (let no earlier step set them): ",
	},
	{
		stamp.NoteLeftover, warning, "TagsLeftOver",
		"no step desires these tags, but another field manager keeps them (edit the managed resource, or what the manager applies; if it is the provider, write managementPolicies without LateInitialize): ",
	},
	{
		stamp.NoteLastStays, warning, "LastTagStays",
		"the last tag stays in the cloud, since an empty tag field doesn't make the provider remove it (remove it in the cloud): ",
	},
	{
		stamp.NoteLastKept, warning, "LastTagStays",
		"the last tag stays, since the API server refuses the object around the tag field without it (let a step desire another field there): ",
	},
	{
		stamp.NoteValueless, warning, "TagsValueless",
		"these entries of a list have a key and no value, so that API servers refuse the resource (give them a value in the step that writes them, or by a label): ",
	},
	{stamp.NoteCopyReserved, warning, "MetadataNotCopied", "not copied to the tag field, since the keys are reserved: "},
	{stamp.NoteCopyCapped, warning, "MetadataNotCopied", "not copied to the tag field, which has no tag slot left or doesn't admit it by its schema: "},
	{
		stamp.NoteImmutable, normal, "TagsImmutable",
		"labels that are not tags, or at other values, since the tag field can't change once the resource is made (only a resource that is made anew gets them): ",
	},
	{
		stamp.NoteNeverUpdated, normal, "TagsImmutable",
		"labels that are not tags, or at other values, since managementPolicies have no Update, and the resource is made (write Update to managementPolicies): ",
	},
	{stamp.NoteKept, normal, "TagsKept", "newly kept because of ignoreTags, until removeTags names them: "},
	{stamp.NoteUnreported, normal, "TagsUnreported", "ignoreTags can't keep any tags, since the provider reports none: "},
	{
		stamp.NoteStaysSelected, normal, "StaysSelected",
		"selected by matchCloudTags, perhaps even once the cloud has lost these tags, since provider-upjet-aws up to v2.6.0 and other providers " +
			"made with Upjet keep them in the status (the annotation " + locate.IgnoreAnnotation + `: "true" leaves a resource alone): `,
	},
	{stamp.NoteRemoved, normal, "TagsNotKept", "removeTags removes these tags, although ignoreTags names them: "},
	{
		stamp.NoteInitialMoved, normal, "TagsInitial",
		"these tags of spec.initProvider stand in spec.forProvider, and are no longer initial only, since providers drop one list of tags if there are two: ",
	},
	{
		stamp.NoteInitialKept, normal, "TagsInitial",
		"these tags of spec.initProvider keep labels from being tags, since providers drop one list of tags if there are two, and onConflict Retain keeps this one (write the tags to spec.forProvider): ",
	},
	{
		stamp.NoteAttached, normal, "VolumesAttached",
		"volumes get no tags from their instance, since other resources attach volumes to it, whose own tags it would overwrite (tag volumes as resources of the XR): ",
	},
	{stamp.NoteOtherValue, normal, "TagsNotRemoved", "removeTags names these tags, but at another value: "},
	{stamp.NoteOwned, normal, "TagsNotRemoved", "removeTags names these tags, but they stay, since another field manager owns them: "},
}

// whatToDo is advice about a resource that may or may not have a tag field.
const whatToDo = "use one of: Crossplane 2.2 or newer with another fieldDiscovery than Index; an entry of tagFields; " +
	"the annotation " + locate.IgnoreAnnotation + `: "true", which leaves a resource alone`

// whereTagsGo is advice about a tag field with a value of another shape.
const whereTagsGo = "correct the step that writes this, or write an entry of tagFields with another fieldPath or shape"

// formats are advice about characters that a cloud doesn't admit.
var formats = map[profile.SkipReason]string{
	profile.KeyCharacterClass:   "; keyFormats can change keys",
	profile.ValueCharacterClass: "; valueFormats can change values",
}

// mends is advice about tags that the cloud's API refuses, by the profileRules of the input.
var mends = map[profile.Rules]string{
	"":               "profileRules: Cloud makes them legal or skips them, Contract says that they are meant",
	profile.Contract: "profileRules: Cloud makes them legal or skips them",
}

// topics returns the topics of the findings: first faults, and then facts that the input asks for, but that people may
// not expect.
func (r *Run) topics(f *findings) []topic {
	return slices.Concat(r.lacks(f), f.noted(warning), f.withholdings(), f.noted(normal), f.unseen())
}

// lacks returns topics about labels, resources and metadata.
func (r *Run) lacks(f *findings) []topic {
	out := words.Map(words.Grouped(f.Violations, ruleOf), func(group []tagpolicy.Violation) topic { return r.broken(group, "") })

	early := topic{severity: normal, reason: ReasonNoResources, one: "step", several: "steps"} // In the first run, nothing is wrong yet.
	if f.lacksResources {
		early.severity = warning
	}

	misspelled := fmt.Sprintf("no tag profile has this name, so that %s applies in its place: ", profile.Generic)

	out = append(out,
		texts(early, f.early...),
		texts(topic{severity: warning, reason: ReasonUnknownProvider, head: misspelled, one: "of them", several: "of them"}, f.misspelled...),
	)

	// The labels that are named fill all results of a reason, if there are so many.
	if f.surplus > 0 {
		out = append(out, texts(topic{severity: warning, reason: pascalCase(profile.CountCap), one: "label", several: "labels"}, resolve.SurplusMessage(f.surplus)))
	}

	for _, group := range words.Grouped(f.Skips, limitOf) {
		mend := formats[group[0].Reason]
		if provider := group[0].Provider; provider == profile.Composite().Name || profile.IsSecondSystem(provider) {
			mend = "" // Labels are handed on as they are, and a second tag system has no formats.
		}

		head := fmt.Sprintf("%s: skipped %s: %s (%s%s): ", group[0].Provider, words.Count(len(group), "label", "labels"), group[0].Reason, group[0].Limit, mend)
		out = append(out, about(topic{severity: warning, reason: pascalCase(group[0].Reason), head: head, one: "label", several: "labels", logged: true}, group, f.skippedLabel))
	}

	out = append(out, r.refusals(f)...)

	out = append(out,
		about(topic{severity: warning, reason: "TagFieldMismatch", one: "resource", several: "resources", alone: true}, f.mismatched, func(s *stamp.Result) string {
			return words.Name(s.Resource) + ": left the tag field alone: " + words.Name(s.Mismatch) + "; " + whereTagsGo
		}),
		about(topic{
			severity: warning, reason: ReasonUnknownKinds, one: "resource", several: "resources",
			head: "unknown whether these have a tag field (" + whatToDo + "): ",
		}, f.unknown, leftAlone),
	)

	for _, group := range words.Grouped(f.NotCopied, func(n metadata.NotCopied) int { return n.Entry }) {
		t := topic{severity: warning, reason: "MetadataNotCopied", head: r.Input.Where("kubernetesMetadata[%d]", group[0].Entry) + ": not copied: ", one: "of them", several: "of them"}
		t.more = max(0, group[len(group)-1].More-1)
		out = append(out, about(t, group, func(n metadata.NotCopied) string {
			if n.More > 0 {
				return fmt.Sprintf("and %d more", n.More)
			}

			return words.Show(n.Why, words.MaxText)
		}))
	}

	return out
}

// refusals returns topics about tags that the cloud's API refuses, unless the input says that they are meant.
func (r *Run) refusals(f *findings) []topic {
	if r.Input.ProfileRules == profile.Contract {
		return nil
	}

	return words.Map(words.Grouped(f.CloudRefuses, limitOf), func(skips []stamp.Skip) topic {
		head := fmt.Sprintf("%s: its API refuses %s, so that the resource will fail (%s: %s; %s): ",
			skips[0].Provider, words.Count(len(skips), "tag", "tags"), skips[0].Reason, skips[0].Limit, mends[r.Input.ProfileRules])

		return about(topic{severity: warning, reason: ReasonCloudRefuses, head: head, one: "tag", several: "tags"}, skips, f.refusedLabel)
	})
}

// noted returns topics of the severity about notes: one for each kind of note, with the names of the resources.
func (f *findings) noted(severity fnv1.Severity) []topic {
	var out []topic

	for _, w := range noteWords {
		if w.severity == severity {
			out = append(out, about(topic{severity: severity, reason: w.reason, head: w.head, one: "resource", several: "resources"}, f.notes[w.kind], notedResource.String))
		}
	}

	return out
}

// withholdings returns topics about values that somebody else decides: parts of the composite resource's status, and
// tags of resources. Each resource has a result of its own.
func (f *findings) withholdings() []topic {
	return []topic{
		about(topic{severity: warning, reason: "StatusFieldMismatch", one: "field", several: "fields", alone: true}, f.statusLacks, shown),
		about(topic{severity: normal, reason: "TagsWithheld", one: "resource", several: "resources", alone: true}, f.withheld, func(s *stamp.Result) string {
			first, all := f.withheldTags(s)
			return words.Items(words.Name(s.Resource)+": withheld: ", first, all, maxText)
		}),
		about(topic{severity: normal, reason: "TagsProtected", one: "resource", several: "resources", alone: true}, f.protected, func(s *stamp.Result) string {
			keys, more := s.Notes.Keys(stamp.NoteProtected)
			return words.Items(words.Name(s.Resource)+": ignoreTags and removeTags of fields don't touch reserved keys: ", words.Map(keys, words.Name), len(keys)+more, maxText)
		}),
	}
}

// unseen returns topics about facts that people can't see.
func (f *findings) unseen() []topic {
	unprofiled := fmt.Sprintf("no tag profile is known for these, so that %s applies (provider, or an entry of tagFields, can name %s): ", profile.Generic, strings.Join(profile.Names(), ", "))

	return []topic{
		about(topic{severity: normal, reason: "NotTagged", head: "not tagged: ", one: "resource", several: "resources"}, f.notTagged, leftAlone),
		about(topic{severity: normal, reason: "SourceEmpty", one: "source", several: "sources", alone: true}, words.Map(f.empty, resolve.SourceNote.String), shown),
		about(topic{severity: normal, reason: "ClassAmbiguous", one: "class", several: "classes", alone: true}, words.Map(f.Set.AmbiguousSources, resolve.SourceNote.String), shown),
		about(topic{severity: normal, reason: "ClassChanged", one: "class", several: "classes", alone: true}, f.Set.ClassChanges, func(c resolve.ClassChange) string {
			return shown(fmt.Sprintf("%s: picks %s, since %s, which the status records, is gone or doesn't match any more", c.Source, className(c.To), className(c.From)))
		}),
		about(topic{severity: normal, reason: "ExpressionEmpty", head: "these expressions have no value: ", one: "expression", several: "expressions"}, words.Map(f.Set.Valueless(), resolve.SourceNote.String), words.Name),
		about(topic{severity: normal, reason: "LabelNull", head: "these are no labels, since their JSON is null: ", one: "label", several: "labels"}, words.Map(f.Set.Nulls(), resolve.SourceNote.String), words.Name),
		about(topic{severity: normal, reason: "SelectorEmpty", head: "these select no desired resource, so that nothing comes of them: ", one: "selector", several: "selectors"}, f.Unmatched, words.Name),
		texts(topic{severity: normal, reason: ReasonUnknownProvider, head: unprofiled, one: "of them", several: "of them"}, f.unprofiled...),
	}
}

// className returns the class for messages: TeamClass team-b/bronze (classes.example.org/v1).
func className(c resolve.ClassRef) string {
	return words.Name(c.Kind+" "+strings.TrimPrefix(c.Namespace+"/"+c.Name, "/")) + " (" + words.Name(c.APIVersion) + ")"
}

// shown returns the text as the only item of a message.
func shown(text string) string { return words.Show(text, maxText) }

// ruled returns the key and the allowed values of the rule at position i of the tag policy: owner (allowed: team-a,
// team-b).
func (r *Run) ruled(i int) string {
	rule := &r.Input.TagPolicy.Rules[i]
	out := words.Name(rule.Key)

	if allowed := rule.Allowed(); len(allowed) > 0 {
		out += " (allowed: " + words.Name(strings.Join(allowed, ", ")) + ")"
	}

	return out
}

// broken returns the topic of the violations of one rule. Its head ends with by.
func (r *Run) broken(violations []tagpolicy.Violation, by string) topic {
	rule := violations[0].Rule
	head := r.Input.Where("tagPolicy.rules[%d]", rule) + ": " + r.ruled(rule) + ": " + by

	return texts(topic{severity: warning, reason: ReasonPolicyViolated, head: head, one: "violation", several: "violations"}, broken(violations)...)
}

// broken says what the violations of one rule are, and which resources have them.
func broken(violations []tagpolicy.Violation) []string {
	sorted := slices.SortedFunc(slices.Values(violations), func(a, b tagpolicy.Violation) int { return strings.Compare(a.String(), b.String()) })

	return words.Map(sorted, func(v tagpolicy.Violation) string {
		return words.Name(v.String()) + " on " + words.FirstNames(v.First, v.Count())
	})
}

// violations returns the violations of the tag policy in one line, as far as a message has room for their rules.
func (r *Run) violations(violations []tagpolicy.Violation) string {
	broken := words.Map(words.Grouped(violations, ruleOf), func(violations []tagpolicy.Violation) string {
		return r.ruled(violations[0].Rule) + " " + words.Names(broken(violations))
	})

	return words.Items("", broken, len(broken), words.MaxMessage)
}

// ruleOf returns the rule of the violation: violations are grouped by it.
func ruleOf(v tagpolicy.Violation) int { return v.Rule }

// limitOf returns the limit that a label breaks: skipped labels, and labels whose tags the cloud refuses, are grouped
// by it.
func limitOf(s stamp.Skip) [3]string { return [3]string{s.Provider, string(s.Reason), s.Limit} }

// skippedLabel returns a skipped label for messages: env → plexsphere:env ("!" at character 5) of sources[1] on bucket.
func (f *findings) skippedLabel(s stamp.Skip) string {
	fault := s.Fault()
	if fault != "" {
		fault = " (" + fault + ")"
	}

	return f.labelOf(s, fault)
}

// refusedLabel returns a label whose tag the cloud refuses, for messages: env → plexsphere:env of sources[1] on bucket.
func (f *findings) refusedLabel(s stamp.Skip) string { return f.labelOf(s, "") }

// labelOf returns the label of s for messages, with the fault after its tag key.
func (f *findings) labelOf(s stamp.Skip, fault string) string {
	out := words.Name(s.QualifiedKey) + " → " + words.Name(s.TagKey) + fault
	if sources := f.sourcesOf(&s); len(sources) > 0 {
		out += " of " + words.Names(sources)
	}

	if len(s.Resources) > 0 {
		out += " on " + words.FirstNames(s.Resources, len(s.Resources)+s.More)
	}

	return out
}

// String returns the note for messages: bucket: backup (kubectl-edit).
func (n notedResource) String() string {
	out := words.Name(n.name)
	if len(n.note.Keys) > 0 {
		out += ": " + words.FirstNames(n.note.Keys, len(n.note.Keys)+n.note.More)
	}

	if where := cmp.Or(n.note.Manager, n.note.Field); where != "" {
		out += " (" + words.Name(where) + ")"
	}

	return out
}

// leftAlone says why the resource is left alone.
func leftAlone(s *stamp.Result) string {
	return words.Shorten(words.Name(s.Resource)+" ("+words.Name(s.APIVersion)+" "+words.Name(s.Kind)+") "+s.LeftAlone, words.MaxText)
}

// withheldBy says who decides on the tag of a label with the fate. It returns nothing if the label isn't withheld.
func withheldBy(fate tags.Fate) string {
	switch fate {
	case tags.Retained:
		return "an earlier step set another value"
	case tags.Ignored:
		return "the cloud has another value, and ignoreTags names it"
	case tags.Removed:
		return "removeTags names it"
	case tags.Undecided, tags.Tagged, tags.Skipped, tags.TakenAway:
	}

	return ""
}

// withheldTags returns the first tags that are not as labels or the input say, each with the label's source, if the step has several, and with
// the reason: env of sources[1] (removeTags names it). They are sorted by key. It also returns how many there are in all.
func (f *findings) withheldTags(s *stamp.Result) (first []string, all int) {
	unkept, more := s.Notes.Keys(stamp.NoteUnkept)
	why := make(map[string]string)
	all = s.More + more + len(unkept)

	for i := range s.Records {
		if j := &s.Records[i]; j.Withheld() {
			why[j.Key] = " (" + withheldBy(j.Fate) + ")"
			all++

			if f.severalSources && j.Source != nil {
				why[j.Key] = " of " + words.Name(j.Source.Name) + why[j.Key]
			}
		}
	}

	for _, key := range unkept {
		why[key] = " (ignoreTags names it, but there is no tag slot left)"
	}

	return words.Map(slices.Sorted(maps.Keys(why)), func(key string) string { return words.Name(key) + why[key] }), all
}

// pascalCase returns the reason r as reasons of results are written: KeyTooLong for key-too-long.
func pascalCase(r profile.SkipReason) string {
	return strings.Join(words.Map(strings.Split(string(r), "-"), func(word string) string { return strings.ToUpper(word[:1]) + word[1:] }), "")
}
