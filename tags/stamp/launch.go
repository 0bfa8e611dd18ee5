package stamp

import (
	"cmp"
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// A launch is what becomes of the tags of what a resource launches.
type launch struct {
	*Stamper

	target *locate.Target
	labels *resourceLabels

	// resource as it has become so far, and whether it has changed.
	resource object.Object
	changed  bool

	// tell the plan for a field that may be written. It isn't kept, since a list can have thousands of items.
	tell func(*plan)
}

// launch plans what becomes of the tags of what the resource launches, by the plan p for itself, which learns what
// each plan says. Then each gets it.
func (s *Stamper) launch(p *plan, labels *resourceLabels, each func(own, p *plan)) error {
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
			err = l.stamp(at)
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

// learn what q, a plan for what the resource launches, says of it.
func (p *plan) learn(q *plan) {
	p.Mismatch = cmp.Or(p.Mismatch, q.Mismatch)
	p.Notes = append(p.Notes, q.Notes...)

	for _, j := range q.Labels {
		if j.Withheld() {
			p.Labels = append(p.Labels, j)
		}
	}

	for key, value := range q.Trusted {
		if _, ok := p.Trusted[key]; !ok {
			p.Trusted = put(p.Trusted, key, value)
		}
	}
}

// stamp the field of the resource that is the place at.
func (l *launch) stamp(at *locate.LaunchedPlace) error {
	t := l.target.In(at, "", l.resource, l.target.Observed)

	p, err := l.plan(t, l.labels.in(t))
	if err != nil {
		return err
	}

	p.launched = at.Of.Name()
	l.add(p)

	return nil
}

// add the plan for a field of the resource.
func (l *launch) add(p *plan) {
	if !p.Stamped.IsZero() {
		l.resource, l.changed = p.Stamped, true
	}

	l.tell(p)
}

// takeReserved takes reserved keys from the field at, which labels don't become tags of: volumeTags of an instance whose
// block devices have tags. A list whose items have the field isn't there then.
func (l *launch) takeReserved(at *locate.LaunchedPlace) {
	if at.Of.Value == "" && at.Of.List.IsZero() {
		t := l.target.In(at, "", l.resource, l.target.Observed)
		l.add(l.planReserved(t, l.labels.in(t)))
	}
}

// noteReserved says in p which reserved keys stay, or stay at a value of no trusted source, in the field at the path, which
// is left as it is.
func (l *launch) noteReserved(p *plan, path object.Path) {
	var keys []string

	for v := range field.ValuesAt(l.resource, path) {
		f := field.Field{Path: path, Shape: field.Map, Key: "key", Value: "value"}
		if v.IsList() {
			f.Shape = field.KeyValueList
		}

		labels := l.labels.inField(&f, l.target.Profile)

		set, err := tagset.Read(v, &f, &labels.Keys)
		if err != nil {
			continue // There are no tags.
		}

		d := &Decision{State: &State{Labels: labels, Earlier: l.Earlier[p.Resource]}}

		for e := range set.All() {
			key, reserved := labels.reserved(e)
			i, has := labels.labelOf(e)
			trusted := has && labels.all[i].Reserved && tagset.IsText(e.Value, labels.all[i].Value)

			if reserved && !trusted && !d.isEarlier(e) && !labels.isProviders(e) {
				keys = append(keys, key)
			}
		}
	}

	if len(keys) > 0 {
		slices.Sort(keys)
		p.Notes = append(p.Notes, Note{Kind: NoteReservedLaunched, Keys: slices.Compact(keys), Field: path.String()})
	}
}

// switchOn what passes the tags of the resource on, if that has any of labels and nobody has
// said otherwise.
func (l *launch) switchOn(at *locate.LaunchedPlace, own *plan) error {
	v, err := l.resource.At(at.Of.Path)
	if err != nil || !v.IsNull() || !own.IsTagged() {
		return nil //nolint:nilerr // There is no such field to switch on.
	}

	l.resource, err = object.Set(l.resource, at.Of.Path, object.TextNode(at.Of.Value))
	l.changed = l.changed || err == nil

	return err
}

// stampItems stamps the items of the list that the place at is in. Each is like a resource
// with tags.
func (l *launch) stampItems(at *locate.LaunchedPlace) error {
	t := l.target.In(at, "", object.Object{}, object.Object{})
	labels := l.labels.in(t)

	before, asked, err := l.itemsOf(at)
	if err != nil {
		t.BeforeErr = err

		p, err := l.plan(t, labels)
		if err == nil {
			p.launched = at.Of.Name()
			l.tell(p)
		}

		return err
	}

	if l.inItems += asked * labels.sizeInItem(); l.inItems > maxInItems {
		return tooManyItems(asked, len(labels.all))
	}

	there := make(map[string]object.Object)

	if n, err := l.target.Observed.At(at.Of.List); err == nil {
		for item := range n.Items() {
			there[item.Field(at.Of.Key).Text()] = item.Object()
		}
	}

	after, changed, err := before.MapItems(func(item object.Node) (object.Node, error) { return l.stampItem(at, item, there, labels) })
	if err != nil || !changed {
		return err
	}

	// There is no list without any items.
	if after.IsEmpty() {
		after = object.Node{}
	}

	l.resource, err = object.Set(l.resource, at.Of.List, after)
	l.changed = true

	return err
}

// stampItem returns what becomes of an item of the list that the place at is in: nothing if it was made for tags and
// gets none. Observed items are there by their keys.
func (l *launch) stampItem(at *locate.LaunchedPlace, item object.Node, there map[string]object.Object, labels *Labels) (object.Node, error) {
	if !item.IsObject() {
		return item, nil
	}

	key, o := item.Field(at.Of.Key).Text(), item.Object()

	// Most items of a long list get nothing, and have nothing that could be taken away.
	if v, _ := o.At(at.Of.Path); !v.IsThere() && !at.Of.Has(key) {
		return item, nil
	}

	p, err := l.planItem(at, key, l.target.In(at, key, o, there[key]), labels)
	if err != nil {
		return object.Node{}, err
	}

	l.tell(p)

	if p.Stamped.IsZero() {
		return item, nil
	}

	after := p.Stamped.Node()

	if l.added += after.Size() - item.Size(); l.added > maxAdded {
		return object.Node{}, tooMuch("labels in items of lists", "make fewer items")
	}

	// What has been made for tags is nothing without them: the cloud refuses it.
	if at.Of.Item != "" && after.Len() == 1 {
		return object.Node{}, nil
	}

	return after, nil
}

// planItem plans what becomes of the tags of the item with the key, which is t. The labels become tags
// of the items that are asked for, but only trusted labels may have reserved keys in any.
func (l *launch) planItem(at *locate.LaunchedPlace, key string, t *locate.Target, labels *Labels) (*plan, error) {
	if !at.Of.Has(key) {
		return l.planReserved(t, labels), nil
	}

	p, err := l.plan(t, labels)
	if err != nil {
		return nil, err
	}

	p.launched = at.Of.List.String() + "[" + key + "]." + at.Of.Path.String()

	return p, nil
}

// itemsOf returns the list that the place at is in, with the item that the place asks for, and how many items it asks
// for.
func (l *launch) itemsOf(at *locate.LaunchedPlace) (list object.Node, asked int, err error) {
	list, err = l.resource.At(at.Of.List)

	switch {
	case err != nil:
		return list, 0, err
	case !list.IsNull() && !list.IsList():
		return list, 0, errors.Errorf("%s is %s, not a list of objects with tags", at.Of.List, list.Kind())
	}

	for item := range list.Items() {
		if item.IsObject() && at.Of.Has(item.Field(at.Of.Key).Text()) {
			asked++
		}
	}

	if at.Of.Item == "" || asked > 0 {
		return list, asked, nil
	}

	made := object.MapNode(map[string]object.Node{at.Of.Key: object.TextNode(at.Of.Item)})

	return list.Append(made), 1, nil
}
