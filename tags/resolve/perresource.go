package resolve

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A PerResource has the labels of a Set for each composed resource, where they differ.
type PerResource struct {
	*resolver

	// all labels in the order in which they are taken. Those that differ have no value.
	all []entry
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

	// Config that the resource is made with.
	Config Config

	// Desired resource, and the observed one, which is zero if it doesn't exist yet.
	Desired, Observed object.Object
}

// An entry is a label that a source gives, a label that an expression computes for each resource, or all
// labels of the provider config of each resource.
type entry struct {
	tags.Label

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

// takeAccounts takes the labels that a has for each resource.
func (r *resolver) takeAccounts(a *accounts) {
	p := r.set.PerResource
	p.all = append(p.all, entry{Label: tags.Label{Source: a.from, Trusted: a.Trusted}, accounts: a})
}

// later takes the label l of the source s for each resource, by its expression.
func (r *resolver) later(l tags.Label, s *v1beta1.Source, f found) {
	p := r.set.PerResource
	p.all = append(p.all, entry{Label: l, source: s, found: f})
}

// Set returns the labels of a composed resource: those that all resources have, and its own, but nothing
// else. An error is a resolve failure.
func (p *PerResource) Set(c *Composed) (*Set, error) {
	m := newMerged(p.reserved, len(p.all))

	p.call.Of(c.Name, c.Desired, c.Observed)

	for i := range p.all {
		t := &p.all[i]

		if err := p.addLabels(m, t, c); err != nil {
			return nil, errors.Wrapf(err, "cannot resolve %s for composed resource %q", t.Source.Name, c.Name)
		}
	}

	if err := m.check(); err != nil {
		return nil, errors.Wrapf(err, "cannot resolve the labels of composed resource %q", c.Name)
	}

	out := &Set{}
	m.addTo(out)

	return out, nil
}

// Assume that a resource has all labels that expressions compute, each at the value, and no others of its own: which
// ones provider configs give can't be assumed. It returns the labels of such a resource, and those that are assumed.
func (p *PerResource) Assume(value string) (set *Set, assumed []tags.Label) {
	m := newMerged(p.reserved, len(p.all))

	for i := range p.all {
		switch t := &p.all[i]; {
		case t.accounts != nil:
		case t.source == nil:
			m.take(t.Label)
		default:
			l := t.Label
			l.Value = value
			assumed = append(assumed, l)
			m.take(l)
		}
	}

	set = &Set{}
	m.addTo(set)

	return set, assumed
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
		}

		return nil
	}
}

// An Absent label is one whose expression has no value for a composed resource, and Why.
type Absent struct {
	tags.Label

	Why string
}

// Absent returns the labels that a composed resource lacks because their expressions have no value for it.
// An error is a resolve failure.
func (p *PerResource) Absent(c *Composed) (out []Absent, _ error) {
	for t := range p.computed() {
		p.call.Of(c.Name, c.Desired, c.Observed)

		_, why, ok, err := p.compute(t.source, t.found)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot resolve %s for composed resource %q", t.Source.Name, c.Name)
		}

		if !ok {
			out = append(out, Absent{Label: t.Label, Why: why})
		}
	}

	return out, nil
}

// Transformer returns the transformer of all labels of a composed resource. An error is a resolve failure.
func (p *PerResource) Transformer(c *Composed) (*tags.Transformer, error) {
	set, err := p.Set(c)
	if err != nil {
		return nil, err
	}

	return set.Transformer(p.in), nil
}

// Differs reports whether some resource may get another tag for key (a tag key or a label key) than d has,
// because an expression or a provider config gives it. d are the tags of the labels that don't differ, and
// keys the tag keys of key. Which labels a provider config has is not known.
func (p *PerResource) Differs(d *tags.Transformed, key string, keys profile.KeySet) bool {
	return p != nil && slices.ContainsFunc(p.all, func(t entry) bool {
		switch {
		case t.accounts != nil:
			return t.accounts.mayHave(d, key, p.in.KeyPrefix) && !stand(d, keys, t.Label)
		case t.source != nil:
			tag, refused := d.Judge(t.Label)
			return keys.Has(tag.Key) && refused != profile.ReservedKey && !stand(d, keys, t.Label)
		default:
			return false
		}
	})
}

// stand reports whether d has tags with the keys, and l can replace none of them: a later label with the
// same key has replaced it, or it meets a trusted one.
func stand(d *tags.Transformed, keys profile.KeySet, l tags.Label) bool {
	found := false

	for i := range d.Tags {
		t := &d.Tags[i]
		if !keys.Has(t.Key) {
			continue
		}

		if !t.Source.Later(l.Source) || l.Trusted && !t.Trusted && l.TagKey != t.TagKey {
			return false
		}

		found = true
	}

	return found
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
	return slices.ContainsFunc(p.all, func(t entry) bool { return t.accounts != nil })
}

// Mentioned says for each label that differs which variables make it differ.
func (p *PerResource) Mentioned() (out []string) {
	for t := range p.computed() {
		names := words.Map(t.found.expression.PerResource(), func(v expression.Variable) string { return string(v) })
		out = append(out, fmt.Sprintf("%s mentions %s", t, strings.Join(names, " and ")))
	}

	for i := 0; p != nil && i < len(p.all); i++ {
		if a := p.all[i].accounts; a != nil {
			out = append(out, a.from.Name+": labels are those of the provider config that a resource names")
		}
	}

	return out
}
