package resolve_test

import (
	"fmt"
	"strconv"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
)

// BenchmarkResolveMany resolves as many labels as patterns include, of numbers that the
// author of a composite resource may choose. The time per label should be about the
// same.
func BenchmarkResolveMany(b *testing.B) {
	in := decode(b, `"reservedKeys": ["entigo:*"], "sources": [
		{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.include"}},
		{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.include"}}
	], "removeTags": [{"fromFieldPath": "spec.include"}, {"fromFieldPath": "spec.labels"}], "ignoreTags": [{"fromFieldPath": "spec.include"}]`)

	for _, n := range []int{10, 100, 1000, 10000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
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
