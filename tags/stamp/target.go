package stamp

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
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

	kind    field.Kind
	profile *tags.Profile

	// leave is why the resource is left alone whatever its kind, or empty if it's not.
	leave string

	// managed is true if the tags of the resource are to be managed.
	managed bool

	// located is true once the field has been looked for. Lacks is why there is none, or
	// empty if there is one. NoField and unknown say the same of the kind.
	located          bool
	lacks            string
	noField, unknown bool

	// field that holds the tags.
	field field.Field

	// before is the desired value of the field, or why it can't be had, and there the
	// observed one.
	before, there       *structpb.Value
	beforeErr, thereErr error
}

// Targets are the desired composed resources, sorted by name, and where their tags go.
type Targets struct {
	All []*Target

	stamper *Stamper
	fields  field.Locator
	schemas map[schema.GroupVersionKind]object.Node
}

// Targets reads the supplied resources. It returns the error of the supplied context once
// that has one.
func (s *Stamper) Targets(ctx context.Context, desired map[string]*fnv1.Resource) (*Targets, error) {
	ts := &Targets{All: make([]*Target, 0, len(desired)), stamper: s, schemas: make(map[schema.GroupVersionKind]object.Node)}

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
		t.kind = s.kindOf(t.Resource)
		t.profile = s.profileOf(t)

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
	if t.located {
		return t.lacks == ""
	}

	t.located = true

	f, known := ts.fields.Locate(t.kind)
	t.field = f
	t.profile = ts.stamper.profileOf(t)
	t.noField = known || !t.kind.Managed
	t.unknown = !t.noField

	switch {
	case t.unknown:
		t.lacks = whyUnknown
	case !known || f.Shape == field.None && f.LooksLike == "":
		t.lacks = whyNoField
	case f.Shape == field.None:
		t.lacks = fmt.Sprintf(whyLooksLike, f.LooksLike)
	default:
		t.noField = false

		t.before, t.beforeErr = object.Get(t.Resource, f.Path)
		t.there, t.thereErr = object.Get(t.observed, f.Path)
	}

	return t.lacks == ""
}

// profileOf returns the tag profile of the supplied target. What the composite resource
// or a class says decides only where nothing else does.
func (s *Stamper) profileOf(t *Target) *tags.Profile {
	family, _ := field.FamilyOf(t.kind.Group)
	provider := cmp.Or(t.field.Profile, s.Input.ProviderValue(), family.Profile, s.Provider)

	return s.Input.ProfileRules.ProfileOf(provider, t.kind.Group, t.kind.Kind)
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

func (s *Stamper) kindOf(r object.Object) field.Kind {
	k := field.Kind{GroupVersionKind: object.GVK(r)}

	if family, ok := field.FamilyOf(k.Group); ok && family.Profile != "" {
		k.Profile = family.Profile
	} else if p := s.Input.ProviderValue(); p != "" {
		k.Profile = tags.ProfileOf(p).Name
	}

	k.Managed = k.Group != s.CompositeGroup && isManaged(k.Group, r.Node())

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
