package locate

import (
	"maps"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// InitialOf returns the value of the tag field in spec.initProvider of the resource. It is null if there is none.
func (t *Target) InitialOf(resource object.Object) object.Node {
	if t.Initial.IsZero() {
		return object.Node{}
	}

	v, _ := resource.At(t.Initial) // An error means that there is no such field.

	return v
}

// DesiredTags returns the tags that earlier steps have set in the tag field of t, and in the same field of spec.initProvider. An error says
// that the tag field has another shape.
func (t *Target) DesiredTags(keys *tagset.Keys) (*tagset.Set, error) {
	return tagset.ReadWithInitial(t.DesiredValue, t.InitialValue, t.Field, keys)
}

// EffectiveTags returns the tags of a resource that a command reads from a cluster, with the tags that only spec.initProvider has: see withInitial.
func (t *Target) EffectiveTags(keys *tagset.Keys) (*tagset.Set, error) {
	set, err := tagset.Read(t.DesiredValue, t.Field, keys)
	if err != nil {
		return nil, err
	}

	return t.withInitial(set, t.InitialValue, keys, t.ReportedTags(keys)), nil
}

// withInitial returns the tags that a resource has in the cloud: the tags of spec.forProvider, which are in the set, and the tags that only
// spec.initProvider has. Providers set the latter once, when they make the resource. So if the provider reports tags, these have the values
// that it reports, and tags that it doesn't report don't count: they may never have come.
func (t *Target) withInitial(set *tagset.Set, initial object.Node, keys *tagset.Keys, reported *tagset.Set) *tagset.Set {
	if initial.IsNull() {
		return set
	}

	all, err := tagset.ReadWithInitial(set.Value(), initial, t.Field, keys)
	if err != nil {
		return set
	}

	for e := range all.All() {
		decides, inCloud := all.Find(e.ID), reported.Find(e.ID)

		switch {
		case !e.Opaque && decides.Initial != e.Initial, e.Initial && reported != nil && (e.Opaque || inCloud == nil):
			all.Remove(e)
		case e.Initial && reported != nil:
			initial := *inCloud
			initial.Initial = true
			all.Restore(initial)
		}
	}

	return all
}

// initialOwners returns the owners of the observed map in spec.initProvider, or nil if there is none. A list has none: providers drop it for
// the list in spec.forProvider that a label needs.
func (t *Target) initialOwners() *Owners {
	if !t.InitialOf(t.Observed).IsObject() {
		return nil
	}

	inProvider := func(f *field.Field) *field.Field {
		initial := *f
		initial.Path = field.InitialPath(f.Path)

		return &initial
	}

	return t.managers.ownersOf(inProvider(t.Field), func(apiVersion string) *field.Field { return inProvider(t.FieldIn(apiVersion)) })
}

// stayingInitial returns the entries of the observed map in spec.initProvider that stay if no step desires them, such as {owner: me} of
// kubectl-edit. It returns a zero Node if there are none.
func (t *Target) stayingInitial() object.Node {
	owners := t.Owners().initial
	if owners == nil || owners.Unknown || owners.Atomic {
		return object.Node{}
	}

	staying := owners.stayingEntries(t.InitialOf(t.Observed))
	if staying.IsEmpty() {
		return object.Node{}
	}

	return staying
}

// initialAfterApply returns the value of the tag field in spec.initProvider once Crossplane has applied the resource.
func (t *Target) initialAfterApply(resource object.Object) object.Node {
	desired, staying := t.InitialOf(resource), t.stayingInitial()
	if staying.IsNull() || desired.IsThere() && !desired.IsObject() {
		return desired
	}

	all := staying.FieldMap()
	maps.Copy(all, desired.FieldMap())

	return object.MapNode(all)
}
