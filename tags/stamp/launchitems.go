package stamp

import (
	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/write"
)

// stampItems stamps each item of the list at the place, such as tagSpecifications of a LaunchTemplate, like a resource with a tag field.
func (fs *fieldStamper) stampItems(place *locate.LaunchedPlace) error {
	// t stands for the list as a whole. Labels don't depend on the item, so t needs no resource.
	t := fs.resourcePlan.target.LaunchedTarget(place, "" /* no item */, object.Object{}, object.Object{})

	list, initialPath, err := fs.listAt(place)
	if err != nil {
		t.DesiredErr = err // So stampField changes nothing, and reports a Mismatch. The run goes on.
		return fs.stampField(t, place)
	}

	labels := fs.labels.labelsFor(t)
	missing, labeledCount := missingItem(place, list)

	// memoryBytes is a field of the embedded Stamper, so it adds up over all lists of all resources.
	if fs.memoryBytes += labeledCount * labels.sizeInItem(); fs.memoryBytes > maxMemoryBytes {
		return tooManyMemoryBytes(labeledCount, len(labels.all))
	}

	observed := make(map[string]object.Object)
	observedList, _ := fs.resourcePlan.target.Observed.At(place.LaunchedField.List) // An error means that there is no such list.

	for item := range observedList.Items() {
		observed[item.Field(place.LaunchedField.Key).Text()] = item.Object()
	}

	stampItem := func(item object.Node) (object.Node, error) { return fs.stampItem(place, item, observed) }

	stamped, changed, err := list.MapItems(stampItem)
	if err != nil {
		return err
	}

	if missing, err = stampItem(missing); err != nil { // If no item is missing, this is the zero Node, which stampItem returns as it is.
		return err
	}

	switch {
	case missing.Len() > 1: // It has a key and tags. The cloud refuses an item that has only a key.
		stamped = stamped.Append(missing)
	case !changed:
		return nil
	case stamped.IsEmpty():
		stamped = object.Node{} // This removes the list.
	}

	switch {
	case initialPath.IsZero():
	case len(labels.all) == 0: // Only reserved keys have gone.
		fs.resourcePlan.Stamped, err = write.Initial(fs.resourcePlan.stampedResource(), initialPath, stamped)
		return err
	default:
		return fs.moveInitialItems(place, initialPath, stamped)
	}

	fs.resourcePlan.Stamped, err = object.Set(fs.resourcePlan.stampedResource(), place.LaunchedField.List, stamped)

	return err
}

// stampItem returns the item with its tags: {resourceType: volume} becomes {resourceType: volume, tags: {env: prod}}. If the place names an
// item, and the item has lost its last tag, it returns the zero Node, and MapItems leaves out the item. observed has the observed items by
// their keys, such as volume.
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

	fs.report(p)

	if p.Stamped.IsZero() {
		return item, nil
	}

	stamped := p.Stamped.Node()

	// If the place names an item, the function may have added it. An item that now has nothing but its key is left out, since the
	// cloud refuses it.
	if place.LaunchedField.Item != "" && stamped.Len() == 1 {
		return object.Node{}, nil
	}

	return stamped, nil
}

// planItem plans the tags of t, the item with the key. If the place names an item, such as volume, only this item gets labels. Other items
// lose tags with reserved keys that no trusted source has set.
func (fs *fieldStamper) planItem(place *locate.LaunchedPlace, key string, t *locate.Target) (*Plan, error) {
	if !place.LaunchedField.LabelsGoTo(key) {
		return fs.planReserved(t, fs.labels.labelsFor(t)), nil
	}

	return fs.planNamed(t, place.LaunchedField.List.String()+"["+key+"]."+place.LaunchedField.Path.String())
}

// listAt returns the list at the place. If only spec.initProvider has it, it returns that list and its path there. If both have it, it cleans the
// initial list: see cleanInitialItems.
func (fs *fieldStamper) listAt(place *locate.LaunchedPlace) (list object.Node, initialPath object.Path, err error) {
	list, err = fs.resourcePlan.stampedResource().At(place.LaunchedField.List)

	switch {
	case err != nil:
		return list, initialPath, err
	case !list.IsNull() && !list.IsList():
		return list, initialPath, errors.Errorf("%s is %s, not a list of objects with tags", place.LaunchedField.List, list.Kind())
	case !list.IsEmpty():
		return list, initialPath, fs.cleanInitialItems(place)
	}

	initial, initialPath := fs.initialItems(place)

	return initial, initialPath, nil
}

// missingItem returns the item that the place names if the list lacks it, and how many items get labels, with the missing one. For the place
// tagSpecifications[resourceType: volume] of a LaunchTemplate without items, missing is {resourceType: volume}, and labeledCount is 1.
func missingItem(place *locate.LaunchedPlace, list object.Node) (missing object.Node, labeledCount int) {
	for item := range list.Items() {
		if item.IsObject() && place.LaunchedField.LabelsGoTo(item.Field(place.LaunchedField.Key).Text()) {
			labeledCount++
		}
	}

	// If the place names no item, labels go to all items, and none is missing.
	if place.LaunchedField.Item != "" && labeledCount == 0 {
		missing = object.MapNode(map[string]object.Node{place.LaunchedField.Key: object.TextNode(place.LaunchedField.Item)})
		labeledCount = 1
	}

	return missing, labeledCount
}
