package object_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// onNodes returns f for values in bytes.
func onNodes(f func(*structpb.Value) (*structpb.Value, error)) func(object.Node) (object.Node, error) {
	return func(n object.Node) (object.Node, error) {
		v, err := f(n.Value())
		return object.NodeOf(v), err
	}
}

// TestUpdate marks what a path leads to. The object that it is given doesn't change.
func TestUpdate(t *testing.T) {
	eachCase(t, "testdata/update.yaml", func(tc *objectCase) (any, error) {
		o := inBytes(tc.in())

		out, _, err := object.Update(o, object.MustParsePath(tc.Path), onNodes(mark))
		if diff := cmp.Diff(tc.in(), o.Struct(), protocmp.Transform()); diff != "" {
			t.Errorf("\n%s\nUpdate(..., %q, ...): -before, +after:\n%s", tc.Reason, tc.Path, diff)
		}

		return out.Struct().AsMap(), err
	})
}

// TestUpdateTogether proves that several calls can use one path: calls share the paths of inputs.
func TestUpdateTogether(t *testing.T) {
	o, path := inBytes(tagstest.MustStructJSON(`{"l": ["a", "b", "c", "d"]}`)), object.MustParsePath("l[3]")

	var group sync.WaitGroup

	for range 4 {
		group.Go(func() {
			for range 1000 {
				out, _, err := object.Update(o, path, onNodes(mark))
				if diff := cmp.Diff(tagstest.MustStructJSON(`{"l": ["a", "b", "c", "d!"]}`), out.Struct(), protocmp.Transform()); diff != "" || err != nil {
					t.Errorf("Update(...): %v: -want, +got:\n%s", err, diff)
					return
				}
			}
		})
	}

	group.Wait()
}

// TestUpdateNothing is about functions that return their argument.
func TestUpdateNothing(t *testing.T) {
	o := inBytes(tagstest.MustStructJSON(`{"l": [{"a": "x"}, {}, null]}`))

	for _, path := range []string{"l[*].a", "l[0].a", "l[*]", "m[*].a", "m.a"} {
		_, changed, err := object.Update(o, object.MustParsePath(path), func(n object.Node) (object.Node, error) { return n, nil })
		if err != nil || changed {
			t.Errorf("\nWhat stays as it is should not be written.\nUpdate(..., %q, ...): %v: changed: %v", path, err, changed)
		}
	}

	failed := errors.New("failed")
	if _, _, err := object.Update(o, object.MustParsePath("l[1].a"), func(object.Node) (object.Node, error) { return object.Node{}, failed }); !errors.Is(err, failed) {
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
