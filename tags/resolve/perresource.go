package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// PerResource are the labels of a Set for composed resources, as far as they differ.
type PerResource struct {
	*resolver

	// all labels in the order in which they are taken. Those that differ have no value.
	all []taken

	// differing are the positions of those that expressions compute, and accounts how many
	// sources take others from provider configs.
	differing []int
	accounts  int

	// sets of labels by which of those that differ are there, and transformers by their
	// values.
	sets map[string]*differingSet
	made map[string]*tags.Transformer
}

// A Composed resource is what labels of it can depend on.
type Composed struct {
	// Name of the resource among those that are composed.
	Name string

	// Config that the resource is made with.
	Config Config

	// Desired resource, and the observed one, which is zero if it doesn't exist yet.
	Desired, Observed object.Object
}

// taken is a label that a source gives, or an expression will, or all labels of provider configs.
type taken struct {
	tags.Label

	source *v1beta1.Source
	found  found

	accounts *accounts

	// had is true if any resource has had the label, or there is nothing to say of that none of
	// them is there. Why is the first reason why one hasn't, if there is one.
	had bool
	why string
}

// takeAccounts takes the labels of the supplied source for each resource.
func (r *resolver) takeAccounts(a *accounts) {
	p := r.set.PerResource
	p.accounts++
	p.all = append(p.all, taken{Label: tags.Label{Source: a.from, Trusted: a.Trusted}, accounts: a})
}

// later takes the supplied label for each resource, by its expression.
func (r *resolver) later(l tags.Label, s *v1beta1.Source, f found) {
	p := r.set.PerResource
	p.differing = append(p.differing, len(p.all))
	p.all = append(p.all, taken{Label: l, source: s, found: f})
}

// Set of all labels of the supplied composed resource: those of the PerResource's set, and
// those that are the resource's own, but nothing else. An error is a resolve failure.
func (p *PerResource) Set(c *Composed) (*Set, error) {
	v, err := p.compute(c)
	if err != nil {
		return nil, err
	}

	return p.differingSet(v).with(v.of), nil
}

// Absent returns the labels of which the supplied composed resource has none, since their
// expressions have no value for it. An error is a resolve failure.
func (p *PerResource) Absent(c *Composed) ([]Absent, error) {
	if p == nil {
		return nil, nil
	}

	var out []Absent

	err := p.evaluate(c, func(_ int, t *taken, _, why string, ok bool) {
		if !ok {
			out = append(out, Absent{Label: t.Label, Why: why})
		}
	})

	return out, err
}

// Transformer is Set, for the labels of the set. Resources with the same labels share one.
func (p *PerResource) Transformer(c *Composed) (*tags.Transformer, error) {
	v, err := p.compute(c)
	if err != nil {
		return nil, err
	}

	tr, ok := p.made[string(v.id)]
	if !ok {
		tr = p.transformer(v)
		p.made[string(v.id)] = tr
	}

	return tr, nil
}

// transformer of the labels with the supplied values. Most differ from others in values alone.
func (p *PerResource) transformer(v *values) *tags.Transformer {
	d := p.differingSet(v)

	// An overridden label can stand after all, if it is trusted.
	if len(d.overridden) > 0 {
		return d.with(v.of).Transformer(p.in)
	}

	if d.base == nil {
		d.base = d.with(v.of).Transformer(p.in)
		return d.base
	}

	of := make([]string, len(d.labels))
	for i, l := range d.labels {
		of[i] = v.of[l.value]
	}

	return d.base.Differ(d.at, of)
}

// values of labels that differ, and which of them are there. They have one ID if they are the
// same.
type values struct {
	of []string

	// there has 1 for each label that is there, and then which accounts' labels are.
	there, id []byte

	// accounts are the labels of each source that takes them from provider configs.
	accounts [][]tags.Label
}

// An Absent label is one whose expression has no value for a composed resource, and Why.
type Absent struct {
	tags.Label

	Why string
}

// compute the values of the supplied composed resource.
func (p *PerResource) compute(c *Composed) (*values, error) {
	n := len(p.differing)
	v := &values{of: make([]string, n), there: make([]byte, n), id: make([]byte, 0, 32*n)}

	err := p.evaluate(c, func(n int, t *taken, value, why string, ok bool) {
		if ok {
			v.of[n], v.there[n], t.had = value, 1, true
			v.id = strconv.AppendInt(v.id, int64(len(value)), 10)
		} else {
			t.why = cmp.Or(t.why, why)
		}

		v.id = append(append(v.id, ':'), value...)
	})
	if err != nil {
		return nil, err
	}

	if p.accounts == 0 {
		return v, nil
	}

	return v, p.takeLabels(v, c)
}

// evaluate the expressions of the labels that differ for the supplied composed resource. The supplied
// function gets the number of each, and its value, or why it has none.
func (p *PerResource) evaluate(c *Composed, f func(n int, t *taken, value, why string, ok bool)) error {
	if len(p.differing) > 0 {
		p.call.Of(c.Name, c.Desired, c.Observed)
	}

	for n, i := range p.differing {
		t := &p.all[i]

		value, why, ok, err := p.resolver.compute(t.source, t.found)
		if err != nil {
			return errors.Wrapf(err, "cannot resolve %s for composed resource %q", t.Source.Name, c.Name)
		}

		f(n, t, value, why, ok)
	}

	return nil
}

// takeLabels of the provider config of the supplied composed resource to the supplied values.
func (p *PerResource) takeLabels(v *values, c *Composed) error {
	for i := range p.all {
		t := &p.all[i]

		a := t.accounts
		if a == nil {
			continue
		}

		of := p.accountOf(a, c)

		if of == (account{}) {
			a.passed = cmp.Or(a.passed, c.Config.Name)
		}

		labels, err := p.labelsOf(t, of)
		if err != nil {
			return errors.Wrapf(err, "cannot resolve %s for composed resource %q", a.from.Name, c.Name)
		}

		// Most have none.
		id := ""
		if len(labels) > 0 {
			id = of.id()
		}

		v.accounts = append(v.accounts, labels)
		v.there = append(append(v.there, id...), 0, 0)
	}

	v.id = append(v.id, v.there...)

	return nil
}

// A differingSet is what labels come to, whatever the values of those that differ.
type differingSet struct {
	Set

	// labels and overridden are where those that differ are in these, and at the positions of
	// the former alone.
	labels, overridden []differing
	at                 []int

	// base is a transformer of the labels with the values of some resource, once there is one.
	base *tags.Transformer
}

// differing is the position of a value among all that differ, and that of its label.
type differing struct{ value, label int }

// differingSet of those labels that are there.
func (p *PerResource) differingSet(v *values) *differingSet {
	if d, ok := p.sets[string(v.there)]; ok {
		return d
	}

	m, n, accounts := newMerged(p.reserved), 0, v.accounts

	for i := range p.all {
		switch t := &p.all[i]; {
		case t.accounts != nil:
			for _, l := range accounts[0] {
				m.take(l)
			}

			accounts = accounts[1:]
		case t.source == nil:
			m.take(t.Label)
		default:
			if v.there[n] != 0 {
				m.take(t.Label)
			}

			n++
		}
	}

	out := &differingSet{}
	m.addTo(&out.Set)
	out.labels, out.overridden = p.find(out.Labels), p.find(out.Overridden)

	for _, l := range out.labels {
		out.at = append(out.at, l.label)
	}

	p.sets[string(v.there)] = out

	return out
}

// find the labels that differ among the supplied ones. No source has two of the same tag key.
func (p *PerResource) find(among []tags.Label) []differing {
	var out []differing

	for n, i := range p.differing {
		l := &p.all[i].Label

		at := slices.IndexFunc(among, func(o tags.Label) bool { return o.Source == l.Source && o.TagKey == l.TagKey })
		if at >= 0 {
			out = append(out, differing{value: n, label: at})
		}
	}

	return out
}

// with the supplied values. Those of claims don't matter: they are refused.
func (d *differingSet) with(values []string) *Set {
	out := d.Set
	out.Labels, out.Overridden = slices.Clone(out.Labels), slices.Clone(out.Overridden)

	for _, l := range d.labels {
		out.Labels[l.label].Value = values[l.value]
	}

	for _, l := range d.overridden {
		out.Overridden[l.label].Value = values[l.value]
	}

	return &out
}

// Differs is true if resources may have other tags of the supplied key, of a tag or of a label, than
// those of the labels that don't differ, which have become the supplied ones. The supplied set has
// the tag keys. Nobody knows which of the labels that they may have provider configs have.
func (p *PerResource) Differs(d *tags.Transformed, key string, keys tags.KeySet) bool {
	return p != nil && slices.ContainsFunc(p.all, func(t taken) bool {
		switch {
		case t.accounts != nil:
			return t.accounts.mayHave(d, key, p.in.KeyPrefix) && !stand(d, keys, t.Label)
		case t.source != nil:
			tag, refused := d.Judge(t.Label)
			return keys.Has(tag.Key) && refused != tags.ReservedKey && !stand(d, keys, t.Label)
		default:
			return false
		}
	})
}

// stand is true if there are tags of the supplied keys, and the supplied label can take the place of
// none. A later label of the same key has taken its own, and a trusted one stands against others.
func stand(d *tags.Transformed, keys tags.KeySet, l tags.Label) bool {
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

// Observing are the expressions of labels that differ which mention the observed resource.
func (p *PerResource) Observing() (out []string) {
	if p == nil {
		return nil
	}

	for _, i := range p.differing {
		if t := &p.all[i]; t.found.expression.Mentions(expression.Observed) {
			out = append(out, fmt.Sprintf("%s: %s[%s]", t.Source.Name, t.found.path, t.found.key))
		}
	}

	return out
}

// Empty are the sources that find nothing for any of the resources that have been asked about, in
// their order.
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

// HasAccounts is true if any labels are those of provider configs.
func (p *PerResource) HasAccounts() bool { return p.accounts > 0 }

// Mentioned says of each label that differs which variables its expression mentions for that.
func (p *PerResource) Mentioned() []string {
	if p == nil {
		return nil
	}

	var out []string

	for _, i := range p.differing {
		t := &p.all[i]

		var names []string
		for _, v := range t.found.expression.PerResource() {
			names = append(names, string(v))
		}

		out = append(out, fmt.Sprintf("%s: %s[%s] mentions %s", t.Source.Name, t.found.path, t.found.key, strings.Join(names, " and ")))
	}

	for i := range p.all {
		if a := p.all[i].accounts; a != nil {
			out = append(out, a.from.Name+": labels are those of the provider config that a resource names")
		}
	}

	return out
}
