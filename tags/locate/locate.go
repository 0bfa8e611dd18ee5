// Package locate finds the tag field of each desired composed resource, and reads the field. It reads each resource once,
// and writes none.
package locate

import (
	"context"
	"iter"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// A Finder makes Targets of resources.
type Finder struct {
	// Input selects resources, and has tagFields.
	Input *v1beta1.CloudTags

	// Provider comes from a field of the composite resource or from a class, such as aws, or is empty. It counts only for kinds that
	// get no provider from anything else: see providerOf.
	Provider string

	// CompositeGroup is the API group of the composite resource. Kinds of this group are not managed resources.
	CompositeGroup string

	// SetsTag reports whether this step of the pipeline may itself set a tag with the key on t. The selector matchCloudTags ignores such tags:
	// see hasCloudTags. If SetsTag is nil, it ignores none.
	SetsTag func(t *Target, key string) bool

	// NewLocator returns a Locator that reads the schemas.
	NewLocator func(schemas field.Schemas) field.Locator

	// Schemas has the schemas that Crossplane has sent, and asks for others. The zero Schemas has none.
	Schemas field.Schemas

	// Observed has the observed composed resources by name.
	Observed map[string]*fnv1.Resource

	// ComposedOwner is the field manager with which Crossplane applies the composed resources: see the function ComposedOwner.
	ComposedOwner string
}

// A Target is a desired composed resource with its tag field.
type Target struct {
	// Place is nil before Locate.
	*Place

	Name string
	Kind *TargetKind

	// Profile is Place.Profile or, before Locate, the profile that the kind has without tagFields.
	Profile *profile.Profile

	// Resource is the desired resource, and Observed the observed one.
	Resource, Observed object.Object

	// Received is the desired resource without the metadata that kubernetesMetadata copies. Selectors and expressions read
	// Received.
	Received object.Object

	// HasCopies reports whether kubernetesMetadata copied metadata to the resource. CopiedEntries and CopiedInitial have what was copied to the
	// tag field, and to this field in spec.initProvider: see TakeCopies.
	HasCopies                    bool
	CopiedEntries, CopiedInitial object.Node

	// LeaveReason says why the resource's own fields ask to leave it alone. It is None if they don't.
	LeaveReason Reason

	// NeverUpdated reports whether the managementPolicies of the resource have no Update. Once it is made, its tags in the cloud don't change.
	NeverUpdated bool

	// Selected reports whether the input selects the resource. ByCloudTags reports whether matchCloudTags decided on Selected.
	Selected, ByCloudTags bool

	// exceptsCloudTags reports whether it was matchCloudTags of an except.
	exceptsCloudTags bool

	// DesiredValue and ObservedValue are the values of the tag field. The errors say why a value can't be read. InitialValue is the desired
	// value of the field in spec.initProvider.
	DesiredValue, ObservedValue, InitialValue object.Node
	DesiredErr, ObservedErr                   error

	// metadataTagsEnabled reports whether EC2 shows tags of the resource, or of instances that it launches, in instance
	// metadata.
	metadataTagsEnabled bool

	managers managers

	// owners is nil until Owners is called.
	owners *Owners
}

// Targets are desired composed resources, sorted by name.
type Targets struct {
	All []*Target

	finder  *Finder
	locator field.Locator
	kinds   map[kindKey]*TargetKind

	// overrides locates by tagFields of the input alone, whatever the locator asks besides.
	overrides *field.Overrides

	// tagFields has the results of tagFieldsOf.
	tagFields map[*TargetKind][]tagField

	// attached has the volumes that desired resources attach to instances, by the kind of these resources: see AttachmentTo.
	attached map[*field.Attachment][]attachedVolume

	// interned has one copy of each apiVersion and kind.
	interned map[string]string

	// reported has the reported tags of the target reportedBy: see reportedTagsOf.
	reported   *tagset.Set
	reportedBy *Target

	// recordingSchemas asks Finder.Schemas, and keeps each answer in schemas. If Crossplane hasn't sent a schema, the answer is an
	// empty Node. The later call in which Crossplane sends the schema makes new Targets.
	recordingSchemas field.Schemas
	schemas          map[schema.GroupVersionKind]object.Node
}

// Find makes a Target of each desired resource, and locates the tag fields of the selected resources. The Target of a Bucket has the tag
// field spec.forProvider.tags and the profile aws. managesTags is false if the input only copies Kubernetes metadata: then no resource is
// selected. It is true even without labels, if tags of earlier labels may have to go. Once ctx has ended, Find returns the error of ctx.
func (f *Finder) Find(ctx context.Context, desired map[string]*fnv1.Resource, managesTags bool) (*Targets, error) { //nolint:revive // A flag: only the caller knows whether there is anything to do with tags.
	ts := f.NewTargets()
	ts.All = make([]*Target, 0, len(desired))

	all := make([]Target, len(desired))

	for i, name := range slices.Sorted(maps.Keys(desired)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		t := &all[i]
		ts.initialize(t, name, object.Of(desired[name]), object.Of(f.Observed[name]))

		if managesTags {
			s := ts.decideSelection(f.Input.Resources, t)
			t.Selected, t.ByCloudTags, t.exceptsCloudTags = s.selected, s.byCloudTags, s.exceptsCloudTags
		}

		// An ignored resource is to keep the tags that Crossplane has applied. So this function has to desire them again, in their field.
		keepsTags := t.LeaveReason == Ignored && !t.Observed.IsZero()
		if t.Selected && (t.LeaveReason == None || keepsTags) {
			ts.Locate(t)
		}

		ts.All = append(ts.All, t)
	}

	return ts, nil
}

// NewTargets returns Targets without any target, for commands that read a cluster: see Read.
func (f *Finder) NewTargets() *Targets {
	ts := &Targets{
		finder: f, overrides: field.NewOverrides(f.Input.TagFields),
		kinds: make(map[kindKey]*TargetKind), tagFields: make(map[*TargetKind][]tagField), interned: make(map[string]string), schemas: make(map[schema.GroupVersionKind]object.Node),
	}

	ts.recordingSchemas = field.Schemas{Of: func(k schema.GroupVersionKind) object.Node {
		if _, ok := ts.schemas[k]; !ok && f.Schemas.Of != nil {
			ts.schemas[k] = f.Schemas.Of(k)
		}

		return ts.schemas[k]
	}}
	ts.locator = f.NewLocator(ts.recordingSchemas)

	return ts
}

// Read returns a target for the object o of a cluster. Both the desired and the observed resource are o. name is the resource's
// name in the Composition. Read doesn't locate the tag field, and doesn't add the target to All.
func (ts *Targets) Read(name string, o object.Object) *Target {
	t := &Target{}
	ts.initialize(t, name, o, o)

	return t
}

// initialize sets the fields of t that don't depend on the tag field.
func (ts *Targets) initialize(t *Target, name string, desired, observed object.Object) {
	t.Name, t.Resource, t.Received, t.Observed = name, desired, desired, observed // UseCopies may change Resource, but not Received.
	managedFields, _ := observed.At(managedFieldsPath)                            // An error means that there are none.
	t.managers = managers{list: managedFields, composedOwner: ts.finder.ComposedOwner}

	o := outlineOf(desired.Node(), ts.interned)
	t.LeaveReason, t.NeverUpdated = o.leaveReason(), !o.allows("Update")
	t.Kind = ts.kindOf(&o)
	t.Profile = t.Kind.profileBeforeLocate
}

// Schemas yields the kinds whose schemas Locate has asked for. Crossplane may not have sent these schemas yet.
func (ts *Targets) Schemas() iter.Seq[schema.GroupVersionKind] { return maps.Keys(ts.schemas) }

// Locate finds and reads the tag field of t, such as spec.forProvider.tags of a Bucket. If t has no tag field, Locate returns
// false, and t.NoFieldReason says why.
func (ts *Targets) Locate(t *Target) bool {
	if t.Place != nil {
		return t.NoFieldReason == None
	}

	if t.Kind.place == nil {
		t.Kind.place = ts.placeOf(t.Kind)
	}

	t.setPlace(t.Kind.place)

	if t.NoFieldReason == None {
		// Only kinds that instanceMetadataKindOf knows have ForInstanceMetadata.
		t.metadataTagsEnabled = t.ForInstanceMetadata != nil && instanceMetadataKindOf(t.Kind).switchValue(t.Resource) == "enabled"
		t.applyInstanceMetadataRules()
		t.readTagField()
	}

	return t.NoFieldReason == None
}

// setPlace sets the place of t, and its Profile, which hides Place.Profile.
func (t *Target) setPlace(p *Place) { t.Place, t.Profile = p, p.Profile }

// HasField reports whether the input selects t, nothing asks to leave t alone, and t has a tag field. If the first two hold, Find has
// looked for the field, so that NoFieldReason is known.
func (t *Target) HasField() bool {
	return t.Selected && t.LeaveReason == None && t.NoFieldReason == None
}

// TakesTags reports whether labels become tags of t. It is false for a composite resource to which labels are handed on.
func (t *Target) TakesTags() bool { return t.HasField() && !t.Profile.HandsLabelsOn }

// IsUntouchable reports whether this function must write nothing to the resource, not even metadata: it has the IgnoreAnnotation, or
// neither apiVersion nor kind.
func (t *Target) IsUntouchable() bool { return t.LeaveReason == Ignored || t.LeaveReason == NoObject }

// WhyWithoutField returns why t has no tag field, or None. A composite resource has the reason Composite, unless another says more: Undeclared
// and UnknownDespiteEntry are about its tagFields entry.
func (t *Target) WhyWithoutField() Reason {
	fitsBetter := t.NoFieldReason == None || t.NoFieldReason == Undeclared || t.NoFieldReason == UnknownDespiteEntry
	if t.isComposite() && !fitsBetter {
		return Composite
	}

	return t.NoFieldReason
}

// isComposite reports whether the resource has a field of a composite resource, such as spec.crossplane, as it is desired or observed.
func (t *Target) isComposite() bool {
	return slices.ContainsFunc(compositePaths, func(p object.Path) bool {
		desired, desiredErr := t.Resource.At(p)
		observed, observedErr := t.Observed.At(p)

		return desiredErr == nil && !desired.IsNull() || observedErr == nil && !observed.IsNull()
	})
}

// compositePaths are fields that composite resources alone have. The first is for v2, and the others for v1. Crossplane writes all but the last.
var compositePaths = []object.Path{
	object.MustParsePath("spec.crossplane"), object.MustParsePath("spec.resourceRefs"), object.MustParsePath("spec.compositionRef"),
	object.MustParsePath("spec.compositionSelector"),
}
