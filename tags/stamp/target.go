package stamp

import (
	"context"
	"iter"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// IgnoreAnnotation on a desired composed resource, with the value "true", leaves the
// resource alone.
const IgnoreAnnotation = "cloudtags.fn.plexsphere.com/ignore"

// Reasons to leave a resource alone.
const (
	whyIgnored     = "is annotated " + IgnoreAnnotation + ": \"true\""
	whyAdopted     = "is adopted: its managementPolicies allow neither Create nor Update"
	whyReadOnly    = "is adopted: it tells its controller to only read what it is of"
	whyNoField     = "has no tag field"
	whyComposite   = "is a composite resource: its own Composition tags what it composes"
	whyNotAsked    = whyNoField + " unless the tagFields entry that matches it says so, with fieldPath and shape"
	whyUnknown     = "has no tag field that is known"
	whyAsked       = whyUnknown + ", so that the tagFields entry that matches it needs fieldPath and shape"
	whyLooksLike   = whyUnknown + "; %s may mean other things: a tagFields entry can say that it carries tags"
	whyRequest     = "is tagged only if a tagFields entry names its kind, since a later change of its tags is refused, ignored or replaces what runs"
	whyFixed       = "keeps the tags that it was made with: its %s can't change"
	whyNotSelected = "is not among the resources that the input selects"
	whyNoObject    = "has no apiVersion and kind"
)

// A Target is a desired composed resource, where its tags go, and what is there. It is read
// once.
type Target struct {
	// place of the tags, once that has been looked for.
	*place

	Name string

	// Resource that is desired, and the one that is observed.
	Resource, observed object.Object

	// received is the desired resource as the step received it, before metadata was copied to
	// it. It decides on what selects the resource and on labels.
	received object.Object

	// copiedTo is true if metadata was copied to the resource, and copied the value that the
	// tag field would have then.
	copiedTo bool
	copied   object.Node

	kind    *kind
	profile *profile.Profile

	// composed is the resource as its labels can depend on it, once somebody asks.
	composed *resolve.Composed

	// leave is why the resource is left alone whatever its kind, or empty if it's not.
	leave string

	// managed is true if the tags of the resource are to be managed.
	managed bool

	// before is the desired value of the field, or why it can't be had, and there the
	// observed one.
	before, there       object.Node
	beforeErr, thereErr error

	// managers say who owns what is observed, and owned who owns what is there, once somebody
	// asks.
	managers managers
	owned    *owners
}

// Targets are the desired composed resources, sorted by name, and where their tags go.
type Targets struct {
	All []*Target

	stamper *Stamper
	asked   field.Schemas
	fields  field.Locator
	kinds   map[kindKey]*kind

	// texts of apiVersions and kinds.
	texts map[string]string

	schemas map[schema.GroupVersionKind]object.Node
}

// Targets reads the supplied resources. It returns the error of the supplied context once
// that has one.
func (s *Stamper) Targets(ctx context.Context, desired map[string]*fnv1.Resource) (*Targets, error) {
	ts := s.newTargets()
	ts.All = make([]*Target, 0, len(desired))

	manages := s.asksForTags() || len(s.Input.Sources)+len(s.Input.RemoveTags)+len(s.Input.IgnoreTags)+len(s.Input.ReservedKeys) > 0 || s.Input.TagPolicy != nil

	all := make([]Target, len(desired))

	for i, name := range slices.Sorted(maps.Keys(desired)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		t := &all[i]
		t.Name, t.Resource, t.observed = name, object.Of(desired[name]), object.Of(s.Observed[name])
		t.received = t.Resource
		t.managers.composed = s.Owner
		t.managers.fields, _ = t.observed.At(managedFieldsPath)

		ts.outline(t)

		// Resources from which all labels are gone are managed, too.
		t.managed = manages && ts.Selects(s.Input.Resources, t)
		if t.managed && (t.leave == "" || t.leave == whyIgnored && !t.observed.IsZero()) {
			ts.locate(t)
		}

		ts.All = append(ts.All, t)
	}

	return ts, nil
}

// newTargets returns Targets of which there are none yet.
func (s *Stamper) newTargets() *Targets {
	ts := &Targets{
		stamper: s,
		kinds:   make(map[kindKey]*kind), texts: make(map[string]string), schemas: make(map[schema.GroupVersionKind]object.Node),
	}

	ts.asked = field.Schemas{Of: func(k schema.GroupVersionKind) object.Node {
		if _, ok := ts.schemas[k]; !ok {
			ts.schemas[k] = s.Schemas.Of(k)
		}

		return ts.schemas[k]
	}}
	ts.fields = s.Fields(ts.asked)

	return ts
}

// outline reads of the supplied target what is read of any.
func (ts *Targets) outline(t *Target) {
	o := outlineOf(t.Resource.Node(), ts.texts)
	t.leave = o.leave()
	t.kind = ts.kindOf(&o)
	t.profile = t.kind.profile
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
		t.read()
	}

	return t.lacks == ""
}

// read what the tag field has.
func (t *Target) read() {
	t.before, t.beforeErr = t.Resource.At(t.field.Path)
	t.there, t.thereErr = t.observed.At(t.field.Path)
	t.owned = nil
}

// owners of what is there.
func (t *Target) owners() *owners {
	if t.owned == nil {
		t.owned = t.managers.ownersOf(t.field, t.fieldIn)
	}

	return t.owned
}

// IsUntouchable is true if nothing new may be written to the resource.
func (t *Target) IsUntouchable() bool { return t.leave == whyIgnored || t.leave == whyNoObject }

// compositePaths are fields that Crossplane writes to composite resources only: those of v2, and those
// of v1.
var compositePaths = []object.Path{object.MustParsePath("spec.crossplane"), object.MustParsePath("spec.resourceRefs"), object.MustParsePath("spec.compositionRef")}

// isComposite is true if the resource, which is observed, is a composite one.
func isComposite(observed object.Object) bool {
	return slices.ContainsFunc(compositePaths, func(p object.Path) bool {
		v, err := observed.At(p)
		return err == nil && !v.IsNull()
	})
}
