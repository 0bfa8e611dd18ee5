// Package locate finds the desired composed resources whose tags are to be managed, the tag field
// of each, and what is in it. It reads each resource once, and writes none.
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

// A Finder finds the tag fields of resources.
type Finder struct {
	// Input that selects resources, and that has rules for tag fields.
	Input *v1beta1.CloudTags

	// Provider that a field of the composite resource or a class asks for, or empty if none does.
	// It decides on resources of providers that nothing else is known of.
	Provider string

	// CompositeGroup is the API group of the composite resource. Its kinds are not managed
	// resources.
	CompositeGroup string

	// Fields returns what locates tag fields by the schemas, among others.
	Fields func(schemas field.Schemas) field.Locator

	// Schemas of kinds.
	Schemas field.Schemas

	// Observed composed resources, and the field manager by which Crossplane applies them: see
	// ComposedOwner.
	Observed map[string]*fnv1.Resource
	Owner    string
}

// A Target is a desired composed resource, the place of its tags, and what is there.
type Target struct {
	// Place of the tags. It is nil until somebody has asked for it.
	*Place

	Name string
	Kind *Kind

	// Profile is the tag profile: that of the place, or else that of the kind.
	Profile *profile.Profile

	// Resource that is desired, and the one that is observed.
	Resource, Observed object.Object

	// Received is the desired resource as the step received it, before metadata was copied to
	// it. It decides on what selects the resource and on labels.
	Received object.Object

	// HasCopies is true if metadata was copied to the resource. Copies are what the tag field would
	// have of that, and didn't have before.
	HasCopies bool
	Copies    object.Node

	// Leave is why the resource is left alone whatever its kind is, or None.
	Leave Reason

	// Managed is true if the tags of the resource are to be managed.
	Managed bool

	// Before is the desired value of the tag field, and There the observed one. The errors say why
	// it can't be read.
	Before, There       object.Node
	BeforeErr, ThereErr error

	managers managers
	owners   *Owners
}

// Targets are desired composed resources, sorted by name.
type Targets struct {
	All []*Target

	finder *Finder
	fields field.Locator
	kinds  map[kindKey]*Kind

	// texts of apiVersions and kinds.
	texts map[string]string

	// asked returns schemas and remembers them in schemas.
	asked   field.Schemas
	schemas map[schema.GroupVersionKind]object.Node
}

// Find reads the desired resources. If there is nothing to do about tags, manages is false. It
// returns the error of ctx once that has one.
func (f *Finder) Find(ctx context.Context, desired map[string]*fnv1.Resource, manages bool) (*Targets, error) {
	ts := f.None()
	ts.All = make([]*Target, 0, len(desired))

	all := make([]Target, len(desired))

	for i, name := range slices.Sorted(maps.Keys(desired)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		t := &all[i]
		ts.init(t, name, object.Of(desired[name]), object.Of(f.Observed[name]))

		// Resources from which all labels are gone are managed, too.
		t.Managed = manages && ts.Selects(f.Input.Resources, t)
		if t.Managed && (t.Leave == None || t.Leave == Ignored && !t.Observed.IsZero()) {
			ts.Locate(t)
		}

		ts.All = append(ts.All, t)
	}

	return ts, nil
}

// None returns Targets without any, to which Read adds none: for resources that are looked at one
// after the other.
func (f *Finder) None() *Targets {
	ts := &Targets{
		finder: f,
		kinds:  make(map[kindKey]*Kind), texts: make(map[string]string), schemas: make(map[schema.GroupVersionKind]object.Node),
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

// Read the object of a cluster, which the Composition calls by the name, as both desired and
// observed. It is not located.
func (ts *Targets) Read(name string, o object.Object) *Target {
	t := &Target{}
	ts.init(t, name, o, o)

	return t
}

// init t with what is read of all resources.
func (ts *Targets) init(t *Target, name string, desired, observed object.Object) {
	t.Name, t.Resource, t.Received, t.Observed = name, desired, desired, observed
	t.managers.composed = ts.finder.Owner
	t.managers.fields, _ = observed.At(managedFieldsPath)

	o := outlineOf(desired.Node(), ts.texts)
	t.Leave = o.leave()
	t.Kind = ts.kindOf(&o)
	t.Profile = t.Kind.profile
}

// Schemas are the kinds whose schemas say where their tags go, or would if they were here.
func (ts *Targets) Schemas() iter.Seq[schema.GroupVersionKind] { return maps.Keys(ts.schemas) }

// Locate the tag field of t, and read it. It returns false if t has none.
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
		t.read()
	}

	return t.Lacks == None
}

// Copied tells the targets that metadata was copied to the changed resources, by name. The tag
// field keeps the value that it had: what is copied there has less right than labels, so that it
// is decided on last.
func (ts *Targets) Copied(changed map[string]object.Object) {
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

// copied returns what of the value after of a tag field the value before doesn't have: single tags of a map, or all. A tag
// comes with all spellings of its key that the profile takes for one, such as `Zone` and `zone` on Azure, so that the same
// one counts when the field has it already.
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

// HasField is true if the tags of t are to be managed and t has a tag field.
func (t *Target) HasField() bool { return t.Managed && t.Leave == None && t.Lacks == None }

// HasTags is true if the resource is tagged in a tag field: labels that are handed on are no tags.
func (t *Target) HasTags() bool { return t.HasField() && !t.Profile.HandsOn }

// IsUntouchable is true if nothing new may be written to the resource.
func (t *Target) IsUntouchable() bool { return t.Leave == Ignored || t.Leave == NoObject }

// IsComposite is true if the resource is a composite one, as far as what is observed tells.
func (t *Target) IsComposite() bool {
	return slices.ContainsFunc(compositePaths, func(p object.Path) bool {
		v, err := t.Observed.At(p)
		return err == nil && !v.IsNull()
	})
}

// compositePaths are fields that Crossplane writes to composite resources only: those of v2, and those
// of v1.
var compositePaths = []object.Path{object.MustParsePath("spec.crossplane"), object.MustParsePath("spec.resourceRefs"), object.MustParsePath("spec.compositionRef")}
