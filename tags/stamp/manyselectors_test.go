package stamp

import (
	"fmt"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestManyCloudTagSelectors tests that all selectors of a resource read its status once, with all of its tags.
func TestManyCloudTagSelectors(t *testing.T) {
	const tagCount = 4000

	reported := make(map[string]any, tagCount)
	for i := range tagCount {
		reported[fmt.Sprintf("tag-%04d", i)] = "v"
	}

	o := map[string]any{"apiVersion": "example.org/v1", "kind": "Thing", "status": map[string]any{"tags": reported}}
	f := field.Field{Layout: field.Layout{Shape: field.Map}, Path: object.MustParsePath("spec.tags"), Observed: []object.Path{object.MustParsePath("status.tags")}}

	allocations := func(selectors int) float64 {
		in := &v1beta1.CloudTags{Sources: []v1beta1.Source{{}}}
		for i := range selectors {
			in.Resources = append(in.Resources, v1beta1.ResourceSelector{ResourceMatch: v1beta1.ResourceMatch{MatchCloudTags: map[string]string{fmt.Sprintf("other-%04d", i): "v"}}})
		}

		s := &Stamper{
			Finder:      locate.Finder{Input: in, NewLocator: everywhere(f), Observed: map[string]*fnv1.Resource{"a": {Resource: tagstest.Struct(o)}}},
			Transformer: transformer(),
		}
		desired := map[string]*fnv1.Resource{"a": {Resource: thing(`{}`)}}

		return testing.AllocsPerRun(2, func() { targetsOf(s, desired) })
	}

	one, many := allocations(1), allocations(60)
	if many-one > tagCount {
		t.Errorf("Targets(...): want fewer allocations for 59 selectors more than for %d tags, got %g and %g", tagCount, one, many)
	}
}
