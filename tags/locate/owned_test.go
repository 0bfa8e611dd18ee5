package locate

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestFollow reads the owned fields of a manager as the API server writes them.
func TestFollow(t *testing.T) {
	type owned struct {
		IDs   []string
		Depth int
		Leaf  bool
	}

	elements := rapid.SampledFrom([]fieldpath.PathElement{
		{FieldName: new("a")},
		{FieldName: new("b")},
		{FieldName: new(".")},
		{FieldName: new("")},
		{Index: new(0)},
		{Index: new(1)},
		{Key: fieldpath.KeyByFields("k", "a")},
		{Key: fieldpath.KeyByFields("k", 1)},
		{Key: fieldpath.KeyByFields("k", "b", "x", "a")},
		{Key: fieldpath.KeyByFields("x", "a")},
		{Value: new(value.NewValueInterface("a"))},
		{Value: new(value.NewValueInterface("é\n\""))},
		{Value: new(value.NewValueInterface(1))},
	})

	paths := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "[.]", "[0]", "[1]"}), 1, 3)

	rapid.Check(t, func(t *rapid.T) {
		set := &fieldpath.Set{}
		for _, p := range rapid.SliceOfN(rapid.SliceOfN(elements, 1, 4), 0, 6).Draw(t, "owned") {
			set.Insert(p)
		}

		j, err := set.ToJSON()
		if err != nil {
			t.Fatal(err)
		}

		fields := &structpb.Value{}
		if err := fields.UnmarshalJSON(j); err != nil {
			t.Fatal(err)
		}

		text := ""
		for _, sg := range paths.Draw(t, "path") {
			if text != "" && sg[0] != '[' {
				text += "."
			}

			text += sg
		}

		path := object.MustParsePath(text)

		var want owned

		read := &fieldpath.Set{}
		if err := read.FromJSON(bytes.NewReader(j)); err != nil {
			t.Fatal(err)
		}

		for i, sg := range path.Segments() {
			e := fieldpath.PathElement{FieldName: &sg.Field}
			if sg.IsIndex {
				e = fieldpath.PathElement{Index: new(int(sg.Index))}
			}

			owns := read.Members.Has(e)
			if read = read.WithPrefix(e); owns {
				want.Depth, want.Leaf = i+1, read.Empty()
			}
		}

		if !read.Empty() {
			want.Depth = len(path.Segments()) + 1
		}

		ids := make(map[string]bool)

		read.Iterate(func(p fieldpath.Path) {
			id := ""

			switch e := p[0]; {
			case e.FieldName != nil:
				id = *e.FieldName
			case e.Key != nil:
				for _, k := range *e.Key {
					if k.Name == "k" && k.Value.IsString() {
						id = k.Value.AsString()
					}
				}
			case e.Value != nil && (*e.Value).IsString():
				id = (*e.Value).AsString()
			}

			ids[id] = true
		})

		want.IDs = slices.Sorted(maps.Keys(ids))

		in, depth, leaf := follow(object.NodeOf(fields), fieldsV1Path(path))

		clear(ids)

		for e := range in.Fields() {
			if isElement(e) {
				ids[entryKey(string(e), &field.Field{Key: "k"})] = true
			}
		}

		if diff := cmp.Diff(want, owned{slices.Sorted(maps.Keys(ids)), depth, leaf}); diff != "" {
			t.Errorf("follow(%s, %s): -want, +got:\n%s", j, path, diff)
		}
	})
}

// TestComposedOwner tests the field manager by which Crossplane applies composed resources.
func TestComposedOwner(t *testing.T) {
	// By ComposedFieldOwnerName of Crossplane v1.20.0 and v2.4.0, which hash the name, the kind and
	// the group: assetsStorage.platform.example.org.
	cases := map[string]struct {
		reason, xr, want string
	}{
		"Namespaced": {
			reason: "The namespace and the version should not count.",
			xr:     `{"apiVersion": "platform.example.org/v1alpha1", "kind": "Storage", "metadata": {"namespace": "team-a", "name": "assets"}}`,
			want:   "apiextensions.crossplane.io/composed/133438eaafad7fbff53991ac4acf1cadbb1aced6647d6703a4778eb7f5c9537e",
		},
		"ClusterScoped": {
			reason: "That of a claim is cluster-scoped.",
			xr:     `{"apiVersion": "platform.example.org/v1", "kind": "Storage", "metadata": {"name": "assets"}}`,
			want:   "apiextensions.crossplane.io/composed/133438eaafad7fbff53991ac4acf1cadbb1aced6647d6703a4778eb7f5c9537e",
		},
		"NoGroup": {
			reason: "A kind without a group has no dot.",
			xr:     `{"apiVersion": "v1", "kind": "Storage", "metadata": {"name": "assets"}}`,
			want:   "apiextensions.crossplane.io/composed/a3b71ebaf406a2bc3996548c177f961bf8e200adf7a9a30cfe9548f9a7d634bf",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := ComposedOwner(object.FromStruct(tagstest.MustStructJSON(tc.xr))); got != tc.want {
				t.Errorf("\n%s\nComposedOwner(%s): want %s, got %s", tc.reason, tc.xr, tc.want, got)
			}
		})
	}
}

// TestOwnersInAnyOrder reads the owners of a tag field from field managers in both orders: API servers promise none.
func TestOwnersInAnyOrder(t *testing.T) {
	const whole, entry, spec = `{"f:spec": {"f:tags": {}}}`, `{"f:spec": {"f:tags": {"f:a": {}}}}`, `{"f:spec": {}}`

	cases := map[string]struct {
		reason       string
		first, other string // fieldsV1 of the managers other and crossplane
		atomic       bool
		want         *Owners
	}{
		"AtomicWholeAndEntry": {
			reason: "Who wrote an entry while the field wasn't atomic owns the field, too.",
			first:  entry, other: whole, atomic: true, want: &Owners{Atomic: true, fieldOwner: Owner{Ours: true, HasOtherManager: true, Manager: "other"}},
		},
		"TagsAndSpec": {reason: "An owner of all of spec shouldn't count beside one of the tags.", first: spec, other: whole, want: &Owners{Atomic: true, fieldOwner: Owner{Ours: true}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &field.Field{Path: object.MustParsePath("spec.tags"), Atomic: tc.atomic}
			items := []string{`{"manager": "other", "fieldsV1": ` + tc.first + `}`, `{"manager": "crossplane", "fieldsV1": ` + tc.other + `}`}

			for range items {
				slices.Reverse(items)

				list := object.FromStruct(tagstest.MustStructJSON(`{"list": [` + items[0] + "," + items[1] + "]}")).Node().Field("list")
				got := (&managers{list: list}).ownersOf(f, func(string) *field.Field { return f })

				if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(Owners{}), cmpopts.IgnoreFields(Owners{}, "entries")); diff != "" {
					t.Errorf("\n%s\nownersOf(%s): -want, +got:\n%s", tc.reason, items, diff)
				}
			}
		})
	}
}
