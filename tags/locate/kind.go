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

// managedSpecFields are fields that the spec of any managed resource may have. A spec with only these fields counts as
// managed, although it has no forProvider yet: this function can add it.
var managedSpecFields = []string{
	"providerConfigRef", "managementPolicies", "deletionPolicy", "writeConnectionSecretToRef", "publishConnectionDetailsTo", "initProvider",
}

// A TargetKind is a kind of desired composed resources, such as Bucket. All Buckets share one TargetKind.
type TargetKind struct {
	field.Kind

	// APIVersion is the resources' own, such as s3.aws.upbound.io/v1beta1.
	APIVersion string

	// profileBeforeLocate is the tag profile of resources before their tag field is located.
	profileBeforeLocate *profile.Profile

	place *Place
}

// A Place is the tag field of all resources of a kind, such as spec.forProvider.tags of Buckets, with its tag profile.
type Place struct {
	Field *field.Field

	Profile *profile.Profile

	// APIProfile is the profile of the cloud's own API, if the API refuses tags that Profile admits. It is nil otherwise.
	APIProfile *profile.Profile

	// ForInstanceMetadata is the same place with the key rules of EC2 instance metadata. It is nil for kinds whose tags EC2
	// never shows there: see instanceMetadataKind.
	ForInstanceMetadata *Place

	// WhyGeneric says why Profile is the generic one. It is empty if Profile belongs to a provider.
	WhyGeneric WhyGeneric

	// NoFieldReason says why there is no tag field. It is None if there is one.
	NoFieldReason Reason

	// Launched are the places for tags of launched resources, such as spec.forProvider.volumeTags of an Instance. There are
	// none unless the input tags launched resources.
	Launched []*LaunchedPlace

	// NeverWritten are paths of such fields that this function never writes: see field.NeverWrittenLaunches.
	NeverWritten []object.Path

	// fieldIn returns the tag field in another apiVersion of the kind. It is nil if all versions have the same field.
	fieldIn func(apiVersion string) *field.Field
}

// A kindKey identifies a TargetKind. Resources with equal keys share one TargetKind.
type kindKey struct {
	apiVersion, kind string

	// looksManaged reports whether the resource has the fields of a managed resource: see outline.looksManaged.
	looksManaged bool

	// wraps is the kind of the manifest in an Object of provider-kubernetes, if there is one.
	wraps schema.GroupVersionKind
}

// An outline has those parts of a resource that decide on its kind, and on whether it is left alone.
type outline struct {
	apiVersion, kind         string
	resource, metadata, spec object.Node

	// hasOtherFields reports whether there are fields that managed resources don't have, such as data of a ConfigMap.
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
		case "status":
		default:
			o.hasOtherFields = o.hasOtherFields || !v.IsNull()
		}
	}

	return o
}

// leaveReason returns why the resource must be left alone, or None. For example, it returns ObservedOnly for
// managementPolicies: ["Observe"], and Ignored for the annotation cloudtags.fn.plexsphere.com/ignore: "true".
func (o *outline) leaveReason() Reason {
	if o.apiVersion == "" || o.kind == "" {
		return NoObject
	}

	if o.metadata.Field("annotations").Field(IgnoreAnnotation).IsText("true") {
		return Ignored
	}

	if o.isReadOnly() {
		return ReadOnly
	}

	// Without managementPolicies, the provider creates and updates the resource.
	policies := o.spec.Field("managementPolicies")
	if !policies.IsList() {
		return None
	}

	for p := range policies.Items() {
		if p.IsText("*") || p.IsText("Create") || p.IsText("Update") {
			return None
		}
	}

	return ObservedOnly
}

// A Controller manages cloud resources, but is not a provider of Crossplane. An object can tell it by a field to stop.
type Controller struct {
	// domain is the suffix of the controller's API groups, such as .services.k8s.aws.
	domain string

	// The controller leaves an object alone if the field at Path has the Value. For example, ACK does so if the annotation
	// services.k8s.aws/read-only is "true". Without a Value, the field only pauses the controller, which writes tags later.
	Path  object.Path
	Value string
}

// controllers are ACK, Azure Service Operator, the OpenStack Resource Controller, Config Connector and Cluster API, in this
// order.
var controllers = []Controller{
	{domain: ".services.k8s.aws", Path: object.MustParsePath("metadata.annotations[services.k8s.aws/read-only]"), Value: "true"},
	{domain: ".azure.com", Path: object.MustParsePath("metadata.annotations[serviceoperator.azure.com/reconcile-policy]"), Value: "skip"},
	{domain: ".k-orc.cloud", Path: object.MustParsePath("spec.managementPolicy"), Value: "unmanaged"},
	{Path: object.MustParsePath("metadata.annotations[cnrm.cloud.google.com/reconcile-interval-in-seconds]")},
	{Path: object.MustParsePath("metadata.annotations[cluster.x-k8s.io/paused]")},
}

// ControllerOf returns the controller of an API group, such as ACK for s3.services.k8s.aws. It returns false if no
// controller of the group leaves objects alone.
func ControllerOf(group string) (Controller, bool) {
	for _, c := range controllers {
		if c.Value != "" && strings.HasSuffix(group, c.domain) {
			return c, true
		}
	}

	return Controller{}, false
}

// StopsController reports whether an annotation with this key stops a controller from managing an object, as
// cluster.x-k8s.io/paused does.
func StopsController(key string) bool {
	return key != "" && slices.ContainsFunc(controllers, func(c Controller) bool { return c.annotation() == key })
}

// annotation returns the key of the annotation that stops the controller. It returns "" if another field stops it.
func (c Controller) annotation() string {
	if s := c.Path.Segments(); s[0].Field == "metadata" { // metadata.annotations[KEY]
		return s[2].Field
	}

	return ""
}

// LeaveAlonePaths returns the paths of all fields that can tell a provider or controller to leave a resource alone, such as
// spec.managementPolicies. The IgnoreAnnotation isn't among them: only this function reads it.
func LeaveAlonePaths() []object.Path {
	out := []object.Path{object.MustParsePath("spec.managementPolicies")}

	for _, c := range controllers {
		if c.Value != "" {
			out = append(out, c.Path)
		}
	}

	return out
}

// isReadOnly reports whether the resource tells its controller to leave it alone. A Bucket of ACK does so by the annotation
// services.k8s.aws/read-only: "true".
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

// looksManaged reports whether the resource has the form of a managed resource:
//   - It has no fields beside apiVersion, kind, metadata, spec and status, as a ConfigMap with data would have.
//   - Its spec is missing, has forProvider, or has only managedSpecFields.
func (o *outline) looksManaged() bool {
	return !o.hasOtherFields && (o.spec.IsNull() || o.spec.Field("forProvider").IsObject() || o.spec.IsObject() && hasOnly(o.spec, managedSpecFields))
}

// kindOf returns the TargetKind of a resource with the outline o. The first Bucket makes it, and further Buckets share it.
func (ts *Targets) kindOf(o *outline) *TargetKind {
	key := kindKey{apiVersion: o.apiVersion, kind: o.kind, looksManaged: o.looksManaged()}

	if field.IsWrapper(o.apiVersion, o.kind) {
		m := o.spec.Field("forProvider").Field("manifest")
		key.wraps = schema.FromAPIVersionAndKind(m.Field("apiVersion").Interned(ts.interned), m.Field("kind").Interned(ts.interned))
	}

	k, ok := ts.kinds[key]
	if !ok {
		k = &TargetKind{APIVersion: o.apiVersion, Kind: field.Kind{GroupVersionKind: schema.FromAPIVersionAndKind(o.apiVersion, o.kind), Wraps: key.wraps}}

		// All kinds of a native family are resources of a cloud, even if the index lacks them.
		family, known := field.FamilyOf(k.GroupKind())
		k.Managed = k.Group != ts.finder.CompositeGroup && (key.looksManaged && canHaveProvider(k.Group) || family.Native)

		if known && family.Profile != "" {
			k.Profile = family.Profile
		} else if p := ts.finder.Input.ProviderValue(); p != "" {
			k.Profile = profile.Of(p).Name
		}

		taggedKind := k.Tagged()
		k.profileBeforeLocate = ts.finder.Input.ProfileRules.ProfileOf(ts.finder.providerOf(k.Kind, ""), taggedKind.Group, taggedKind.Kind)
		ts.kinds[key] = k
	}

	return k
}

// canHaveProvider reports whether a provider can manage resources of the API group, such as s3.aws.upbound.io. Groups of
// Kubernetes, such as apps or rbac.authorization.k8s.io, have no provider.
func canHaveProvider(group string) bool {
	return strings.Contains(group, ".") && group != "k8s.io" && !strings.HasSuffix(group, ".k8s.io")
}

// hasOnly reports whether all fields of the object o are among the given ones. Fields that are null don't count.
func hasOnly(o object.Node, fields []string) bool {
	for name, v := range o.Fields() {
		if !v.IsNull() && !slices.Contains(fields, string(name)) {
			return false
		}
	}

	return true
}

// placeOf returns the place for tags of the kind k, such as spec.forProvider.tags with the profile aws for a Bucket.
func (ts *Targets) placeOf(k *TargetKind) *Place {
	f, known := ts.fields.Locate(k.Kind)
	p := &Place{Field: &f, WhyGeneric: whyGeneric(ts.finder.providerOf(k.Kind, f.Profile), k), NoFieldReason: noFieldReason(k, &f, known)}
	p.Profile, p.APIProfile = ts.profilesOf(k, &f, k.Tagged().Kind)

	if f.Shape == field.Labels { // A composite resource gets the labels, and no tags.
		p.Profile, p.APIProfile, p.WhyGeneric = profile.Composite(), nil, WhyGeneric{}
	}

	ts.addLaunchedPlaces(k, p)
	p.fieldIn = ts.fieldInVersions(k, &f)

	if p.NoFieldReason == None {
		f.Limits = field.LimitsOf(ts.schemaAtHand(k), &f)
		ts.setForInstanceMetadata(k, p)
	}

	return p
}

// profilesOf returns the tag profile and the APIProfile of the tag field f of the kind k. kindName says whose limits count:
// Instance for its own tags, and the profile.LaunchedKind of Instance for tags of its volumes.
func (ts *Targets) profilesOf(k *TargetKind, f *field.Field, kindName string) (p, api *profile.Profile) {
	provider, group, rules := ts.finder.providerOf(k.Kind, f.Profile), k.Tagged().Group, ts.finder.Input.ProfileRules
	return rules.ProfileOf(provider, group, kindName), rules.APIProfileOf(provider, group, kindName)
}

// noFieldReason returns why resources of the kind k have no tag field, or None. f is the located field. known reports
// whether the index, a schema or an entry of tagFields knows the kind. For example, noFieldReason returns NoField for a
// BucketPolicy, and Unknown for a managed kind that nothing knows.
func noFieldReason(k *TargetKind, f *field.Field, known bool) Reason {
	switch {
	case !known && f.EntryLacksPath:
		return UnknownDespiteEntry
	case !known && k.Managed:
		return Unknown
	case f.Shape == field.None && f.OnRequest:
		return OnRequest
	case !known:
		return Unlisted
	case f.Shape != field.None:
		return None
	case f.EntryLacksPath && !k.Wraps.Empty():
		return Unlisted
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

// schemaAtHand returns the schema of the kind if Crossplane has already sent it. It never asks Crossplane for one.
func (ts *Targets) schemaAtHand(k *TargetKind) object.Node {
	s := ts.schemas[k.GroupVersionKind]
	if given := ts.finder.Schemas.Given; !s.IsObject() && given != nil {
		return given(k.GroupVersionKind)
	}

	return s
}

// FieldIn returns the tag field in another version of the kind, such as ec2.aws.upbound.io/v1beta1 of an Instance that is
// desired as v1beta2.
func (p *Place) FieldIn(apiVersion string) *field.Field {
	if p.fieldIn == nil {
		return p.Field
	}

	return p.fieldIn(apiVersion)
}

// fieldInVersions returns a function from an apiVersion of k to the tag field in that version. A LaunchTemplate has another
// field in v1beta1 than in v1beta2. An unknown version gets the desired field, which is the field of k's own version.
func (ts *Targets) fieldInVersions(k *TargetKind, desired *field.Field) func(apiVersion string) *field.Field {
	known := map[string]*field.Field{k.APIVersion: desired}

	return func(apiVersion string) *field.Field {
		f, ok := known[apiVersion]
		if ok {
			return f
		}

		f = desired
		other := k.Kind
		other.GroupVersionKind = schema.FromAPIVersionAndKind(apiVersion, k.Kind.Kind)

		if located, ok := ts.fields.Locate(other); ok && other.Group == k.Group && located.Shape != field.None {
			f = &located
		}

		known[apiVersion] = f

		return f
	}
}

// providerOf returns the provider of resources of the kind, such as aws. The first of these decides:
//   - named, by an entry of tagFields
//   - the input's provider.value
//   - the profile of the kind's family, such as aws of s3.aws.upbound.io
//   - a field of the composite resource, or a class
func (f *Finder) providerOf(k field.Kind, named string) string {
	family, _ := field.FamilyOf(k.Tagged().GroupKind())
	return cmp.Or(named, f.Input.ProviderValue(), family.Profile, f.Provider)
}
