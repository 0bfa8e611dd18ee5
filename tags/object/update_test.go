package object_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// mark the value v, which must be a string, if there is one.
func mark(v *structpb.Value) (*structpb.Value, error) {
	if object.IsNull(v) {
		return structpb.NewStringValue("new"), nil
	}

	s, ok := v.GetKind().(*structpb.Value_StringValue)
	if !ok {
		return nil, fmt.Errorf("is %s, not a string", object.KindOf(v))
	}

	return structpb.NewStringValue(s.StringValue + "!"), nil
}

// update the value at a path that is parsed first.
func update(s *structpb.Struct, path string, f func(*structpb.Value) (*structpb.Value, error)) (_ *structpb.Struct, changed bool, _ error) {
	o, changed, err := object.Update(inBytes(s), object.MustParsePath(path), onNodes(f))
	return o.Struct(), changed, err
}

// onNodes returns f for values in bytes.
func onNodes(f func(*structpb.Value) (*structpb.Value, error)) func(object.Node) (object.Node, error) {
	return func(n object.Node) (object.Node, error) {
		v, err := f(n.Value())
		return object.NodeOf(v), err
	}
}

func TestUpdate(t *testing.T) {
	type want struct {
		json string
		err  string
	}

	cases := map[string]struct {
		reason string
		in     string
		path   string
		want   want
	}{
		"Field":       {reason: "A path without wildcards should lead to one field.", in: `{"a": {"b": "x", "c": 1}}`, path: "a.b", want: want{json: `{"a": {"b": "x!", "c": 1}}`}},
		"MakeObjects": {reason: "Objects that are missing on the path should be made.", in: `{}`, path: "a.b", want: want{json: `{"a": {"b": "new"}}`}},
		"Items":       {reason: "A wildcard should lead to every item, and make what is missing below it.", in: `{"l": [{"a": "x"}, {}, {"a": null, "b": 1}]}`, path: "l[*].a", want: want{json: `{"l": [{"a": "x!"}, {"a": "new"}, {"a": "new", "b": 1}]}`}},
		"LastItems":   {reason: "A wildcard may be the last.", in: `{"l": ["x", "y"]}`, path: "l[*]", want: want{json: `{"l": ["x!", "y!"]}`}},
		"Nested": {
			reason: "Several wildcards should lead to every item of every list.",
			in:     `{"l": [{"m": [{"a": "x"}, {}]}, {"m": []}, {}, {"m": [{"a": "y"}]}]}`,
			path:   "l[*].m[*].a",
			want:   want{json: `{"l": [{"m": [{"a": "x!"}, {"a": "new"}]}, {"m": []}, {}, {"m": [{"a": "y!"}]}]}`},
		},
		"ItemAndItems":  {reason: "An item may have a list.", in: `{"l": [["x"], ["y", "z"]]}`, path: "l[1][*]", want: want{json: `{"l": [["x"], ["y!", "z!"]]}`}},
		"NoList":        {reason: "A list that isn't there has no items, and should not be made.", in: `{"a": {}}`, path: "a.b.l[*].c", want: want{json: `{"a": {}}`}},
		"NullList":      {reason: "A list that is null has no items.", in: `{"l": null}`, path: "l[*].c", want: want{json: `{"l": null}`}},
		"EmptyList":     {reason: "An empty list has no items.", in: `{"l": []}`, path: "l[*].c", want: want{json: `{"l": []}`}},
		"NullItem":      {reason: "An item that is null has no fields.", in: `{"l": [null, {"a": "x"}]}`, path: "l[*].a", want: want{json: `{"l": [null, {"a": "x!"}]}`}},
		"Object":        {reason: "An object has no items.", in: `{"a": {"l": {"x": {}}}}`, path: "a.l[*].c", want: want{err: "a.l is an object, not a list"}},
		"ItemIsString":  {reason: "The item that has no fields should be named.", in: `{"l": [{"m": [{}]}, {"m": [{}, "x"]}]}`, path: "l[*].m[*].c", want: want{err: "l[1].m[1] is a string, not an object"}},
		"FunctionFails": {reason: "An error of the function should name the value.", in: `{"l": [{"a": "x"}, {"a": 1}]}`, path: "l[*].a", want: want{err: "l[1].a is a number, not a string"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := tagstest.MustStructJSON(tc.in)
			before := proto.CloneOf(s)

			// A path that is used twice should lead to the same.
			for range 2 {
				got, _, err := update(s, tc.path, mark)
				if diff := cmp.Diff(tc.want.err, tagstest.Error(err)); diff != "" {
					t.Errorf("\n%s\nUpdate(..., %q, ...): -want error, +got error:\n%s", tc.reason, tc.path, diff)
				}

				var want *structpb.Struct
				if tc.want.err == "" {
					want = tagstest.MustStructJSON(tc.want.json)
				}

				if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
					t.Errorf("\n%s\nUpdate(..., %q, ...): -want, +got:\n%s", tc.reason, tc.path, diff)
				}

				if diff := cmp.Diff(before, s, protocmp.Transform()); diff != "" {
					t.Errorf("\n%s\nUpdate(..., %q, ...): -before, +after:\n%s", tc.reason, tc.path, diff)
				}
			}
		})
	}
}

// TestUpdateNothing is about functions that return what they are given.
func TestUpdateNothing(t *testing.T) {
	s := tagstest.MustStructJSON(`{"l": [{"a": "x"}, {}, null]}`)

	for _, path := range []string{"l[*].a", "l[0].a", "l[*]", "m[*].a", "m.a"} {
		_, changed, err := update(s, path, func(v *structpb.Value) (*structpb.Value, error) { return v, nil })
		if err != nil || changed {
			t.Errorf("\nWhat stays as it is should not be written.\nUpdate(..., %q, ...): %v: changed: %v", path, err, changed)
		}
	}

	failed := errors.New("failed")
	if _, _, err := update(s, "l[1].a", func(*structpb.Value) (*structpb.Value, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Errorf("\nAn error of the function should be found.\nUpdate(...): got %v", err)
	}
}

// BenchmarkUpdate updates all items of lists of several lengths. The time per item
// should be the same.
func BenchmarkUpdate(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			path := object.MustParsePath("l[*].a")

			o := inBytes(tagstest.MustStructJSON(`{"l": [` + strings.Repeat(`{"a": "x"}, `, n-1) + `{"a": "x"}]}`))

			for b.Loop() {
				if _, _, err := object.Update(o, path, onNodes(mark)); err != nil {
					b.Fatal(err)
				}
			}

			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/item")
		})
	}
}
