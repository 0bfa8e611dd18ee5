package explain

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
)

// sourceName is what people call the supplied source of the supplied composite
// resource: by its name, or else by what it reads.
func sourceName(s *v1beta1.Source, xr *structpb.Struct) string {
	switch {
	case s.Name != "":
		return s.Name
	case s.Type == v1beta1.SourceTypeValue:
		return "the input"
	case s.Type == v1beta1.SourceTypeCompositeField:
		return *s.FromFieldPath
	case s.Type == v1beta1.SourceTypeContextField:
		return "context[" + *s.ContextKey + "]." + *s.FromFieldPath
	case s.Type == v1beta1.SourceTypeCompositeMetadata:
		return "labels and annotations " + *s.Prefix + "…"
	case s.Resource != nil:
		return resourceName(s.Resource, xr)
	default:
		return string(s.Type)
	}
}

// resourceName is what people call what the supplied resource selects.
func resourceName(r *v1beta1.RequiredResource, xr *structpb.Struct) string {
	kinds := make([]string, 0, 1)
	for _, k := range r.ResourceKinds() {
		kinds = append(kinds, k.Kind)
	}

	name := strings.Join(kinds, " or ")

	switch {
	case stringOf(r.Name, xr) != "":
		return name + " " + stringOf(r.Name, xr)
	case r.MatchLabels == nil:
		return name
	case r.MatchLabels.FromFieldPath != nil:
		return name + " with the labels of " + *r.MatchLabels.FromFieldPath
	case r.MatchLabels.All:
		return "every " + name
	}

	labels := make([]string, 0, len(r.MatchLabels.Value))
	for _, k := range slices.Sorted(maps.Keys(r.MatchLabels.Value)) {
		labels = append(labels, k+"="+r.MatchLabels.Value[k])
	}

	return name + " with " + strings.Join(labels, ",")
}

// stringOf returns the supplied string, or an empty one if there is none.
func stringOf(s *v1beta1.StringSource, xr *structpb.Struct) string {
	switch {
	case s == nil:
		return ""
	case s.Value != nil:
		return *s.Value
	}

	// Sources whose strings are none don't resolve.
	v, err := structpath.Get(xr, *s.FromFieldPath)
	if err != nil {
		return ""
	}

	return v.GetStringValue()
}
