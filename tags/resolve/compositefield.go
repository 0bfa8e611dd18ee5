package resolve

import "github.com/plexsphere/function-cloud-tags/input/v1beta1"

// compositeField sources take labels from a map at a field path of the composite
// resource.
var compositeField = sourceType{
	find:  func(r *resolver, s *v1beta1.Source) ([]labels, error) { return r.xr.labels(s) },
	title: func(_ *resolver, s *v1beta1.Source) string { return s.FromFieldPath.String() },
	kinds: compositeKind,
}
