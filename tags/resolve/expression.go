package resolve

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// computed sources take labels from expressions.
var computed = sourceType{
	find: func(r *resolver, s *v1beta1.Source) ([]labels, error) {
		out := make(labels, len(s.Expressions))

		for key, e := range s.Expressions {
			if e.Mentions(expression.Required) {
				if here, err := r.requireObjects(); err != nil || !here {
					return nil, err
				}
			}

			out[key] = found{expression: &e, path: "expressions", key: key}
		}

		return []labels{out}, nil
	},
	title: func(*resolver, *v1beta1.Source) string { return "expressions" },
}

// requireObjects makes the objects of all sources that have a name those that expressions
// require. It returns false if they are not here yet.
func (r *resolver) requireObjects() (here bool, _ error) {
	if r.requires {
		return true, nil
	}

	here = true
	all := &structpb.Struct{Fields: make(map[string]*structpb.Value)}

	for i := range r.in.Sources {
		s := &r.in.Sources[i]
		if s.Type != v1beta1.SourceTypeRequiredResource || s.Name == "" {
			continue
		}

		objects, err := r.objects(s.Resource, s.Pick)
		if len(objects) > 0 && s.Pick == v1beta1.PickOne {
			objects, err = r.pick(s, objects)
		}

		switch {
		case err != nil && (!isNothing(err) || s.Required()):
			return false, errors.Wrapf(err, "cannot resolve %s", r.in.SourceName(i))
		case err == nil && len(objects) == 0:
			here = false
		default:
			if v := objectsOf(s, objects); v != nil {
				all.Fields[s.Name] = v
			}
		}
	}

	if r.requires = here; here {
		r.call.Require(all)
	}

	return here, nil
}

// objectsOf the supplied source: the object that it names or picks, which may be none, or the
// list of all.
func objectsOf(s *v1beta1.Source, objects []place) *structpb.Value {
	one := s.Resource.Name != nil || s.Pick == v1beta1.PickOne

	switch {
	case one && len(objects) == 0:
		return nil
	case one:
		return objects[0].Node().Value()
	}

	list := &structpb.ListValue{}
	for _, o := range objects {
		list.Values = append(list.Values, o.Node().Value())
	}

	return structpb.NewListValue(list)
}

// compute the value of the supplied label of the supplied source, by its expression. It returns
// false, and why, if there is none and need not be one.
func (r *resolver) compute(s *v1beta1.Source, f found) (text, why string, ok bool, _ error) {
	v, err := r.call.Evaluate(*f.expression)

	if absent := (*expression.AbsentError)(nil); errors.As(err, &absent) {
		if s.Required() {
			return "", "", false, errors.Errorf("%s[%s] has no value, but is required: %w", f.path, f.key, err)
		}

		return "", fmt.Sprintf("%s[%s]: %s", f.path, f.key, err), false, nil
	}

	if err != nil {
		return "", "", false, errors.Wrapf(err, "%s[%s]", f.path, f.key)
	}

	f.Value = v
	text, err = f.text(s.Encoding)

	return text, "", err == nil, err
}

// PerResource are the labels of a Set for composed resources, as far as they differ.
type PerResource struct {
	*resolver

	// all labels in the order in which they are taken. Those that differ have no value.
	all []taken

	// differing are the positions of those.
	differing []int

	// sets of labels by which of those that differ are there, and transformers by their
	// values.
	sets map[string]*differingSet
	made map[string]*tags.Transformer
}

// taken is a label that a source gives, or an expression will.
type taken struct {
	tags.Label

	source *v1beta1.Source
	found  found
}

// later takes the supplied label for each resource, by its expression.
func (r *resolver) later(l tags.Label, s *v1beta1.Source, f found) {
	p := r.set.PerResource
	p.differing = append(p.differing, len(p.all))
	p.all = append(p.all, taken{Label: l, source: s, found: f})
}

// Set of all labels of the supplied composed resource: those of the PerResource's set, and
// those that are the resource's own, but nothing else. The observed resource is zero if it
// doesn't exist yet. An error is a resolve failure.
func (p *PerResource) Set(name string, desired, observed object.Object) (*Set, error) {
	v, err := p.compute(name, desired, observed)
	if err != nil {
		return nil, err
	}

	return p.differingSet(v.there).with(v.of), nil
}

// Transformer is Set, for the labels of the set. Resources with the same labels share one.
func (p *PerResource) Transformer(name string, desired, observed object.Object) (*tags.Transformer, error) {
	v, err := p.compute(name, desired, observed)
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
	d := p.differingSet(v.there)

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
	of        []string
	there, id []byte
}

// compute the values of the supplied composed resource.
func (p *PerResource) compute(name string, desired, observed object.Object) (*values, error) {
	p.call.Of(name, desired, observed)

	n := len(p.differing)
	v := &values{of: make([]string, n), there: make([]byte, n), id: make([]byte, 0, 32*n)}

	for n, i := range p.differing {
		t := &p.all[i]

		value, _, ok, err := p.resolver.compute(t.source, t.found)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot resolve %s for composed resource %q", t.Source.Name, name)
		}

		if ok {
			v.of[n], v.there[n] = value, 1
			v.id = strconv.AppendInt(v.id, int64(len(value)), 10)
		}

		v.id = append(append(v.id, ':'), value...)
	}

	return v, nil
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
func (p *PerResource) differingSet(there []byte) *differingSet {
	if d, ok := p.sets[string(there)]; ok {
		return d
	}

	m, n := newMerged(p.reserved), 0

	for i := range p.all {
		if p.all[i].source == nil {
			m.take(p.all[i].Label)
			continue
		}

		if there[n] != 0 {
			m.take(p.all[i].Label)
		}

		n++
	}

	out := &differingSet{}
	m.addTo(&out.Set)
	out.labels, out.overridden = p.find(out.Labels), p.find(out.Overridden)

	for _, l := range out.labels {
		out.at = append(out.at, l.label)
	}

	p.sets[string(there)] = out

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

// Mentioned says of each label that differs which variables its expression mentions for that.
func (p *PerResource) Mentioned() []string {
	if p == nil {
		return nil
	}

	out := make([]string, len(p.differing))

	for n, i := range p.differing {
		t := &p.all[i]

		var names []string
		for _, v := range t.found.expression.PerResource() {
			names = append(names, string(v))
		}

		out[n] = fmt.Sprintf("%s: %s[%s] mentions %s", t.Source.Name, t.found.path, t.found.key, strings.Join(names, " and "))
	}

	return out
}
