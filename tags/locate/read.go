package locate

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// read what the tag field has.
func (t *Target) read() {
	t.Before, t.BeforeErr = t.Resource.At(t.Field.Path)
	t.There, t.ThereErr = t.Observed.At(t.Field.Path)
	t.owners = nil
}

// Owners of what the observed tag field has.
func (t *Target) Owners() *Owners {
	if t.owners == nil {
		t.owners = t.managers.ownersOf(t.Field, t.FieldIn)
	}

	return t.owners
}

// Reported returns the tags of a value that is observed, or nil if it isn't there or can't be read.
func (t *Target) Reported(n object.Node, keys *tagset.Keys) *tagset.Set {
	if !n.IsThere() {
		return nil
	}

	set, err := tagset.Read(n, t.Field, keys)
	if err != nil {
		return nil
	}

	return set
}

// Cloud returns the tags that the provider of t reports the cloud to have, or nil if it reports
// none: those of the first path that has any.
func (t *Target) Cloud(keys *tagset.Keys) *tagset.Set {
	for _, path := range t.Field.Observed {
		v, _ := t.Observed.At(path) // An error means that there is no such field.
		if set := t.Reported(v, keys); set != nil {
			return set
		}
	}

	return nil
}

// HasLooked is true if the provider of t has looked at the cloud: t is ready, or there is text, such as an ID, beside the tags
// that the provider reports. It may have conditions, numbers and objects there before. What an Object wraps isn't
// ready when the Object is.
func (t *Target) HasLooked() bool {
	if t.Kind.Wraps.Empty() && object.Condition(t.Observed, "Ready").Field("status").IsText("True") {
		return true
	}

	for _, path := range t.Field.Observed {
		around, _ := t.Observed.At(path.First(len(path.Segments()) - 1)) // As above.
		for _, v := range around.Fields() {
			if v.Text() != "" {
				return true
			}
		}
	}

	return false
}

// IsGhost is true if what only the status of the observed resource has of tags may be long gone from
// the cloud. Upjet decodes what it has read into what the status has, so that a map there never
// loses a key. See SetObservation in the resources that it generates.
func (t *Target) IsGhost() bool {
	family, _ := field.FamilyOf(t.Kind.GroupKind())
	return family.Upjet && !tagset.KindOf(t.Field, t.Profile).IsList()
}

// Staying returns the tags of the observed field that server-side apply leaves there if nobody
// desires them: those that other field managers own, such as a provider after its late
// initialization, or somebody after kubectl edit. It is nil if there are none. Those of an atomic
// field stay only if that is not desired at all.
func (t *Target) Staying(keys *tagset.Keys, fieldDesired bool) *tagset.Set { //nolint:revive // It is what decides on atomic fields.
	set := t.Reported(t.There, keys)
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

// Final returns the tags that the field of t has once Crossplane has applied value to it: those of
// value, and those that others have there.
func (t *Target) Final(value object.Node, keys *tagset.Keys) (*tagset.Set, error) {
	set, err := tagset.Read(value, t.Field, keys)
	if err != nil {
		return nil, err
	}

	if others := t.Staying(keys, value.IsThere()); others != nil {
		for e := range others.All() {
			if !e.Opaque && !set.Holds(e) {
				set.Join(*e)
			}
		}
	}

	return set, nil
}

// AddsItself is true if providers set the tag with the key in the field f, or what else manages
// resources that have it.
func AddsItself[K string | []byte](f *field.Field, key K) bool {
	return slices.Contains(providersKeys, string(key)) || slices.Contains(f.ProviderTags, string(key))
}

var providersKeys = tags.ProvidersKeys()
