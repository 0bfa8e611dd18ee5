package resolve

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A PerResource gives each composed resource its own labels. It is nil if no source of the input can give two resources
// different labels.
type PerResource struct {
	*resolver

	// all are the labels of all sources, in the order of the sources.
	all []scopedLabel

	// scopedSources are the sources that set `resources`, so that only selected resources get their labels.
	scopedSources []*v1beta1.Source

	// leftOut counts labels that were left out, since a source with `resources`, or a provider config, gives more than are read.
	leftOut int

	// surplus is how many labels the resource lacks that lost most, so far: see LabelSet.Surplus.
	surplus int
}

// computed yields the labels with expressions, or none without a PerResource.
func (p *PerResource) computed() iter.Seq[*scopedLabel] {
	return func(yield func(*scopedLabel) bool) {
		for i := 0; p != nil && i < len(p.all); i++ {
			if p.all[i].computes != nil && !yield(&p.all[i]) {
				return
			}
		}
	}
}

// A Composed is a composed resource, as far as its labels can depend on it.
type Composed struct {
	// Name of the resource among those that are composed.
	Name string

	// Config that the resource is made with. It is zero if the resource has none.
	Config Config

	// Desired resource, and the observed one, which is zero if it doesn't exist yet.
	Desired, Observed object.Object

	// Selects reports whether any of the entries selects the resource.
	Selects func(entries []v1beta1.ResourceSelector) bool
}

// A LabelGroup identifies resources that have the same labels, apart from labels of expressions: the same sources with resources
// select them, and they have the same provider config.
type LabelGroup struct {
	// sources has a + for each source with resources that selects the resource, and a - for each other one, such as "+-".
	sources string

	account account
}

// has reports whether resources of the group have the label t: its source selects them, or has no resources.
func (g *LabelGroup) has(t *scopedLabel) bool { return t.scope == 0 || g.sources[t.scope-1] == '+' }

// Group returns the group of a composed resource. alike is false if a label of the resource has an expression: then no other
// resource need have the same labels.
func (p *PerResource) Group(c *Composed) (g LabelGroup, alike bool) {
	g = p.groupOf(c)

	for t := range p.computed() {
		if g.has(t) {
			return g, false
		}
	}

	return g, true
}

func (p *PerResource) groupOf(c *Composed) LabelGroup {
	sources := make([]byte, len(p.scopedSources))

	for i, s := range p.scopedSources {
		sources[i] = '-'
		if c.Selects(s.Resources) {
			sources[i] = '+'
		}
	}

	return LabelGroup{sources: string(sources), account: p.account(c)}
}

// An entry is one of these:
//   - a label
//   - a label without a value, and the expression for the value
//   - all labels of provider configs
type scopedLabel struct {
	tags.Label

	// scope is the position in scopedSources of the source, plus 1. It is 0 if the source has no resources.
	scope int

	// computes is the source of an expression, and found has the expression. Both are set if the label has one.
	computes *v1beta1.Source
	found    found

	// accounts are set for labels of provider configs.
	accounts *accounts

	// had reports whether any resource so far has had the label, or needs none. why is the first reason for a missing label.
	had bool
	why string

	// waits reports whether the expression reads observed of a resource that isn't made yet.
	waits bool
}

// differs reports whether the label may not be the same for all resources.
func (t *scopedLabel) differs() bool { return t.computes != nil || t.accounts != nil || t.scope > 0 }

// add adds the entry t of the source s.
func (p *PerResource) add(t scopedLabel, s *v1beta1.Source) {
	if s.Resources != nil {
		if n := len(p.scopedSources); n == 0 || p.scopedSources[n-1] != s {
			p.scopedSources = append(p.scopedSources, s)
		}

		t.scope = len(p.scopedSources)
	}

	p.all = append(p.all, t)
}

// Set returns all labels of a composed resource, and nothing else of a LabelSet. For example, the expression
// desired.spec.forProvider.region adds region: eu-central-1 to the labels of a Bucket there. An error is a resolve failure.
// See testdata/resources.yaml and expression.yaml.
func (p *PerResource) Set(c *Composed) (*LabelSet, error) {
	m := newMerged(p.reserved, len(p.all))
	g := p.groupOf(c)

	p.call.For(c.Name, c.Desired, c.Observed)

	for i := range p.all {
		t := &p.all[i]
		if !g.has(t) {
			continue
		}

		if err := p.addLabels(m, t, c); err != nil {
			return nil, errors.Wrapf(err, "cannot resolve %s for composed resource %q", t.Source.Name, c.Name)
		}
	}

	if err := m.cut(); err != nil {
		return nil, errors.Wrapf(err, "cannot resolve the labels of composed resource %q", c.Name)
	}

	p.surplus = max(p.surplus, m.set.Cut+p.leftOut)

	return &m.set, nil
}

// addLabels adds the labels of t for the composed resource c: the label itself, region: eu of the expression
// desired.spec.region, or all labels of c's provider config.
func (p *PerResource) addLabels(m *merged, t *scopedLabel, c *Composed) error {
	switch {
	case t.accounts != nil:
		config := p.accountOf(t.accounts, c)
		if config == (account{}) {
			t.accounts.passed = cmp.Or(t.accounts.passed, c.Config.Name)
		}

		labels, err := p.labelsOf(t, config)
		for _, l := range labels {
			m.take(l)
		}

		return err
	case t.computes == nil:
		m.take(t.Label)
		return nil
	default:
		value, why, ok, err := p.compute(t.computes, t.found)
		if err != nil {
			return err
		}

		t.waits = t.waits || c.Observed.IsZero() && t.found.expression.Mentions(expression.Observed)

		if t.why = cmp.Or(t.why, why); ok {
			t.had = true

			l := t.Label
			l.Value = value
			m.take(l)
		} else {
			m.set.Lost = append(m.set.Lost, Absent{Label: t.Label, Why: why})
		}

		return nil
	}
}

// An Absent label has an expression without a value for a composed resource. Why gives the reason.
type Absent struct {
	tags.Label

	Why string
}

// replacing returns the tag keys of labels that differ, and the latest source of each. If a source gives env: test to
// Buckets only, plexsphere:env is among them: it takes the place of an env that all resources have. Labels of provider
// configs count once they are read.
func (p *PerResource) replacing() map[string]*tags.Source {
	out := make(map[string]*tags.Source)

	for i := 0; p != nil && i < len(p.all); i++ {
		t := &p.all[i]
		if !t.differs() {
			continue
		}

		labels := []tags.Label{t.Label}
		if t.accounts != nil {
			labels = slices.Concat(slices.Collect(maps.Values(t.accounts.labels))...)
		}

		for _, l := range labels {
			if l.Trusted || !tags.HasReservedKey(p.reserved, l) {
				out[l.TagKey] = l.Source // Entries are in the order of sources.
			}
		}
	}

	return out
}

// Observing returns the expressions that read the observed resource, such as `sources[1]: expressions[id]`.
func (p *PerResource) Observing() (out []string) {
	for t := range p.computed() {
		if t.found.expression.Mentions(expression.Observed) {
			out = append(out, t.String())
		}
	}

	return out
}

// String returns the name of an expression in messages, such as `sources[1]: expressions[id]`.
func (t *scopedLabel) String() string {
	return fmt.Sprintf("%s: %s[%s]", t.Source.Name, t.found.path, t.found.key)
}

// Empty returns the sources that have found nothing for all resources so far, in their order. If all Buckets lack
// spec.region, it has the source with the expression desired.spec.region.
func (p *PerResource) Empty() (out []Lack) {
	if p == nil {
		return nil
	}

	for i := 0; i < len(p.all); {
		first := &p.all[i]
		had, why := false, ""

		// The entries of a source are side by side.
		for ; i < len(p.all) && p.all[i].Source == first.Source; i++ {
			had, why = had || p.all[i].had, cmp.Or(why, p.all[i].why)
		}

		switch a := first.accounts; {
		case a != nil:
			why = a.empty(why)
		case why != "":
			why = noValue + why
		}

		if had || why == "" {
			continue
		}

		out = append(out, Lack{first.Source.Name, why})
	}

	return out
}

// absent returns the expressions without a value for all resources so far, in the order of their sources and keys. Expressions
// that wait for an observed resource are not among them.
func (p *PerResource) absent() (out []Lack) {
	for t := range p.computed() {
		if !t.had && !t.waits && t.why != "" {
			out = append(out, Lack{t.Source.Name, t.why})
		}
	}

	return out
}

// HasAccounts reports whether any labels come from provider configs.
func (p *PerResource) HasAccounts() bool {
	return p != nil && slices.ContainsFunc(p.all, func(t scopedLabel) bool { return t.accounts != nil })
}

// A Difference tells labels of a source that differ per composed resource.
type Difference struct {
	// Labels are nil for labels of provider configs: nobody knows them before resources name their configs.
	Labels []tags.Label

	// Why is the reason in words of messages, such as "sources[1]: expressions[region] mentions desired".
	Why string
}

// Differences returns the labels that differ per composed resource, in the order of their sources: region, because
// "sources[1]: expressions[region] mentions desired".
func (p *PerResource) Differences() (out []Difference) {
	for i := 0; p != nil && i < len(p.all); i++ {
		switch t := &p.all[i]; {
		case t.accounts != nil:
			out = append(out, Difference{Why: t.Source.Name + ": labels come from the provider config that a resource names"})
		case t.computes != nil:
			names := words.Map(t.found.expression.PerResource(), func(v expression.Variable) string { return string(v) })
			out = append(out, Difference{Labels: []tags.Label{t.Label}, Why: fmt.Sprintf("%s mentions %s", t, strings.Join(names, " and "))})
		case t.scope > 0 && i > 0 && p.all[i-1].scope == t.scope && p.all[i-1].computes == nil: // The entries of a source are side by side.
			last := &out[len(out)-1]
			last.Labels, last.Why = append(last.Labels, t.Label), last.Why+", "+words.Name(t.QualifiedKey)
		case t.scope > 0:
			out = append(out, Difference{Labels: []tags.Label{t.Label}, Why: t.Source.Name + ": the resources that it selects get " + words.Name(t.QualifiedKey)})
		}
	}

	return out
}
