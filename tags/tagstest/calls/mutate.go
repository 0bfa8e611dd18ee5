package calls

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// Mutate changes the objects of a request anywhere.
func Mutate(t *rapid.T, req *fnv1.RunFunctionRequest) {
	var values []*structpb.Value

	add := func(o *structpb.Struct) { values = append(values, valuesIn(structpb.NewStructValue(o))...) }

	states := []*fnv1.State{req.GetDesired(), req.GetObserved()}
	for _, s := range states {
		for _, name := range slices.Sorted(maps.Keys(s.GetResources())) {
			add(s.GetResources()[name].GetResource())
		}
	}

	for _, name := range slices.Sorted(maps.Keys(req.GetRequiredResources())) {
		for _, r := range req.GetRequiredResources()[name].GetItems() {
			add(r.GetResource())
		}
	}

	for _, name := range slices.Sorted(maps.Keys(req.GetRequiredSchemas())) {
		add(req.GetRequiredSchemas()[name].GetOpenapiV3())
	}

	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		v := rapid.SampledFrom(values).Draw(t, "value")
		to := proto.CloneOf(rapid.SampledFrom(anywhere()).Draw(t, "to"))

		// A field goes, comes, or changes.
		fields := v.GetStructValue().GetFields()
		if name := rapid.SampledFrom(append(slices.Sorted(maps.Keys(fields)), "", "apiVersion", "x")).Draw(t, "field"); fields == nil {
			v.Kind = to.GetKind()
		} else if rapid.Bool().Draw(t, "goes") {
			delete(fields, name)
		} else {
			fields[name] = to
		}
	}

	for _, s := range states {
		name := rapid.SampledFrom(append(slices.Sorted(maps.Keys(s.GetResources())), "none")).Draw(t, "resource")
		if rapid.IntRange(0, 5).Draw(t, "without an object") == 0 && s.GetResources() != nil {
			s.Resources[name] = &fnv1.Resource{Ready: fnv1.Ready_READY_TRUE}
		}
	}
}

// anywhere are values that may stand anywhere, though some of them don't belong there.
func anywhere() []*structpb.Value {
	values := tagstest.MustStructJSON(`{"of": [null, true, 0, -1.5, "", "x", "true", "aws", "plexsphere:a=b", {}, {"a": "b"}, {"a": null, "b": 1}, [], ["a=b", "c"], [{"key": "a", "value": "b"}, null]]}`).GetFields()["of"].GetListValue().GetValues()

	return append(values, &structpb.Value{})
}

// valuesIn returns v and all values within it.
func valuesIn(v *structpb.Value) []*structpb.Value {
	out := []*structpb.Value{v}

	for _, key := range slices.Sorted(maps.Keys(v.GetStructValue().GetFields())) {
		out = append(out, valuesIn(v.GetStructValue().GetFields()[key])...)
	}

	for _, item := range v.GetListValue().GetValues() {
		out = append(out, valuesIn(item)...)
	}

	return out
}
