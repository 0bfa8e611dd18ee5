package stamp

import (
	"cmp"
	"fmt"
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

// A kind of resources, of which most composite resources have few.
type kind struct {
	kindKey
	field.Kind

	// profile of resources of which nobody knows where their tags go.
	profile *profile.Profile

	place *place
}

// A place is where the tags of all resources of a kind go.
type place struct {
	field *field.Field

	profile *profile.Profile

	// refuser has what the API of the cloud admits, if that is less than the profile does and
	// somebody wants to know. Otherwise it is nil.
	refuser *profile.Profile

	// unprofiled is why the profile is the generic one, if it's no provider's own.
	unprofiled Unprofiled

	// lacks is why there is no field, or empty if there is one. NoField and unknown say the
	// same of the kind.
	lacks            string
	noField, unknown bool

	// in returns the field as another version of the kind has it. It is nil if they all have the
	// same.
	in func(apiVersion string) *field.Field

	// launched are where the tags of what the resources launch go, if these are tagged.
	launched []*launchedPlace
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
	apiVersion, kind string
	metadata, spec   object.Node

	// more is true if there are fields that managed resources don't have, as the data of a
	// ConfigMap.
	more bool
}

// outlineOf the supplied resource, with texts that are equal to supplied ones the same.
func outlineOf(r object.Node, texts map[string]string) outline {
	o := outline{}

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

// leave returns why the resource must be left alone, whatever its kind, or nothing.
func (o *outline) leave() string {
	if o.apiVersion == "" || o.kind == "" {
		return whyNoObject
	}

	if o.metadata.Field("annotations").Field(IgnoreAnnotation).IsText("true") {
		return whyIgnored
	}

	if o.isReadOnly() {
		return whyReadOnly
	}

	// Resources whose policies aren't given have all of them.
	policies := o.spec.Field("managementPolicies")
	if !policies.IsList() {
		return ""
	}

	for p := range policies.Items() {
		if p.IsText("*") || p.IsText("Create") || p.IsText("Update") {
			return ""
		}
	}

	return whyAdopted
}

// readOnly are the annotations by which other controllers than Crossplane's leave what is there as
// it is: those of ACK and of Azure Service Operator.
var readOnly = map[string]string{"services.k8s.aws/read-only": "true", "serviceoperator.azure.com/reconcile-policy": "skip"}

// isReadOnly is true if another controller than Crossplane's doesn't change what the resource is
// of. That of OpenStack has a field for it.
func (o *outline) isReadOnly() bool {
	if o.spec.Field("managementPolicy").IsText("unmanaged") {
		return true
	}

	annotations := o.metadata.Field("annotations")
	if annotations.IsEmpty() {
		return false
	}

	for name, value := range readOnly {
		if annotations.Field(name).IsText(value) {
			return true
		}
	}

	return false
}

// looksManaged is true if a provider may make the resource outside of the control plane.
func (o *outline) looksManaged() bool {
	return !o.more && (o.spec.IsNull() || o.spec.Field("forProvider").IsObject() || o.spec.IsObject() && hasOnly(o.spec, managedFields))
}

// kindOf the resource with the supplied outline.
func (ts *Targets) kindOf(o *outline) *kind {
	key := kindKey{apiVersion: o.apiVersion, kind: o.kind, looksManaged: o.looksManaged()}

	if field.IsWrapper(o.apiVersion, o.kind) {
		m := o.spec.Field("forProvider").Field("manifest")
		key.wraps = schema.FromAPIVersionAndKind(m.Field("apiVersion").Interned(ts.texts), m.Field("kind").Interned(ts.texts))
	}

	k, ok := ts.kinds[key]
	if !ok {
		k = &kind{kindKey: key, Kind: field.Kind{GroupVersionKind: schema.FromAPIVersionAndKind(o.apiVersion, o.kind), Wraps: key.wraps}}

		// Of a native family even kinds that the index lacks are of a cloud.
		family, isOf := field.FamilyOf(k.GroupKind())
		k.Managed = k.Group != ts.stamper.CompositeGroup && (key.looksManaged && isManaged(k.Group) || family.Native)

		if isOf && family.Profile != "" {
			k.Profile = family.Profile
		} else if p := ts.stamper.Input.ProviderValue(); p != "" {
			k.Profile = profile.Of(p).Name
		}

		k.profile = ts.stamper.profileOf(k.Kind, "")
		ts.kinds[key] = k
	}

	return k
}

// isManaged is true if resources of the supplied API group may be managed by a provider.
func isManaged(group string) bool {
	return strings.Contains(group, ".") && group != "k8s.io" && !strings.HasSuffix(group, ".k8s.io")
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

// placeOf the tags of the supplied kind.
func (ts *Targets) placeOf(k *kind) *place {
	f, known := ts.fields.Locate(k.Kind)
	p := &place{field: &f, profile: ts.stamper.profileOf(k.Kind, f.Profile), refuser: ts.stamper.refuserOf(k.Kind, f.Profile), unprofiled: ts.stamper.unprofiled(k.Kind, f.Profile)}

	switch {
	case !known && f.Asked:
		p.unknown, p.lacks = true, whyAsked
	case !known && k.Managed:
		p.unknown, p.lacks = true, whyUnknown
	case f.Shape == field.None && f.OnRequest:
		p.noField, p.lacks = true, whyRequest
	case f.Asked && f.Shape == field.None && f.LooksLike == "":
		p.noField, p.lacks = true, whyNotAsked
	case !known || f.Shape == field.None && f.LooksLike == "":
		p.noField, p.lacks = true, whyNoField
	case f.Shape == field.None:
		p.noField, p.lacks = true, fmt.Sprintf(whyLooksLike, f.LooksLike)
	}

	p.launched = ts.launchedPlaces(k, p)
	p.in = ts.inVersions(k)

	if p.lacks == "" {
		f.Limits = field.LimitsOf(ts.schemaAtHand(k), &f)
	}

	return p
}

// schemaAtHand returns the schema of the kind if it was asked for, or is there though it wasn't. It
// is not asked for now.
func (ts *Targets) schemaAtHand(k *kind) object.Node {
	s := ts.schemas[k.GroupVersionKind]
	if given := ts.stamper.Schemas.Given; !s.IsObject() && given != nil {
		return given(k.GroupVersionKind)
	}

	return s
}

// fieldIn returns the field as the kind has it in the version apiVersion.
func (p *place) fieldIn(apiVersion string) *field.Field {
	if p.in != nil {
		if f := p.in(apiVersion); f != nil {
			return f
		}
	}

	return p.field
}

// inVersions returns what locates the tag field in other versions of the kind k, if it is known
// there.
func (ts *Targets) inVersions(k *kind) func(apiVersion string) *field.Field {
	known := map[string]*field.Field{k.apiVersion: nil}

	return func(apiVersion string) *field.Field {
		f, ok := known[apiVersion]
		if ok {
			return f
		}

		of := k.Kind
		of.GroupVersionKind = schema.FromAPIVersionAndKind(apiVersion, k.kind)

		if in, ok := ts.fields.Locate(of); ok && of.Group == k.Group && in.Shape != field.None {
			f = &in
		}

		known[apiVersion] = f

		return f
	}
}

// profileOf returns the tag profile of resources of the supplied kind, for which a rule may
// name one.
func (s *Stamper) profileOf(k field.Kind, named string) *profile.Profile {
	of := k.Tagged()
	return s.Input.ProfileRules.ProfileOf(s.providerOf(k, named), of.Group, of.Kind)
}

// refuserOf returns what the API of the cloud admits of tags of resources of the kind, if that is
// less than their tag profile does, or nil.
func (s *Stamper) refuserOf(k field.Kind, named string) *profile.Profile {
	of := k.Tagged()
	return s.Input.ProfileRules.RefuserOf(s.providerOf(k, named), of.Group, of.Kind)
}

// providerOf resources of the kind, for which a rule may name one. What the composite resource or
// a class says decides only where nothing else does.
func (s *Stamper) providerOf(k field.Kind, named string) string {
	family, _ := field.FamilyOf(k.Tagged())
	return cmp.Or(named, s.Input.ProviderValue(), family.Profile, s.Provider)
}
