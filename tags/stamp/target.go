package stamp

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// IgnoreAnnotation on a desired composed resource, with the value "true", leaves the
// resource alone.
const IgnoreAnnotation = "cloudtags.fn.plexsphere.com/ignore"

// Reasons to leave a resource alone.
const (
	whyIgnored   = "is annotated " + IgnoreAnnotation + ": \"true\""
	whyAdopted   = "is adopted: its managementPolicies allow neither Create nor Update"
	whyNoField   = "has no tag field"
	whyUnknown   = "has no tag field that is known"
	whyLooksLike = whyUnknown + "; %s may mean other things: a tagFields entry can say that it carries tags"
	whyNoObject  = "has no apiVersion and kind"
)

// managedFields are the fields of a spec that all managed resources have. One that has
// no other is managed, too: a step may leave it to this function to make the rest.
var managedFields = []string{
	"providerConfigRef", "managementPolicies", "deletionPolicy", "writeConnectionSecretToRef", "publishConnectionDetailsTo", "initProvider",
}

// managementPolicies of a resource.
var managementPolicies = object.MustParsePath("spec.managementPolicies")

// A Target is a desired composed resource, where its tags go, and what is there. It is read
// once.
type Target struct {
	Name string

	// Resource that is desired, and the one that is observed.
	Resource, observed object.Object

	kind    *kind
	profile *tags.Profile

	// leave is why the resource is left alone whatever its kind, or empty if it's not.
	leave string

	// managed is true if the tags of the resource are to be managed.
	managed bool

	// place of the tags, once that has been looked for.
	*place

	// before is the desired value of the field, or why it can't be had, and there the
	// observed one.
	before, there       object.Node
	beforeErr, thereErr error
}

// A kind of resources, of which most composite resources have few.
type kind struct {
	field.Kind

	// profile of resources of which nobody knows where their tags go.
	profile *tags.Profile

	place *place
}

// A place is where the tags of all resources of a kind go.
type place struct {
	field *field.Field

	profile *tags.Profile

	// lacks is why there is no field, or empty if there is one. NoField and unknown say the
	// same of the kind.
	lacks            string
	noField, unknown bool

	// fresh is what becomes of resources without tags, once that has been asked for.
	fresh *fresh
}

// kindKey is what is the same for resources of one kind, but for what kinds differ in.
type kindKey struct {
	schema.GroupVersionKind

	managed bool
}

// Targets are the desired composed resources, sorted by name, and where their tags go.
type Targets struct {
	All []*Target

	stamper *Stamper
	fields  field.Locator
	kinds   map[kindKey]*kind
	schemas map[schema.GroupVersionKind]object.Node
}

// Targets reads the supplied resources. It returns the error of the supplied context once
// that has one.
func (s *Stamper) Targets(ctx context.Context, desired map[string]*fnv1.Resource) (*Targets, error) {
	ts := &Targets{
		All: make([]*Target, 0, len(desired)), stamper: s,
		kinds: make(map[kindKey]*kind), schemas: make(map[schema.GroupVersionKind]object.Node),
	}

	ts.fields = s.Fields(field.Schemas{Of: func(k schema.GroupVersionKind) object.Node {
		if _, ok := ts.schemas[k]; !ok {
			ts.schemas[k] = s.Schemas.Of(k)
		}

		return ts.schemas[k]
	}})

	manages := s.asksForTags() || len(s.Input.Sources)+len(s.Input.RemoveTags)+len(s.Input.IgnoreTags)+len(s.Input.ReservedKeys) > 0

	for _, name := range slices.Sorted(maps.Keys(desired)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		t := &Target{Name: name, Resource: object.Of(desired[name]), observed: object.Of(s.Observed[name])}
		t.leave = leave(t.Resource)
		t.kind = ts.kindOf(t.Resource)
		t.profile = t.kind.profile

		// Resources from which all labels are gone are managed, too.
		t.managed = manages && ts.Selects(s.Input.Resources, t)
		if t.managed && t.leave == "" {
			ts.locate(t)
		}

		ts.All = append(ts.All, t)
	}

	return ts, nil
}

// Schemas are the kinds whose schemas say where their tags go, or would if they were here.
func (ts *Targets) Schemas() iter.Seq[schema.GroupVersionKind] { return maps.Keys(ts.schemas) }

// locate the tag field of the supplied target, and read it. It returns false if the target
// has none.
func (ts *Targets) locate(t *Target) bool {
	if t.place != nil {
		return t.lacks == ""
	}

	if t.kind.place == nil {
		t.kind.place = ts.placeOf(t.kind)
	}

	t.place = t.kind.place
	t.profile = t.place.profile

	if t.lacks == "" {
		t.before, t.beforeErr = t.Resource.At(t.field.Path)
		t.there, t.thereErr = t.observed.At(t.field.Path)
	}

	return t.lacks == ""
}

// placeOf the tags of the supplied kind.
func (ts *Targets) placeOf(k *kind) *place {
	f, known := ts.fields.Locate(k.Kind)
	p := &place{field: &f, profile: ts.stamper.profileOf(k.Kind, f.Profile)}

	switch {
	case !known && k.Managed:
		p.unknown, p.lacks = true, whyUnknown
	case !known || f.Shape == field.None && f.LooksLike == "":
		p.noField, p.lacks = true, whyNoField
	case f.Shape == field.None:
		p.noField, p.lacks = true, fmt.Sprintf(whyLooksLike, f.LooksLike)
	}

	return p
}

// profileOf returns the tag profile of resources of the supplied kind, for which a rule may
// name one. What the composite resource or a class says decides only where nothing else does.
func (s *Stamper) profileOf(k field.Kind, named string) *tags.Profile {
	family, _ := field.FamilyOf(k.Group)
	provider := cmp.Or(named, s.Input.ProviderValue(), family.Profile, s.Provider)

	return s.Input.ProfileRules.ProfileOf(provider, k.Group, k.Kind)
}

// IsUntouchable is true if nothing at all may be written to the resource.
func (t *Target) IsUntouchable() bool { return t.leave == whyIgnored || t.leave == whyNoObject }

// leave returns why the supplied resource must be left alone, whatever its kind, or
// nothing.
func leave(r object.Object) string {
	if object.APIVersion(r) == "" || object.Kind(r) == "" {
		return whyNoObject
	}

	if object.Annotations(r).Field(IgnoreAnnotation).IsText("true") {
		return whyIgnored
	}

	// Resources whose policies aren't given have all of them.
	policies, err := r.At(managementPolicies)
	if err != nil || !policies.IsList() {
		return ""
	}

	for p := range policies.Items() {
		if s := p.Text(); s == "*" || s == "Create" || s == "Update" {
			return ""
		}
	}

	return whyAdopted
}

// kindOf the supplied resource.
func (ts *Targets) kindOf(r object.Object) *kind {
	key := kindKey{GroupVersionKind: object.GVK(r)}
	key.managed = key.Group != ts.stamper.CompositeGroup && isManaged(key.Group, r.Node())

	k, ok := ts.kinds[key]
	if !ok {
		k = &kind{Kind: field.Kind{GroupVersionKind: key.GroupVersionKind, Managed: key.managed}}

		if family, ok := field.FamilyOf(k.Group); ok && family.Profile != "" {
			k.Profile = family.Profile
		} else if p := ts.stamper.Input.ProviderValue(); p != "" {
			k.Profile = tags.ProfileOf(p).Name
		}

		k.profile = ts.stamper.profileOf(k.Kind, "")
		ts.kinds[key] = k
	}

	return k
}

// isManaged is true if the supplied resource of the supplied API group is one that a
// provider makes outside of the control plane.
func isManaged(group string, r object.Node) bool {
	if !strings.Contains(group, ".") || group == "k8s.io" || strings.HasSuffix(group, ".k8s.io") {
		return false
	}

	if !hasOnly(r, []string{"apiVersion", "kind", "metadata", "spec", "status"}) {
		return false
	}

	spec := r.Field("spec")

	return spec.IsNull() || spec.Field("forProvider").IsObject() || spec.IsObject() && hasOnly(spec, managedFields)
}

// hasOnly is true if the supplied object has no other fields than those that are supplied.
func hasOnly(o object.Node, fields []string) bool {
	for name, v := range o.Fields() {
		if !v.IsNull() && !slices.Contains(fields, string(name)) {
			return false
		}
	}

	return true
}
