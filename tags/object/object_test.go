package object_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// bucket is what the paths of the tests lead into.
const bucket = `{
	"metadata": {
		"name": "assets",
		"annotations": {"example.org/team": "checkout", "0": "zero", "": "empty"}
	},
	"spec": {
		"replicas": 3,
		"enabled": false,
		"nothing": null,
		"forProvider": {"region": "eu-central-1", "tags": {"Name": "assets"}},
		"rules": [{"name": "first"}, "second", null, ["nested"]]
	},
	"empty": {},
	"none": []
}`

// value returns the JSON j as a value, and nil for no JSON.
func value(j string) *structpb.Value {
	if j == "" {
		return nil
	}

	v := &structpb.Value{}
	if err := json.Unmarshal([]byte(j), v); err != nil {
		panic(err)
	}

	return v
}

// inBytes returns the object s as bytes that a codec leaves of a resource.
func inBytes(s *structpb.Struct) object.Object {
	b, err := proto.Marshal(&fnv1.Resource{Resource: s, Ready: fnv1.Ready_READY_TRUE, ConnectionDetails: map[string][]byte{"a": []byte("b")}})
	if err != nil {
		panic(err)
	}

	r := &fnv1.Resource{}
	object.SetBytes(r, b)

	return object.Of(r)
}

// get the value at a path that is parsed first.
func get(s *structpb.Struct, path string) (*structpb.Value, error) {
	return object.Get(inBytes(s), object.MustParsePath(path))
}

// set the value at a path that is parsed first.
func set(s *structpb.Struct, path string, v *structpb.Value) (*structpb.Struct, error) {
	o, err := object.Set(inBytes(s), object.MustParsePath(path), object.NodeOf(v))
	return o.Struct(), err
}

// An objectCase is what a function gets.
type objectCase struct {
	Name, Reason, Path, Text string

	// In is the object that the path leads into, in the place of bucket.
	In json.RawMessage

	Value json.RawMessage
}

// in returns the object of the case.
func (tc *objectCase) in() *structpb.Struct {
	if tc.In == nil {
		return tagstest.MustStructJSON(bucket)
	}

	return value(string(tc.In)).GetStructValue()
}

// eachCase runs the cases of a file, each five times. The golden file of the test has what they return, or their errors.
func eachCase(t *testing.T, path string, run func(tc *objectCase) (any, error)) {
	t.Helper()

	var cases []objectCase

	tagstest.ReadYAML(t, path, &cases)

	g := tagstest.NewGolden(t)

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			for range 5 {
				got, err := run(&tc)
				if err != nil {
					g.Check(t, tc.Reason, []string{"error: " + err.Error()})
					continue
				}

				j, err := json.Marshal(got)
				if err != nil {
					t.Fatal(err)
				}

				g.Check(t, tc.Reason, []string{string(j)})
			}
		})
	}
}

// parsed tells what a path is.
func parsed(p object.Path, err error) (any, error) {
	return map[string]any{"path": p.String(), "wildcard": p.HasWildcard(), "zero": p.IsZero()}, err
}

func TestParsePath(t *testing.T) {
	eachCase(t, "testdata/parsepath.yaml", func(tc *objectCase) (any, error) { return parsed(object.ParsePath(tc.Path)) })
}

func TestParsePaths(t *testing.T) {
	eachCase(t, "testdata/parsepaths.yaml", func(tc *objectCase) (any, error) { return parsed(object.ParsePaths(tc.Path)) })
}

func TestGet(t *testing.T) {
	eachCase(t, "testdata/get.yaml", func(tc *objectCase) (any, error) {
		v, err := get(tc.in(), tc.Path)
		if v == nil {
			return "nothing", err // Null is a value.
		}

		return v.AsInterface(), err
	})
}

func TestGetNil(t *testing.T) {
	for name, s := range map[string]*structpb.Struct{"Nil": nil, "NilFields": {}, "NilValue": {Fields: map[string]*structpb.Value{"spec": nil}}, "NoKind": {Fields: map[string]*structpb.Value{"spec": {}}}} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"spec", "spec.labels"} {
				got, err := get(s, path)
				if got != nil || err != nil {
					t.Errorf("\nNothing is in a struct without anything.\nGet(..., %q): want nil and no error, got %v, %v", path, got, err)
				}
			}
		})
	}
}

// TestSet writes values, and reads what it wrote. The object that it is given doesn't change.
func TestSet(t *testing.T) {
	eachCase(t, "testdata/set.yaml", func(tc *objectCase) (any, error) {
		o, path, n := inBytes(tc.in()), object.MustParsePath(tc.Path), object.NodeOf(value(string(tc.Value)))

		out, err := object.Set(o, path, n)
		if diff := cmp.Diff(tc.in(), o.Struct(), protocmp.Transform()); diff != "" {
			t.Errorf("\n%s\nSet(..., %q, ...): -before, +after:\n%s", tc.Reason, tc.Path, diff)
		}

		if at, getErr := out.At(path); err == nil && !n.IsNull() && (getErr != nil || !at.Equal(n)) {
			t.Errorf("\n%s\nSet(..., %q, ...).At(...): want %v, got %v, %v", tc.Reason, tc.Path, n.Value(), at.Value(), getErr)
		}

		return out.Struct().AsMap(), err
	})
}

func TestStringMap(t *testing.T) {
	eachCase(t, "testdata/stringmap.yaml", func(tc *objectCase) (any, error) { return object.StringMap(value(string(tc.Value)), "spec.labels") })
}

func TestKindOf(t *testing.T) {
	got := map[string]string{}
	for _, j := range []string{``, `null`, `"s"`, `0`, `false`, `{}`, `[]`} {
		got[j] = object.KindOf(value(j))
	}

	want := map[string]string{``: "null", `null`: "null", `"s"`: "a string", `0`: "a number", `false`: "a boolean", `{}`: "an object", `[]`: "a list"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nEach kind should have its name.\nKindOf(...): -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff("null", object.KindOf(&structpb.Value{})); diff != "" {
		t.Errorf("\nA value of no kind is like null.\nKindOf(...): -want, +got:\n%s", diff)
	}
}

func BenchmarkAt(b *testing.B) {
	path := object.MustParsePath("spec.forProvider.tags")
	o := inBytes(tagstest.MustStructJSON(bucket))

	b.ReportAllocs()

	for b.Loop() {
		if _, err := o.At(path); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSet(b *testing.B) {
	path := object.MustParsePath("spec.forProvider.tags")
	o, n := inBytes(tagstest.MustStructJSON(bucket)), object.NodeOf(value(`{"k": "v"}`))

	b.ReportAllocs()

	for b.Loop() {
		if _, err := object.Set(o, path, n); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzPath writes at any path, and reads what it wrote.
func FuzzPath(f *testing.F) {
	for _, path := range []string{"spec", "spec.forProvider.tags", "spec.rules[0].name", "metadata.annotations['example.org/team']", "a[", "*", "''", "[0]", ".", "spec.rules[3][0]"} {
		f.Add(path)
	}

	f.Fuzz(func(t *testing.T, path string) {
		s := tagstest.MustStructJSON(bucket)
		v := value(`"written"`)

		// Paths are of inputs, which are UTF-8.
		p, err := object.ParsePath(path)
		if err != nil || !utf8.ValidString(path) {
			return
		}

		got, err := set(s, path, v)
		if err != nil {
			return
		}

		if at, err := object.Get(object.FromStruct(got), p); err != nil || !proto.Equal(at, v) {
			t.Errorf("\nA path should lead to what was written there.\nGet(Set(..., %q, ...)): want %v, got %v, %v", path, v, at, err)
		}

		if !proto.Equal(s, tagstest.MustStructJSON(bucket)) {
			t.Errorf("\nThe struct should not change.\nSet(..., %q, ...): it changed", path)
		}
	})
}

// TestIsZero tests that a resource without an object has none, be it a tree or bytes.
func TestIsZero(t *testing.T) {
	for _, tc := range []struct {
		reason   string
		resource *fnv1.Resource
		want     bool
	}{
		{"There is no resource.", nil, true},
		{"A resource can be ready, and have no object.", &fnv1.Resource{Ready: fnv1.Ready_READY_TRUE}, true},
		{"An object without fields is one.", &fnv1.Resource{Resource: &structpb.Struct{}}, false},
		{"An object is one.", &fnv1.Resource{Resource: tagstest.MustStructJSON(bucket), Ready: fnv1.Ready_READY_TRUE}, false},
	} {
		b, err := proto.Marshal(tc.resource)
		if err != nil {
			t.Fatal(err)
		}

		inBytes := &fnv1.Resource{}
		object.SetBytes(inBytes, b)

		if tree, bytes := object.Of(tc.resource).IsZero(), object.Of(inBytes).IsZero(); tree != tc.want || bytes != tc.want {
			t.Errorf("\n%s\nIsZero(): want %t, got %t of a tree and %t of bytes", tc.reason, tc.want, tree, bytes)
		}
	}
}
