package field

// ByProfile locates the tag fields of the managed resources of a provider that is
// known, for kinds that nothing else is known about: the field in which most kinds
// of the provider keep their tags. Of an API group that the built-in index has, it
// knows no kinds, since the index would have those that have a tag field.
type ByProfile struct{}

// profileFields are the fields of ByProfile by tag profile.
var profileFields = map[string]Field{
	"azure":     {Path: "spec.forProvider.tags", Shape: Map},
	"gcp":       {Path: "spec.forProvider.labels", Shape: Map},
	"aws":       {Path: "spec.forProvider.tags", Shape: Map},
	"generic":   {Path: "spec.forProvider.tags", Shape: Map},
	"hetzner":   {Path: "spec.forProvider.labels", Shape: Map},
	"openstack": {Path: "spec.forProvider.metadata", Shape: Map},
}

// Locate the tag field of the supplied kind by its profile.
func (ByProfile) Locate(k Kind) (Field, bool) {
	f, ok := profileFields[k.Profile]
	return f, ok && k.ForProvider && !BuiltIn().HasGroup(k.Group)
}
