package stamp

import (
	"cmp"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A launch decides on the tags of the fields for launched resources, such as volumeTags of an Instance.
type launch struct {
	*Stamper

	target *locate.Target
	labels *resourceLabels

	// resource as it is by now. changed says that it differs from the desired one.
	resource object.Object
	changed  bool

	// tell the plan for a field. Plans are not kept, since a list can have thousands of items.
	tell func(*plan)
}

// launch plans the tags of the fields for launched resources, such as volumeTags of an Instance. The plan p is the plan
// of the resource itself: it learns the notes of each other plan, and then each gets the two. See
// testdata/cases/launched.yaml.
func (s *Stamper) launch(p *plan, labels *resourceLabels, each func(whole, p *plan)) error {
	t := p.target

	if len(t.Launched)+len(t.Unused) == 0 || p.LeftAlone != "" || p.decision != nil && p.decision.lacking > 0 {
		return nil
	}

	l := &launch{Stamper: s, target: t, labels: labels, resource: p.becomes(), tell: func(q *plan) {
		p.learn(q)
		each(p, q)
	}}

	for _, at := range t.Launched {
		var err error

		switch {
		case !at.Of.Applies(t.Resource, t.Observed):
			l.takeReserved(at)
		case at.Of.Value != "":
			err = l.switchOn(at, p)
		case !at.Of.List.IsZero():
			err = l.stampItems(at)
		default:
			err = l.stampField(at)
		}

		if err != nil {
			return errors.Wrapf(err, "%s", at.Of.Name())
		}
	}

	if l.changed {
		p.Stamped = l.resource
	}

	for _, path := range t.Unused {
		l.noteReserved(p, path)
	}

	return nil
}

// learn adds the notes of q, a plan of a field for launched resources, to p. If volumeTags retain env: dev, the result
// of the Instance says so.
func (p *plan) learn(q *plan) {
	p.Mismatch = cmp.Or(p.Mismatch, q.Mismatch)
	p.Notes = append(p.Notes, q.Notes...)

	for _, j := range q.Records {
		if j.Withheld() {
			p.Records = append(p.Records, j)
		}
	}

	for key, value := range q.Trusted {
		if _, ok := p.Trusted[key]; !ok {
			p.Trusted = put(p.Trusted, key, value)
		}
	}
}

// stampField stamps a field of the resource, at the place: spec.forProvider.volumeTags of an Instance.
func (l *launch) stampField(at *locate.LaunchedPlace) error {
	t := l.target.In(at, "", l.resource, l.target.Observed)

	p, err := l.plan(t, l.labels.in(t))
	if err != nil {
		return err
	}

	p.launched = at.Of.Name()
	l.add(p)

	return nil
}

// add the plan for a field of the resource, and take over the resource as it is then.
func (l *launch) add(p *plan) {
	if !p.Stamped.IsZero() {
		l.resource, l.changed = p.Stamped, true
	}

	l.tell(p)
}

// switchOn sets a field that passes the resource's tags on, such as propagateTags: SERVICE of an ECS Service, if labels
// are tags of the resource and no step has set the field.
func (l *launch) switchOn(at *locate.LaunchedPlace, whole *plan) error {
	v, err := l.resource.At(at.Of.Path)
	if err != nil || !v.IsNull() || !whole.IsTagged() {
		return nil //nolint:nilerr // There is no such field to switch on.
	}

	l.resource, err = object.Set(l.resource, at.Of.Path, object.TextNode(at.Of.Value))
	l.changed = l.changed || err == nil

	return err
}
