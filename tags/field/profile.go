package field

// ByProfile locates the tag fields of the managed resources of a provider that is
// known, for kinds that nothing else is known about: the field in which most kinds
// of the provider keep their tags. Of an API group that the built-in index has, it
// knows no kinds, since the index would have those that have a tag field.
type ByProfile struct{}

// profileFields are the fields of ByProfile by tag profile.
var profileFields = map[string]Field{
	"aws":       usual(awsTags),
	"azure":     usual(azureTags),
	"gcp":       usual(gcpLabels),
	"generic":   usual(candidate{path: "tags", observed: []string{"tagsAll", "tags"}}),
	"hetzner":   usual(candidate{path: "labels", observed: []string{"labels"}}),
	"openstack": usual(openstackMetadata),
}

// usual is the field of the supplied candidate, which is a map.
func usual(c candidate) Field {
	f := Field{Path: forProvider + c.path, Shape: Map}
	for _, path := range c.observed {
		f.Observed = append(f.Observed, atProvider+path)
	}

	return f
}

// Locate the tag field of the supplied kind by its profile.
func (ByProfile) Locate(k Kind) (Field, bool) {
	f, ok := profileFields[k.Profile]
	if !ok || !k.Managed || BuiltIn().HasGroup(k.Group) {
		return Field{}, false
	}

	d, _, _ := dialectOf(k.Group)
	d.complete(&f)

	return f, true
}
