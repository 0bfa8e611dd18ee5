package resolve

import "github.com/plexsphere/function-cloud-tags/input/v1beta1"

// compositeFieldSources take labels from a map in a field of the composite resource.
var compositeFieldSources = sourceType{
	find:      func(r *resolver, s *v1beta1.Source) ([]foundLabels, error) { return r.xr.labelsFor(s) },
	title:     func(_ *resolver, s *v1beta1.Source) string { return s.FromFieldPath.String() },
	kindsRead: compositeKind,
}
