package stamp

import (
	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// stampItems stamps the items of the list at the place, such as tagSpecifications of a LaunchTemplate. Each item is
// like a resource with tags.
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

	after, changed, err := before.MapItems(func(item object.Node) (object.Node, error) { return l.stampItem(at, item, there) })
	if err != nil || !changed {
		return err
	}

	// An empty list goes.
	if after.IsEmpty() {
		after = object.Node{}
	}

	l.resource, err = object.Set(l.resource, at.Of.List, after)
	l.changed = true

	return err
}

// stampItem returns the item with its tags: {resourceType: volume} becomes {resourceType: volume, tags: {env: prod}}.
// It returns nothing if the item was added for tags and gets none. there has the observed items by their keys.
func (l *launch) stampItem(at *locate.LaunchedPlace, item object.Node, there map[string]object.Object) (object.Node, error) {
	if !item.IsObject() {
		return item, nil
	}

	key, o := item.Field(at.Of.Key).Text(), item.Object()

	// Most items of a long list get no tags, and have none to take away.
	if v, _ := o.At(at.Of.Path); !v.IsThere() && !at.Of.Has(key) {
		return item, nil
	}

	p, err := l.planItem(at, key, l.target.In(at, key, o, there[key]))
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

	// The cloud refuses an item that was added for tags, but has none.
	if at.Of.Item != "" && after.Len() == 1 {
		return object.Node{}, nil
	}

	return after, nil
}

// planItem plans the tags of t, the item with the key. Only items that the place names, such as volume, get labels.
// From all other items, tags with reserved keys go, unless a trusted label has them.
func (l *launch) planItem(at *locate.LaunchedPlace, key string, t *locate.Target) (*plan, error) {
	labels := l.labels.in(t)

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

// itemsOf returns the list at the place, with the item that the place adds if it is missing, and how many items get
// labels. With the place tagSpecifications[resourceType: volume], a LaunchTemplate without such an item gets
// {resourceType: volume}, and one item gets labels.
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
