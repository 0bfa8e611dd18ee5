package resolve

import "github.com/plexsphere/function-cloud-tags/input/v1beta1"

// compositeMetadata sources take labels from the labels and annotations of the composite
// resource that carry a prefix.
var compositeMetadata = sourceType{
	find:  func(r *resolver, s *v1beta1.Source) ([]labels, error) { return r.xr.labels(s) },
	title: func(_ *resolver, s *v1beta1.Source) string { return "labels and annotations " + s.Prefix + "…" },
	kinds: compositeKind,
}

// compositeKind returns the kind of the composite resource, which sources read.
func compositeKind(_ *v1beta1.Source, composite v1beta1.ResourceKind) []v1beta1.ResourceKind {
	return []v1beta1.ResourceKind{composite}
}
