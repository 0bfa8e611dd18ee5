package resolve

import (
	"context"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
)

// compositeMetadata sources take labels from the labels and annotations of the composite
// resource that carry a prefix.
var compositeMetadata = sourceType{
	find: func(_ context.Context, r *resolver, s *v1beta1.Source) ([]labels, error) {
		return prefixed(s, r.xr)
	},
	title: func(s *v1beta1.Source, _ *structpb.Struct) string {
		return "labels and annotations " + s.Prefix + "…"
	},
	kinds: func(_ *v1beta1.Source, composite v1beta1.ResourceKind) []v1beta1.ResourceKind {
		return []v1beta1.ResourceKind{composite}
	},
}
