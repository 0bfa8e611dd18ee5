package resolve

import (
	"context"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
)

// compositeField sources take labels from a map at a field path of the composite
// resource.
var compositeField = sourceType{
	find: func(_ context.Context, r *resolver, s *v1beta1.Source) ([]labels, error) {
		return field(s, r.xr)
	},
	title: func(s *v1beta1.Source, _ *structpb.Struct) string { return s.FromFieldPath.String() },
}
