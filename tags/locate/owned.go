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

// These field managers are Crossplane's, too. The first applied composed resources in versions without pipelines. The second
// owns fields that were written before the first server-side apply. Crossplane removes both from metadata.managedFields when
// it applies the resource: see ManagedFieldsUpgrader in its package internal/ssa.
const (
	ownerBeforePipelines = "crossplane"
	ownerBeforeApply     = "before-first-apply"
)

var managedFieldsPath = object.MustParsePath("metadata.managedFields")

// ComposedOwner returns the name of the field manager with which Crossplane applies composed resources of the composite
// resource xr, such as apiextensions.crossplane.io/composed/5b1c…. The name depends on xr's name, kind and group: see
// ComposedFieldOwnerName in Crossplane's package internal/controller/apiextensions/composite.
func ComposedOwner(xr object.Object) string {
	return fmt.Sprintf("apiextensions.crossplane.io/composed/%x", sha256.Sum256([]byte(object.Name(xr)+object.GVK(xr).GroupKind().String())))
}

// managers are the field managers of an observed resource, from its metadata.managedFields.
type managers struct {
	fields object.Node

	// composedOwner is the field manager with which Crossplane applies the resource: see ComposedOwner.
	composedOwner string

	// itemPath is the path of an item in fieldsV1, such as f:spec, f:pools, k:{"name":"web"}. It is empty unless the target
	// stands for one item of a list: see Target.LaunchedTarget.
	itemPath []string
}

// isCrossplane reports whether the field manager is Crossplane, on behalf of this composite resource.
func (o *managers) isCrossplane(manager string) bool {
	return manager == o.composedOwner || manager == ownerBeforePipelines || manager == ownerBeforeApply
}

// An Owner says who owns an entry of a tag field, or an atomic field.
type Owner struct {
	// Ours reports whether Crossplane owns the entry for this composite resource. Others reports whether another field manager
	// owns it. Both may own it.
	Ours, Others bool

	// Manager is the name of the other field manager, such as kubectl-edit. If there are several, it is the first by name.
	Manager string

	// OthersOwnItem reports whether another field manager owns an item {key: env, value: prod} and the value in it. Then the
	// item stays complete if Crossplane no longer desires it.
	OthersOwnItem bool
}

// stays reports whether an entry of this owner stays if Crossplane no longer desires it. An entry without an owner stays.
func (o Owner) stays() bool { return !o.Ours || o.Others }

// withManager returns o with one more field manager, which is Crossplane if ours is true. If Crossplane and kubectl-edit own
// an entry, its Owner has Ours, Others, and the Manager kubectl-edit.
func (o Owner) withManager(manager string, ours bool) Owner { //nolint:revive // It says whose the manager is.
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
	// Unknown reports whether the resource has no metadata.managedFields. Then Crossplane counts as the owner of all entries.
	Unknown bool

	// Atomic reports whether the field has an owner as a whole, namely fieldOwner. Then entries is empty.
	Atomic     bool
	fieldOwner Owner

	// HeldBy is the name of another field manager that owns the field itself, but no entry of it, or empty. For example, a
	// provider has copied the cloud's tags, and labels have replaced all of them since.
	HeldBy string

	// entries has the owner of each entry by tag key. In a list of strings, it has them by string, such as env=prod.
	entries map[string]Owner
}

// Of returns the owner of the entry e.
func (o *Owners) Of(e *tagset.Entry) Owner {
	switch {
	case o.Unknown:
		return Owner{Ours: true}
	case o.Atomic:
		return o.fieldOwner
	default:
		return o.entries[cmp.Or(e.String(), e.Key)]
	}
}

// Stays reports whether the entry e stays in the field if no step desires it. fieldDesired reports whether a step desires other
// entries of the field. Then no such entry of an atomic field stays.
func (o *Owners) Stays(e *tagset.Entry, fieldDesired bool) bool {
	return (!o.Atomic || !fieldDesired) && o.Of(e).stays()
}

// stayingEntries returns the entries of the map n that stay if no step desires them. For {env: prod, owner: me}, it returns
// {owner: me} if Crossplane alone owns env. It returns lists and atomic fields as they are. Most entries don't stay, and
// needn't be read.
func (o *Owners) stayingEntries(n object.Node) object.Node {
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
		return o.Unknown || o.fieldOwner.Ours
	}

	for _, owner := range o.entries {
		if owner.Ours {
			return true
		}
	}

	return false
}

// ownersOf returns the owners of the entries of the field f. fieldIn returns f in another apiVersion of the kind: a field
// manager lists its fields in the apiVersion that it wrote. The files others.yaml and audit-owned.yaml of
// tags/stamp/testdata/cases show owners.
func (o *managers) ownersOf(f *field.Field, fieldIn func(apiVersion string) *field.Field) *Owners {
	if !o.fields.IsList() {
		return &Owners{Unknown: true}
	}

	out := &Owners{}
	fieldDepth, entryDepth := 0, 0

	for m := range o.fields.Items() {
		writtenField := fieldIn(m.Field("apiVersion").Text())
		path := slices.Concat(o.itemPath, fieldsV1Path(writtenField.Path))
		owned, depth, isLeaf := follow(m.Field("fieldsV1"), path)
		manager, valueField := m.Field("manager").Text(), "f:"+writtenField.Value
		ours := o.isCrossplane(manager)

		switch {
		case isLeaf && depth > fieldDepth:
			fieldDepth, out.fieldOwner = depth, Owner{}.withManager(manager, ours)
		case isLeaf && depth == fieldDepth, f.Atomic && depth > len(path):
			out.fieldOwner = out.fieldOwner.withManager(manager, ours)
		}

		if isLeaf && depth == len(path) && !ours && (out.HeldBy == "" || manager < out.HeldBy) {
			out.HeldBy = manager
		}

		if !isLeaf {
			entryDepth = max(entryDepth, depth)
		}

		if len(out.entries) == 0 {
			out.entries = make(map[string]Owner, owned.Len())
		}

		for e, element := range owned.Fields() {
			if !isElement(e) {
				continue
			}

			// A field manager may own one field of an item, but not the item. It counts as the tag's owner if that field is the
			// tag's value.
			ownsItem, _ := owns(element)
			ownsValue := element.Field(valueField).IsThere()

			if ownsItem || ownsValue || ours {
				id := entryKey(string(e), writtenField)
				owner := out.entries[id].withManager(manager, ours)
				owner.OthersOwnItem = owner.OthersOwnItem || !ours && ownsItem && ownsValue
				out.entries[id] = owner
			}
		}
	}

	// A field is also atomic if a field manager owns it, but none owns an entry of it.
	out.Atomic = f.Atomic || fieldDepth > 0 && entryDepth <= fieldDepth

	return out
}

// follow follows the path into the fieldsV1 of a field manager. Each field of that object stands for an element:
//   - f:spec for the field spec
//   - i:0 for the first item
//   - k:{"key":"env"} for the item with this key
//   - v:"env=prod" for this item
//   - . for the object itself
//
// A field manager also owns an element whose object is empty. See package fieldpath of sigs.k8s.io/structured-merge-diff.
//
// follow returns the object at the end of the path. depth is the position in the path of the last owned element, counted from
// 1. leaf reports whether nothing inside that element is owned. For spec.tags and {"f:spec": {"f:tags": {}}}, depth is 2, and
// leaf is true. If an element inside the path's end is owned, depth is one more than the path's length.
func follow(owned object.Node, path []string) (end object.Node, depth int, leaf bool) {
	ownsInside := false

	for i, e := range path {
		owned = owned.Field(e)
		if !owned.IsThere() {
			return owned, depth, leaf
		}

		var ownsElement bool

		ownsElement, ownsInside = owns(owned)
		if ownsElement {
			depth, leaf = i+1, !ownsInside
		}
	}

	if ownsInside {
		depth = len(path) + 1
	}

	return owned, depth, leaf
}

// owns reports whether the field manager owns the element itself, and whether it owns anything inside. With
// {".": {}, "f:env": {}}, it owns the element and the field env.
func owns(element object.Node) (ownsElement, ownsInside bool) {
	for e := range element.Fields() {
		ownsElement = ownsElement || string(e) == "."
		ownsInside = ownsInside || isElement(e)
	}

	return ownsElement || !ownsInside, ownsInside
}

// isElement reports whether the key e of fieldsV1 stands for a field or an item, such as f:env. The key "." doesn't, and
// Kubernetes may add other keys one day.
func isElement(e []byte) bool {
	return len(e) > 1 && e[1] == ':' && strings.IndexByte("fikv", e[0]) >= 0
}

// fieldsV1Path returns the path p as fieldsV1 has it. For spec.tags, it returns f:spec and f:tags.
func fieldsV1Path(p object.Path) []string {
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

// entryKey returns the key in Owners.entries for the element e of the field f. It returns env for f:env and for
// k:{"key":"env"}, and env=prod for v:"env=prod".
func entryKey(e string, f *field.Field) string {
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

// fieldsV1ItemPath returns the path of an item of the list as fieldsV1 has it. For the item of spec.pools with name: web, it
// returns f:spec, f:pools and k:{"name":"web"}.
func fieldsV1ItemPath(list object.Path, name, value string) []string {
	key, _ := json.Marshal(map[string]string{name: value}) //nolint:errchkjson // Strings can be encoded.
	return append(fieldsV1Path(list), "k:"+string(key))
}

// OwnedForProviders yields spec.forProvider in the fieldsV1 of each field manager that is Crossplane. It shows which fields of the observed
// resource Crossplane owns.
func (t *Target) OwnedForProviders() iter.Seq[object.Node] {
	return func(yield func(object.Node) bool) {
		for m := range t.managers.fields.Items() {
			if t.managers.isCrossplane(m.Field("manager").Text()) && !yield(m.Field("fieldsV1").Field("f:spec").Field("f:forProvider")) {
				return
			}
		}
	}
}
