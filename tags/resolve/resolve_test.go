package resolve_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// asideFrom compares sets aside from what other tests are about: messages about sources
// that find nothing, and whole objects.
var asideFrom = cmp.Options{cmpopts.IgnoreFields(resolve.LabelSet{}, "EmptySources"), classesByTitle, byPosition}

// classesByTitle compares classes by what messages call them.
var classesByTitle = cmp.FilterPath(
	func(p cmp.Path) bool { return p.String() == "Classes" },
	cmp.Transformer("Titles", func(classes map[string]object.Object) map[string]string {
		out := make(map[string]string, len(classes))
		for name, c := range classes {
			out[name] = object.Title(c)
		}

		return out
	}))

// byPosition compares sources by their positions. None is the first.
var byPosition = cmp.Transformer("Position", func(s *tags.Source) int {
	if s == nil {
		return 0
	}

	return s.Position
})

// from returns the source at a position.
func from(position int) *tags.Source { return &tags.Source{Position: position} }

// resolveOn resolves an input for a request with nothing but the composite resource.
func resolveOn(in *v1beta1.CloudTags, xr *structpb.Struct) (resolve.LabelSet, error) {
	req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}}}
	return resolve.Resolve(context.Background(), in, req, require.New(req), nil)
}

// TestScalar is about numbers that JSON doesn't have.
func TestScalar(t *testing.T) {
	for _, number := range []float64{math.NaN(), math.Inf(1)} {
		xr := &structpb.Struct{Fields: map[string]*structpb.Value{"n": structpb.NewNumberValue(number)}}
		req := &fnv1.RunFunctionRequest{Context: &structpb.Struct{Fields: map[string]*structpb.Value{"a": structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"b": structpb.NewStructValue(xr)}})}}}
		in := decode(t, `"sources": [{"type": "ContextField", "contextKey": "a", "fromFieldPath": "b", "encoding": "Scalar"}]`)

		_, err := resolve.Resolve(t.Context(), in, req, require.New(req), nil)
		if diff := cmp.Diff(fmt.Sprintf("cannot resolve sources[0]: cannot take context[a].b[n]: %v is not a number that JSON has", number), tagstest.Error(err)); diff != "" {
			t.Errorf("\nA number that JSON doesn't have should be refused.\nResolve(...): -want error, +got error:\n%s", diff)
		}
	}
}

// TestClientGone is about a call that nobody waits for.
func TestClientGone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	for name, input := range map[string]string{
		"Sources":            `"sources": [{"type": "Value", "values": {"a": "b"}}]`,
		"KubernetesMetadata": `"kubernetesMetadata": [{"source": {"type": "CompositeMetadata"}, "copy": ["Labels"], "select": {"all": true}, "toFieldPaths": {"labels": ["spec.labels"]}}]`,
	} {
		req := &fnv1.RunFunctionRequest{}
		if _, err := resolve.Resolve(ctx, decode(t, input), req, require.New(req), nil); !cmp.Equal(context.Canceled.Error(), tagstest.Error(err)) {
			t.Errorf("\nA call whose client has gone should end.\nResolve(...) of %s: got error %v", name, err)
		}
	}
}

// BenchmarkResolve resolves as many labels as patterns include, of numbers that the
// author of a composite resource may choose. The time per label should be about the
// same.
func BenchmarkResolve(b *testing.B) {
	in := decode(b, `"reservedKeys": ["entigo:*"], "sources": [
		{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.include"}},
		{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.include"}}
	], "removeTags": [{"fromFieldPath": "spec.include"}, {"fromFieldPath": "spec.labels"}], "ignoreTags": [{"fromFieldPath": "spec.include"}]`)

	for _, n := range []int{10, 100, 300} {
		b.Run(fmt.Sprintf("labels=%d", n), func(b *testing.B) {
			labels := make(map[string]*structpb.Value, n)
			include := make([]*structpb.Value, n)

			for i := range n {
				labels[fmt.Sprintf("label-%d", i)] = structpb.NewStringValue("x")
				include[i] = structpb.NewStringValue(fmt.Sprintf("label-%d*", i))
			}

			spec := structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
				"labels":  structpb.NewStructValue(&structpb.Struct{Fields: labels}),
				"include": structpb.NewListValue(&structpb.ListValue{Values: include}),
			}})
			xr := &structpb.Struct{Fields: map[string]*structpb.Value{"spec": spec}}

			for b.Loop() {
				set, err := resolveOn(in, xr)
				if err != nil || len(set.Labels) != n {
					b.Fatalf("got %d labels and error %v", len(set.Labels), err)
				}
			}

			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/label")
		})
	}
}

// TestValueless is about single expressions without a value.
func TestValueless(t *testing.T) {
	in := decode(t, `"sources": [
		{"type": "Expression", "expressions": {"a": "xr.metadata.name", "b": "xr.spec.labls.env"}},
		{"type": "Expression", "expressions": {"c": "xr.spec.labls.env"}},
		{"type": "Expression", "name": "each", "expressions": {"d": "name", "e": "desired.spec.nam", "f": "name == 'x' ? desired.spec.nam : 'y'", "g": "observed.spec.nam"}},
		{"type": "Expression", "expressions": {"h": "desired.spec.nam"}, "resources": [{"name": "none"}]}
	]`)

	set, _, err := cluster{}.reconcile(in, request(worldOf(t, "resolve").Composite))
	if err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{"x", "y"} {
		c := &resolve.ComposedResource{Name: name, Desired: object.FromStruct(tagstest.MustStructJSON(`{"spec": {}}`)), Selects: func([]v1beta1.ResourceSelector) bool { return false }}
		if _, err := set.PerResource.LabelSetOf(c); err != nil {
			t.Fatal(err)
		}
	}

	want := []resolve.SourceNote{
		{Source: "sources[0]", Why: "expressions[b]: no such key: labls"},
		{Source: `sources[2] "each"`, Why: "expressions[e]: no such key: nam"},
	}
	if diff := cmp.Diff(want, set.Valueless()); diff != "" {
		t.Errorf("\nOnly expressions that have no value on any resource that exists, and that was asked about, should be told, of sources that find something.\nValueless(): -want, +got:\n%s", diff)
	}
}
