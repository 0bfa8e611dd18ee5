package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/target"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// explained labels are rows of a table, and providers are columns.
type explained struct {
	labels    []tags.Label
	providers []*Explanation

	// origins of the labels, or nil if they are those of a file. Of assumed labels the value differs per
	// resource.
	origins map[tags.Label]Origin
	assumed []tags.Label

	// covering are labels that overrode one of a trusted source.
	covering map[tags.Label]bool

	// known are the labels without these.
	known *tags.Transformer

	// notes that are on no provider.
	notes []string
}

func (e *explained) values() any {
	for _, x := range e.providers {
		x.Notes = append(x.Notes, e.notes...)
	}

	return e.providers
}

func (e *explained) found() (of strictError) {
	for _, x := range e.providers {
		of.skipped += len(x.Skipped)
		of.refused += x.refused()
		of.broken += len(x.Broken)
	}

	return of
}

// An Explanation is what becomes of a set of labels under one tag profile.
type Explanation struct {
	Provider string              `json:"provider"`
	Tags     map[string]string   `json:"tags"`
	Skipped  []tags.SkippedLabel `json:"skipped"`

	// CloudRefuses are labels of tags that the API of the cloud, or of one of its services, is
	// known to refuse.
	CloudRefuses []Refused `json:"cloudRefuses,omitempty"`

	// Removed are labels whose tags removeTags takes away, and Ignored those whose tags
	// have the value of the cloud because of ignoreTags, if it has them.
	Removed []Ruled `json:"removed,omitempty"`
	Ignored []Ruled `json:"ignored,omitempty"`

	// Broken are the rules of tagPolicy that the tags break.
	Broken []Broken `json:"tagPolicy,omitempty"`

	// Sources of the tags by key, if there are several.
	Sources map[string]Origin `json:"sources,omitempty"`

	// Notes on what labels and tags alone don't say.
	Notes []string `json:"notes,omitempty"`

	profile *profile.Profile

	// meant is true if the input asks for the contract's rules, whose warnings nobody needs then.
	meant bool

	// limit is how many tags a resource may have.
	limit string

	// cells of labels in the column. A label that another one replaced has none.
	cells map[tags.Label]terminal.Cell

	// keys of the labels, or why they have none.
	keys map[tags.Label]Key
}

// An Origin is the source that a label came from, and what it overrode there.
type Origin struct {
	Source    string   `json:"source"`
	Overrides []Origin `json:"overrides,omitempty"`

	// Value that was overridden.
	Value string `json:"value,omitempty"`
}

// addLabels adds the labels of the set, and where they came from. title returns the title of a label's
// source.
func (e *explained) addLabels(set *resolve.Set, title func(tags.Label) string) {
	e.origins, e.covering = make(map[tags.Label]Origin), make(map[tags.Label]bool)

	overridden := make(map[string][]tags.Label)
	for _, o := range set.Overridden {
		overridden[o.TagKey] = append(overridden[o.TagKey], o)
	}

	// add a label that overrode others, the latest last.
	add := func(l tags.Label, others []tags.Label) {
		from := Origin{Source: title(l)}
		for _, o := range slices.Backward(others) {
			from.Overrides = append(from.Overrides, Origin{Source: title(o), Value: e.value(o)})
			e.covering[l] = e.covering[l] || o.Trusted
		}

		e.labels = append(e.labels, l)
		e.origins[l] = from
	}

	for _, l := range set.Labels {
		others := overridden[l.TagKey]
		add(l, others)

		// The latest trusted label can stand against the one that overrode it.
		for i, o := range slices.Backward(others) {
			if o.Trusted && !l.Trusted {
				add(o, others[:i])
				break
			}
		}
	}

	for _, l := range set.Claims {
		add(l, nil)
	}
}

// assumedValue is a value that every tag profile admits, and differs is how its tag is shown.
const (
	assumedValue = "per-resource"
	differs      = "(differs per resource)"
)

// value of the label, as it is shown.
func (e *explained) value(l tags.Label) string {
	if slices.Contains(e.assumed, l) {
		return differs
	}

	return l.Value
}

// explain what becomes of the labels under the tag profiles of the providers, or under all if there are no providers.
func (e *explained) explain(of *resolved, providers []string) error {
	e.known = of.set.Transformer(of.Input)

	if of.set.PerResource != nil {
		set, assumed := of.set.PerResource.Assume(assumedValue)
		of.set.Labels, of.set.Claims, of.set.Overridden, e.assumed = set.Labels, set.Claims, set.Overridden, assumed
	}

	if of.xr != nil {
		e.addLabels(&of.set, of.title)
	}

	if len(providers) == 0 {
		providers = profile.Names()
	}

	s := of.stamper()
	s.PerResource = nil // The labels of one resource are assumed.

	for _, provider := range providers {
		p := of.Input.ProfileRules.ProfileOf(provider, "", "")

		i := slices.IndexFunc(e.providers, func(x *Explanation) bool { return x.profile == p })
		if i < 0 {
			i = len(e.providers)

			x, err := e.explanation(of, s, p)
			if err != nil {
				return err
			}

			e.providers = append(e.providers, x)
		}

		if !profile.Has(provider) {
			e.providers[i].Notes = append(e.providers[i].Notes, unprofiled(target.Unprofiled{Provider: provider}))
		}
	}

	return nil
}

// usualPath is where most providers have the tag field.
var usualPath = object.MustParsePath("spec.forProvider.tags")

// lookAt a new resource of the tag profile with a tag field as it is usual: a list where providers compare whole
// entries, and a map elsewhere.
func lookAt(s *stamp.Stamper, p *profile.Profile) (*stamp.LookedField, error) {
	f := &field.Field{Path: usualPath, Shape: field.Map, ProviderTags: field.ProviderTags(p.Name)}
	if p.FoldEntries {
		f.Shape, f.Separator = field.StringList, cmp.Or(p.Separator, ":")
	}

	t := s.None().Read("", object.Object{}).In(&target.Launched{Place: target.Place{Profile: p, Field: f}}, "", object.Object{}, object.Object{})
	t.Leave, t.Managed = target.None, true

	l, err := s.Look(t)
	if err != nil {
		return nil, err
	}

	return &l.Fields[0], nil
}

// explanation returns which tags the labels become under the profile, and why the others become none.
func (e *explained) explanation(of *resolved, s *stamp.Stamper, p *profile.Profile) (*Explanation, error) {
	f, err := lookAt(s, p)
	if err != nil {
		return nil, err
	}

	x := &Explanation{
		Provider: p.Name, Tags: make(map[string]string), Skipped: []tags.SkippedLabel{}, Sources: make(map[string]Origin),
		profile: p, limit: f.Limit, cells: make(map[tags.Label]terminal.Cell), keys: make(map[tags.Label]Key),
	}

	rules := newRuleNames(of, f.Transformed, p)

	for i := range f.Labels {
		e.add(x, &f.Labels[i], rules)
	}

	x.sort()
	x.addRefused(f, of.Input)
	x.addNotes(f, of)
	e.addFailure(x, f, of.Input)
	x.addRules(f.Transformed.Tags, of.Input)
	x.addPolicy(of, e.known.Transform(p), f.Transformed)

	return x, nil
}

// add what becomes of the label.
func (e *explained) add(x *Explanation, l *stamp.LookedLabel, rules *ruleNames) {
	key := Key{Label: l.QualifiedKey, Provider: x.Provider, Key: l.As.Key}
	switch l.Fate {
	case stamp.Skipped:
		key.Skipped = l.Reason
		x.Skipped = append(x.Skipped, l.Skip(x.Provider, l.Reason))
		x.cells[l.Label] = terminal.Cell{Text: string(l.Reason), Color: terminal.Red}
	case stamp.Removed:
		key.Removed = true
		x.Removed = append(x.Removed, Ruled{QualifiedKey: l.QualifiedKey, TagKey: l.Key, Rule: rules.removes(&l.Tag)})
		x.cells[l.Label] = terminal.Cell{Text: "removed"}
	default:
		x.Tags[l.As.Key] = l.As.Value
		if slices.Contains(e.assumed, l.Label) {
			x.Tags[l.As.Key] = differs
		}

		x.cells[l.Label] = terminal.Cell{Text: words.Cell(l.As.Key), Color: terminal.Green}

		if from, ok := e.origins[l.Label]; ok {
			x.Sources[l.As.Key] = from
		}

		if rule := rules.ignores(&l.Tag); rule != "" {
			x.Ignored = append(x.Ignored, Ruled{QualifiedKey: l.QualifiedKey, TagKey: l.Key, Rule: rule})
		}
	}

	x.keys[l.Label] = key
}

// sort what is skipped.
func (x *Explanation) sort() {
	slices.SortStableFunc(x.Skipped, func(a, b tags.SkippedLabel) int {
		return cmp.Or(strings.Compare(a.QualifiedKey, b.QualifiedKey), strings.Compare(a.TagKey, b.TagKey))
	})
}

func (x *Explanation) notef(format string, args ...any) {
	x.Notes = append(x.Notes, fmt.Sprintf(format, args...))
}

// addNotes on tag slots.
func (x *Explanation) addNotes(f *stamp.LookedField, of *resolved) {
	in := of.Input
	own := len(f.ProviderTags)

	switch more := max(f.Free+own, 0) - max(f.Free, 0); {
	case in.ProviderTags == v1beta1.ProviderTagsNone && of.xr == nil && len(x.Tags)+own > x.profile.MaxTags:
		x.notef("for kinds whose provider adds its own tags, %d of the %d tags are these, and %d labels more are skipped", own, x.profile.MaxTags, len(x.Tags)-x.profile.MaxTags+own)
	case in.ProviderTags != v1beta1.ProviderTagsNone && capped(f) > 0 && more > 0:
		x.notef("kinds whose provider adds no tags of its own have %s more for labels", words.Count(more, "tag", "tags"))
	}
}

// capped returns how many labels have no tag slot.
func capped(f *stamp.LookedField) (n int) {
	for i := range f.Labels {
		if f.Labels[i].Reason == profile.CountCap {
			n++
		}
	}

	return n
}

// addFailure notes why the function fails, or may fail: a resource has none, some or all of the labels that differ per resource.
func (e *explained) addFailure(x *Explanation, f *stamp.LookedField, in *v1beta1.CloudTags) {
	var (
		always, sometimes  int // Labels of trusted sources, which need tag slots.
		lacking, differing []string
	)

	for i := range f.Labels {
		l := &f.Labels[i]
		if l.Fate == stamp.Removed || l.Fate == stamp.Skipped && l.Reason != profile.CountCap {
			continue
		}

		switch {
		case !slices.Contains(e.assumed, l.Label):
			if l.Trusted {
				always++
			}
		case l.Trusted || e.covering[l.Label]:
			sometimes++

			differing = append(differing, words.Name(l.QualifiedKey))
		}

		if l.Trusted && l.Reason == profile.CountCap {
			lacking = append(lacking, words.Name(l.QualifiedKey))
		}
	}

	capped, free := capped(f), max(f.Free, 0)

	switch {
	case len(lacking) > 0 && (sometimes == 0 || always > free):
		x.notef(fails+"trusted labels have no tag slot: %s", strings.Join(lacking, ", "))
	case sometimes > 0 && always+sometimes > free:
		x.notef(mayFail+"trusted labels may have no tag slot, since these differ per resource: %s", strings.Join(differing, ", "))
	case capped > 0 && in.LimitPolicy == v1beta1.LimitPolicyApplyStrict && capped > len(e.assumed):
		x.notef(fails+"limitPolicy ApplyStrict, and %s no tag slot", words.Count(capped, "label has", "labels have"))
	case capped > 0 && in.LimitPolicy == v1beta1.LimitPolicyApplyStrict:
		x.notef(mayFail+"limitPolicy ApplyStrict, and %s no tag slot on a resource that has all labels", words.Count(capped, "label has", "labels have"))
	}
}

// fails begins notes on what is fatal, and mayFail those on what is fatal for some resources.
const (
	fails   = "the function fails: "
	mayFail = "the function may fail: "
)

// addRules notes which tags the fields of tagFields refuse, though the profile admits them.
func (x *Explanation) addRules(of []tags.Tag, in *v1beta1.CloudTags) {
	for i := range in.TagFields {
		rule := &in.TagFields[i]
		f := field.OfRule(rule)

		if f.Shape == field.Labels || rule.Provider != "" && in.ProfileRules.ProfileOf(rule.Provider, "", "") != x.profile {
			continue
		}

		k := tagset.KindOf(&f, x.profile)
		refused := []string{}

		for j := range of {
			if r, _ := k.Refuses(of[j].Key, of[j].Value); r != "" {
				refused = append(refused, fmt.Sprintf("%s (%s)", words.Name(of[j].QualifiedKey), r))
			}
		}

		if len(refused) > 0 {
			x.notef("%s: fields of shape %s can't have these labels: %s", in.Where("tagFields[%d]", i), rule.Shape, strings.Join(refused, ", "))
		}
	}
}
