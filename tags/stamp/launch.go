package stamp

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// A launch is what becomes of the tags of what a resource launches.
type launch struct {
	*Stamper

	target *target.Target
	labels *resourceLabels

	// resource as it has become so far, and whether it has changed.
	resource object.Object
	changed  bool

	// plans for each field that may be written.
	plans []*plan
}

// launch adds the plans for what the resource launches to the plan for itself, which is the first of the plans
// and learns what they say.
func (s *Stamper) launch(plans []*plan, labels *resourceLabels) ([]*plan, error) {
	p := plans[0]
	t := p.target

	if len(t.Launched) == 0 || p.LeftAlone != "" || p.decision != nil && p.decision.lacking > 0 {
		return plans, nil
	}

	l := &launch{Stamper: s, target: t, labels: labels, resource: p.becomes()}

	for _, at := range t.Launched {
		if !at.Of.Applies(t.Resource, t.Observed) {
			continue
		}

		var err error

		switch {
		case at.Of.Value != "":
			err = l.switchOn(at, p)
		case !at.Of.List.IsZero():
			err = l.stampItems(at)
		default:
			err = l.stamp(at)
		}

		if err != nil {
			return nil, errors.Wrapf(err, "%s", at.Of.Name())
		}
	}

	if l.changed {
		p.Stamped = l.resource
	}

	for _, q := range l.plans {
		p.learn(q)
	}

	return append(plans, l.plans...), nil
}

// learn what q, a plan for what the resource launches, says of it.
func (p *plan) learn(q *plan) {
	p.Mismatch = cmp.Or(p.Mismatch, q.Mismatch)
	p.Notes = append(p.Notes, q.Notes...)

	own, theirs := p.Withheld.lists(), q.Withheld.lists()
	for i := range own {
		*own[i] = append(*own[i], *theirs[i]...)
	}

	for key, value := range q.Trusted {
		if _, ok := p.Trusted[key]; !ok {
			p.Trusted = put(p.Trusted, key, value)
		}
	}
}

// stamp the field of the resource that is the place at.
func (l *launch) stamp(at *target.Launched) error {
	t := l.target.In(at, "", l.resource, l.target.Observed)

	p, err := l.plan(t, l.labels.in(t))
	if err != nil {
		return err
	}

	if !p.Stamped.IsZero() {
		l.resource, l.changed = p.Stamped, true
	}

	p.launched = at.Of.Name()
	l.plans = append(l.plans, p)

	return nil
}

// switchOn what passes the tags of the resource on, if that has any of labels and nobody has
// said otherwise.
func (l *launch) switchOn(at *target.Launched, own *plan) error {
	v, err := l.resource.At(at.Of.Path)
	if err != nil || !v.IsNull() || len(own.Active) == 0 {
		return nil //nolint:nilerr // There is no such field to switch on.
	}

	l.resource, err = object.Set(l.resource, at.Of.Path, object.NodeOf(structpb.NewStringValue(at.Of.Value)))
	l.changed = l.changed || err == nil

	return err
}

// stampItems stamps the items of the list that the place at is in. Each is like a resource
// with tags.
func (l *launch) stampItems(at *target.Launched) error {
	before, err := l.itemsOf(at)
	if err != nil {
		return err
	}

	there := make(map[string]*structpb.Struct)

	if n, err := l.target.Observed.At(at.Of.List); err == nil {
		for item := range n.Items() {
			there[item.Field(at.Of.Key).Text()] = item.Value().GetStructValue()
		}
	}

	after, changed := make([]*structpb.Value, 0, len(before)), false

	for _, v := range before {
		item := v.GetStructValue()
		key := item.GetFields()[at.Of.Key].GetStringValue()

		if item != nil {
			p, err := l.planItem(at, key, l.target.In(at, key, object.Tree(item), object.Tree(there[key])))
			if err != nil {
				return err
			}

			l.plans = append(l.plans, p)

			if !p.Stamped.IsZero() {
				item, changed = p.Stamped.Struct(), true
				v = structpb.NewStructValue(item)

				// What has been made for tags is nothing without them: the cloud refuses it.
				if at.Of.Item != "" && len(item.GetFields()) == 1 {
					continue
				}
			}
		}

		after = append(after, v)
	}

	if changed {
		l.resource, err = object.Set(l.resource, at.Of.List, listOf(after))
		l.changed = true
	}

	return err
}

// planItem plans what becomes of the tags of the item with the key, which is t. Labels become tags
// of the items that are meant, but only trusted labels may have reserved keys in any.
func (l *launch) planItem(at *target.Launched, key string, t *target.Target) (*plan, error) {
	if !at.Of.Has(key) {
		return l.planReserved(t, l.labels.in(t)), nil
	}

	p, err := l.plan(t, l.labels.in(t))
	if err != nil {
		return nil, err
	}

	p.launched = at.Of.List.String() + "[" + key + "]." + at.Of.Path.String()

	return p, nil
}

// itemsOf the list that the place at is in, with the item in question, if there is one.
func (l *launch) itemsOf(at *target.Launched) ([]*structpb.Value, error) {
	n, err := l.resource.At(at.Of.List)
	if err == nil && !n.IsNull() && !n.IsList() {
		err = errors.Errorf("%s is %s, not a list of objects with tags", at.Of.List, n.Kind())
	}

	if err != nil {
		t := l.target.In(at, "", object.Object{}, object.Object{})
		t.BeforeErr = err

		p, planErr := l.plan(t, l.labels.in(t))
		if planErr == nil {
			p.launched = at.Of.Name()
			l.plans = append(l.plans, p)
		}

		return nil, planErr
	}

	items := n.Value().GetListValue().GetValues()

	if at.Of.Item == "" || slices.ContainsFunc(items, func(v *structpb.Value) bool {
		return at.Of.Has(v.GetStructValue().GetFields()[at.Of.Key].GetStringValue())
	}) {
		return items, nil
	}

	made := &structpb.Struct{Fields: map[string]*structpb.Value{at.Of.Key: structpb.NewStringValue(at.Of.Item)}}

	return append(slices.Clone(items), structpb.NewStructValue(made)), nil
}

// listOf the items. There is no list without any.
func listOf(items []*structpb.Value) object.Node {
	if len(items) == 0 {
		return object.Node{}
	}

	return object.NodeOf(structpb.NewListValue(&structpb.ListValue{Values: items}))
}
