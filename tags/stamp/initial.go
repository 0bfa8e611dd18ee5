package stamp

import (
	"cmp"
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/write"
)

// Providers of Crossplane merge spec.initProvider below spec.forProvider until the resource is made. So the tags that earlier steps set there
// are tags of earlier steps in a second place: the Tags of a State have both. A tag that this step writes goes to spec.forProvider, and
// leaves spec.initProvider. See testdata/cases/initial.yaml.

// writeInitial writes the Tags of the State that spec.initProvider is to have to p.Stamped, unless they don't change. writeErr is the error
// of writing spec.forProvider. After such an error, it only takes reserved keys away, and returns the error.
func (p *Plan) writeInitial(s *State, writeErr error) error {
	t := p.target
	if t.InitialValue.IsNull() {
		return writeErr
	}

	var v object.Node

	switch {
	case writeErr != nil:
		p.Stamped = object.Object{}

		set, err := t.DesiredTags(&p.labels.Keys)
		if err != nil {
			return writeErr
		}

		s.removeUntrustedInitial(set)
		v = set.InitialValue()
	case s.Tags.HasInitial():
		v = s.Tags.InitialValue()
	default:
		v = s.ineffectiveInitialList()
	}

	if write.IsSame(v, t.InitialValue) {
		return writeErr
	}

	r, err := write.Initial(p.stampedResource(), t.Initial, v)
	if err != nil {
		return err
	}

	p.Stamped = r

	return writeErr
}

// removeUntrustedInitial removes entries of spec.initProvider from the set if they have reserved keys that no trusted source gives.
func (s *State) removeUntrustedInitial(set *tagset.Set) {
	for e := range set.All() {
		if _, isUntrusted := s.untrustedKey(e); isUntrusted && e.Initial {
			set.Remove(e)
		}
	}
}

// ineffectiveInitialList returns the list in spec.initProvider beside a list in spec.forProvider. Providers drop its tags, but merge its items
// by position: {key: env} and {value: dev} make {key: env, value: dev}. So no item stays that could make a tag with a reserved key:
//   - The list ends before the first item with a reserved key, unless a trusted source gives the tag.
//   - If an item of spec.forProvider lacks its key or value, no item stays.
func (s *State) ineffectiveInitialList() object.Node {
	t := s.Target

	initial, err := tagset.Read(t.InitialValue, t.Field, &s.Labels.Keys)
	if err != nil || s.Labels.transformed.Reserved().Empty() {
		return t.InitialValue
	}

	for e := range s.Tags.All() {
		if t.Field.Key != "" && (e.Opaque || tagset.IsText(e.Value, "")) { // It is an incomplete item of a list of objects.
			return object.Node{}
		}
	}

	items := slices.Collect(t.InitialValue.Items()) // A joined string has no items.

	for i, e := range slices.Collect(initial.All()) {
		if _, isUntrusted := s.untrustedKey(e); isUntrusted {
			return object.ListNode(items[:min(i, len(items))])
		}
	}

	return t.InitialValue
}

// retainInitialList is for a list that only spec.initProvider has. Any label would need a list in spec.forProvider, and providers drop one list
// if there are two. So the entries of spec.initProvider go first into the new list: see Value of tagset.Set. But if onConflict Retain keeps one
// of these entries from a label, the list stays initial as it is, and labels are withheld. Labels of trusted sources are never withheld for this.
func (d *Decision) retainInitialList() {
	if !d.Labels.Shape.Form().IsList || !d.Tags.HasInitial() || d.Tags.FieldLen() > 0 {
		return
	}

	isRetained := false

	for i := range d.Labels.all {
		l := &d.Labels.all[i]
		if l.KeyIsTrusted() {
			return
		}

		e := d.Tags.Find(d.Labels.entries[i].ID)
		isRetained = isRetained || e != nil && l.OnConflict() == tags.Retain && !tagset.IsText(e.Value, l.Value)
	}

	if !isRetained {
		return
	}

	for i := range d.records {
		d.records[i].Fate = tags.Retained
	}

	for e := range d.Tags.All() {
		d.notes.add(NoteInitialKept, cmp.Or(e.Key, e.String()))
	}
}

// initialValues returns the values of t's field in spec.initProvider before and after Crossplane applies r. If no step has set the field there,
// they are the same.
func initialValues(t *locate.Target, r object.Object) (before, after object.Node) {
	if t.InitialValue.IsNull() {
		return before, after
	}

	return t.InitialOf(t.Observed), t.InitialOf(r)
}

// noteMovedInitial adds NoteInitialMoved if the entries of a list in spec.initProvider have gone to the list in spec.forProvider.
func (p *Plan) noteMovedInitial() {
	set := p.decision.Tags
	if !p.labels.Shape.Form().IsList || !set.HasInitial() || set.FieldLen() == 0 {
		return
	}

	for e := range set.All() {
		if e.Initial {
			p.Notes.add(NoteInitialMoved, cmp.Or(e.Key, e.String()))
		}
	}
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
