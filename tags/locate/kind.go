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

// specFieldsOfAll are the fields of a spec that all managed resources have. A resource without other fields is managed, too:
// a step may leave it to this function to make forProvider.
var specFieldsOfAll = []string{
	"providerConfigRef", "managementPolicies", "deletionPolicy", "writeConnectionSecretToRef", "publishConnectionDetailsTo", "initProvider",
}

// A TargetKind is a kind of targets. Most composite resources have few kinds.
type TargetKind struct {
	field.Kind

	// APIVersion as the resources have it.
	APIVersion string

	// fallback is the tag profile of resources whose tag field nobody knows.
	fallback *profile.Profile

	place *Place
}

// A Place is where the tags of all resources of a kind go.
type Place struct {
	Field *field.Field

	Profile *profile.Profile

	// Refuser is the profile of the cloud's own API. It is nil if the API admits as much as Profile, or if nobody asks.
	Refuser *profile.Profile

	// Shown is the place of the same tags if EC2 shows them in instance metadata: see shownKind. It is nil for other kinds.
	Shown *Place

	// Unprofiled is why the profile is the generic one, if it's no provider's own.
	Unprofiled Unprofiled

	// Lacks is why there is no field, or None if there is one.
	Lacks Reason

	// Launched are the places for tags of launched resources, such as spec.forProvider.volumeTags of an Instance, if
	// launched resources are tagged. Unused are paths of other such fields, which stay as they are: see
	// field.UnusedLaunches.
	Launched []*LaunchedPlace
	Unused   []object.Path

	// in returns the field in another version of the kind. It is nil if all versions have the same field.
	in func(apiVersion string) *field.Field
}

// kindKey is what tells kinds of resources apart.
type kindKey struct {
	apiVersion, kind string

	// looksManaged reports whether the resource has the fields of a managed resource: see outline.looksManaged.
	looksManaged bool

	// wraps is the kind of the manifest in an Object of provider-kubernetes, if there is one.
	wraps schema.GroupVersionKind
}

// An outline has the parts of a resource that are read of every kind.
type outline struct {
	apiVersion, kind         string
	resource, metadata, spec object.Node

	// more reports whether there are fields that managed resources don't have, such as data of a ConfigMap.
	more bool
}

// outlineOf returns the outline of the resource r. It takes apiVersion and kind from texts, so that a thousand Buckets share
// one string `Bucket`.
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

// leave returns why every resource with this outline must be left alone, or None. For example, it returns ObservedOnly for
// managementPolicies: ["Observe"], and Ignored for the annotation cloudtags.fn.plexsphere.com/ignore: "true".
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

	return ObservedOnly
}

// A Controller is no provider of Crossplane. It leaves objects alone that have a certain field.
type Controller struct {
	// domain ends the API groups of the controller.
	domain string

	// The controller leaves an object alone if the field at Path has the Value. For example, ACK does so if the annotation
	// services.k8s.aws/read-only is "true". A controller without a Value only pauses, and writes tags later.
	Path  object.Path
	Value string
}

// controllers are ACK, Azure Service Operator, the OpenStack Resource Controller, Config Connector and Cluster API. The field
// of a controller counts for its own API groups only.
var controllers = []Controller{
	{domain: ".services.k8s.aws", Path: object.MustParsePath("metadata.annotations[services.k8s.aws/read-only]"), Value: "true"},
	{domain: ".azure.com", Path: object.MustParsePath("metadata.annotations[serviceoperator.azure.com/reconcile-policy]"), Value: "skip"},
	{domain: ".k-orc.cloud", Path: object.MustParsePath("spec.managementPolicy"), Value: "unmanaged"},
	{Path: object.MustParsePath("metadata.annotations[cnrm.cloud.google.com/reconcile-interval-in-seconds]")},
	{Path: object.MustParsePath("metadata.annotations[cluster.x-k8s.io/paused]")},
}

// ControllerOf returns the controller of an API group, such as s3.services.k8s.aws, if that leaves objects alone by a Value.
func ControllerOf(group string) (Controller, bool) {
	for _, c := range controllers {
		if c.Value != "" && strings.HasSuffix(group, c.domain) {
			return c, true
		}
	}

	return Controller{}, false
}

// Stops reports whether a controller stops managing objects that have an annotation of this key, such as
// cluster.x-k8s.io/paused.
func Stops(key string) bool {
	return key != "" && slices.ContainsFunc(controllers, func(c Controller) bool { return c.annotation() == key })
}

// annotation returns the key of the annotation that stops the controller, or nothing if another field does.
func (c Controller) annotation() string {
	if s := c.Path.Segments(); s[0].Field == "metadata" { // metadata.annotations[KEY]
		return s[2].Field
	}

	return ""
}

// Leaving returns the paths of the fields by which a resource is left alone, such as spec.managementPolicies. The
// IgnoreAnnotation isn't among them.
func Leaving() []object.Path {
	out := []object.Path{object.MustParsePath("spec.managementPolicies")}

	for _, c := range controllers {
		if c.Value != "" {
			out = append(out, c.Path)
		}
	}

	return out
}

// isReadOnly reports whether the resource tells its controller to leave it alone, as a Bucket of ACK does by the
// annotation services.k8s.aws/read-only: "true". See Controller.
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

// looksManaged reports whether the resource has the fields of a managed resource. It has no fields beside apiVersion, kind,
// metadata, spec and status. Its spec is missing, has forProvider, or has only specFieldsOfAll. A ConfigMap with data doesn't
// look managed.
func (o *outline) looksManaged() bool {
	return !o.more && (o.spec.IsNull() || o.spec.Field("forProvider").IsObject() || o.spec.IsObject() && hasOnly(o.spec, specFieldsOfAll))
}

// kindOf returns the kind of resources with the outline o. It makes one TargetKind for all Buckets of one apiVersion.
func (ts *Targets) kindOf(o *outline) *TargetKind {
	key := kindKey{apiVersion: o.apiVersion, kind: o.kind, looksManaged: o.looksManaged()}

	if field.IsWrapper(o.apiVersion, o.kind) {
		m := o.spec.Field("forProvider").Field("manifest")
		key.wraps = schema.FromAPIVersionAndKind(m.Field("apiVersion").Interned(ts.texts), m.Field("kind").Interned(ts.texts))
	}

	k, ok := ts.kinds[key]
	if !ok {
		k = &TargetKind{APIVersion: o.apiVersion, Kind: field.Kind{GroupVersionKind: schema.FromAPIVersionAndKind(o.apiVersion, o.kind), Wraps: key.wraps}}

		// All kinds of a native family are resources of a cloud, even if the index lacks them.
		family, known := field.FamilyOf(k.GroupKind())
		k.Managed = k.Group != ts.finder.CompositeGroup && (key.looksManaged && isManaged(k.Group) || family.Native)

		if known && family.Profile != "" {
			k.Profile = family.Profile
		} else if p := ts.finder.Input.ProviderValue(); p != "" {
			k.Profile = profile.Of(p).Name
		}

		tagged := k.Tagged()
		k.fallback = ts.finder.Input.ProfileRules.ProfileOf(ts.finder.providerOf(k.Kind, ""), tagged.Group, tagged.Kind)
		ts.kinds[key] = k
	}

	return k
}

// isManaged reports whether a provider may manage resources of the API group, such as s3.aws.upbound.io. Groups
// of Kubernetes, such as apps or rbac.authorization.k8s.io, have no provider.
func isManaged(group string) bool {
	return strings.Contains(group, ".") && group != "k8s.io" && !strings.HasSuffix(group, ".k8s.io")
}

// hasOnly reports whether the object o has no fields but these. Fields that are null don't count.
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
	p := &Place{Field: &f, Unprofiled: unprofiled(ts.finder.providerOf(k.Kind, f.Profile), k), Lacks: lacks(k, &f, known)}
	p.Profile, p.Refuser = ts.profilesOf(k, &f, k.Tagged().Kind)

	if f.Shape == field.Labels {
		p.Profile, p.Refuser, p.Unprofiled = profile.Composite(), nil, Unprofiled{}
	}

	ts.addLaunchedPlaces(k, p)
	p.in = ts.inVersions(k, &f)

	if p.Lacks == None {
		f.Limits = field.LimitsOf(ts.schemaAtHand(k), &f)
		ts.addMetadataPlace(k, p)
	}

	return p
}

// profilesOf returns the tag profile, and the Refuser, of resources of the kind k with the tag field f. The limits are those
// of tagged, which is the tagged kind or its profile.LaunchedKind.
func (ts *Targets) profilesOf(k *TargetKind, f *field.Field, tagged string) (p, refuser *profile.Profile) {
	provider, group, rules := ts.finder.providerOf(k.Kind, f.Profile), k.Tagged().Group, ts.finder.Input.ProfileRules
	return rules.ProfileOf(provider, group, tagged), rules.RefuserOf(provider, group, tagged)
}

// lacks returns why resources of the kind k have no tag field, or None. f is the located field, and known is false if nothing
// knows the kind. For example, it returns NoField for a BucketPolicy, and Unknown for a managed kind outside of the index.
func lacks(k *TargetKind, f *field.Field, known bool) Reason {
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

// schemaAtHand returns the schema of the kind if Crossplane has already sent it, for this function or for the pipeline step.
// It never asks for one.
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
	if p.in == nil {
		return p.Field
	}

	return p.in(apiVersion)
}

// inVersions returns a function from an apiVersion of k to its tag field. For a LaunchTemplate in v1beta1, it returns
// the field of that version. Versions that nobody knows have the field of k's own version.
func (ts *Targets) inVersions(k *TargetKind, desired *field.Field) func(apiVersion string) *field.Field {
	known := map[string]*field.Field{k.APIVersion: desired}

	return func(apiVersion string) *field.Field {
		f, ok := known[apiVersion]
		if ok {
			return f
		}

		f = desired
		other := k.Kind
		other.GroupVersionKind = schema.FromAPIVersionAndKind(apiVersion, k.Kind.Kind)

		if in, ok := ts.fields.Locate(other); ok && other.Group == k.Group && in.Shape != field.None {
			f = &in
		}

		known[apiVersion] = f

		return f
	}
}

// providerOf returns the provider of resources of the kind. The first of these decides:
//   - named, by an entry of tagFields
//   - the input's provider.value
//   - the profile of the kind's family, such as aws of s3.aws.upbound.io
//   - a field of the composite resource, or a class
func (f *Finder) providerOf(k field.Kind, named string) string {
	family, _ := field.FamilyOf(k.Tagged().GroupKind())
	return cmp.Or(named, f.Input.ProviderValue(), family.Profile, f.Provider)
}
