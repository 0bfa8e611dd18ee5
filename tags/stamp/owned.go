package stamp

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
)

// composedOwner is what the names of the field managers start with by which Crossplane
// applies composed resources.
const composedOwner = "apiextensions.crossplane.io/composed"

var managedFieldsPath = object.MustParsePath("metadata.managedFields")

// ownedBy returns what says whether server-side apply removes an entry of the supplied
// target's field, if it is desired no longer. That is so for what Crossplane has applied, but
// not for what others have, or have too.
func ownedBy(t *Target) func(e *tagset.Entry) bool {
	all := func(*tagset.Entry) bool { return true }
	if t.field.Atomic {
		return all
	}

	managers, err := t.observed.At(managedFieldsPath)
	if err != nil || !managers.IsList() {
		return all // Nobody says who owns it.
	}

	path := ownedPath(t.field.Path)
	ours, others := make(map[string]bool), make(map[string]bool)
	deepest, whole := 0, 0

	for m := range managers.Items() {
		composed := strings.HasPrefix(m.Field("manager").Text(), composedOwner)

		is := others
		if composed {
			is = ours
		}

		owned, depth, leaf := follow(m.Field("fieldsV1"), path)
		if composed && leaf {
			whole = max(whole, depth)
		} else {
			deepest = max(deepest, depth)
		}

		for e := range owned.Fields() {
			if isElement(e) {
				is[ownedID(string(e), t.field)] = true
			}
		}
	}

	// A field that is owned, while nobody owns anything in it, is atomic, though we didn't
	// know that.
	if whole > 0 && deepest <= whole {
		return all
	}

	return func(e *tagset.Entry) bool {
		id := cmp.Or(e.String(), e.Key)
		return ours[id] && !others[id]
	}
}

// follow the supplied path into what a manager owns, which is an object in which each field
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

// owns says whether the supplied element is owned itself, and whether anything inside is.
func owns(element object.Node) (itself, inside bool) {
	for e := range element.Fields() {
		itself = itself || string(e) == "."
		inside = inside || isElement(e)
	}

	return itself || !inside, inside
}

// isElement is true if the supplied field stands for an element in the object that it is of.
// There may be others one day.
func isElement(e []byte) bool {
	return len(e) > 1 && e[1] == ':' && strings.IndexByte("fikv", e[0]) >= 0
}

// ownedPath is the supplied path among the fields that a manager owns.
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

// ownedID is what tells an entry of the supplied field from others, among the elements that
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
