// Package write writes a set of tags to the field of a resource. It decides on no tag.
package write

import (
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Field returns the desired resource of t with the tags of the set in the tag field, such as {env: prod} in spec.forProvider.tags. In
// a list, the items come after the tags. Field returns the zero Object if earlier steps desire the same value.
func Field(t *locate.Target, keys *tagset.Keys, set *tagset.Set, items ...object.Node) (object.Object, error) {
	v := set.Value()
	if len(items) > 0 {
		v = v.Append(items...)
	}

	if IsEmpty(v) {
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

// Frozen returns the desired resource of t with the set in its field, or without the field if the set is empty. It returns the zero
// Object if nothing changes: t was made with env: dev, and env: dev is desired.
func Frozen(t *locate.Target, set *tagset.Set) (object.Object, error) {
	v := inObservedOrder(t, set.Value())

	switch {
	case IsSame(v, t.DesiredValue):
		return object.Object{}, nil
	case IsEmpty(v):
		return removeField(t)
	default:
		return setField(t, t.Resource, v)
	}
}

// Initial returns the resource r with the value v at the path in spec.initProvider. If v is empty, it also removes parents that become
// empty, even spec.initProvider itself.
func Initial(r object.Object, path object.Path, v object.Node) (object.Object, error) {
	if !IsEmpty(v) {
		return object.Set(r, path, v)
	}

	r, err := object.Set(r, path, object.Node{})
	if err != nil {
		return r, err
	}

	return removeEmptyParents(r, path)
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

// IsEmpty reports whether the value v of a tag field is missing or empty: {}, [], "" or null. A string has neither fields nor items, so
// v.IsEmpty is true even for a=1,b=2.
func IsEmpty(v object.Node) bool { return v.IsEmpty() && v.Text() == "" }

// IsSame reports whether two values of a tag field are the same tags: they are equal, or both are empty, such as {} and null.
func IsSame(a, b object.Node) bool { return a.Equal(b) || IsEmpty(a) && IsEmpty(b) }

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
// The function adds neither the object nor the item, since both may require other fields. See tags/stamp/testdata/cases/list-of-one.yaml.
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
