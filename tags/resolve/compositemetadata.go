package resolve

import "github.com/plexsphere/function-cloud-tags/input/v1beta1"

// compositeMetadataSources take labels from those labels and annotations of the composite resource whose keys start with a prefix,
// such as tags.example.org/.
var compositeMetadataSources = sourceType{
	find:      func(r *resolver, s *v1beta1.Source) ([]foundLabels, error) { return r.xr.labelsFor(s) },
	title:     func(_ *resolver, s *v1beta1.Source) string { return "labels and annotations " + s.Prefix + "…" },
	kindsRead: compositeKind,
}

// compositeKind returns the kind of the composite resource, for sources that read it.
func compositeKind(_ *v1beta1.Source, composite v1beta1.ResourceKind) []v1beta1.ResourceKind {
	return []v1beta1.ResourceKind{composite}
}
