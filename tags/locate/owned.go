package locate

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// earlierOwners are field managers that count as Crossplane's, too:
//   - crossplane is the name by which Crossplane without pipelines applied composed resources.
//   - before-first-apply has the fields from the time before Crossplane's first server-side apply. The next run of Crossplane removes this
//     field manager: see PatchingManagedFieldsUpgrader in Crossplane's package internal/ssa.
var earlierOwners = []string{"crossplane", "before-first-apply"}

var managedFieldsPath = object.MustParsePath("metadata.managedFields")

// ComposedOwner returns the name of the field manager with which Crossplane applies composed resources of the composite
// resource xr, such as apiextensions.crossplane.io/composed/5b1c…. The name depends on xr's name, kind and group: see
// ComposedFieldOwnerName in Crossplane's package internal/controller/apiextensions/composite.
func ComposedOwner(xr object.Object) string {
	return fmt.Sprintf("apiextensions.crossplane.io/composed/%x", sha256.Sum256([]byte(object.Name(xr)+object.GVK(xr).GroupKind().String())))
}

// managers are the field managers of an observed resource.
type managers struct {
	// list is metadata.managedFields. The fieldsV1 of an item has the fields that one field manager owns, such as
	// {"f:spec": {"f:tags": {"f:env": {}}}} for the entry env of spec.tags.
	list object.Node

	// composedOwner is the field manager with which Crossplane applies the resource: see ComposedOwner.
	composedOwner string

	// itemPath leads to the list item that is the target: f:spec, f:pools and k:{"name":"web"} for the item web of spec.pools. It is
	// empty if the target is the whole resource: see Target.LaunchedTarget.
	itemPath []string
}

// owner returns the Owner of an entry whose only owner is the field manager called name. For the composedOwner, Ours is true. For the field
// manager of another composite resource, such as apiextensions.crossplane.io/composed/ffff, HasOtherManager is true.
func (ms *managers) owner(name string) Owner {
	if name == ms.composedOwner || slices.Contains(earlierOwners, name) {
		return Owner{Ours: true}
	}

	return Owner{HasOtherManager: true, Manager: name}
}

// An Owner says who owns an entry of a tag field, or an atomic field.
type Owner struct {
	// Ours reports whether Crossplane owns the entry for this composite resource. HasOtherManager reports whether another field manager
	// owns the entry. Ours and HasOtherManager may both be true.
	Ours, HasOtherManager bool

	// Manager is the name of the other field manager, such as kubectl-edit. If there are several, it is the first by name.
	Manager string

	// OtherOwnsKeyAndValue reports whether one other field manager owns all of an item {key: env, value: prod}. If kubectl-edit
	// owns only {key: env}, the item loses its value once Crossplane no longer applies it.
	OtherOwnsKeyAndValue bool
}

// stays reports whether an entry of this owner stays if Crossplane no longer desires the entry. An entry without an owner stays.
func (o Owner) stays() bool { return !o.Ours || o.HasOtherManager }

// with returns the Owner of an entry that both own. If Crossplane and kubectl-edit own an entry, its Owner has Ours, HasOtherManager, and
// the Manager kubectl-edit.
func (o Owner) with(other Owner) Owner {
	if other.HasOtherManager && (!o.HasOtherManager || other.Manager < o.Manager) {
		o.Manager = other.Manager
	}

	o.Ours, o.HasOtherManager = o.Ours || other.Ours, o.HasOtherManager || other.HasOtherManager
	o.OtherOwnsKeyAndValue = o.OtherOwnsKeyAndValue || other.OtherOwnsKeyAndValue

	return o
}

// Owners are the owners of the entries of an observed tag field.
type Owners struct {
	// Unknown reports whether the resource has no metadata.managedFields. Then Crossplane counts as the owner of all entries.
	Unknown bool

	// Atomic reports whether the entries have no owners of their own: Of returns the owner of the field for each. This is so in two cases:
	//   - Server-side apply replaces the field as a whole: Field.Atomic is set.
	//   - Field managers own the field or a parent as a whole, as in {"f:tags": {}}, and none owns an entry.
	Atomic bool

	// fieldOwner counts only if Atomic is true.
	fieldOwner Owner

	// HeldBy is another field manager that owns the field itself, as {"f:tags": {}}, while others own the entries. For example, the provider
	// has owned entries, and Crossplane has taken over all of them: then HeldBy is the provider. If the field becomes empty, the API server
	// makes null of it: see keepLastTag in package stamp. If there are several, HeldBy is the first by name.
	HeldBy string

	// entries has the owner of each entry by tag key or, in a list of strings, by the string: env=prod.
	entries map[string]Owner

	// initial are the owners of the observed map in spec.initProvider, or nil if there is none.
	initial *Owners
}

// Of returns the owner of the entry e.
func (o *Owners) Of(e *tagset.Entry) Owner {
	switch {
	case e.Initial && o.initial != nil:
		return o.initial.Of(e)
	case o.Unknown:
		return Owner{Ours: true}
	case o.Atomic:
		return o.fieldOwner
	default:
		return o.entries[cmp.Or(e.String(), e.Key)] // String is env=prod in a list of strings, and empty elsewhere.
	}
}

// Stays reports whether the entry e stays in the field if no step desires e. fieldDesired reports whether a step desires the
// field. The desired list [b=2] replaces all of an atomic list [a=1].
func (o *Owners) Stays(e *tagset.Entry, fieldDesired bool) bool {
	if e.Initial && o.initial != nil {
		return o.initial.Stays(e, fieldDesired)
	}

	isReplaced := o.Atomic && fieldDesired
	return !isReplaced && o.Of(e).stays()
}

// stayingEntries returns the entries of a map of tags that stay if no step desires them. For {env: prod, owner: me}, it returns
// {owner: me} if Crossplane alone owns env.
func (o *Owners) stayingEntries(tags object.Node) object.Node {
	staying := make(map[string]object.Node)

	for key, value := range tags.Fields() {
		if o.entries[string(key)].stays() {
			staying[string(key)] = value
		}
	}

	return object.MapNode(staying)
}

// HasOurs reports whether Crossplane owns an entry of the field, or an atomic field.
func (o *Owners) HasOurs() bool {
	if o.Atomic {
		return o.fieldOwner.Ours
	}

	// Crossplane counts as the owner of all entries if owners are Unknown.
	return o.Unknown || slices.ContainsFunc(slices.Collect(maps.Values(o.entries)), func(owner Owner) bool { return owner.Ours })
}

// ownersOf returns the owners of the entries of the field f. fieldIn returns f in another apiVersion of the kind: a field
// manager lists its fields in the apiVersion that it wrote. The files others.yaml and audit-owned.yaml of
// tags/stamp/testdata/cases show owners.
func (ms *managers) ownersOf(f *field.Field, fieldIn func(apiVersion string) *field.Field) *Owners {
	if !ms.list.IsList() {
		return &Owners{Unknown: true}
	}

	out := &Owners{}

	// A depth says how far down the path a field manager owns something: see follow. wholeDepth is the largest depth at which a manager owns
	// an element as a whole (isWhole), and partDepth the largest depth of the others. For spec.tags, {"f:spec": {"f:tags": {}}} makes
	// wholeDepth 2, and {"f:spec": {"f:tags": {"f:env": {}}}} makes partDepth 3.
	wholeDepth, partDepth := 0, 0

	// If the field is atomic, an owner of an entry owns the field, too: it may have written the entry before the field became atomic.
	var entryOwner Owner

	for m := range ms.list.Items() {
		owner := ms.owner(m.Field("manager").Text())
		writtenField := fieldIn(m.Field("apiVersion").Text())
		path := slices.Concat(ms.itemPath, fieldsV1Path(writtenField.Path))
		ownedEntries, depth, isWhole := follow(m.Field("fieldsV1"), path) // {"f:env": {}}, 3, false

		switch {
		case !isWhole:
			partDepth = max(partDepth, depth)
		case depth > wholeDepth: // Owners of spec as a whole don't count beside an owner of spec.tags.
			wholeDepth, out.fieldOwner = depth, owner
		case depth == wholeDepth:
			out.fieldOwner = out.fieldOwner.with(owner)
		}

		if f.Atomic && depth > len(path) {
			entryOwner = entryOwner.with(owner)
		}

		if owner.HasOtherManager && isWhole && depth == len(path) && (out.HeldBy == "" || owner.Manager < out.HeldBy) { // {"f:tags": {}}
			out.HeldBy = owner.Manager
		}

		out.addEntries(owner, ownedEntries, writtenField)
	}

	isOwnedWhole := wholeDepth > 0 && partDepth <= wholeDepth // At an equal depth, managers own fields beside the path.
	out.Atomic, out.fieldOwner = f.Atomic || isOwnedWhole, out.fieldOwner.with(entryOwner)

	return out
}

// addEntries adds owner to the owners of each entry that it owns. ownedEntries has these entries as in fieldsV1: {"f:env": {}}. f is
// the tag field in the apiVersion that owner wrote.
func (o *Owners) addEntries(owner Owner, ownedEntries object.Node, f *field.Field) {
	if len(o.entries) == 0 {
		o.entries = make(map[string]Owner, ownedEntries.Len())
	}

	valueElement := "f:" + f.Value // f:value in k:{"key":"env"}

	for e, element := range ownedEntries.Fields() {
		if !isElement(e) {
			continue
		}

		// A field manager other than Crossplane that owns only propagateAtLaunch of an item doesn't own the tag.
		ownsItem, _ := owns(element) // The owner of an item owns its key.
		ownsValue := element.Field(valueElement).IsThere()

		if ownsItem || ownsValue || owner.Ours {
			owner.OtherOwnsKeyAndValue = owner.HasOtherManager && ownsItem && ownsValue
			key := entryKey(string(e), f)
			o.entries[key] = o.entries[key].with(owner)
		}
	}
}

// follow follows the path into the fieldsV1 of a field manager, and returns the object at the end of the path. depth is the position in the
// path of the last element that the field manager owns, counted from 1. isWhole reports whether it owns nothing inside this element. If it
// owns anything inside the path's last element, depth is one more than the path's length, and isWhole is false. For the path f:spec,
// f:tags:
//   - {"f:spec": {"f:tags": {}}} has depth 2, and isWhole is true.
//   - {"f:spec": {"f:tags": {"f:env": {}}}} has depth 3, one more than the path's length, and isWhole is false.
func follow(owned object.Node, path []string) (end object.Node, depth int, isWhole bool) {
	var ownsElement, ownsInside bool

	for i, e := range path {
		owned = owned.Field(e)
		if !owned.IsThere() {
			return owned, depth, isWhole
		}

		ownsElement, ownsInside = owns(owned)
		if ownsElement {
			depth, isWhole = i+1, !ownsInside
		}
	}

	if ownsInside {
		depth, isWhole = len(path)+1, false
	}

	return owned, depth, isWhole
}

// owns reports whether the field manager owns the element itself, and whether it owns anything inside the element. By package fieldpath
// of sigs.k8s.io/structured-merge-diff, there are three cases:
//   - With {}, it owns only the element.
//   - With {"f:env": {}}, it owns only the field env inside.
//   - With {".": {}, "f:env": {}}, it owns both.
func owns(element object.Node) (ownsElement, ownsInside bool) {
	for e := range element.Fields() {
		ownsElement = ownsElement || string(e) == "."
		ownsInside = ownsInside || isElement(e)
	}

	return ownsElement || !ownsInside, ownsInside
}

// isElement reports whether the key of fieldsV1 stands for an element:
//   - f:env for the field env
//   - i:0 for the first item
//   - k:{"key":"env"} for the item with this key
//   - v:"env=prod" for this string
//
// The key "." stands for none, and Kubernetes may add other keys one day.
func isElement(key []byte) bool {
	return len(key) > 1 && key[1] == ':' && strings.IndexByte("fikv", key[0]) >= 0
}

// fieldsV1Path returns the path p in the form of fieldsV1. For spec.tags, it returns f:spec and f:tags.
func fieldsV1Path(p object.Path) []string {
	out := make([]string, len(p.Segments()))

	for i, segment := range p.Segments() {
		if segment.IsIndex {
			out[i] = "i:" + strconv.FormatUint(uint64(segment.Index), 10)
		} else {
			out[i] = "f:" + segment.Field
		}
	}

	return out
}

// entryKey returns the key in Owners.entries for the element e of the field f. It returns env for f:env and for
// k:{"key":"env"}, env=prod for v:"env=prod", and nothing for i:0.
func entryKey(e string, f *field.Field) string {
	text := e[len("f:"):] // env, {"key":"env"}, "env=prod" or 0

	if strings.HasPrefix(e, "f:") {
		return text
	}

	var v any // map[key:env] for {"key":"env"}, and env=prod for "env=prod"
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return ""
	}

	if itemKey, ok := v.(map[string]any); ok && strings.HasPrefix(e, "k:") {
		v = itemKey[f.Key]
	}

	key, _ := v.(string)

	return key
}

// fieldsV1ItemPath returns the path of an item of the list in the form of fieldsV1. For the item of spec.pools with name: web, it
// returns f:spec, f:pools and k:{"name":"web"}.
func fieldsV1ItemPath(list object.Path, keyField, item string) []string {
	key, _ := json.Marshal(map[string]string{keyField: item}) //nolint:errchkjson // Strings can be encoded.
	return append(fieldsV1Path(list), "k:"+string(key))
}

// OwnedInForProvider yields what Crossplane owns in spec.forProvider of the observed resource, such as {"f:tags": {"f:env": {}}}.
// It yields a Node for each field manager that counts as Crossplane's, such as before-first-apply. The Node is zero if the manager owns
// nothing there.
func (t *Target) OwnedInForProvider() iter.Seq[object.Node] {
	return func(yield func(object.Node) bool) {
		for m := range t.managers.list.Items() {
			if t.managers.owner(m.Field("manager").Text()).Ours && !yield(m.Field("fieldsV1").Field("f:spec").Field("f:forProvider")) {
				return
			}
		}
	}
}
