package target

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// TestFollow proves that what a manager owns is read as the API server writes it.
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
			if sg.Type == object.SegmentIndex {
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

		in, depth, leaf := follow(object.NodeOf(fields), ownedPath(path))

		clear(ids)

		for e := range in.Fields() {
			if isElement(e) {
				ids[ownedID(string(e), &field.Field{Key: "k"})] = true
			}
		}

		if diff := cmp.Diff(want, owned{slices.Sorted(maps.Keys(ids)), depth, leaf}); diff != "" {
			t.Errorf("follow(%s, %s): -want, +got:\n%s", j, path, diff)
		}
	})
}
