package locate

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// readTagField reads the desired and the observed value of the tag field.
func (t *Target) readTagField() {
	t.DesiredValue, t.DesiredErr = t.Resource.At(t.Field.Path)
	t.ObservedValue, t.ObservedErr = t.Observed.At(t.Field.Path)
	t.owners = nil
}

// Owners returns the owners of the entries of the observed tag field.
func (t *Target) Owners() *Owners {
	if t.owners == nil {
		t.owners = t.managers.ownersOf(t.Field, t.FieldIn)
	}

	return t.owners
}

// ReadTags returns the tags in the value n of t's tag field, or of a reported field with the same shape. It returns nil if n
// isn't there or has another shape.
func (t *Target) ReadTags(n object.Node, keys *tagset.Keys) *tagset.Set {
	if !n.IsThere() {
		return nil
	}

	set, err := tagset.Read(n, t.Field, keys)
	if err != nil {
		return nil
	}

	return set
}

// ReportedTags returns the tags in the cloud, as t's provider reports them at the first path that has tags, such as
// status.atProvider.tagsAll. It returns nil if the provider reports none.
func (t *Target) ReportedTags(keys *tagset.Keys) *tagset.Set {
	for _, path := range t.Field.Observed {
		v, _ := t.Observed.At(path) // An error means that there is no such field.
		if set := t.ReadTags(v, keys); set != nil {
			return set
		}
	}

	return nil
}

// ProviderHasObserved reports whether the provider of t has read the external resource from the cloud. Two things show it:
//   - t has the condition Ready. The condition of an Object doesn't count: its manifest may not be ready.
//   - There is text next to the reported tags, such as status.atProvider.arn. Conditions, numbers and objects don't count:
//     a provider may write them earlier.
func (t *Target) ProviderHasObserved() bool {
	if t.Kind.Wraps.Empty() && object.Condition(t.Observed, "Ready").Field("status").IsText("True") {
		return true
	}

	for _, path := range t.Field.Observed {
		parent, _ := t.Observed.At(path.First(len(path.Segments()) - 1)) // An error means that the object doesn't exist.
		for _, v := range parent.Fields() {
			if v.Text() != "" {
				return true
			}
		}
	}

	return false
}

// MayReportDeletedTags reports whether the status of t may have tags that the cloud no longer has. Upjet writes each new state
// over the old status, and a map in the status never loses a key. See SetObservation in the resources that Upjet generates.
func (t *Target) MayReportDeletedTags() bool {
	family, _ := field.FamilyOf(t.Kind.GroupKind())
	return family.Upjet && !t.Field.Shape.Form().IsList
}

// StayingTags returns the observed tags that stay if no step desires them, or nil if there are none. Other field managers own
// them: a provider owns crossplane-kind, and kubectl-edit owns owner: me. Tags of an atomic field stay only if no step desires
// the field.
func (t *Target) StayingTags(keys *tagset.Keys, fieldDesired bool) *tagset.Set { //nolint:revive // It decides on atomic fields.
	set := t.ReadTags(t.Owners().stayingEntries(t.ObservedValue), keys)
	if set == nil || set.Len() == 0 {
		return nil
	}

	for e := range set.All() {
		if !t.Owners().Stays(e, fieldDesired) {
			set.Remove(e)
		}
	}

	if set.Len() == 0 {
		return nil
	}

	return set
}

// TagsAfterApply returns the tags in the field of t after Crossplane has applied value to it. If value is {env: prod}, and
// kubectl-edit owns owner: me, it returns both tags.
func (t *Target) TagsAfterApply(value object.Node, keys *tagset.Keys) (*tagset.Set, error) {
	set, err := tagset.Read(value, t.Field, keys)
	if err != nil {
		return nil, err
	}

	if others := t.StayingTags(keys, value.IsThere()); others != nil {
		for e := range others.All() {
			if !e.Opaque && !set.HasTagOf(e) {
				set.Append(*e)
			}
		}
	}

	return set, nil
}

// ProviderSets reports whether the provider or the controller of the kind sets the tag itself in the field f, such as
// crossplane-name.
func ProviderSets[K string | []byte](f *field.Field, key K) bool {
	return slices.Contains(providerKeys, string(key)) || slices.Contains(f.ProviderTags, string(key))
}

var providerKeys = tags.ProvidersKeys()
