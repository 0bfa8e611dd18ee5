package stamp

import (
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// carryOut writes the decision of p to a copy of the resource, and adds records and notes to the result.
func (p *Plan) carryOut() error {
	d := p.decision
	p.Notes = d.notes
	otherValues := d.keysWithOtherValues() // Before keepLastTag, since a tag that it puts back doesn't belong here.
	p.keepLastTag()                        // Some tag fields can't become empty.

	// If the field can't be written, the error becomes the Mismatch of p, and the run goes on.
	if p.recordMismatch(p.writeTags()) {
		return nil
	}

	// They go to an annotation of the resource.
	if err := p.writeFollowedChanges(); err != nil {
		return err
	}

	p.keepFixed()
	p.noteMovedInitial()
	p.noteValueless()
	p.noteLastTag()
	p.noteIgnored()

	// LeftAlone is set if the decision changes a tag field that the API server lets nobody change: see keepFixed.
	if p.LeftAlone == "" {
		p.conclude()
		d.noteStayingTags(&p.Notes)
		p.Notes.add(NoteOtherValue, otherValues...)
	}

	return nil
}

// conclude sets what is told of p, since the resource gets the decided tags.
func (p *Plan) conclude() {
	p.Records, p.Trusted, p.getsDecidedTags = p.allRecords, p.decision.trustedTags(), true
}

// writeTags writes the decided tags to the tag field of a copy of the resource, unless the field doesn't change.
func (p *Plan) writeTags() (err error) {
	set, f, items := p.decision.Tags, p.target.Field, p.partlyOwnedItems()
	mayChange := set.Changed() || p.restoredProviderTags || len(items) > 0 // set.Changed is false for restored tags.
	mayNeedEmptyField := set.FieldLen() == 0 && (f.LateInit || f.Atomic)   // See writeEmptyField.

	if mayChange || mayNeedEmptyField {
		p.Stamped, err = writeField(p.target, &p.labels.Keys, set, items...)
	}

	return p.writeInitial(p.decision.State, err)
}

// partlyOwnedItems returns the items of a keyed list that no step desires, but that p has to write, since Crossplane owns a part of each.
// For example, kubectl edit owns the item {key: env}, and Crossplane owns the value prod in this item. If Crossplane no longer applied the
// item, server-side apply would remove prod, and leave {key: env} without a value.
func (p *Plan) partlyOwnedItems() (items []object.Node) {
	f := p.target.Field
	if f.Key == "" || f.Atomic {
		return nil // The field is no keyed list.
	}

	for e := range p.decision.stayingTags().All() {
		if !p.wouldLosePart(e) {
			continue
		}

		item := map[string]object.Node{f.Key: object.TextNode(e.Key), f.Value: e.Value}

		for name := range f.Extra {
			if v := e.Item.Field(name); v.IsThere() {
				item[name] = v
			}
		}

		items = append(items, object.MapNode(item))
	}

	return items
}

// wouldLosePart reports whether the item of e would stay without its key or its value if Crossplane no longer applied the item. That needs
// two owners: Crossplane, and another field manager that owns the key or the value, but not both.
func (p *Plan) wouldLosePart(e *tagset.Entry) bool {
	owner := p.target.Owners().Of(e)
	hasTwoOwners := owner.Ours && !owner.OtherOwnsKeyAndValue // e stays, so another field manager owns something of e.
	hasValue := !e.Opaque && e.Value.IsThere()

	return hasTwoOwners && hasValue && !p.decision.Tags.HasTagOf(e)
}

// writeField returns the desired resource of t with the tags of the set in the tag field, such as {env: prod} in spec.forProvider.tags. In
// a list, the items come after the tags: see partlyOwnedItems. writeField returns the zero Object if earlier steps desire the same value.
func writeField(t *locate.Target, keys *tagset.Keys, set *tagset.Set, items ...object.Node) (object.Object, error) {
	v := set.Value()
	if len(items) > 0 {
		v = v.Append(items...)
	}

	if isEmpty(v) {
		return writeEmptyField(t, keys, v)
	}

	// In an atomic list, the order counts. Nothing changes if earlier steps desire the tags in the order of v, or in the observed order.
	ordered := inObservedOrder(t, v)
	if t.DesiredValue.Equal(v) || t.DesiredValue.Equal(ordered) {
		return object.Object{}, nil
	}

	// A joined string such as a=1,b=2 has all tags of the field, and the schema may limit its length.
	if brokenLimit := t.Field.Limits.RefusesWhole(v.Text()); v.IsString() && brokenLimit != "" {
		return object.Object{}, errors.Errorf("%s can't be the text of all tags, %s", t.Field.Path, brokenLimit)
	}

	// The tag field can be metadata.annotations.
	if size := sizeOf(v); keys.Metadata == "annotations" && size > maxAnnotations {
		return object.Object{}, errors.Errorf("%s would have %d bytes, and Kubernetes admits %d", t.Field.Path, size, maxAnnotations)
	}

	// An earlier step may have removed the field for one run.
	r, err := undoRemoval(t)
	if err != nil {
		return object.Object{}, err
	}

	return setField(t, r, ordered)
}

// maxAnnotations is the most bytes that the API server admits for all keys and values of an object's annotations: see
// TotalAnnotationSizeLimitB in the package api/validation of k8s.io/apimachinery.
const maxAnnotations = 256 << 10

// sizeOf returns the number of bytes of the keys and values of a map of strings.
func sizeOf(v object.Node) (size int) {
	for key, value := range v.Fields() {
		size += len(key) + len(value.Text())
	}

	return size
}

// isEmpty reports whether the value v of a tag field is missing or empty: {}, [], "" or null. A string has neither fields nor items, so
// v.IsEmpty is true even for a=1,b=2.
func isEmpty(v object.Node) bool { return v.IsEmpty() && v.Text() == "" }

// isSame reports whether two values of a tag field are the same tags: they are equal, or both are empty, such as {} and null.
func isSame(a, b object.Node) bool { return a.Equal(b) || isEmpty(a) && isEmpty(b) }

// setField returns the resource r with the value v in the tag field. r is the desired resource of t, or a changed copy of it.
func setField(t *locate.Target, r object.Object, v object.Node) (object.Object, error) {
	if err := checkParent(t); err != nil {
		return object.Object{}, err
	}

	return object.Set(r, t.Field.Path, v)
}

// removeField returns the desired resource of t without the tag field, and without parents of the field that become empty. For
// spec.forProvider.tagging.tags, it also removes tagging, since the schema of the kind may admit no tagging without tags.
func removeField(t *locate.Target) (object.Object, error) {
	out, err := setField(t, t.Resource, object.Node{}) // The zero Node removes the field.
	if err != nil {
		return out, err
	}

	return removeEmptyParents(out, t.Field.Path)
}

// removeEmptyParents returns the resource r without empty parents of the field at the path.
func removeEmptyParents(r object.Object, field object.Path) (_ object.Object, err error) {
	path, isRemovable := parentOf(field)

	for err == nil && isRemovable && isEmptyObject(r, path) {
		r, err = object.Set(r, path, object.Node{})
		path, isRemovable = parentOf(path)
	}

	return r, err
}

// isEmptyObject reports whether o has {} at the path.
func isEmptyObject(o object.Object, path object.Path) bool {
	v, err := o.At(path)
	return err == nil && v.IsObject() && v.IsEmpty()
}

// parentOf returns the path of the object around the field at the path: spec.forProvider.tagging for spec.forProvider.tagging.tags.
// isRemovable reports whether the object may be removed. Objects of objectsThatStay, such as spec.forProvider, and objects in a list must
// stay.
func parentOf(path object.Path) (parent object.Path, isRemovable bool) {
	parentLen := len(path.Segments()) - 1
	if parentLen == 0 || slices.ContainsFunc(path.Segments(), func(segment object.Segment) bool { return segment.IsIndex }) {
		return object.Path{}, false
	}

	parent = path.First(parentLen)

	return parent, !slices.Contains(objectsThatStay, parent.String())
}

// objectsThatStay has the paths of objects that a resource needs even if they are empty. Objects of provider-kubernetes need
// spec.forProvider.manifest.
var objectsThatStay = []string{"metadata", "spec", "spec.forProvider", "spec.forProvider.manifest"}

// checkParent returns an error if the desired resource of t has no place for the tag field, in two cases:
//   - The field needs the object around it (Within), and the object is missing.
//   - A list on the path has no first item: "spec.forProvider.settings has no item to hold tags".
//
// The function adds neither the object nor the item, since both may require other fields. See testdata/cases/list-of-one.yaml.
func checkParent(t *locate.Target) error {
	path := t.Field.Path
	if t.Field.Within {
		parent := path.First(len(path.Segments()) - 1)

		if v, err := t.Resource.At(parent); err != nil || !v.IsObject() {
			return errors.Errorf("there is no object %s to hold tags", parent)
		}
	}

	for i, segment := range path.Segments() {
		if !segment.IsIndex {
			continue
		}

		list := path.First(i)

		v, err := t.Resource.At(list)
		if err != nil {
			return err
		}

		if v.IsThere() && !v.IsList() {
			return nil // The caller gets an error from object.Set.
		}

		if v.IsEmpty() {
			return errors.Errorf("%s has no item to hold tags", list)
		}
	}

	return nil
}

// inObservedOrder returns the value v for the field of t. If the field is an atomic list, and the observed list has the same items in
// another order, it returns the observed list. So the provider's order stays: [b=1, a=1] instead of [a=1, b=1].
func inObservedOrder(t *locate.Target, v object.Node) object.Node {
	sorted := func(v object.Node) []string {
		return slices.Sorted(slices.Values(words.Map(slices.Collect(v.Items()), tagset.Encoded)))
	}

	isAtomicList := t.Field.Atomic && v.IsList()

	// If the provider sorts the list (Sorted), v already has the provider's order.
	if isAtomicList && !t.Field.Sorted && slices.Equal(sorted(t.ObservedValue), sorted(v)) {
		return t.ObservedValue
	}

	return v
}
