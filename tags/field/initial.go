package field

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// InitialPath returns the path of a field of spec.forProvider in spec.initProvider: spec.initProvider.tags for spec.forProvider.tags.
// Providers merge spec.initProvider below spec.forProvider. The result is zero for all other fields, and for fields of a manifest:
// Objects of provider-kubernetes have no spec.initProvider.
func InitialPath(path object.Path) object.Path {
	segments := path.Segments()
	if len(segments) < 3 || segments[0].Field != "spec" || segments[1].Field != "forProvider" || segments[2].Field == "manifest" {
		return object.Path{}
	}

	initial := slices.Clone(segments)
	initial[1].Field = "initProvider"

	out, _ := object.ParsePaths(initial.String()) // Its text is a path, since the text of the given path is one.

	return out
}

// HasInitial reports whether spec.initProvider of the resource has the launched field, in any item of a list.
func (l *Launched) HasInitial(o object.Object) bool {
	path := l.Path
	if l.IsInList() {
		path = object.MustParsePath(l.List.String() + "." + path.String())
	}

	if path = InitialPath(path); path.IsZero() {
		return false
	}

	for v := range ValuesAt(o, path) {
		if !v.IsNull() {
			return true
		}
	}

	return false
}
