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
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A PerResource has the labels of a Set for each composed resource, where they differ.
type PerResource struct {
	*resolver

	// all labels in the order in which they are taken. Those that expressions compute have no value.
	all []entry

	// scopes are the sources that are for some resources only.
	scopes []*v1beta1.Source
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

	if err := m.check(); err != nil {
		return nil, errors.Wrapf(err, "cannot resolve the labels of composed resource %q", c.Name)
	}

	out := &Set{}
	m.addTo(out)

	return out, nil
}

// Assume that a resource has all labels that expressions compute, each at the value, those of all sources that are for some
// resources, and no others of its own: which ones provider configs give can't be assumed. It returns the labels of such a resource, and those that are assumed.
func (p *PerResource) Assume(value string) (set *Set, assumed []tags.Label) {
	m := newMerged(p.reserved, len(p.all))

	for i := range p.all {
		switch t := &p.all[i]; {
		case t.accounts != nil:
		case t.source == nil:
			if t.scope > 0 {
				assumed = append(assumed, t.Label)
			}

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
	if p == nil {
		return nil, nil
	}

	g := p.group(c)

	for t := range p.computed() {
		if !g.has(t) {
			continue
		}

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
// because an expression, a provider config or a source for some resources gives it. d are the tags of the labels that don't differ, and
// keys the tag keys of key. Which labels a provider config has is not known.
func (p *PerResource) Differs(d *tags.Transformed, key string, keys profile.KeySet) bool {
	return p != nil && slices.ContainsFunc(p.all, func(t entry) bool {
		switch {
		case t.accounts != nil:
			return t.accounts.mayHave(d, key, p.in.KeyPrefix) && !stand(d, keys, t.Label)
		case t.differs():
			tag, refused := d.Judge(t.Label)
			return keys.Has(tag.Key) && refused != profile.ReservedKey && !stand(d, keys, t.Label)
		default:
			return false
		}
	})
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
	return p != nil && slices.ContainsFunc(p.all, func(t entry) bool { return t.accounts != nil })
}

// Mentioned says for each label that differs which variables make it differ.
func (p *PerResource) Mentioned() (out []string) {
	for t := range p.computed() {
		names := words.Map(t.found.expression.PerResource(), func(v expression.Variable) string { return string(v) })
		out = append(out, fmt.Sprintf("%s mentions %s", t, strings.Join(names, " and ")))
	}

	for i := 0; p != nil && i < len(p.all); i++ {
		if a := p.all[i].accounts; a != nil {
			out = append(out, a.from.Name+": labels come from the provider config that a resource names")
		}
	}

	return out
}

// Scoped says of each source that is for some resources only which these are.
func (p *PerResource) Scoped() (out []string) {
	for i := 0; p != nil && i < len(p.scopes); i++ {
		labels, name := []string{}, ""

		for j := range p.all {
			if t := &p.all[j]; t.scope == i+1 {
				labels, name = append(labels, cmp.Or(t.QualifiedKey, "those of provider configs")), t.Source.Name
			}
		}

		entries := strings.Join(words.Map(p.scopes[i].Resources, told), " or ")
		out = append(out, fmt.Sprintf("%s: only for resources of %s: %s", name, words.Name(entries), words.Names(words.Distinct(labels), 0)))
	}

	return out
}

// told returns what an entry of resources asks for, in words of messages.
func told(e v1beta1.ResourceSelector) string {
	var out []string

	for _, of := range []struct{ what, value string }{
		{"name", e.Name.String()}, {"apiVersion", e.APIVersion.String()}, {"kind", e.Kind.String()}, {"labels", pairs(e.MatchLabels)}, {"tags", pairs(e.MatchTags)},
	} {
		if of.value != "" {
			out = append(out, of.what+" "+of.value)
		}
	}

	return strings.Join(out, " and ")
}
