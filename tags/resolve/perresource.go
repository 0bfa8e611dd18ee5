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

// A PerResource has the labels of a Set for each composed resource, where they differ.
type PerResource struct {
	*resolver

	// all labels in the order in which they are taken. Those that expressions compute have no value.
	all []entry

	// scopes are the sources that are for some resources only.
	scopes []*v1beta1.Source

	// left is how many labels that not all resources have are beyond the bounds of their sources.
	left int

	// surplus is the most labels that any resource has had too many.
	surplus int
}

// computed yields the labels that expressions compute, or none without a PerResource.
func (p *PerResource) computed() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for i := 0; p != nil && i < len(p.all); i++ {
			if p.all[i].source != nil && !yield(&p.all[i]) {
				return
			}
		}
	}
}

// A Composed is what labels of a composed resource can depend on.
type Composed struct {
	// Name of the resource among those that are composed.
	Name string

	// Config that the resource is made with. It is zero if the resource has none.
	Config Config

	// Desired resource, and the observed one, which is zero if it doesn't exist yet.
	Desired, Observed object.Object

	// Selects reports whether any of the entries selects the resource. Only sources with resources ask.
	Selects func(entries []v1beta1.ResourceSelector) bool
}

// A Group is what labels of a composed resource depend on that no expression computes: resources of one group have the same
// ones.
type Group struct {
	// sources has a + for each source with resources that is for the resource, and a - for each that isn't.
	sources string

	account account
}

// has reports whether resources of the group have the label t.
func (g *Group) has(t *entry) bool { return t.scope == 0 || g.sources[t.scope-1] == '+' }

// Group returns the group of a composed resource. alike is false if an expression computes a label of it, so that no other
// resource may have the same.
func (p *PerResource) Group(c *Composed) (g Group, alike bool) {
	g = p.group(c)

	for t := range p.computed() {
		if g.has(t) {
			return g, false
		}
	}

	return g, true
}

func (p *PerResource) group(c *Composed) Group {
	sources := make([]byte, len(p.scopes))

	for i, s := range p.scopes {
		sources[i] = '-'
		if c.Selects(s.Resources) {
			sources[i] = '+'
		}
	}

	return Group{sources: string(sources), account: p.account(c)}
}

// An entry is a label that a source gives, a label that an expression computes for each resource, or all
// labels of the provider config of each resource.
type entry struct {
	tags.Label

	// scope is the number of the source among those that are for some resources only, the first being 1, or 0 if it is for
	// all.
	scope int

	source *v1beta1.Source
	found  found

	accounts *accounts

	// had is true if any resource has had the label, or if nothing is to be said of labels that are
	// missing. why is the first reason why a resource lacks the label.
	had bool
	why string

	// waits is true if the label may be there once a resource is observed that isn't yet.
	waits bool
}

// differs reports whether the label isn't the same for all resources.
func (t *entry) differs() bool { return t.source != nil || t.accounts != nil || t.scope > 0 }

// add the labels of the source s that t stands for.
func (p *PerResource) add(t entry, s *v1beta1.Source) {
	if s.Resources != nil {
		if n := len(p.scopes); n == 0 || p.scopes[n-1] != s {
			p.scopes = append(p.scopes, s)
		}

		t.scope = len(p.scopes)
	}

	p.all = append(p.all, t)
}

// Set returns the labels of a composed resource: those that all resources have, and its own, but nothing
// else. An error is a resolve failure.
func (p *PerResource) Set(c *Composed) (*Set, error) {
	m := newMerged(p.reserved, len(p.all))
	g := p.group(c)

	p.call.Of(c.Name, c.Desired, c.Observed)

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

	p.surplus = max(p.surplus, m.set.Cut+p.left)

	return &m.set, nil
}

// addLabels adds the labels that t stands for on the composed resource c.
func (p *PerResource) addLabels(m *merged, t *entry, c *Composed) error {
	switch {
	case t.accounts != nil:
		of := p.accountOf(t.accounts, c)
		if of == (account{}) {
			t.accounts.passed = cmp.Or(t.accounts.passed, c.Config.Name)
		}

		labels, err := p.labelsOf(t, of)
		for _, l := range labels {
			m.take(l)
		}

		return err
	case t.source == nil:
		m.take(t.Label)
		return nil
	default:
		value, why, ok, err := p.compute(t.source, t.found)
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

// An Absent label is one whose expression has no value for a composed resource, and Why.
type Absent struct {
	tags.Label

	Why string
}

// replacing returns the latest source by the tag keys of labels that differ, which take the place of others. Labels of provider
// configs count once these were read.
func (p *PerResource) replacing() map[string]*tags.Source {
	out := make(map[string]*tags.Source)

	for i := 0; p != nil && i < len(p.all); i++ {
		t := &p.all[i]
		if !t.differs() {
			continue
		}

		of := []tags.Label{t.Label}
		if t.accounts != nil {
			of = slices.Concat(slices.Collect(maps.Values(t.accounts.labels))...)
		}

		for _, l := range of {
			if l.Trusted || !tags.Claims(p.reserved, l) {
				out[l.TagKey] = l.Source // Entries are in the order of sources.
			}
		}
	}

	return out
}

// Observing returns the expressions of labels that differ which mention the observed resource.
func (p *PerResource) Observing() (out []string) {
	for t := range p.computed() {
		if t.found.expression.Mentions(expression.Observed) {
			out = append(out, t.String())
		}
	}

	return out
}

// String is what messages call a label that an expression computes.
func (t *entry) String() string {
	return fmt.Sprintf("%s: %s[%s]", t.Source.Name, t.found.path, t.found.key)
}

// Empty returns the sources that find nothing for any of the resources that have been asked about, in their
// order.
func (p *PerResource) Empty() (out []Lack) {
	if p == nil {
		return nil
	}

	for i := 0; i < len(p.all); {
		first := &p.all[i]
		had, why := false, ""

		// Those of a source are side by side.
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

// absent returns the expressions that have no value for any of the resources that have been asked about, in
// the order of their sources and keys. A resource that isn't made yet says nothing about expressions that
// read what is observed.
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
	return p != nil && slices.ContainsFunc(p.all, func(t entry) bool { return t.accounts != nil })
}

// A Difference is labels of a source that differ per composed resource.
type Difference struct {
	// Labels are nil if they are those of provider configs, which nobody knows before resources name the configs.
	Labels []tags.Label

	// Why they differ, in words of messages.
	Why string
}

// Differences returns the labels that differ per composed resource, in the order of their sources.
func (p *PerResource) Differences() (out []Difference) {
	for i := 0; p != nil && i < len(p.all); i++ {
		switch t := &p.all[i]; {
		case t.accounts != nil:
			out = append(out, Difference{Why: t.Source.Name + ": labels come from the provider config that a resource names"})
		case t.source != nil:
			names := words.Map(t.found.expression.PerResource(), func(v expression.Variable) string { return string(v) })
			out = append(out, Difference{Labels: []tags.Label{t.Label}, Why: fmt.Sprintf("%s mentions %s", t, strings.Join(names, " and "))})
		case t.scope > 0 && i > 0 && p.all[i-1].scope == t.scope && p.all[i-1].source == nil: // Those of a source are side by side.
			last := &out[len(out)-1]
			last.Labels, last.Why = append(last.Labels, t.Label), last.Why+", "+words.Name(t.QualifiedKey)
		case t.scope > 0:
			out = append(out, Difference{Labels: []tags.Label{t.Label}, Why: t.Source.Name + ": the resources that it selects get " + words.Name(t.QualifiedKey)})
		}
	}

	return out
}
