package stamp

import (
	"bytes"
	"cmp"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

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

		j, err := m.Field("fieldsV1").Value().MarshalJSON()
		if err != nil {
			continue
		}

		set := &fieldpath.Set{}
		if err := set.FromJSON(bytes.NewReader(j)); err != nil {
			continue
		}

		set, depth, leaf := follow(set, path)
		if composed && leaf {
			whole = max(whole, depth)
		} else {
			deepest = max(deepest, depth)
		}

		set.Iterate(func(p fieldpath.Path) { is[ownedID(p[0], &t.field)] = true })
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

// follow the supplied path into what a manager owns. It returns what the manager owns in
// the field, how many elements of the path lead to something that it owns, and whether
// it owns nothing in that.
func follow(set *fieldpath.Set, path fieldpath.Path) (in *fieldpath.Set, depth int, leaf bool) {
	for i, e := range path {
		owns := set.Members.Has(e)
		set = set.WithPrefix(e)

		if owns {
			depth, leaf = i+1, set.Empty()
		}
	}

	if !set.Empty() {
		depth = len(path) + 1
	}

	return set, depth, leaf
}

// ownedPath is the supplied path among the fields that a manager owns.
func ownedPath(p object.Path) fieldpath.Path {
	out := make(fieldpath.Path, len(p.Segments()))

	for i, sg := range p.Segments() {
		if sg.Type == object.SegmentIndex {
			out[i].Index = new(int(sg.Index))
		} else {
			out[i].FieldName = new(sg.Field)
		}
	}

	return out
}

// ownedID is what tells an entry of the supplied field from others, among the paths of
// the fields that a manager owns: the key of a tag, or the whole string.
func ownedID(e fieldpath.PathElement, f *field.Field) string {
	switch {
	case e.FieldName != nil:
		return *e.FieldName
	case e.Key != nil:
		for _, k := range *e.Key {
			if k.Name == f.Key && k.Value.IsString() {
				return k.Value.AsString()
			}
		}
	case e.Value != nil && (*e.Value).IsString():
		return (*e.Value).AsString()
	}

	return ""
}
