package write

import (
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// writeEmptyField returns the desired resource of t without the tag field, or with the empty value in the tag field, such as {}, if the
// field must stay. It returns the zero Object if nothing changes. See tags/stamp/testdata/cases/last-tag.yaml and refilled.yaml.
func writeEmptyField(t *locate.Target, keys *tagset.Keys, empty object.Node) (object.Object, error) {
	wouldRefill := refilledByProvider(t, keys)
	mustStay := wouldRefill || neededByParent(t, empty)
	needsTwoRuns := wouldRefill && !t.Field.Atomic && OwnedByCrossplane(t, keys) // In this run, the API server would refuse an empty field that isn't atomic.

	switch {
	case needsTwoRuns:
		return removeForOneRun(t)
	case mustStay && !t.DesiredValue.Equal(empty):
		return setField(t, t.Resource, empty)
	case !mustStay && !IsEmpty(t.DesiredValue):
		return removeField(t)
	default:
		return object.Object{}, nil
	}
}

// refilledByProvider reports whether the provider would copy the cloud's tags to a missing tag field, but not to an empty one (LateInit).
// It returns false if the schema of the kind admits no empty field, or if the cloud has no tags to copy: see WasTagged. The status proves
// nothing, since many providers never remove a tag there that the cloud has lost.
func refilledByProvider(t *locate.Target, keys *tagset.Keys) bool {
	return t.Field.LateInit && !SchemaRefusesEmpty(t) && WasTagged(t, keys)
}

// neededByParent reports whether the parent of an atomic field needs this field, even with an empty value such as []. Without the field,
// API servers would make null of the parent, and then refuse null. An empty field that isn't atomic can't save its parent, since API
// servers make null of such a field as well: see keepLastTag in package stamp.
func neededByParent(t *locate.Target, empty object.Node) bool {
	isOnlyField := t.Field.Atomic && t.ObservedValue.IsThere() && IsOnlyFieldOfParent(t)
	canBeEmpty := !SchemaRefusesEmpty(t) && (empty.IsObject() || empty.IsList())

	// A field of another field manager stays anyway. All entries of an atomic field have the same owner, so the zero Entry stands for them.
	return isOnlyField && canBeEmpty && !t.Owners().Stays(&tagset.Entry{}, false /* fieldDesired: no step desires it */)
}

// IsOnlyFieldOfParent reports whether the parent of the tag field has no other field. If no earlier step desires the parent, such as
// spec.forProvider.tagging, the parent must also be the only field of its own parent, and so on, up to the first desired object.
func IsOnlyFieldOfParent(t *locate.Target) bool {
	segments := t.Field.Path.Segments()

	for n := len(segments) - 1; n > 0 && !segments[n].IsIndex; n-- {
		parent, name := t.Field.Path.First(n), segments[n].Field // First tags of spec.forProvider.tagging, then tagging of spec.forProvider.

		desired, err := t.Resource.At(parent)
		observed, observedErr := t.Observed.At(parent)

		if err != nil || observedErr != nil || !isOnlyField(observed, name) {
			return false
		}

		if desired.IsThere() {
			return desired.IsObject() && isOnlyField(desired, name)
		}
	}

	return false // No step desires any of the parents, or the field is in a list.
}

// isOnlyField reports whether the object o has no other field than the one with the name.
func isOnlyField(o object.Node, name string) bool {
	for field, v := range o.Fields() {
		if string(field) != name && !v.IsNull() {
			return false
		}
	}

	return true
}

// SchemaRefusesEmpty reports whether the schema of the kind refuses an empty tag field.
func SchemaRefusesEmpty(t *locate.Target) bool {
	return t.Field.Limits != nil && t.Field.Limits.NeverEmpty
}

// WasTagged reports whether the observed resource of t has or had tags, in one of these cases:
//   - The tag field has tags that the provider doesn't set itself, such as env: prod. The provider's crossplane-kind: bucket doesn't count.
//   - The tag field is empty. The provider drops the empty field once it has removed the tags from the cloud.
//   - The function has removed the field: see emptiedAnnotation.
func WasTagged(t *locate.Target, keys *tagset.Keys) bool {
	if t.ObservedErr != nil {
		return false
	}

	if !t.ObservedValue.IsThere() {
		return !object.Annotations(t.Observed).Field(emptiedAnnotation).IsNull()
	}

	set := t.ReadTags(t.ObservedValue, keys)

	return set != nil && (set.Len() == 0 || t.HasOtherTags(set))
}

// OwnedByCrossplane reports whether Crossplane owns all entries of the observed field of t. If field managers own the field as a whole,
// Crossplane counts as its owner, since it replaces the field. The result is false in three cases:
//   - The provider owns an entry, such as crossplane-kind.
//   - There is no entry.
//   - Owners are unknown.
func OwnedByCrossplane(t *locate.Target, keys *tagset.Keys) bool {
	set := t.ReadTags(t.ObservedValue, keys)
	if set == nil || set.Len() == 0 || t.Owners().Unknown {
		return false
	}

	for e := range set.All() {
		if t.Owners().Stays(e, true /* fieldDesired */) { // Crossplane doesn't own e, or not alone.
			return false
		}
	}

	return true
}
