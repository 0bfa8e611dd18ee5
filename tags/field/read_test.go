package field_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestReadGarbage proves that a value has no fields if it is no schema.
func TestReadGarbage(t *testing.T) {
	var cases map[string]string

	tagstest.ReadYAML(t, "testdata/garbage.yaml", &cases)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &structpb.Struct{}
			if err := protojson.Unmarshal([]byte(tc), s); err != nil {
				t.Fatal(err)
			}

			got := field.Read(schema.GroupVersionKind{Group: "vm.example.org", Kind: "Machine"}, object.FromStruct(s).Node())
			if text(got) != "- None - -" {
				t.Errorf("Read(...): want no field, got %s", text(got))
			}
		})
	}

	t.Run("Nil", func(t *testing.T) {
		for _, s := range []*structpb.Struct{nil, {}, {Fields: map[string]*structpb.Value{"properties": nil}}, {Fields: map[string]*structpb.Value{"properties": {}}}} {
			got := field.Read(schema.GroupVersionKind{Group: "vm.example.org", Kind: "Machine"}, object.FromStruct(s).Node())
			if text(got) != "- None - -" {
				t.Errorf("Read(...): want no field, got %s", text(got))
			}
		}
	})
}

var gvk = schema.GroupVersionKind{Group: "vm.example.org", Kind: "Machine"}

// tagsOf returns the schema of a managed resource whose tags have the schema.
func tagsOf(tags string) string {
	return `{"properties":{"spec":{"properties":{"forProvider":{"properties":{"tags":` + tags + `}}}}}}`
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{}`,
		tagsOf(`{"type":"object","additionalProperties":{"type":"string"}}`),
		tagsOf(`{"type":"array","items":{"type":"string","maxLength":60},"x-kubernetes-list-type":"set"}`),
		tagsOf(`{"type":"array","items":{"type":"object","required":["key"],"properties":{"key":{"type":"string"},"value":{"type":"string"}}}}`),
	} {
		f.Add("vm.example.org", "Machine", seed)
		f.Add("autoscaling.aws.crossplane.io", "AutoScalingGroup", seed)
		f.Add("droplet.digitalocean.m.crossplane.io", "Droplet", seed)
	}

	f.Fuzz(func(t *testing.T, group, kind, text string) {
		s := &structpb.Struct{}
		if err := protojson.Unmarshal([]byte(text), s); err != nil {
			t.Skip()
		}

		got := field.Read(schema.GroupVersionKind{Group: group, Kind: kind}, object.FromStruct(s).Node())

		// Stamping must be able to write any field.
		switch got.Shape {
		case field.None:
			if !got.Path.IsZero() {
				t.Errorf("a field that isn't there is at %q", got.Path)
			}
		case field.Map, field.MapOfLists:
		case field.KeyValueList:
			if got.Key == "" || got.Value == "" || got.Key == got.Value {
				t.Errorf("a tag is %q and %q", got.Key, got.Value)
			}
		case field.StringList:
			if got.Separator == "" || got.MaxLength < 0 {
				t.Errorf("a tag is separated by %q and has at most %d characters", got.Separator, got.MaxLength)
			}
		case field.Joined, field.Labels:
			t.Errorf("no schema shows the shape %s", got.Shape)
		default:
			t.Errorf("%q is no shape", got.Shape)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	s := &structpb.Struct{}
	if err := protojson.Unmarshal([]byte(tagsOf(`{"type":"object","additionalProperties":{"type":"string"}}`)), s); err != nil {
		b.Fatal(err)
	}

	b.ReportAllocs()

	for b.Loop() {
		field.Read(gvk, object.FromStruct(s).Node())
	}
}

// TestToTagField proves that the entry of a field gives this field to the kind.
func TestToTagField(t *testing.T) {
	written := func(f field.Field) []string { return f.Columns()[:2] }

	for gvk, e := range field.BuiltIn().All() {
		f := e[0].Field

		rule, ok := field.ToTagField(gvk, f)
		if ok != (f.Shape != field.MapOfLists && !f.OnRequest) {
			t.Errorf("\nOnly fields that tagFields can't have, or have to ask for, should have no entry.\nToTagField(%s, %s): got %t", gvk, f.Columns(), ok)
		}

		if !ok {
			continue
		}

		got, _ := field.NewOverrides([]v1beta1.TagField{rule}).Locate(field.Kind{GroupVersionKind: gvk})
		if diff := cmp.Diff(written(f), written(got)); diff != "" {
			t.Errorf("\nThe entry should give the field.\nToTagField(%s, ...): -want, +got:\n%s", gvk, diff)
		}
	}
}
