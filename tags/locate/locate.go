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
)

// A Finder makes Targets of resources.
type Finder struct {
	// Input selects resources, and has tagFields.
	Input *v1beta1.CloudTags

	// Provider comes from a field of the composite resource, or from a class. It is empty if neither has one. It counts only
	// for kinds of unknown providers: see providerOf.
	Provider string

	// CompositeGroup is the API group of the composite resource. Its kinds are no managed resources.
	CompositeGroup string

	// Sets reports whether the step may set tags with the key on t: see matchCloudTags. It is nil if there are no labels.
	Sets func(t *Target, key string) bool

	// Fields returns the locator of tag fields for the schemas.
	Fields func(schemas field.Schemas) field.Locator

	// Schemas of kinds.
	Schemas field.Schemas

	// Observed are the observed composed resources by name, and Owner is the field manager by which Crossplane applies them:
	// see ComposedOwner.
	Observed map[string]*fnv1.Resource
	Owner    string
}

// A Target is a desired composed resource with its tag field.
type Target struct {
	// Place is nil before Locate.
	*Place

	Name string
	Kind *TargetKind

	// Profile is the tag profile of the place, or of the kind before Locate.
	Profile *profile.Profile

	// Resource is the desired resource, and Observed the observed one.
	Resource, Observed object.Object

	// Received is the desired resource as the step received it, before metadata was copied to it. Selectors and expressions
	// read this one.
	Received object.Object

	// HasCopies reports whether metadata was copied to the resource. Copies are the entries that kubernetesMetadata copied
	// to the tag field, and that the field didn't have before.
	HasCopies bool
	Copies    object.Node

	// Leave says why the resource is left alone for its own fields, or None.
	Leave Reason

	// Managed reports whether the input selects the resource, and ByCloudTags whether tags in the cloud decide on this.
	Managed, ByCloudTags bool

	// Before is the desired value of the tag field, and There the observed one. The errors say why a value can't be read.
	Before, There       object.Node
	BeforeErr, ThereErr error

	// showsTags reports whether EC2 shows tags of the resource, or of instances that it launches, in instance metadata.
	showsTags bool

	managers managers
	owners   *Owners
}

// Targets are desired composed resources, sorted by name.
type Targets struct {
	All []*Target

	finder *Finder
	fields field.Locator
	kinds  map[kindKey]*TargetKind

	// texts of apiVersions and kinds.
	texts map[string]string

	// asked returns the schema of a kind, and keeps it in schemas.
	asked   field.Schemas
	schemas map[schema.GroupVersionKind]object.Node
}

// Find reads the desired resources, and locates the tag fields of selected ones. For a Bucket called logs, it makes a
// Target with spec.forProvider.tags and the profile aws. manages is false if the input has no labels and removes
// nothing. Once ctx has ended, Find returns the error of ctx.
func (f *Finder) Find(ctx context.Context, desired map[string]*fnv1.Resource, manages bool) (*Targets, error) { //nolint:revive // Without labels and entries, nobody asks for tags.
	ts := f.NewTargets()
	ts.All = make([]*Target, 0, len(desired))

	all := make([]Target, len(desired))

	for i, name := range slices.Sorted(maps.Keys(desired)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		t := &all[i]
		ts.init(t, name, object.Of(desired[name]), object.Of(f.Observed[name]))

		// Resources from which all labels are gone are managed, too.
		if manages {
			t.Managed, t.ByCloudTags = ts.selectedBy(f.Input.Resources, t)
		}

		if t.Managed && (t.Leave == None || t.Leave == Ignored && !t.Observed.IsZero()) {
			ts.Locate(t)
		}

		ts.All = append(ts.All, t)
	}

	return ts, nil
}

// NewTargets returns Targets without any target. Commands read the objects of a cluster one after the other by them:
// see Read.
func (f *Finder) NewTargets() *Targets {
	ts := &Targets{
		finder: f,
		kinds:  make(map[kindKey]*TargetKind), texts: make(map[string]string), schemas: make(map[schema.GroupVersionKind]object.Node),
	}

	ts.asked = field.Schemas{Of: func(k schema.GroupVersionKind) object.Node {
		if _, ok := ts.schemas[k]; !ok {
			ts.schemas[k] = f.Schemas.Of(k)
		}

		return ts.schemas[k]
	}}
	ts.fields = f.Fields(ts.asked)

	return ts
}

// Read returns a target for an object of a cluster, as both desired and observed. The Composition calls the object by the
// name. Read doesn't locate the tag field, and doesn't add the target to All.
func (ts *Targets) Read(name string, o object.Object) *Target {
	t := &Target{}
	ts.init(t, name, o, o)

	return t
}

// init sets the fields of t that don't depend on the tag field.
func (ts *Targets) init(t *Target, name string, desired, observed object.Object) {
	t.Name, t.Resource, t.Received, t.Observed = name, desired, desired, observed
	t.managers.composed = ts.finder.Owner
	t.managers.fields, _ = observed.At(managedFieldsPath)

	o := outlineOf(desired.Node(), ts.texts)
	t.Leave = o.leave()
	t.Kind = ts.kindOf(&o)
	t.Profile = t.Kind.fallback
}

// Schemas yields the kinds that were located by their schemas, or that would be if Crossplane sent these schemas.
func (ts *Targets) Schemas() iter.Seq[schema.GroupVersionKind] { return maps.Keys(ts.schemas) }

// Locate finds the tag field of t, such as spec.forProvider.tags of a Bucket, and reads it. It returns false if t has none:
// then t.Lacks says why.
func (ts *Targets) Locate(t *Target) bool {
	if t.Place != nil {
		return t.Lacks == None
	}

	if t.Kind.place == nil {
		t.Kind.place = ts.placeOf(t.Kind)
	}

	t.Place = t.Kind.place
	t.Profile = t.Place.Profile

	if t.Lacks == None {
		t.showsTags = t.Shown != nil && shownKindOf(t.Kind).setting(t.Resource) == "enabled"
		t.atShown()
		t.read()
	}

	return t.Lacks == None
}

// UseCopies gives the targets their resources with copied metadata, by name. The tag field keeps its value from before, and
// copies to it become Copies: labels have more right to a tag key than copies do. For example, a copy of team: a stands
// only if no label has the key team.
func (ts *Targets) UseCopies(changed map[string]object.Object) {
	for _, t := range ts.All {
		r, ok := changed[t.Name]
		if !ok {
			continue
		}

		t.Resource, t.HasCopies = r, true

		if !t.HasField() || t.BeforeErr != nil {
			continue
		}

		after, err := r.At(t.Field.Path)
		if err != nil || after.Equal(t.Before) {
			continue
		}

		if before, err := object.Set(r, t.Field.Path, t.Before); err == nil {
			t.Resource, t.Copies = before, copied(t.Before, after, t.Profile)
		}
	}
}

// copied returns the entries that copying added to a tag field. If both values are maps, these are the new and the changed
// keys. Otherwise it is the whole value after. On clouds that ignore case, all spellings of such a key are returned: for
// `zone` on Azure also `Zone`, so that the same spelling counts as before.
func copied(before, after object.Node, p *profile.Profile) object.Node {
	if !before.IsObject() || !after.IsObject() {
		return after
	}

	id := func(key []byte) string { return string(key) }
	if p.FoldKeys {
		id = func(key []byte) string { return p.Fold(string(key)) }
	}

	had, changed := make(map[string]object.Node, before.Len()), make(map[string]bool)
	for key, v := range before.Fields() {
		had[string(key)] = v
	}

	for key, v := range after.Fields() {
		if was, ok := had[string(key)]; !ok || !was.Equal(v) {
			changed[id(key)] = true
		}
	}

	fields := make(map[string]object.Node)

	for key, v := range after.Fields() {
		if changed[id(key)] {
			fields[string(key)] = v
		}
	}

	return object.MapNode(fields)
}

// HasField reports whether the input selects t, and t has a tag field.
func (t *Target) HasField() bool { return t.Managed && t.Leave == None && t.Lacks == None }

// HasTags reports whether t has a tag field for tags. A field for labels that are handed on doesn't count.
func (t *Target) HasTags() bool { return t.HasField() && !t.Profile.HandsOn }

// IsUntouchable reports whether nothing may be written to the resource, not even metadata.
func (t *Target) IsUntouchable() bool { return t.Leave == Ignored || t.Leave == NoObject }

// IsComposite reports whether the observed resource has a field of a composite resource, such as spec.crossplane.
func (t *Target) IsComposite() bool {
	return slices.ContainsFunc(compositePaths, func(p object.Path) bool {
		v, err := t.Observed.At(p)
		return err == nil && !v.IsNull()
	})
}

// compositePaths are fields that Crossplane writes to composite resources only. The first is for v2, and the others for v1.
var compositePaths = []object.Path{object.MustParsePath("spec.crossplane"), object.MustParsePath("spec.resourceRefs"), object.MustParsePath("spec.compositionRef")}
