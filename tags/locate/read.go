package locate

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// read reads the desired and the observed value of the tag field.
func (t *Target) read() {
	t.Before, t.BeforeErr = t.Resource.At(t.Field.Path)
	t.There, t.ThereErr = t.Observed.At(t.Field.Path)
	t.owners = nil
}

// Owners returns the owners of the entries of the observed tag field.
func (t *Target) Owners() *Owners {
	if t.owners == nil {
		t.owners = t.managers.ownersOf(t.Field, t.FieldIn)
	}

	return t.owners
}

// Reported returns the tags of the value n of a tag field, or nil if n isn't there or has another shape.
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

// Cloud returns the reported tags of t, from the first path that has tags, such as status.atProvider.tagsAll. It is nil if
// the provider reports none.
func (t *Target) Cloud(keys *tagset.Keys) *tagset.Set {
	for _, path := range t.Field.Observed {
		v, _ := t.Observed.At(path) // An error means that there is no such field.
		if set := t.Reported(v, keys); set != nil {
			return set
		}
	}

	return nil
}

// HasLooked reports whether the provider of t has looked at the cloud. Two things show it:
//   - t has the condition Ready. It doesn't count if t is an Object: its manifest may not be ready.
//   - There is text beside the reported tags, such as status.atProvider.arn. Conditions, numbers and objects may be there
//     before.
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

// IsGhost reports whether reported tags of t may be long gone from the cloud. Upjet decodes each new state into the status
// that is there, so that a map in the status never loses a key. See SetObservation in the resources that Upjet generates.
func (t *Target) IsGhost() bool {
	family, _ := field.FamilyOf(t.Kind.GroupKind())
	return family.Upjet && !t.Field.Shape.Form().IsList
}

// Staying returns the observed tags that stay if nobody desires them, or nil. Other field managers own these:
// crossplane-kind of a provider, filled by late initialization, or owner: me of kubectl edit. Tags of an atomic field
// stay only if the field isn't desired at all.
func (t *Target) Staying(keys *tagset.Keys, fieldDesired bool) *tagset.Set { //nolint:revive // It decides on atomic fields.
	set := t.Reported(t.Owners().withoutOurs(t.There), keys)
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

// Final returns the tags in the field of t after Crossplane has applied value to it. For example, the value env: prod and
// somebody's own owner: me make env: prod and owner: me.
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

// AddsItself reports whether the provider or the controller of the kind sets this tag in the field f itself, such as
// crossplane-name.
func AddsItself[K string | []byte](f *field.Field, key K) bool {
	return slices.Contains(providersKeys, string(key)) || slices.Contains(f.ProviderTags, string(key))
}

var providersKeys = tags.ProvidersKeys()
