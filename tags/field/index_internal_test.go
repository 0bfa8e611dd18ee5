package field

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

func TestIndexIsSmall(t *testing.T) {
	// The binary has it as it is. Code and tables around it are some 50 kB.
	if limit := 150_000; len(indexText) > limit {
		t.Errorf("the index has %d bytes, more than %d", len(indexText), limit)
	}
}

func TestParseIndex(t *testing.T) {
	type want struct {
		fields, groups map[string]string
		err            string
	}

	cases := map[string]struct {
		reason string
		text   string
		want   want
	}{
		"Empty": {
			reason: "An index can be empty.",
		},
		"Blocks": {
			reason: "Kinds have the field above them, in the versions beside it, of the group above that and its twin.",
			text: "# A comment.\n" +
				"a.x.io v1.0.0..v1.4.0 m/v2.0.0..\n v1 m/v1,v2: -\n  A\n  B\n m/v1: tags Map - tagsAll,tags\n  C\n v1: -\n  D\n v1,v2 m/: -\n  E\n m/v3: @v2.0.0 -; @v2.1.0.. tags Map - -\n  F\n v3: @v1.1.0,v1.3.0..v1.4.0 -\n  G\n" +
				"c.x.io\n v1: list StringList(:,255) atomic -\n  A\n",
			want: want{fields: map[string]string{
				"a.x.io/v1 A":   "-\tNone\t-\t-",
				"a.x.io/v1 B":   "-\tNone\t-\t-",
				"a.m.x.io/v1 A": "-\tNone\t-\t-",
				"a.m.x.io/v1 B": "-\tNone\t-\t-",
				"a.m.x.io/v2 A": "-\tNone\t-\t-",
				"a.m.x.io/v2 B": "-\tNone\t-\t-",
				"a.m.x.io/v1 C": "spec.forProvider.tags\tMap\t-\tstatus.atProvider.tagsAll,status.atProvider.tags",
				"a.x.io/v1 D":   "-\tNone\t-\t-",
				"a.x.io/v1 E":   "-\tNone\t-\t-",
				"a.x.io/v2 E":   "-\tNone\t-\t-",
				"a.m.x.io/v1 E": "-\tNone\t-\t-",
				"a.m.x.io/v2 E": "-\tNone\t-\t-",
				"a.m.x.io/v3 F": "v2.0.0 -\tNone\t-\t-; v2.1.0.. spec.forProvider.tags\tMap\t-\t-",
				"a.x.io/v3 G":   "v1.1.0,v1.3.0..v1.4.0 -\tNone\t-\t-",
				"c.x.io/v1 A":   "spec.forProvider.list\tStringList(:,255)\tatomic\t-",
			}, groups: map[string]string{"a.x.io": "v1.0.0..v1.4.0", "a.m.x.io": "v2.0.0..", "c.x.io": ""}},
		},
		"Columns": {
			reason: "A field has four columns.",
			text:   "a.x.io\n v1: tags Map\n  A\n",
			want:   want{err: `"tags Map" of the index has not four columns`},
		},
		"Shape": {
			reason: "A field has a shape that we know.",
			text:   "a.x.io\n v1: tags Bag - -\n  A\n",
			want:   want{err: `cannot parse a tag field of the index: "Bag" is no shape`},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := want{}

			i, err := parseIndex(tc.text)
			if err != nil {
				got.err = err.Error()
			} else {
				for gvk, e := range i.All() {
					if got.fields == nil {
						got.fields = make(map[string]string)
					}

					var helds []string

					for _, h := range e {
						helds = append(helds, strings.TrimSpace(h.Releases+" "+strings.Join(h.Field.Columns(), "\t")))
					}

					got.fields[gvk.GroupVersion().String()+" "+gvk.Kind] = strings.Join(helds, "; ")
				}

				got.groups = i.Groups()
			}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("\n%s\nparseIndex(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestLine(t *testing.T) {
	gvk := schema.GroupVersionKind{Group: "g.example.org", Version: "v1", Kind: "K"}

	cases := map[string]struct {
		field Field
		want  string
	}{
		"None": {
			field: Field{Shape: None},
			want:  "-\tNone\t-\t-",
		},
		"Map": {
			field: Field{Path: object.MustParsePath("spec.tags"), Shape: Map, Observed: []object.Path{object.MustParsePath("status.a"), object.MustParsePath("status.b")}},
			want:  "spec.tags\tMap\t-\tstatus.a,status.b",
		},
		"AtomicMap": {
			field: Field{Path: object.MustParsePath("spec.tags"), Shape: Map, Atomic: true},
			want:  "spec.tags\tMap\tatomic\t-",
		},
		"KeyValueList": {
			field: Field{Path: object.MustParsePath("spec.tags"), Shape: KeyValueList, Key: "k", Value: "v", Atomic: true},
			want:  "spec.tags\tKeyValueList(k,v)\tatomic\t-",
		},
		"KeyValueListWithMore": {
			field: Field{Path: object.MustParsePath("spec.tags"), Shape: KeyValueList, Key: "k", Value: "v", Extra: map[string]*structpb.Value{
				"z": structpb.NewBoolValue(true), "a": structpb.NewStringValue("b-c"),
			}},
			want: "spec.tags\tKeyValueList(k,v,a=\"b-c\",z=true)\t-\t-",
		},
		"StringList": {
			field: Field{Path: object.MustParsePath("spec.tags"), Shape: StringList, Separator: ":"},
			want:  "spec.tags\tStringList(:)\t-\t-",
		},
		"StringListWithLimit": {
			field: Field{Path: object.MustParsePath("spec.tags"), Shape: StringList, Separator: "=", MaxLength: 255},
			want:  "spec.tags\tStringList(=,255)\t-\t-",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff("g.example.org\tv1\tK\t"+tc.want, Line(gvk, tc.field)); diff != "" {
				t.Errorf("Line(...): -want, +got:\n%s", diff)
			}

			got, err := parseColumns(tc.field.Columns())
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.field, got, protocmp.Transform()); diff != "" {
				t.Errorf("parseColumns(Columns()): -want, +got:\n%s", diff)
			}
		})
	}
}

func TestParseColumnsRefuses(t *testing.T) {
	for _, shape := range []string{"", "map", "KeyValueList(key)", "KeyValueList(key,value,extra)", "StringList(=,many)"} {
		if f, err := parseColumns([]string{"spec.tags", shape, "-", "-"}); err == nil {
			t.Errorf("parseColumns with the shape %q: want an error, got %v", shape, f)
		}
	}
}

func BenchmarkParseIndex(b *testing.B) {
	b.ReportAllocs()

	for b.Loop() {
		if _, err := parseIndex(indexText); err != nil {
			b.Fatal(err)
		}
	}
}
