package locate

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// These field managers are Crossplane's, too. The first wrote composed resources before there were pipelines, and the second
// owns all fields from before the first server-side apply. Crossplane takes both out of metadata.managedFields once it has
// applied the resource: see ManagedFieldsUpgrader in its package internal/ssa.
const (
	ownerBeforePipelines = "crossplane"
	ownerBeforeApply     = "before-first-apply"
)

var managedFieldsPath = object.MustParsePath("metadata.managedFields")

// ComposedOwner returns the name of the field manager by which Crossplane applies composed resources of the composite resource
// xr, such as apiextensions.crossplane.io/composed/5b1c…. It depends on the name and the kind, but neither on the namespace
// nor on the version: see ComposedFieldOwnerName in Crossplane's package internal/controller/apiextensions/composite.
func ComposedOwner(xr object.Object) string {
	return fmt.Sprintf("apiextensions.crossplane.io/composed/%x", sha256.Sum256([]byte(object.Name(xr)+object.GVK(xr).GroupKind().String())))
}

// managers have metadata.managedFields of an observed resource, and know which of the field managers are Crossplane's.
type managers struct {
	fields object.Node

	// composed is the name of the field manager of the composite resource.
	composed string

	// within is the path to the item of a list, if the target stands for an item: see Target.In. All other paths start
	// there.
	within []string
}

// isCrossplane reports whether the field manager is Crossplane's, for this composite resource.
func (o *managers) isCrossplane(manager string) bool {
	return manager == o.composed || manager == ownerBeforePipelines || manager == ownerBeforeApply
}

// An Owner says who owns an entry of a tag field, or an atomic field.
type Owner struct {
	// Ours reports whether Crossplane owns it for the composite resource, and Others whether another field manager owns it.
	// Both may own it.
	Ours, Others bool

	// Manager is the name of the other field manager, or the first name if there are several.
	Manager string

	// Whole reports whether another field manager owns both an entry {key: env, value: prod} itself and its value. Then all
	// of the entry stays once Crossplane doesn't desire it.
	Whole bool
}

// stays reports whether an entry of this owner stays once Crossplane doesn't desire it any more. An entry without an owner
// stays.
func (o Owner) stays() bool { return !o.Ours || o.Others }

// with returns the owner o and the field manager, which is Crossplane's if ours is true: for kubectl-edit beside
// Crossplane, Ours and Others, with this Manager.
func (o Owner) with(manager string, ours bool) Owner { //nolint:revive // It says whose the manager is.
	if ours {
		o.Ours = true
		return o
	}

	if !o.Others || manager < o.Manager {
		o.Manager = manager
	}

	o.Others = true

	return o
}

// Owners are the owners of the entries of an observed tag field.
type Owners struct {
	// Unknown reports whether the resource has no metadata.managedFields. Then everything counts as Crossplane's.
	Unknown bool

	// Atomic reports whether the field has one owner, whole, and its entries have none.
	Atomic bool
	whole  Owner

	// entries have the owner of each entry, by the key of the tag, or by the whole string such as env=prod in a list of
	// strings.
	entries map[string]Owner
}

// Of returns the owner of the entry e.
func (o *Owners) Of(e *tagset.Entry) Owner {
	switch {
	case o.Unknown:
		return Owner{Ours: true}
	case o.Atomic:
		return o.whole
	default:
		return o.entries[cmp.Or(e.String(), e.Key)]
	}
}

// Stays reports whether the entry e stays in the field though nobody desires it. If an atomic field is desired, no other entry
// stays there.
func (o *Owners) Stays(e *tagset.Entry, fieldDesired bool) bool {
	return (!o.Atomic || !fieldDesired) && o.Of(e).stays()
}

// withoutOurs returns the map n of tags without the tags that go once nobody desires them: {owner: me} of {env: prod, owner:
// me} if Crossplane alone owns env. Nearly all tags go, so nobody needs to read them. Lists and atomic fields stay as they
// are.
func (o *Owners) withoutOurs(n object.Node) object.Node {
	if !n.IsObject() || o.Unknown || o.Atomic {
		return n
	}

	staying := make(map[string]object.Node)

	for key, value := range n.Fields() {
		if o.entries[string(key)].stays() {
			staying[string(key)] = value
		}
	}

	return object.MapNode(staying)
}

// HasOurs reports whether Crossplane owns the field, or an entry of it.
func (o *Owners) HasOurs() bool {
	if o.Unknown || o.Atomic {
		return o.Unknown || o.whole.Ours
	}

	for _, owner := range o.entries {
		if owner.Ours {
			return true
		}
	}

	return false
}

// ownersOf returns the owners of the entries of the field f. fieldIn returns f in other versions of the kind: a field manager
// lists its fields in the version that it wrote. In tags/stamp/testdata/cases, others.yaml and audit-owned.yaml show it.
func (o *managers) ownersOf(f *field.Field, fieldIn func(apiVersion string) *field.Field) *Owners {
	if !o.fields.IsList() {
		return &Owners{Unknown: true}
	}

	out := &Owners{}
	leaf, inside := 0, 0

	for m := range o.fields.Items() {
		written := fieldIn(m.Field("apiVersion").Text())
		path := slices.Concat(o.within, ownedPath(written.Path))
		owned, depth, isLeaf := follow(m.Field("fieldsV1"), path)
		manager, valueField := m.Field("manager").Text(), "f:"+written.Value
		ours := o.isCrossplane(manager)

		switch {
		case isLeaf && depth > leaf:
			leaf, out.whole = depth, Owner{}.with(manager, ours)
		case isLeaf && depth == leaf, f.Atomic && depth > len(path):
			out.whole = out.whole.with(manager, ours)
		}

		if !isLeaf {
			inside = max(inside, depth)
		}

		if len(out.entries) == 0 {
			out.entries = make(map[string]Owner, owned.Len())
		}

		for e, element := range owned.Fields() {
			if !isElement(e) {
				continue
			}

			// The owner of a field of an object in a list doesn't own the object. But the owner of its value has the tag.
			itself, _ := owns(element)
			valued := element.Field(valueField).IsThere()

			if itself || valued || ours {
				id := ownedID(string(e), written)
				owner := out.entries[id].with(manager, ours)
				owner.Whole = owner.Whole || !ours && itself && valued
				out.entries[id] = owner
			}
		}
	}

	// If somebody owns the field, but nobody owns anything in it, the field is atomic, even if the index doesn't say so.
	out.Atomic = f.Atomic || leaf > 0 && inside <= leaf

	return out
}

// follow follows the path into the fieldsV1 of a field manager. Each field of that object stands for an element:
//   - f:spec for the field spec
//   - i:0 for the first item
//   - k:{"key":"env"} for the item with this key
//   - v:"env=prod" for this item
//   - . for the object itself
//
// An element with an empty object is owned itself, too. See package fieldpath of sigs.k8s.io/structured-merge-diff.
//
// follow returns the object at the end of the path, and how many elements of the path lead to something owned. leaf reports
// whether nothing within that is owned. For spec.tags and {"f:spec": {"f:tags": {}}} the depth is 2, and leaf is true.
func follow(owned object.Node, path []string) (in object.Node, depth int, leaf bool) {
	inside := false

	for i, e := range path {
		owned = owned.Field(e)
		if !owned.IsThere() {
			return owned, depth, leaf
		}

		var itself bool

		itself, inside = owns(owned)
		if itself {
			depth, leaf = i+1, !inside
		}
	}

	if inside {
		depth = len(path) + 1
	}

	return owned, depth, leaf
}

// owns reports whether the element itself is owned, and whether anything inside it is. {".": {}, "f:env": {}} owns both.
func owns(element object.Node) (itself, inside bool) {
	for e := range element.Fields() {
		itself = itself || string(e) == "."
		inside = inside || isElement(e)
	}

	return itself || !inside, inside
}

// isElement reports whether the field e of fieldsV1 stands for an element within the object, such as f:env. There may be other
// fields one day.
func isElement(e []byte) bool {
	return len(e) > 1 && e[1] == ':' && strings.IndexByte("fikv", e[0]) >= 0
}

// ownedPath returns the path p in fieldsV1: f:spec, f:tags for spec.tags.
func ownedPath(p object.Path) []string {
	out := make([]string, len(p.Segments()))

	for i, sg := range p.Segments() {
		if sg.Type == object.SegmentIndex {
			out[i] = "i:" + strconv.FormatUint(uint64(sg.Index), 10)
		} else {
			out[i] = "f:" + sg.Field
		}
	}

	return out
}

// ownedID returns the key of the tag that the element e of the field f stands for: env for f:env and for k:{"key":"env"}. In
// a list of strings it returns the whole string: env=prod for v:"env=prod".
func ownedID(e string, f *field.Field) string {
	text := e[len("f:"):]

	if strings.HasPrefix(e, "f:") {
		return text
	}

	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return ""
	}

	if key, ok := v.(map[string]any); ok && strings.HasPrefix(e, "k:") {
		v = key[f.Key]
	}

	id, _ := v.(string)

	return id
}

// itemPath returns the path in fieldsV1 of an item of the list: f:spec, f:pools, k:{"name":"web"} for the item of spec.pools
// whose name is web.
func itemPath(list object.Path, name, value string) []string {
	key, _ := json.Marshal(map[string]string{name: value}) //nolint:errchkjson // Strings can be encoded.
	return append(ownedPath(list), "k:"+string(key))
}

// Owned yields the owned fields below spec.forProvider of the observed resource, for each field manager of Crossplane.
func (t *Target) Owned() iter.Seq[object.Node] {
	return func(yield func(object.Node) bool) {
		for m := range t.managers.fields.Items() {
			if t.managers.isCrossplane(m.Field("manager").Text()) && !yield(m.Field("fieldsV1").Field("f:spec").Field("f:forProvider")) {
				return
			}
		}
	}
}
