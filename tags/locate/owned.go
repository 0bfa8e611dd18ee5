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

// These field managers are Crossplane's, too. Crossplane without pipelines applied composed resources as `crossplane`. The API
// server gives fields that were written before the first server-side apply to `before-first-apply`. Crossplane removes both from
// metadata.managedFields when it applies the resource: see ManagedFieldsUpgrader in Crossplane's package internal/ssa.
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

// managers are the field managers of an observed resource.
type managers struct {
	// list is metadata.managedFields.
	list object.Node

	// composedOwner is the field manager with which Crossplane applies the resource: see ComposedOwner.
	composedOwner string

	// itemPath is the path of an item in fieldsV1, such as f:spec, f:pools, k:{"name":"web"}. itemPath is empty unless the
	// target stands for one item of a list: see Target.LaunchedTarget.
	itemPath []string
}

// isCrossplane reports whether the field manager with the name is Crossplane, on behalf of this composite resource.
func (ms *managers) isCrossplane(name string) bool {
	return name == ms.composedOwner || name == ownerBeforePipelines || name == ownerBeforeApply
}

// A fieldManager is one of the managers, such as kubectl-edit.
type fieldManager struct {
	name         string
	isCrossplane bool
}

// An Owner says who owns an entry of a tag field, or an atomic field.
type Owner struct {
	// Ours reports whether Crossplane owns the entry for this composite resource. Others reports whether another field manager
	// owns the entry. Ours and Others may both be true.
	Ours, Others bool

	// Manager is the name of the other field manager, such as kubectl-edit. If there are several, it is the first by name.
	Manager string

	// OthersOwnItem reports whether another field manager owns an item {key: env, value: prod} and the value in it. Then the
	// item stays complete if Crossplane no longer desires it.
	OthersOwnItem bool
}

// stays reports whether an entry of this owner stays if Crossplane no longer desires the entry. An entry without an owner stays.
func (o Owner) stays() bool { return !o.Ours || o.Others }

// with returns o with one more field manager. If Crossplane and kubectl-edit own an entry, its Owner has Ours, Others, and the
// Manager kubectl-edit.
func (o Owner) with(m fieldManager) Owner {
	if m.isCrossplane {
		o.Ours = true
		return o
	}

	if !o.Others || m.name < o.Manager {
		o.Manager = m.name
	}

	o.Others = true

	return o
}

// Owners are the owners of the entries of an observed tag field.
type Owners struct {
	// Unknown reports whether the resource has no metadata.managedFields. Then Crossplane counts as the owner of all entries.
	Unknown bool

	// Atomic reports whether the field has an owner as a whole, namely fieldOwner. Then entries don't count.
	Atomic     bool
	fieldOwner Owner

	// HeldBy is the name of another field manager that owns the field itself, but no entry of the field. For example, a provider
	// has copied the cloud's tags, and labels have replaced all of them since. HeldBy is empty if there is none.
	HeldBy string

	// entries has the owner of each entry by tag key. The key of an entry in a list of strings is the string, such as env=prod.
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

// Stays reports whether the entry e stays in the field if no step desires e. fieldDesired reports whether a step desires other
// entries of the field: these replace all entries of an atomic field.
func (o *Owners) Stays(e *tagset.Entry, fieldDesired bool) bool {
	return (!o.Atomic || !fieldDesired) && o.Of(e).stays()
}

// stayingEntries returns the entries of the map that stay if no step desires them. For {env: prod, owner: me}, stayingEntries
// returns {owner: me} if Crossplane alone owns env. It returns lists and atomic fields as they are. Most entries don't stay, and
// needn't be read.
func (o *Owners) stayingEntries(tags object.Node) object.Node {
	if !tags.IsObject() || o.Unknown || o.Atomic {
		return tags
	}

	staying := make(map[string]object.Node)

	for key, value := range tags.Fields() {
		if o.entries[string(key)].stays() {
			staying[string(key)] = value
		}
	}

	return object.MapNode(staying)
}

// HasOurs reports whether Crossplane owns the field or an entry of the field.
func (o *Owners) HasOurs() bool {
	for _, owner := range o.entries {
		if owner.Ours && !o.Atomic {
			return true
		}
	}

	return o.Unknown || o.Atomic && o.fieldOwner.Ours
}

// ownersOf returns the owners of the entries of the field f. fieldIn returns f in another apiVersion of the kind: a field
// manager lists its fields in the apiVersion that it wrote. The files others.yaml and audit-owned.yaml of
// tags/stamp/testdata/cases show owners.
func (ms *managers) ownersOf(f *field.Field, fieldIn func(apiVersion string) *field.Field) *Owners {
	if !ms.list.IsList() {
		return &Owners{Unknown: true}
	}

	out := &Owners{}

	// For {"f:spec": {"f:tags": {}}}, wholeDepth is 2. For {"f:spec": {"f:tags": {"f:env": {}}}}, partDepth is 3.
	wholeDepth, partDepth := 0, 0

	for item := range ms.list.Items() {
		m := fieldManager{name: item.Field("manager").Text()}
		m.isCrossplane = ms.isCrossplane(m.name)
		writtenField := fieldIn(item.Field("apiVersion").Text())
		path := slices.Concat(ms.itemPath, fieldsV1Path(writtenField.Path))
		owned, depth, isWhole := follow(item.Field("fieldsV1"), path)

		if isWhole && depth > wholeDepth { // Owners of spec as a whole don't count beside an owner of spec.tags.
			wholeDepth, out.fieldOwner = depth, Owner{}
		}

		if isWhole && depth == wholeDepth || f.Atomic && depth > len(path) {
			out.fieldOwner = out.fieldOwner.with(m)
		}

		holdsField := isWhole && depth == len(path) && !m.isCrossplane
		if holdsField && (out.HeldBy == "" || m.name < out.HeldBy) {
			out.HeldBy = m.name
		}

		if !isWhole {
			partDepth = max(partDepth, depth)
		}

		out.addEntries(m, owned, writtenField)
	}

	// A field also counts as atomic if a field manager owns it as a whole, and none owns an entry of it.
	out.Atomic = f.Atomic || wholeDepth > 0 && partDepth <= wholeDepth

	return out
}

// addEntries adds m to the owners of each entry that m owns. owned is the object in the fieldsV1 of m for the tag field f.
func (o *Owners) addEntries(m fieldManager, owned object.Node, f *field.Field) {
	if len(o.entries) == 0 {
		o.entries = make(map[string]Owner, owned.Len())
	}

	valueElement := "f:" + f.Value

	for e, element := range owned.Fields() {
		if !isElement(e) {
			continue
		}

		// If another field manager owns nothing but propagateAtLaunch of an item, it doesn't own the tag.
		ownsItem, _ := owns(element)
		ownsValue := element.Field(valueElement).IsThere()

		if ownsItem || ownsValue || m.isCrossplane {
			key := entryKey(string(e), f)
			owner := o.entries[key].with(m)
			owner.OthersOwnItem = owner.OthersOwnItem || !m.isCrossplane && ownsItem && ownsValue
			o.entries[key] = owner
		}
	}
}

// follow follows the path into the fieldsV1 of a field manager. Each field of fieldsV1 stands for an element that is owned:
//   - f:spec for the field spec
//   - i:0 for the first item
//   - k:{"key":"env"} for the item with this key
//   - v:"env=prod" for this item
//   - . for the object itself
//
// A field manager also owns an element whose object is empty. See package fieldpath of sigs.k8s.io/structured-merge-diff.
//
// follow returns the object at the end of the path. depth is the position in the path of the last owned element, counted from
// 1. isWhole reports whether nothing inside that element is owned. For the path f:spec, f:tags:
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
		depth = len(path) + 1
	}

	return owned, depth, isWhole
}

// owns reports whether the field manager owns the element itself, and whether it owns anything inside the element. With
// {".": {}, "f:env": {}}, the field manager owns the element and its field env.
func owns(element object.Node) (ownsElement, ownsInside bool) {
	for e := range element.Fields() {
		ownsElement = ownsElement || string(e) == "."
		ownsInside = ownsInside || isElement(e)
	}

	return ownsElement || !ownsInside, ownsInside
}

// isElement reports whether the key of fieldsV1 stands for a field or an item, such as f:env. The key "." doesn't, and
// Kubernetes may add other keys one day.
func isElement(key []byte) bool {
	return len(key) > 1 && key[1] == ':' && strings.IndexByte("fikv", key[0]) >= 0
}

// fieldsV1Path returns the path p in the form of fieldsV1. For spec.tags, it returns f:spec and f:tags.
func fieldsV1Path(p object.Path) []string {
	out := make([]string, len(p.Segments()))

	for i, segment := range p.Segments() {
		if segment.Type == object.SegmentIndex {
			out[i] = "i:" + strconv.FormatUint(uint64(segment.Index), 10)
		} else {
			out[i] = "f:" + segment.Field
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

// OwnedForProviders yields f:spec.f:forProvider in the fieldsV1 of each field manager that is Crossplane. The keys in it are the
// fields of the observed resource that Crossplane owns, such as f:tags.
func (t *Target) OwnedForProviders() iter.Seq[object.Node] {
	return func(yield func(object.Node) bool) {
		for m := range t.managers.list.Items() {
			if t.managers.isCrossplane(m.Field("manager").Text()) && !yield(m.Field("fieldsV1").Field("f:spec").Field("f:forProvider")) {
				return
			}
		}
	}
}
