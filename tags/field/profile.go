package field

// ByProfile locates the tag fields of managed resources without other facts: the field in which most
// kinds of their provider keep their tags. It knows no kinds of API groups in the built-in index. Their
// providers are surveyed, and many of their kinds have no tag field.
type ByProfile struct{}

// Locate returns the tag field of the kind by its profile.
func (ByProfile) Locate(k Kind) (Field, bool) {
	// A known provider has its own usual field, or none, even if other providers of its cloud have another.
	f, service := familyOf(k.GroupKind())
	usual := f.usual

	if f == unknown || f == unmanaged {
		usual = usualOf(k.Profile)
	}

	if usual == nil || !k.Managed || BuiltIn().HasGroup(k.Group) {
		return Field{}, false
	}

	out := Field{Layout: Layout{Shape: Map}, Path: usual.paths[0], Observed: usual.observed}

	f.complete(&out, f.filling(service, k.Kind))

	return out, true
}

// usualOf returns the field that is usual for the tag profile of the name, or nil if none is.
func usualOf(name string) *candidate {
	for _, f := range families {
		if f.usual != nil && f.Profile == name {
			return f.usual
		}
	}

	return nil
}
