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

// managedSpecFields are the fields that the spec of any managed resource may have beside forProvider. A resource
// whose spec has only these fields counts as managed, too: function-cloud-tags can add forProvider with the tags.
var managedSpecFields = []string{
	"providerConfigRef", "managementPolicies", "deletionPolicy", "writeConnectionSecretToRef", "publishConnectionDetailsTo", "initProvider",
}

// A TargetKind is a kind of desired composed resources, such as Bucket. Resources of one apiVersion and kind share one TargetKind, if all
// of them look managed, or wrap manifests of one kind.
type TargetKind struct {
	// Kind has the API group, version and kind. Its method Tagged returns the kind whose tags count: for an Object of
	// provider-kubernetes, the kind of the manifest.
	field.Kind

	// APIVersion is group and version of the Kind as one text, such as s3.aws.upbound.io/v1beta1.
	APIVersion string

	// profileBeforeLocate is the tag profile of resources for which Locate isn't called, or not yet. It ignores the profile that an entry of
	// tagFields may name.
	profileBeforeLocate *profile.Profile

	// inCompositeGroup reports whether the XR has the same API group.
	inCompositeGroup bool

	// place is nil until Locate is called for a resource of the kind.
	place *Place
}

// A Place is the tag field of all resources of a kind, such as spec.forProvider.tags of Buckets, with its tag profile.
type Place struct {
	// Field has the shape None if the kind has no tag field.
	Field *field.Field

	// Initial is the path of the field in spec.initProvider, such as spec.initProvider.tags. It is zero for a field that has none.
	Initial object.Path

	Profile *profile.Profile

	// APIProfile is nil unless the cloud's API is known to refuse tags that Profile admits. For example, the API of Hetzner
	// Cloud refuses the tag plexsphere:platform/env of a Server, which Profile admits.
	APIProfile *profile.Profile

	// ForInstanceMetadata is a copy of the place whose profiles have the key rules of EC2 instance metadata. It is nil for kinds
	// whose tags EC2 never shows in instance metadata: see instanceMetadataKind.
	ForInstanceMetadata *Place

	// WhyGeneric says why Profile is the generic one. It is empty if Profile belongs to a provider.
	WhyGeneric WhyGeneric

	// NoFieldReason says why there is no tag field. It is None if there is one.
	NoFieldReason Reason

	// Launched are the places for tags of launched resources, such as spec.forProvider.volumeTags of an Instance. There are
	// none unless the input tags launched resources.
	Launched []*LaunchedPlace

	// IsLaunched reports whether the field is itself one for tags of launched resources.
	IsLaunched bool

	// NeverWritten are paths of launched fields in which a change of tags would replace a running resource, fail, or do
	// nothing: ebsBlockDevice.tags of an Instance.
	NeverWritten []object.Path

	// fieldIn returns the tag field in an apiVersion of the kind: see FieldIn. It is nil for launched places.
	fieldIn func(apiVersion string) *field.Field
}

// A kindKey identifies a TargetKind. Resources with equal keys share one TargetKind.
type kindKey struct {
	apiVersion, kind string

	// looksManaged is the result of outline.looksManaged.
	looksManaged bool

	// wraps is the kind of the manifest in an Object of provider-kubernetes, and empty for other kinds.
	wraps schema.GroupVersionKind
}

// An outline has the parts of a resource that decide on its TargetKind, and on whether the resource is left alone.
type outline struct {
	apiVersion, kind         string
	resource, metadata, spec object.Node

	// hasOtherFields reports whether the resource has a field that managed resources don't have, such as data of a ConfigMap.
	hasOtherFields bool
}

// outlineOf returns the outline of the resource r. It interns apiVersion and kind, so that a thousand Buckets share one
// string `Bucket`.
func outlineOf(r object.Node, interned map[string]string) outline {
	o := outline{resource: r}

	for name, v := range r.Fields() {
		switch string(name) {
		case "apiVersion":
			o.apiVersion = v.Interned(interned)
		case "kind":
			o.kind = v.Interned(interned)
		case "metadata":
			o.metadata = v
		case "spec":
			o.spec = v
		case "status": // Managed resources have a status, too.
		default:
			o.hasOtherFields = o.hasOtherFields || !v.IsNull()
		}
	}

	return o
}

// leaveReason returns why the resource must be left alone, or None. For example, leaveReason returns ObservedOnly for
// managementPolicies: ["Observe"], Paused for managementPolicies: [], and Ignored for the annotation cloudtags.fn.plexsphere.com/ignore: "true".
func (o *outline) leaveReason() Reason {
	if o.apiVersion == "" || o.kind == "" {
		return NoObject
	}

	if o.metadata.Field("annotations").Field(IgnoreAnnotation).IsText("true") {
		return Ignored
	}

	group, _, _ := strings.Cut(o.apiVersion, "/")
	if c, ok := field.ControllerOf(group); ok {
		value, _ := o.resource.Object().At(c.Path) // An error means that there is no such field.
		if value.IsText(c.Value) {
			return ReadOnly
		}
	}

	switch {
	case o.allows("Create"), o.allows("Update"):
		return None
	case o.spec.Field("managementPolicies").IsEmpty():
		return Paused
	default:
		return ObservedOnly
	}
}

// allows reports whether the managementPolicies let the provider do the action, such as Update. Without managementPolicies, it does all.
func (o *outline) allows(action string) bool {
	policies := o.spec.Field("managementPolicies")

	for p := range policies.Items() {
		if p.IsText("*") || p.IsText(action) {
			return true
		}
	}

	return !policies.IsList()
}

// looksManaged reports whether the resource has the form of a managed resource:
//   - Its spec is missing, has forProvider, or has only managedSpecFields.
//   - It has no fields beside apiVersion, kind, metadata, spec and status. A ConfigMap with data has another field.
func (o *outline) looksManaged() bool {
	hasManagedSpec := o.spec.IsNull() || o.spec.Field("forProvider").IsObject() || hasOnly(o.spec, managedSpecFields)
	return hasManagedSpec && !o.hasOtherFields
}

// kindOf returns the TargetKind of a resource with the outline o. All Buckets share one TargetKind, made for the first of them.
func (ts *Targets) kindOf(o *outline) *TargetKind {
	key := kindKey{apiVersion: o.apiVersion, kind: o.kind, looksManaged: o.looksManaged()}

	if field.IsWrapper(o.apiVersion, o.kind) {
		manifest := o.spec.Field("forProvider").Field("manifest")
		key.wraps = schema.FromAPIVersionAndKind(manifest.Field("apiVersion").Interned(ts.interned), manifest.Field("kind").Interned(ts.interned))
	}

	k, ok := ts.kinds[key]
	if !ok {
		k = ts.newKind(&key)
		ts.kinds[key] = k
	}

	return k
}

// newKind returns the TargetKind of resources with the key.
func (ts *Targets) newKind(key *kindKey) *TargetKind {
	k := &TargetKind{APIVersion: key.apiVersion}
	k.GroupVersionKind, k.Wraps = schema.FromAPIVersionAndKind(key.apiVersion, key.kind), key.wraps

	// A kind is managed in two cases: it belongs to a native controller, such as ACK, or its resources look managed and its API group can
	// have a provider. Kinds in the API group of the XR are never managed.
	family, _ := field.FamilyOf(k.GroupKind()) // The family of the resource itself, even if it wraps another: see Tagged.
	k.inCompositeGroup = k.Group != "" && k.Group == ts.finder.CompositeGroup
	k.Managed = k.Group != ts.finder.CompositeGroup && (family.Native || key.looksManaged && canHaveProvider(k.Group))

	// k.Profile is only for field.ByProfile. If nothing else knows the kind, ByProfile gives it the usual tag field of the profile.
	k.Profile = family.Profile
	if provider := ts.finder.Input.ProviderValue(); k.Profile == "" && provider != "" {
		k.Profile = profile.Of(provider).Name
	}

	// Targets have this profile until Locate.
	k.profileBeforeLocate, _ = ts.profilesOf(k, "", k.Tagged().Kind)

	return k
}

// canHaveProvider reports whether a provider can manage resources of the API group, such as s3.aws.upbound.io. Groups of
// Kubernetes, such as apps or rbac.authorization.k8s.io, have no provider.
func canHaveProvider(group string) bool {
	return strings.Contains(group, ".") && group != "k8s.io" && !strings.HasSuffix(group, ".k8s.io")
}

// hasOnly reports whether o is an object, and its fields are among the given ones. Fields that are null don't count.
func hasOnly(o object.Node, fields []string) bool {
	for name, v := range o.Fields() {
		if !v.IsNull() && !slices.Contains(fields, string(name)) {
			return false
		}
	}

	return o.IsObject()
}

// placeOf returns the place for tags of the kind k, such as spec.forProvider.tags with the profile aws for a Bucket.
func (ts *Targets) placeOf(k *TargetKind) *Place {
	f, known := ts.locator.Locate(k.Kind)
	p := &Place{Field: &f, NoFieldReason: noFieldReason(k, &f, known), fieldIn: ts.newFieldIn(k, &f)}

	if f.Shape == field.Labels { // The resource is an XR itself. Its own Composition turns the labels in the field into tags.
		p.Profile = profile.Composite()
	} else {
		p.Profile, p.APIProfile = ts.profilesOf(k, f.EntryProvider, k.Tagged().Kind)
		p.WhyGeneric = whyGeneric(ts.finder.providerOf(k, f.EntryProvider), f.EntryProvider, k)
	}

	if p.NoFieldReason == None {
		p.Initial = field.InitialPath(f.Path)
		ts.addLaunchedPlaces(k, p)
		p.Field.Limits = field.LimitsOf(ts.schemaAtHand(k), p.Field)
		ts.setPlaceForInstanceMetadata(k, p) // EC2 refuses some keys there that tags may have.
	}

	return p
}

// profilesOf returns the Profile and the APIProfile of a Place of the kind k. entryProvider is the provider that an entry of tagFields
// names, or "". kindName is the kind whose profile is wanted: Instance, or Instance.volumeTags for its volumes.
func (ts *Targets) profilesOf(k *TargetKind, entryProvider, kindName string) (p, api *profile.Profile) {
	provider, group := ts.finder.providerOf(k, entryProvider), k.Tagged().Group
	if entryProvider == "" && profile.IsSecondSystem(provider) { // Only an entry asks for a second tag system.
		provider = profile.Generic
	}

	rules := ts.finder.Input.ProfileRules

	return rules.ProfileOf(provider, group, kindName), rules.APIProfileOf(provider, group, kindName)
}

// noFieldReason returns why resources of the kind k have no tag field, or None. f and known are what Locate returned. For
// example, noFieldReason returns NoField for a BucketPolicy, Unknown for a managed kind that nothing knows, and Unlisted for
// any other kind that nothing knows.
func noFieldReason(k *TargetKind, f *field.Field, known bool) Reason {
	switch {
	case !known && f.EntryLacksPath:
		return UnknownDespiteEntry
	case !known && k.Managed:
		return Unknown
	case !known:
		return Unlisted
	case f.Shape != field.None:
		return None
	case f.OnRequest:
		return OnRequest
	case f.EntryLacksPath && !k.Wraps.Empty():
		return Unlisted // The Object is known only by an entry without a path, and nothing knows the kind of its manifest.
	case f.UndeclaredPath != "":
		return Undeclared
	case f.PossibleField != nil:
		return PossibleField
	case f.EntryLacksPath:
		return NoFieldDespiteEntry
	default:
		return NoField
	}
}

// schemaAtHand returns the schema of the kind if Crossplane has already sent it, and otherwise no object. Crossplane may have sent the
// schema for one of two reasons: this function has asked for it, or the pipeline step requires it. schemaAtHand never asks for one.
func (ts *Targets) schemaAtHand(k *TargetKind) object.Node {
	s := ts.schemas[k.GroupVersionKind]
	if s.IsObject() || ts.finder.Schemas.Given == nil {
		return s
	}

	return ts.finder.Schemas.Given(k.GroupVersionKind)
}

// FieldIn returns the tag field in the apiVersion in which a field manager wrote the resource. For a launched place, it always returns
// Field.
func (p *Place) FieldIn(apiVersion string) *field.Field {
	if p.fieldIn == nil {
		return p.Field
	}

	return p.fieldIn(apiVersion)
}

// newFieldIn returns a function from an apiVersion to the tag field of k in that apiVersion. A DatabaseInstance of
// sql.gcp.upbound.io has settings[0].userLabels in v1beta1, and settings.userLabels in v1beta2. desiredField is the tag field in
// the apiVersion of the desired resources. An apiVersion of another group, or in which k has no tag field, gets desiredField, too.
func (ts *Targets) newFieldIn(k *TargetKind, desiredField *field.Field) func(apiVersion string) *field.Field {
	cache := map[string]*field.Field{k.APIVersion: desiredField}

	return func(apiVersion string) *field.Field {
		if f, ok := cache[apiVersion]; ok {
			return f
		}

		other := k.Kind // With all but the apiVersion.
		other.GroupVersionKind = schema.FromAPIVersionAndKind(apiVersion, k.GroupVersionKind.Kind)

		f := desiredField
		if located, ok := ts.locator.Locate(other); ok && located.Shape != field.None && other.Group == k.Group {
			f = &located
		}

		cache[apiVersion] = f

		return f
	}
}

// providerOf returns the provider of resources of the kind, such as aws. The first of these decides:
//   - entryProvider, which an entry of tagFields names
//   - the input's provider.value
//   - the profile of the kind's family, such as aws of s3.aws.upbound.io
//   - Finder.Provider, which a field of the XR or a class names
func (f *Finder) providerOf(k *TargetKind, entryProvider string) string {
	family, _ := field.FamilyOf(k.Tagged().GroupKind())
	return cmp.Or(entryProvider, f.Input.ProviderValue(), family.Profile, f.Provider)
}
