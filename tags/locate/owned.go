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

// Field managers that are Crossplane's beside that of ComposedOwner: the one that wrote composed
// resources before there were pipelines, and the one that owns what was there before the first
// server-side apply. Crossplane takes both out of metadata.managedFields once it has applied the
// resource: see ManagedFieldsUpgrader in its package internal/ssa.
const (
	ownerBeforePipelines = "crossplane"
	ownerBeforeApply     = "before-first-apply"
)

var managedFieldsPath = object.MustParsePath("metadata.managedFields")

// ComposedOwner returns the name of the field manager by which Crossplane applies what the
// composite resource xr is composed of. It depends on the name and the kind, but neither on the
// namespace nor on the version: see ComposedFieldOwnerName in Crossplane's package
// internal/controller/apiextensions/composite.
func ComposedOwner(xr object.Object) string {
	return fmt.Sprintf("apiextensions.crossplane.io/composed/%x", sha256.Sum256([]byte(object.Name(xr)+object.GVK(xr).GroupKind().String())))
}

// managers are metadata.managedFields of an observed resource, as one composite resource sees it.
type managers struct {
	fields object.Node

	// composed is the name of the field manager of the composite resource.
	composed string

	// within are the elements of an item of a list that the resource stands for, and that all
	// paths start with. A resource that is no item has none.
	within []string
}

// isOurs is true if the entry m is of a field manager of Crossplane, for the composite resource.
func (o *managers) isOurs(m object.Node) bool {
	name := m.Field("manager").Text()
	return name == o.composed || name == ownerBeforePipelines || name == ownerBeforeApply
}

// An Owner is who owns an entry of a tag field, or an atomic field as a whole.
type Owner struct {
	// Ours is true if Crossplane owns it for the composite resource, and Others if another
	// field manager does, too.
	Ours, Others bool

	// Manager is the name of the other one, the first if there are several.
	Manager string

	// Whole is true if another one owns an entry that is an object as such, and its value, so that nothing of it
	// goes once Crossplane doesn't desire it.
	Whole bool
}

// stays is true if server-side apply leaves an entry of this owner where it is once Crossplane
// desires it no longer. Nobody takes away what nobody owns.
func (o Owner) stays() bool { return !o.Ours || o.Others }

// with returns the owner together with that of the entry m of managers.
func (o Owner) with(m object.Node, of *managers) Owner {
	if of.isOurs(m) {
		o.Ours = true
		return o
	}

	if name := m.Field("manager").Text(); !o.Others || name < o.Manager {
		o.Manager = name
	}

	o.Others = true

	return o
}

// Owners are who owns what is in a tag field of an observed resource.
type Owners struct {
	// Unknown is true if nobody says. Then everything counts as Crossplane's.
	Unknown bool

	// Atomic is true if the field has one owner as a whole.
	Atomic bool
	whole  Owner

	// entries have an owner each, by what tells them apart: the key of a tag, or the whole
	// string in a list of strings.
	entries map[string]Owner
}

// Of returns who owns the entry e.
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

// Stays is true if server-side apply leaves the entry e where it is, though it is not desired. If
// an atomic field is desired, it leaves nothing that is not.
func (o *Owners) Stays(e *tagset.Entry, fieldDesired bool) bool {
	return (!o.Atomic || !fieldDesired) && o.Of(e).stays()
}

// ownersOf the field f, which fieldIn returns as it is in other versions of the resource.
func (o *managers) ownersOf(f *field.Field, fieldIn func(apiVersion string) *field.Field) *Owners {
	if !o.fields.IsList() {
		return &Owners{Unknown: true}
	}

	out := &Owners{entries: make(map[string]Owner)}
	leaf, inside := 0, 0

	for m := range o.fields.Items() {
		// Paths are those of the version that the manager has written.
		of := fieldIn(m.Field("apiVersion").Text())
		path := slices.Concat(o.within, ownedPath(of.Path))
		owned, depth, isLeaf := follow(m.Field("fieldsV1"), path)

		switch {
		case isLeaf && depth > leaf:
			leaf, out.whole = depth, Owner{}.with(m, o)
		case isLeaf && depth == leaf, f.Atomic && depth > len(path):
			out.whole = out.whole.with(m, o)
		}

		if !isLeaf {
			inside = max(inside, depth)
		}

		for e, element := range owned.Fields() {
			if !isElement(e) {
				continue
			}

			// Who owns a field of an object in a list doesn't own the object. But who owns its value has the tag.
			itself, _ := owns(element)
			valued := element.Field("f:" + of.Value).IsThere()

			if itself || valued || o.isOurs(m) {
				id := ownedID(string(e), of)
				owner := out.entries[id].with(m, o)
				owner.Whole = owner.Whole || !o.isOurs(m) && itself && valued
				out.entries[id] = owner
			}
		}
	}

	// A field that is owned, while nobody owns anything in it, is atomic, though we may not know
	// that.
	out.Atomic = f.Atomic || leaf > 0 && inside <= leaf

	return out
}

// follow the path into what a manager owns, which is an object in which each field
// stands for an element: f:name for a field, i:0 for an item, k:{"name":"value"} for an item
// with this key, v:"value" for this item, and . for what the object is of itself. An element
// of which nothing is said is owned itself, too. See package fieldpath of
// sigs.k8s.io/structured-merge-diff.
//
// It returns what the manager owns in the field, how many elements of the path lead to
// something that it owns, and whether it owns nothing in that.
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

// owns says whether the element is owned itself, and whether anything inside is.
func owns(element object.Node) (itself, inside bool) {
	for e := range element.Fields() {
		itself = itself || string(e) == "."
		inside = inside || isElement(e)
	}

	return itself || !inside, inside
}

// isElement is true if the field e stands for an element in the object that it is of.
// There may be others one day.
func isElement(e []byte) bool {
	return len(e) > 1 && e[1] == ':' && strings.IndexByte("fikv", e[0]) >= 0
}

// ownedPath is the path p among the fields that a manager owns.
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

// ownedID is what tells an entry of the field f from others, among the elements that
// a manager owns: the key of a tag, or the whole string.
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

// itemPath is the path, among the fields that a manager owns, of the item of list in which the
// field called name has the value.
func itemPath(list object.Path, name, value string) []string {
	key, _ := json.Marshal(map[string]string{name: value}) //nolint:errchkjson // Strings can be encoded.
	return append(ownedPath(list), "k:"+string(key))
}

// Owned returns what Crossplane owns below spec.forProvider of the observed resource, by each of its
// field managers.
func (t *Target) Owned() iter.Seq[object.Node] {
	return func(yield func(object.Node) bool) {
		for m := range t.managers.fields.Items() {
			if t.managers.isOurs(m) && !yield(m.Field("fieldsV1").Field("f:spec").Field("f:forProvider")) {
				return
			}
		}
	}
}
