package stamp

import (
	"cmp"
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/write"
)

// A fieldStamper stamps several fields of one resource, one after the other, such as volumeTags and rootBlockDevice.tags of an Instance.
type fieldStamper struct {
	*Stamper

	// resourcePlan is the plan of the resource itself. Whenever a field changes, resourcePlan.Stamped becomes the resource with this change.
	resourcePlan *Plan
	labels       *resourceLabels

	// out gets the plan of each field. The fieldStamper keeps no plans, since a list can have thousands of items.
	out *outcomeBuilder
}

// planLaunched plans the tags of the fields for launched resources. For example, an Instance launches volumes, and has their tags in
// volumeTags. planLaunched adds the notes of each field's plan to resourcePlan, the plan of the resource itself, and both to out. See testdata/cases/launched.yaml.
func (s *Stamper) planLaunched(resourcePlan *Plan, labels *resourceLabels, out *outcomeBuilder) error {
	t, d := resourcePlan.target, resourcePlan.decision
	hasNoWork := len(t.Launched)+len(t.NeverWritten) == 0 || resourcePlan.LeftAlone != ""
	runFails := d != nil && len(d.trustedWithoutSlot) > 0 // In the end, Stamp returns a LimitError: see limits.

	if hasNoWork || runFails {
		return nil
	}

	fs := &fieldStamper{Stamper: s, resourcePlan: resourcePlan, labels: labels, out: out}

	for _, place := range t.Launched {
		var err error

		switch {
		case !place.LaunchedField.Applies(t.Resource, t.Observed), fs.hasAttachedVolume(place): // The field gets no labels, but earlier steps may have set reserved keys.
			fs.removeReservedAt(place)
		case place.LaunchedField.IsSwitch(): // Such as propagateTags of an ECS Service.
			err = fs.switchOn(place)
		case place.LaunchedField.IsInList():
			err = fs.stampItems(place)
		default:
			err = fs.stampField(fs.targetAt(place), place)
		}

		if err != nil {
			return errors.Wrapf(err, "%s", place.LaunchedField.Name())
		}
	}

	for _, path := range t.NeverWritten { // A change of these fields could replace a running resource, for example.
		fs.noteReserved(path)
		fs.noteReserved(field.InitialPath(path))
	}

	return nil
}

// report adds the notes of p, the plan of a field, to resourcePlan, and p to out.
func (fs *fieldStamper) report(p *Plan) {
	fs.resourcePlan.addNotesOf(p)
	fs.out.addPlan(fs.resourcePlan, p)
}

// addNotesOf adds notes, the mismatch, trusted tags and withheld labels of fieldPlan to p, the plan of the resource itself.
// If onConflict Retain keeps env: dev in volumeTags, the label env: prod is withheld, and the result of the Instance says so.
func (p *Plan) addNotesOf(fieldPlan *Plan) {
	p.Mismatch = cmp.Or(p.Mismatch, fieldPlan.Mismatch)

	for _, note := range fieldPlan.Notes {
		if len(note.Keys) > 0 && note.Field == "" {
			p.Notes.addOwned(note.Kind, note.Manager, note.Keys...)
		} else {
			p.Notes = append(p.Notes, note)
		}
	}

	for _, record := range fieldPlan.Records {
		if record.Withheld() {
			p.Records = append(p.Records, record)
		}
	}

	for key, value := range fieldPlan.Trusted {
		if _, ok := p.Trusted[key]; !ok {
			p.Trusted = withKey(p.Trusted, key, value)
		}
	}
}

// stampField stamps the field of t, such as spec.forProvider.volumeTags of an Instance. place is the place of the field.
func (fs *fieldStamper) stampField(t *locate.Target, place *locate.LaunchedPlace) error {
	if t.TakeCopies() {
		fs.resourcePlan.Stamped = t.Resource
	}

	p, err := fs.planNamed(t, place.LaunchedField.Name())
	if err != nil {
		return err
	}

	fs.apply(p)

	return nil
}

// planNamed plans the labels of the field of t, and sets launchedName, the field's name in messages.
func (fs *fieldStamper) planNamed(t *locate.Target, name string) (*Plan, error) {
	p, err := fs.planField(t, fs.labelsFor(fs.labels, t))
	if err == nil {
		p.launchedName = name
	}

	return p, err
}

// targetAt returns the target whose tag field is at the place, in the resource with the fields that are stamped so far.
func (fs *fieldStamper) targetAt(place *locate.LaunchedPlace) *locate.Target {
	t := fs.resourcePlan.target
	return t.LaunchedTarget(place, "" /* no item */, fs.resourcePlan.stampedResource(), t.Observed)
}

// apply takes over the stamped resource of p, the plan of a field, and reports p.
func (fs *fieldStamper) apply(p *Plan) {
	if !p.Stamped.IsZero() {
		fs.resourcePlan.Stamped = p.Stamped
	}

	fs.report(p)
}

// switchOn sets a field that tells the cloud to pass the resource's tags on to launched resources, such as propagateTags: SERVICE of an
// ECS Service, and propagateTags: true of each replica of a DynamoDB Table. It does nothing if no label is a tag of the resource, or where
// an earlier step has set the field: an explicit false stays.
func (fs *fieldStamper) switchOn(place *locate.LaunchedPlace) error {
	p, path := fs.resourcePlan, place.LaunchedField.Path
	if !p.IsTagged() || place.LaunchedField.HasInitial(p.target.Resource) {
		return nil
	}

	if place.LaunchedField.IsInList() {
		path = object.MustParsePath(place.LaunchedField.List.String() + "[*]." + path.String())
	}

	before := p.stampedResource()

	after, changed, err := object.Update(before, path, func(v object.Node) (object.Node, error) {
		if v.IsNull() { // A missing field is null, too.
			v = place.LaunchedField.On()
		}

		return v, nil
	})
	if err != nil || !changed {
		return nil //nolint:nilerr // An error means that the field can't be there.
	}

	p.Stamped = after

	return fs.Budget.ChargeResponse(after.Node().Size() - before.Node().Size())
}

// stampItems stamps each item of the list at the place, such as tagSpecifications of a LaunchTemplate, like a resource with a tag field.
func (fs *fieldStamper) stampItems(place *locate.LaunchedPlace) error {
	// t stands for the list as a whole. Labels don't depend on the item, so t needs no resource.
	t := fs.resourcePlan.target.LaunchedTarget(place, "" /* no item */, object.Object{}, object.Object{})

	list, initialPath, err := fs.listAt(place)
	if err != nil {
		t.DesiredErr = err // So stampField changes nothing, and reports a Mismatch. The run goes on.
		return fs.stampField(t, place)
	}

	labels := fs.labelsFor(fs.labels, t)
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

	var received []object.Node // The items without copies, at the same positions.

	if fs.resourcePlan.target.HasCopies && initialPath.IsZero() {
		receivedList, _ := fs.resourcePlan.target.Received.At(place.LaunchedField.List) // As above.
		received = slices.Collect(receivedList.Items())
	}

	stampItem := func(item object.Node) (object.Node, error) {
		var withoutCopies object.Object
		if len(received) > 0 {
			withoutCopies, received = received[0].Object(), received[1:]
		}

		return fs.stampItem(place, item, withoutCopies, observed)
	}

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
// their keys, such as volume. received is the item without what kubernetesMetadata copies to it.
func (fs *fieldStamper) stampItem(place *locate.LaunchedPlace, item object.Node, received object.Object, observed map[string]object.Object) (object.Node, error) {
	if !item.IsObject() {
		return item, nil
	}

	key, o := item.Field(place.LaunchedField.Key).Text(), item.Object()

	// Most items of a long list get no tags, and have no tags to remove.
	if v, _ := o.At(place.LaunchedField.Path); !v.IsThere() && !place.LaunchedField.LabelsGoTo(key) {
		return item, nil
	}

	t := fs.resourcePlan.target.LaunchedTarget(place, key, o, observed[key])
	t.Received = received
	isTaken := place.LaunchedField.LabelsGoTo(key) && t.TakeCopies()

	p, err := fs.planItem(place, key, t)
	if err != nil {
		return object.Node{}, err
	}

	fs.report(p)

	if p.Stamped.IsZero() && !isTaken {
		return item, nil
	}

	stamped := p.stampedResource().Node()

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
		return fs.planReserved(t, fs.labelsFor(fs.labels, t)), nil
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

// removeReservedAt is for a field that gets no labels, such as volumeTags of an Instance whose block devices have tags of their own. It
// removes tags with reserved keys that an earlier step has set there without a trusted source. If the field is in the items of a list,
// removeReservedAt removes nothing. A switch, such as propagateTags, holds no tags.
func (fs *fieldStamper) removeReservedAt(place *locate.LaunchedPlace) {
	if !place.LaunchedField.IsSwitch() && !place.LaunchedField.IsInList() {
		t := fs.targetAt(place)
		fs.apply(fs.planReserved(t, fs.labelsFor(fs.labels, t)))
	}
}

// noteReserved is for a field that the function never writes, such as ebsBlockDevice[*].tags. The path may be zero. If tags with reserved keys stay in the field
// at the path, although no trusted source has set them, it adds NoteReservedLaunched to the resourcePlan. See
// testdata/cases/launched-reserved.yaml.
func (fs *fieldStamper) noteReserved(path object.Path) {
	if path.IsZero() {
		return
	}

	var keys []string

	for v := range field.ValuesAt(fs.resourcePlan.stampedResource(), path) {
		keys = append(keys, fs.untrustedReservedKeys(path, v)...)
	}

	if len(keys) > 0 {
		fs.resourcePlan.Notes = append(fs.resourcePlan.Notes, Note{Kind: NoteReservedLaunched, Keys: keys, Field: path.String()})
	}
}

// untrustedReservedKeys returns the reserved keys of tags that no trusted source gives, in the value v of the field at the path. It
// returns owner for {env: prod, owner: me} if owner is a reserved key.
func (fs *fieldStamper) untrustedReservedKeys(path object.Path, v object.Node) (keys []string) {
	f := field.Field{Layout: field.Layout{Shape: field.Map}, Path: path, Key: "key", Value: "value"}
	if v.IsList() {
		f.Shape = field.KeyValueList
	}

	s := State{Labels: fs.labelsForField(fs.labels, &f, fs.resourcePlan.target.Profile), EarlierTrustedTags: fs.EarlierTrustedTags[fs.resourcePlan.Resource]}

	set, err := tagset.Read(v, &f, &s.Labels.Keys)
	if err != nil {
		return nil // The value has no tags.
	}

	for e := range set.All() {
		if key, isUntrusted := s.untrustedKey(e); isUntrusted {
			keys = append(keys, key)
		}
	}

	return keys
}

// hasAttachedVolume reports whether the field at the place gets no labels because of an attached volume. It adds NoteAttached, if there are
// labels.
func (fs *fieldStamper) hasAttachedVolume(place *locate.LaunchedPlace) bool {
	name, found := fs.targets.AttachmentTo(fs.resourcePlan.target, place.LaunchedField.Attachment)
	if found && len(fs.resourcePlan.labels.all) > 0 {
		fs.resourcePlan.Notes = append(fs.resourcePlan.Notes, Note{Kind: NoteAttached, Keys: []string{name}, Field: place.LaunchedField.Name()})
	}

	return found
}

// initialItems returns the list at the place in spec.initProvider, and its path. The path is zero if there is no such list.
func (fs *fieldStamper) initialItems(place *locate.LaunchedPlace) (list object.Node, path object.Path) {
	path = field.InitialPath(place.LaunchedField.List)

	list, err := fs.resourcePlan.stampedResource().At(path)
	if err != nil || path.IsZero() || list.IsEmpty() || !list.IsList() {
		return object.Node{}, object.Path{}
	}

	return list, path
}

// cleanInitialItems takes reserved keys that no trusted source gives out of the items of a list in spec.initProvider. It is for a list beside
// one in spec.forProvider: providers merge items at the same position, with their tags.
func (fs *fieldStamper) cleanInitialItems(place *locate.LaunchedPlace) error {
	p := fs.resourcePlan

	list, path := fs.initialItems(place)
	if path.IsZero() {
		return nil
	}

	cleaned, changed, err := list.MapItems(func(item object.Node) (object.Node, error) {
		if !item.IsObject() {
			return item, nil
		}

		t := p.target.LaunchedTarget(place, item.Field(place.LaunchedField.Key).Text(), item.Object(), object.Object{})
		itemPlan := fs.planReserved(t, fs.labelsFor(fs.labels, t))
		fs.report(itemPlan)

		return itemPlan.stampedResource().Node(), nil
	})

	if err == nil && changed {
		p.Stamped, err = write.Initial(p.stampedResource(), path, cleaned)
	}

	return err
}

// moveInitialItems writes the stamped items of a list that only spec.initProvider had, at the path. They go to spec.forProvider, since its list
// gets labels, and providers drop one list if there are two.
func (fs *fieldStamper) moveInitialItems(place *locate.LaunchedPlace, path object.Path, stamped object.Node) (err error) {
	p := fs.resourcePlan

	if p.Stamped, err = object.Set(p.stampedResource(), place.LaunchedField.List, stamped); err != nil {
		return err
	}

	p.Notes.add(NoteInitialMoved, place.LaunchedField.List.String())
	p.Stamped, err = write.Initial(p.Stamped, path, object.Node{})

	return err
}
