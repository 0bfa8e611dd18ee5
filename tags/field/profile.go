package field

import "slices"

// ByProfile locates the tag fields of the managed resources of a provider that is
// known, for kinds that nothing else is known about: the field in which most kinds
// of the provider keep their tags. Of an API group that the built-in index has, it
// knows no kinds, since the index would have those that have a tag field.
type ByProfile struct{}

// Locate the tag field of the supplied kind by its profile.
func (ByProfile) Locate(k Kind) (Field, bool) {
	i := slices.IndexFunc(families, func(f *family) bool { return f.usual != nil && f.Profile == k.Profile })
	if i < 0 || !k.Managed || BuiltIn().HasGroup(k.Group) {
		return Field{}, false
	}

	// What is usual where nobody knows the provider isn't so for one that we know, and what is
	// below spec.forProvider isn't there for others than Crossplane's.
	f, _ := familyOf(k.GroupKind())
	if f.Native || f != &unknown && families[i] == &unknown {
		return Field{}, false
	}

	usual := families[i].usual
	out := Field{Path: usual.paths[0], Shape: Map, Observed: usual.observed}

	f.complete(&out)

	return out, true
}
