package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A comparison shows the tags of labels on several clouds. Its labels are the rows of a table, and its providers are the columns.
type comparison struct {
	labels    []tags.Label
	providers []*Explanation

	// differences are the labels that differ per resource, such as Name: name. They have keys, and no cells.
	differences []resolve.Difference

	// origins of the labels, or nil if they come from a file.
	origins map[tags.Label]Origin

	// faults of the step, and notes that are on no provider: these have the faults, too. misspelled is how many other providers are misspelled.
	faults, notes []string
	misspelled    int

	// meant says that the input asks for the contract's rules, so that nobody needs to be warned of them.
	meant bool
}

func (e *comparison) values() any {
	for _, x := range e.providers {
		x.Notes = append(x.Notes, e.notes...)
	}

	return e.providers
}

func (e *comparison) found() (out strictError) {
	out.faults = len(e.faults) + e.misspelled

	for _, x := range e.providers {
		out.skipped += len(x.Skipped)
		out.broken += len(x.Broken)

		for i := range x.CloudRefuses {
			if x.CloudRefuses[i].Service == "" && !e.meant { // All services of the cloud refuse it.
				out.refused++
			}
		}
	}

	return out
}

// An Explanation says which labels are tags under one tag profile.
type Explanation struct {
	Provider string            `json:"provider"`
	Tags     map[string]string `json:"tags"`
	Skipped  []Skipped         `json:"skipped"`

	// CloudRefuses are labels of tags that the API of the cloud, or of one of its services, is
	// known to refuse.
	CloudRefuses []RefusedTag `json:"cloudRefuses,omitempty"`

	// Removed are labels whose tags removeTags takes away. Ignored are labels whose tags have the value of the cloud
	// because of ignoreTags, if it has them.
	Removed []ListedLabel `json:"removed,omitempty"`
	Ignored []ListedLabel `json:"ignored,omitempty"`

	// Broken are the rules of tagPolicy that the tags break.
	Broken []BrokenRule `json:"tagPolicy,omitempty"`

	// Sources of the tags by key, if there are several.
	Sources map[string]Origin `json:"sources,omitempty"`

	// Notes on what labels and tags alone don't say.
	Notes []string `json:"notes,omitempty"`

	profile *profile.Profile

	// plan is the plan for a new resource.
	plan *stamp.Plan

	// tagged are the labels that are tags. capped is how many labels have no tag slot, and lacking are the trusted ones.
	tagged  []*tags.Tag
	capped  int
	lacking []string

	// cells of labels in the column. A label that another one replaces has none.
	cells map[tags.Label]terminal.Cell

	// keys of the labels, or why they have none.
	keys map[tags.Label]Key
}

// A Skipped label is no tag. A label of a file has no Source.
type Skipped struct {
	tags.SkippedLabel

	Source string `json:"source,omitempty"`

	// Fault is the part of the tag that breaks the limit, such as "72 characters", if there is one.
	Fault string `json:"fault,omitempty"`
}

// An Origin is the source of a label, and the sources that it overrode. A Source here, and in the other types of this package, is the title
// of the source, as package resolve gives it.
type Origin struct {
	Source    string   `json:"source"`
	Overrides []Origin `json:"overrides,omitempty"`

	// Value of the label that was overridden.
	Value string `json:"value,omitempty"`
}

// addOrigins adds the labels of the run, and their sources.
func (e *comparison) addOrigins(run *trace) {
	e.origins = make(map[tags.Label]Origin)

	overridden := make(map[string][]tags.Label)
	for _, o := range run.Set.Overridden {
		overridden[o.TagKey] = append(overridden[o.TagKey], o)
	}

	// add a label that overrode others, the latest last.
	add := func(l tags.Label, others []tags.Label) {
		from := Origin{Source: run.title(l)}
		for _, o := range slices.Backward(others) {
			from.Overrides = append(from.Overrides, Origin{Source: run.title(o), Value: o.Value})
		}

		e.labels = append(e.labels, l)
		e.origins[l] = from
	}

	labels := slices.Concat(run.Set.Labels, e.differing())
	slices.SortStableFunc(labels, tags.Label.Compare)

	for _, l := range labels {
		others := overridden[l.TagKey]
		delete(overridden, l.TagKey) // A label that differs overrides nothing here.
		add(l, others)

		// The latest trusted label can stand against the one that overrode it.
		for i, o := range slices.Backward(others) {
			if o.Trusted && !l.Trusted {
				add(o, others[:i])
				break
			}
		}
	}

	for _, l := range run.Set.Denied {
		add(l, nil)
	}
}

// explain what becomes of the run's labels under the tag profiles of the providers, or under all if there are no providers.
func (e *comparison) explain(run *trace, providers []string) {
	if len(providers) == 0 {
		providers = profile.Names()
	}

	e.meant = run.Input.ProfileRules == profile.Contract
	transformer := run.Set.Transformer(run.Input)

	for _, provider := range providers {
		p := run.Input.ProfileRules.ProfileOf(provider, "", "")

		i := slices.IndexFunc(e.providers, func(x *Explanation) bool { return x.profile == p })
		if i < 0 {
			i = len(e.providers)
			e.providers = append(e.providers, e.explanation(run, p, run.Preview(transformer, p)))
		}

		switch meant := profile.Meant(provider); {
		case profile.Has(provider), meant != "" && provider == run.Input.ProviderValue(): // In this case, a fault says it.
		case meant != "":
			e.misspelled++

			fallthrough
		default:
			e.providers[i].notef("%s", unprofiled(locate.WhyGeneric{Provider: provider}))
		}
	}
}

// explanation returns which labels are tags of a new resource of the profile p, and why others are none, by their
// records.
func (e *comparison) explanation(run *trace, p *profile.Profile, plan *stamp.Plan) *Explanation {
	x := &Explanation{
		Provider: p.Name, Tags: make(map[string]string), Skipped: []Skipped{}, Sources: make(map[string]Origin),
		profile: p, plan: plan, cells: make(map[tags.Label]terminal.Cell), keys: make(map[tags.Label]Key),
	}
	d, records := plan.Transformed(), plan.LabelRecords()

	for i := range records {
		switch j := &records[i]; j.Fate {
		case tags.Skipped:
			e.skip(x, j)
		case tags.Removed:
			x.Removed = append(x.Removed, newListedLabel(j.Tag, "removeTags", plan.RemovedBy(j.Tag)))
			x.put(j.Tag, terminal.Cell{Text: "removed"}, Key{Removed: true})
		case tags.Tagged, tags.Undecided, tags.Retained, tags.Ignored, tags.TakenAway:
			e.tag(x, j)
		}
	}

	for _, l := range e.differing() {
		t, reason := d.Judge(l)
		x.keys[l] = Key{Label: l.QualifiedKey, Provider: p.Name, Key: t.Key, Skipped: reason}
	}

	slices.SortStableFunc(x.Skipped, func(a, b Skipped) int {
		return cmp.Or(strings.Compare(a.QualifiedKey, b.QualifiedKey), strings.Compare(a.TagKey, b.TagKey))
	})
	x.addRefused(run.Input)
	e.addNotes(x, run.Input)
	x.addFailure(run.Input)
	x.addTagFields(d.Tags, run.Input)
	e.addPolicy(x, run, d)

	return x
}

// differing returns the labels that differ per resource, as far as they are known. An unknown value is one that every
// cloud admits.
func (e *comparison) differing() (out []tags.Label) {
	for i := range e.differences {
		for _, l := range e.differences[i].Labels {
			l.Value = cmp.Or(l.Value, "x")
			out = append(out, l)
		}
	}

	return out
}

// put the cell and the key of a label.
func (x *Explanation) put(t *tags.Tag, cell terminal.Cell, key Key) {
	key.Label, key.Provider, key.Key = t.QualifiedKey, x.Provider, t.Key
	x.cells[t.Label], x.keys[t.Label] = cell, key
}

// skip the label of the record.
func (e *comparison) skip(x *Explanation, j *tags.Judged) {
	x.Skipped = append(x.Skipped, Skipped{SkippedLabel: j.SkippedLabel(x.Provider, j.Reason), Source: e.origins[j.Label].Source, Fault: x.plan.Fault(j)})
	x.put(j.Tag, terminal.Cell{Text: string(j.Reason), Color: terminal.Red}, Key{Skipped: j.Reason})

	if j.Reason == profile.CountCap {
		x.capped++

		if j.KeyIsTrusted() {
			x.lacking = append(x.lacking, words.Name(j.QualifiedKey))
		}
	}
}

// tag that the label of the record becomes.
func (e *comparison) tag(x *Explanation, j *tags.Judged) {
	x.Tags[j.Key] = j.Value
	x.tagged = append(x.tagged, j.Tag)
	x.put(j.Tag, terminal.Cell{Text: words.Cell(j.Key), Color: terminal.Green}, Key{})

	if from, ok := e.origins[j.Label]; ok {
		x.Sources[j.Key] = from
	}

	// Another system's tag has the value that the cloud has, but reserved keys are nobody else's.
	if entry := x.plan.IgnoredBy(j.Tag); entry != nil && !entry.Retain && !j.Reserved {
		x.Ignored = append(x.Ignored, newListedLabel(j.Tag, "ignoreTags", entry))
	}
}

func (x *Explanation) notef(format string, args ...any) {
	x.Notes = append(x.Notes, fmt.Sprintf(format, args...))
}

// addNotes adds notes on tag slots. With a file of labels, nobody knows whether the provider adds its own tags.
func (e *comparison) addNotes(x *Explanation, in *v1beta1.CloudTags) {
	added := len(field.ProviderTags(x.Provider))
	_, free := x.plan.Slots()

	switch more := max(free+added, 0) - max(free, 0); {
	case e.origins == nil && len(x.Tags)+added > x.profile.MaxTags:
		x.notef("for kinds whose provider adds its own tags, %d of the %d tags are these, and %d labels more are skipped", added, x.profile.MaxTags, len(x.Tags)-x.profile.MaxTags+added)
	case in.ProviderTags != v1beta1.ProviderTagsNone && x.capped > 0 && more > 0:
		x.notef("kinds whose provider adds no tags of its own have %s more for labels", words.Count(more, "tag", "tags"))
	}
}

// addFailure notes why the function fails, if it does.
func (x *Explanation) addFailure(in *v1beta1.CloudTags) {
	switch {
	case len(x.lacking) > 0:
		x.notef(fails+"trusted labels have no tag slot: %s", strings.Join(x.lacking, ", "))
	case x.capped > 0 && in.LimitPolicy == v1beta1.LimitPolicyApplyStrict:
		x.notef(fails+"limitPolicy ApplyStrict, and %s no tag slot", words.Count(x.capped, "label has", "labels have"))
	}
}

// fails begins notes on what is fatal.
const fails = "the function fails: "

// addTagFields notes which tags the entries of tagFields can't hold, though the profile admits them.
func (x *Explanation) addTagFields(labels []tags.Tag, in *v1beta1.CloudTags) {
	for i := range in.TagFields {
		rule := &in.TagFields[i]
		f := field.FromTagField(rule)

		if f.Shape == field.Labels || rule.Provider != "" && in.ProfileRules.ProfileOf(rule.Provider, "", "") != x.profile {
			continue
		}

		k := tagset.FieldKindOf(&f, x.profile)
		refused := words.MapIf(labels, func(t tags.Tag) (string, bool) {
			reason, _ := k.Refuses(t.Key, t.Value)
			return fmt.Sprintf("%s (%s)", words.Name(t.QualifiedKey), reason), reason != ""
		})

		if len(refused) > 0 {
			x.notef("%s: fields of shape %s can't have these labels: %s", in.Where("tagFields[%d]", i), rule.Shape, strings.Join(refused, ", "))
		}
	}
}

// unprofiled returns a note on a provider or an API group without a tag profile of its own.
func unprofiled(u locate.WhyGeneric) string {
	name := strconv.Quote(u.Provider)
	if u.Group != "" {
		name = "API group " + u.Group
	}

	if meant := profile.Meant(u.Provider); meant != "" {
		return fmt.Sprintf("%s has no tag profile, so that of %s applies: did you mean %s?", name, profile.Generic, meant)
	}

	return fmt.Sprintf("%s has no tag profile, so that of %s applies: known are %s", name, profile.Generic, strings.Join(profile.Names(), ", "))
}
