package locate

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// managedFields are the fields of a spec that all managed resources have. One that has
// no other is managed, too: a step may leave it to this function to make the rest.
var managedFields = []string{
	"providerConfigRef", "managementPolicies", "deletionPolicy", "writeConnectionSecretToRef", "publishConnectionDetailsTo", "initProvider",
}

// A Kind of resources. Most composite resources have few kinds.
type Kind struct {
	field.Kind

	// APIVersion as the resources have it.
	APIVersion string

	// profile of resources whose tag field nobody knows.
	profile *profile.Profile

	place *Place
}

// A Place is where the tags of all resources of a kind go.
type Place struct {
	Field *field.Field

	Profile *profile.Profile

	// Refuser has what the API of the cloud admits, if that is less than the profile does and
	// somebody wants to know. Otherwise it is nil.
	Refuser *profile.Profile

	// Unprofiled is why the profile is the generic one, if it's no provider's own.
	Unprofiled Unprofiled

	// Lacks is why there is no field, or None if there is one.
	Lacks Reason

	// Launched are where the tags of what the resources launch go, if these are tagged. Unused are paths
	// of other such fields, which are left as they are: see field.UnusedLaunches.
	Launched []*Launched
	Unused   []object.Path

	// in returns the field as another version of the kind has it. It is nil if they all have the
	// same.
	in func(apiVersion string) *field.Field
}

// kindKey is what tells kinds of resources apart.
type kindKey struct {
	apiVersion, kind string

	// looksManaged is true if a provider may make such a resource outside of the control
	// plane, by what it holds.
	looksManaged bool

	// wraps is what kind of resource it wraps, if any.
	wraps schema.GroupVersionKind
}

// An outline of a resource is what is read of it whatever its kind.
type outline struct {
	apiVersion, kind         string
	resource, metadata, spec object.Node

	// more is true if there are fields that managed resources don't have, as the data of a
	// ConfigMap.
	more bool
}

// outlineOf the resource r. Its apiVersion and kind are the very strings in texts that are equal.
func outlineOf(r object.Node, texts map[string]string) outline {
	o := outline{resource: r}

	for name, v := range r.Fields() {
		switch string(name) {
		case "apiVersion":
			o.apiVersion = v.Interned(texts)
		case "kind":
			o.kind = v.Interned(texts)
		case "metadata":
			o.metadata = v
		case "spec":
			o.spec = v
		case "status":
		default:
			o.more = o.more || !v.IsNull()
		}
	}

	return o
}

// leave returns why the resource must be left alone whatever its kind is, or None.
func (o *outline) leave() Reason {
	if o.apiVersion == "" || o.kind == "" {
		return NoObject
	}

	if o.metadata.Field("annotations").Field(IgnoreAnnotation).IsText("true") {
		return Ignored
	}

	if o.isReadOnly() {
		return ReadOnly
	}

	// Resources whose policies aren't given have all of them.
	policies := o.spec.Field("managementPolicies")
	if !policies.IsList() {
		return None
	}

	for p := range policies.Items() {
		if p.IsText("*") || p.IsText("Create") || p.IsText("Update") {
			return None
		}
	}

	return Adopted
}

// A Controller isn't one of a provider of Crossplane. It stops to look after an object with a field.
type Controller struct {
	domain string // Of its API groups.

	// Path of the field, and the Value with which the controller leaves the resource as it is. Without one, it still
	// writes tags, or does so once the field is gone.
	Path  object.Path
	Value string
}

// controllers are ACK, Azure Service Operator, the OpenStack Resource Controller, Config Connector and Cluster API. What one
// of them reads counts for no other kinds.
var controllers = []Controller{
	{domain: ".services.k8s.aws", Path: object.MustParsePath("metadata.annotations[services.k8s.aws/read-only]"), Value: "true"},
	{domain: ".azure.com", Path: object.MustParsePath("metadata.annotations[serviceoperator.azure.com/reconcile-policy]"), Value: "skip"},
	{domain: ".k-orc.cloud", Path: object.MustParsePath("spec.managementPolicy"), Value: "unmanaged"},
	{Path: object.MustParsePath("metadata.annotations[cnrm.cloud.google.com/reconcile-interval-in-seconds]")},
	{Path: object.MustParsePath("metadata.annotations[cluster.x-k8s.io/paused]")},
}

// ControllerOf the kinds of an API group, if there is one that leaves resources as they are.
func ControllerOf(group string) (Controller, bool) {
	for _, c := range controllers {
		if c.Value != "" && strings.HasSuffix(group, c.domain) {
			return c, true
		}
	}

	return Controller{}, false
}

// Stops reports whether a controller stops to look after an object that has an annotation of this key.
func Stops(key string) bool {
	return slices.ContainsFunc(controllers, func(c Controller) bool {
		s := c.Path.Segments()
		return s[0].Field == "metadata" && s[2].Field == key
	})
}

// Leaving returns the paths of the fields, but for the IgnoreAnnotation, by which a resource is left alone.
func Leaving() []object.Path {
	out := []object.Path{object.MustParsePath("spec.managementPolicies")}

	for _, c := range controllers {
		if c.Value != "" {
			out = append(out, c.Path)
		}
	}

	return out
}

// isReadOnly is true if the controller of the resource leaves it as it is.
func (o *outline) isReadOnly() bool {
	group, _, _ := strings.Cut(o.apiVersion, "/")

	c, ok := ControllerOf(group)
	if !ok {
		return false
	}

	n := o.resource
	for _, s := range c.Path.Segments() {
		n = n.Field(s.Field)
	}

	return n.IsText(c.Value)
}

// looksManaged is true if a provider may make the resource outside of the control plane.
func (o *outline) looksManaged() bool {
	return !o.more && (o.spec.IsNull() || o.spec.Field("forProvider").IsObject() || o.spec.IsObject() && hasOnly(o.spec, managedFields))
}

// kindOf the resource with the outline o.
func (ts *Targets) kindOf(o *outline) *Kind {
	key := kindKey{apiVersion: o.apiVersion, kind: o.kind, looksManaged: o.looksManaged()}

	if field.IsWrapper(o.apiVersion, o.kind) {
		m := o.spec.Field("forProvider").Field("manifest")
		key.wraps = schema.FromAPIVersionAndKind(m.Field("apiVersion").Interned(ts.texts), m.Field("kind").Interned(ts.texts))
	}

	k, ok := ts.kinds[key]
	if !ok {
		k = &Kind{APIVersion: o.apiVersion, Kind: field.Kind{GroupVersionKind: schema.FromAPIVersionAndKind(o.apiVersion, o.kind), Wraps: key.wraps}}

		// Of a native family even kinds that the index lacks are of a cloud.
		family, isOf := field.FamilyOf(k.GroupKind())
		k.Managed = k.Group != ts.finder.CompositeGroup && (key.looksManaged && isManaged(k.Group) || family.Native)

		if isOf && family.Profile != "" {
			k.Profile = family.Profile
		} else if p := ts.finder.Input.ProviderValue(); p != "" {
			k.Profile = profile.Of(p).Name
		}

		of := k.Tagged()
		k.profile = ts.finder.Input.ProfileRules.ProfileOf(ts.finder.providerOf(k.Kind, ""), of.Group, of.Kind)
		ts.kinds[key] = k
	}

	return k
}

// isManaged is true if a provider may manage resources of the API group.
func isManaged(group string) bool {
	return strings.Contains(group, ".") && group != "k8s.io" && !strings.HasSuffix(group, ".k8s.io")
}

// hasOnly is true if the object o has no fields but these. Fields that are null don't count.
func hasOnly(o object.Node, fields []string) bool {
	for name, v := range o.Fields() {
		if !v.IsNull() && !slices.Contains(fields, string(name)) {
			return false
		}
	}

	return true
}

// placeOf the tags of resources of the kind k.
func (ts *Targets) placeOf(k *Kind) *Place {
	f, known := ts.fields.Locate(k.Kind)
	provider, of, rules := ts.finder.providerOf(k.Kind, f.Profile), k.Tagged(), ts.finder.Input.ProfileRules
	p := &Place{
		Field: &f, Profile: rules.ProfileOf(provider, of.Group, of.Kind), Refuser: rules.RefuserOf(provider, of.Group, of.Kind),
		Unprofiled: unprofiled(provider, k), Lacks: lacks(k, &f, known),
	}

	if f.Shape == field.Labels {
		p.Profile, p.Refuser, p.Unprofiled = profile.Composite(), nil, Unprofiled{}
	}

	ts.launches(k, p)
	p.in = ts.inVersions(k, &f)

	if p.Lacks == None {
		f.Limits = field.LimitsOf(ts.schemaAtHand(k), &f)
	}

	return p
}

// lacks returns why resources of the kind k have no tag field, or None. It is known or not that the
// field is f.
func lacks(k *Kind, f *field.Field, known bool) Reason {
	switch {
	case !known && f.Asked:
		return Asked
	case !known && k.Managed:
		return Unknown
	case f.Shape == field.None && f.OnRequest:
		return OnRequest
	case !known:
		return Unlisted
	case f.Shape != field.None:
		return None
	case f.Asked && !k.Wraps.Empty():
		return Unlisted
	case f.Undeclared != "":
		return Undeclared
	case f.LooksLike != nil:
		return LooksLike
	case f.Asked:
		return NotAsked
	default:
		return NoField
	}
}

// schemaAtHand returns the schema of the kind if it was asked for, or is there though it wasn't. It
// is not asked for now.
func (ts *Targets) schemaAtHand(k *Kind) object.Node {
	s := ts.schemas[k.GroupVersionKind]
	if given := ts.finder.Schemas.Given; !s.IsObject() && given != nil {
		return given(k.GroupVersionKind)
	}

	return s
}

// FieldIn returns the field as the kind has it in the version apiVersion.
func (p *Place) FieldIn(apiVersion string) *field.Field {
	if p.in == nil {
		return p.Field
	}

	return p.in(apiVersion)
}

// inVersions returns what locates the tag field in other versions of the kind k: it is own where
// nothing else is known.
func (ts *Targets) inVersions(k *Kind, own *field.Field) func(apiVersion string) *field.Field {
	known := map[string]*field.Field{k.APIVersion: own}

	return func(apiVersion string) *field.Field {
		f, ok := known[apiVersion]
		if ok {
			return f
		}

		f = own
		of := k.Kind
		of.GroupVersionKind = schema.FromAPIVersionAndKind(apiVersion, k.Kind.Kind)

		if in, ok := ts.fields.Locate(of); ok && of.Group == k.Group && in.Shape != field.None {
			f = &in
		}

		known[apiVersion] = f

		return f
	}
}

// providerOf resources of the kind, for which a rule may name one. What the composite resource or
// a class says decides only where nothing else does.
func (f *Finder) providerOf(k field.Kind, named string) string {
	family, _ := field.FamilyOf(k.Tagged().GroupKind())
	return cmp.Or(named, f.Input.ProviderValue(), family.Profile, f.Provider)
}
