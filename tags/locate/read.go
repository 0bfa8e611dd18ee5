package locate

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// readTagField sets the desired and the observed value of the tag field. It also clears owners, since LaunchedTarget calls it on a copy of
// a target, with another field.
func (t *Target) readTagField() {
	t.DesiredValue, t.DesiredErr = t.Resource.At(t.Field.Path)
	t.ObservedValue, t.ObservedErr = t.Observed.At(t.Field.Path)
	t.InitialValue, t.owners = t.InitialOf(t.Resource), nil
}

// Owners returns the owners of the entries of the observed tag field. It reads metadata.managedFields in the first call only.
func (t *Target) Owners() *Owners {
	if t.owners == nil {
		t.owners = t.managers.ownersOf(t.Field, t.FieldIn) // FieldIn returns the tag field in the apiVersion that a field manager has written.
		t.owners.initial = t.initialOwners()
	}

	return t.owners
}

// ReadTags returns the tags in the value, such as {env: prod}. The value is t.DesiredValue, t.ObservedValue, or what the provider reports.
// keys has the rules by which an entry is a tag with a key: the string a=b=c may have the key a or a=b. ReadTags returns nil if the value
// isn't there, or if it doesn't have the shape of the tag field.
func (t *Target) ReadTags(value object.Node, keys *tagset.Keys) *tagset.Set {
	if !value.IsThere() {
		return nil
	}

	set, _ := tagset.Read(value, t.Field, keys) // With an error, the set is nil.

	return set
}

// ReportedTags returns the reported tags of t. A Bucket has them at status.atProvider.tagsAll or, without this field, at
// status.atProvider.tags. ReportedTags returns nil if no such field can be read, and an empty set for tagsAll: {}.
func (t *Target) ReportedTags(keys *tagset.Keys) *tagset.Set {
	for _, path := range t.Field.Observed { // The paths of reported tags.
		value, _ := t.Observed.At(path) // An error means that there is no such field.
		if set := t.ReadTags(value, keys); set != nil {
			return set
		}
	}

	return nil
}

// HasOtherTags reports whether the set, which may be nil, has entries that the provider of t doesn't set itself.
func (t *Target) HasOtherTags(set *tagset.Set) bool {
	for e := range set.All() {
		if !ProviderSets(t.Field, e.Key) {
			return true
		}
	}

	return false
}

// ProviderHasObserved reports whether the provider of t has read the external resource from the cloud. Two things show this:
//   - t has the condition Ready. For an Object of provider-kubernetes, it doesn't count: the wrapped resource may not be ready.
//   - The parent of the reported tags, status.atProvider, has a text such as arn. Numbers, lists and objects don't count: a provider
//     may write these earlier.
func (t *Target) ProviderHasObserved() bool {
	if t.Kind.Wraps.Empty() && object.Condition(t.Observed, "Ready").Field("status").IsText("True") {
		return true
	}

	for _, path := range t.Field.Observed {
		atProvider, _ := t.Observed.At(path.First(len(path.Segments()) - 1)) // An error means that there is no such object.
		for _, value := range atProvider.Fields() {
			if value.Text() != "" {
				return true
			}
		}
	}

	return false
}

// MayReportDeletedTags reports whether the status of t may have tags that the cloud no longer has. A provider made by Upjet merges each
// new state into the old status: after {a: x} and then {b: y}, a map has both keys. See SetObservation in Upjet's resources.
func (t *Target) MayReportDeletedTags() bool {
	family, _ := field.FamilyOf(t.Kind.GroupKind())
	return family.Upjet && !t.Field.Form().IsList
}

// OtherManagersTags returns the observed tags that stay if no step desires them, or nil if none can be read. Other field managers own
// such tags: a provider owns crossplane-kind, and kubectl-edit owns owner: me. Tags that only spec.initProvider has are Initial: see
// withInitial. If the field is atomic, none of the others stays once a step desires the field.
func (t *Target) OtherManagersTags(keys *tagset.Keys) *tagset.Set {
	set, initial := t.stayingTags(keys, false /* fieldDesired */), t.stayingInitial()
	if set == nil && initial.IsThere() {
		set, _ = tagset.Read(object.Node{}, t.Field, keys) // It is empty.
	}

	return t.withInitial(set, initial, keys, nil /* not reported */)
}

// stayingTags returns the tags of the observed field that stay if no step desires them, or nil if none can be read. If a step desires an
// atomic field (fieldDesired), it replaces the whole field, and no tags stay.
func (t *Target) stayingTags(keys *tagset.Keys, fieldDesired bool) *tagset.Set { //nolint:revive // It decides on atomic fields.
	set := t.ReadTags(t.ObservedValue, keys)
	for e := range set.All() { // All permits Remove, and a nil set.
		if !t.Owners().Stays(e, fieldDesired) {
			set.Remove(e)
		}
	}

	return set
}

// TagsAfterApply returns the tags of t once Crossplane has applied the resource. If the tag field has env: prod, and kubectl-edit owns
// owner: me in the observed field, TagsAfterApply returns both tags. See withInitial for tags in spec.initProvider.
func (t *Target) TagsAfterApply(resource object.Object, keys *tagset.Keys) (*tagset.Set, error) {
	value, err := resource.At(t.Field.Path)
	if err != nil {
		return nil, err
	}

	set, err := tagset.Read(value, t.Field, keys) // Without a value, the set is empty, and not nil.
	if err != nil {
		return nil, err
	}

	set.RemoveValueless()

	for e := range t.stayingTags(keys, value.IsThere()).All() {
		if !e.Opaque && !set.HasTagOf(e) { // An opaque entry, such as legacy in [env=prod, legacy], is no tag.
			set.Append(*e)
		}
	}

	return t.withInitial(set, t.initialAfterApply(resource), keys, t.ReportedTags(keys)), nil
}

// ProviderSets reports whether a provider or controller itself sets a tag with the key in the field f: crossplane-name in a field that a
// provider of Crossplane fills, or managed-by-cnrm in a field that has it in ProviderTags. In an annotation, it is somebody else who has set
// crossplane-name.
func ProviderSets[K string | []byte](f *field.Field, key K) bool {
	return f.FilledByProvider && slices.Contains(providerKeys, string(key)) || slices.Contains(f.ProviderTags, string(key))
}

var providerKeys = tags.ProvidersKeys()
