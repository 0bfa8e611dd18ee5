package stamp

import (
	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// stampItems stamps each item of the list at the place, such as tagSpecifications of a LaunchTemplate, like a resource with a tag field.
func (fs *fieldStamper) stampItems(place *locate.LaunchedPlace) error {
	// t stands for any item of the list: all items have the same labels, and share the error if the list can't be read.
	t := fs.resourcePlan.target.LaunchedTarget(place, "", object.Object{}, object.Object{})
	labels := fs.labels.labelsFor(t)

	list, added, labeledCount, err := fs.itemsOf(place)
	if err != nil {
		t.DesiredErr = err // The list can't be read. This is no error of the run, but the Mismatch of the plan, for a result.

		p, planErr := fs.planNamed(t, labels, place.LaunchedField.Name())
		if planErr == nil {
			fs.onPlan(p)
		}

		return planErr
	}

	if fs.bytesInItems += labeledCount * labels.sizeInItem(); fs.bytesInItems > maxBytesInItems {
		return tooManyBytesInItems(labeledCount, len(labels.all))
	}

	observed := make(map[string]object.Object)

	if n, err := fs.resourcePlan.target.Observed.At(place.LaunchedField.List); err == nil {
		for item := range n.Items() {
			observed[item.Field(place.LaunchedField.Key).Text()] = item.Object()
		}
	}

	stampItem := func(item object.Node) (object.Node, error) { return fs.stampItem(place, item, observed) }

	stamped, changed, err := list.MapItems(stampItem)
	if err != nil {
		return err
	}

	if added, err = stampItem(added); err != nil { // If the list lacks no item, added stays the zero Node.
		return err
	}

	switch isTagged := added.Len() > 1; { // Without tags, added has nothing but its key, and the cloud refuses such an item.
	case isTagged:
		stamped = stamped.Append(added)
	case !changed:
		return nil
	case stamped.IsEmpty(): // An empty list is removed.
		stamped = object.Node{}
	}

	fs.resourcePlan.Stamped, err = object.Set(fs.resourcePlan.stampedResource(), place.LaunchedField.List, stamped)

	return err
}

// stampItem returns the item with its tags: {resourceType: volume} becomes {resourceType: volume, tags: {env: prod}}. It returns the zero
// Node if the item has lost its last tag, so that MapItems leaves it out. observed has the observed items by their keys, such as volume.
func (fs *fieldStamper) stampItem(place *locate.LaunchedPlace, item object.Node, observed map[string]object.Object) (object.Node, error) {
	if !item.IsObject() {
		return item, nil
	}

	key, o := item.Field(place.LaunchedField.Key).Text(), item.Object()

	// Most items of a long list get no tags, and have no tags to remove.
	if v, _ := o.At(place.LaunchedField.Path); !v.IsThere() && !place.LaunchedField.LabelsGoTo(key) {
		return item, nil
	}

	p, err := fs.planItem(place, key, fs.resourcePlan.target.LaunchedTarget(place, key, o, observed[key]))
	if err != nil {
		return object.Node{}, err
	}

	fs.onPlan(p)

	if p.Stamped.IsZero() {
		return item, nil
	}

	stamped := p.Stamped.Node()

	if fs.addedBytes += stamped.Size() - item.Size(); fs.addedBytes > maxAdded {
		return object.Node{}, tooManyBytes("labels in items of lists", "make fewer items")
	}

	// If the place names an item, the function may have added it. An item that now has nothing but its key is left out, since the
	// cloud refuses it.
	if place.LaunchedField.Item != "" && stamped.Len() == 1 {
		return object.Node{}, nil
	}

	return stamped, nil
}

// planItem plans the tags of t, the item with the key. If the place names an item, such as volume, only this item gets labels. Other items
// lose tags with reserved keys that no trusted source has set.
func (fs *fieldStamper) planItem(place *locate.LaunchedPlace, key string, t *locate.Target) (*plan, error) {
	labels := fs.labels.labelsFor(t)

	if !place.LaunchedField.LabelsGoTo(key) {
		return fs.planReserved(t, labels), nil
	}

	return fs.planNamed(t, labels, place.LaunchedField.List.String()+"["+key+"]."+place.LaunchedField.Path.String())
}

// itemsOf returns the list at the place. If the place names an item that the list lacks, added is this item. labeledCount is the number of
// items that get labels, with the added one. For the place tagSpecifications[resourceType: volume] of a LaunchTemplate without items, added
// is {resourceType: volume}, and labeledCount is 1.
func (fs *fieldStamper) itemsOf(place *locate.LaunchedPlace) (list, added object.Node, labeledCount int, err error) {
	list, err = fs.resourcePlan.stampedResource().At(place.LaunchedField.List)

	switch {
	case err != nil:
		return list, added, 0, err
	case !list.IsNull() && !list.IsList():
		return list, added, 0, errors.Errorf("%s is %s, not a list of objects with tags", place.LaunchedField.List, list.Kind())
	}

	for item := range list.Items() {
		if item.IsObject() && place.LaunchedField.LabelsGoTo(item.Field(place.LaunchedField.Key).Text()) {
			labeledCount++
		}
	}

	// If the place names no item, labels go to all items, and none is missing.
	if place.LaunchedField.Item == "" || labeledCount > 0 {
		return list, added, labeledCount, nil
	}

	added = object.MapNode(map[string]object.Node{place.LaunchedField.Key: object.TextNode(place.LaunchedField.Item)})

	return list, added, 1, nil
}
