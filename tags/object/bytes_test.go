package object_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/object/wire"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// A nodeSeen is what can be read of a node.
type nodeSeen struct {
	Kind, Text                                       string
	IsThere, IsNull, IsObject, IsList, IsEmpty, Self bool
	Len                                              int
	Fields, Items                                    []string
}

func seen(n object.Node) nodeSeen {
	out := nodeSeen{
		Kind: n.Kind(), Text: n.Text(), IsThere: n.IsThere(), IsNull: n.IsNull(), IsObject: n.IsObject(), IsList: n.IsList(), IsEmpty: n.IsEmpty(),
		Self: n.Equal(object.NodeOf(n.Value())) && object.NodeOf(n.Value()).Equal(n) && n.Equal(n), //nolint:gocritic // It should be equal to itself.
		Len:  n.Len(),
	}

	for name, f := range n.Fields() {
		out.Fields = append(out.Fields, fmt.Sprintf("%q: %s, %v", name, f.Kind(), n.Field(string(name)).Equal(f)))
	}

	for item := range n.Items() {
		out.Items = append(out.Items, item.Kind())
	}

	slices.Sort(out.Fields)

	return out
}

func TestNode(t *testing.T) {
	cases := map[string]struct {
		reason string
		json   string
		want   nodeSeen
	}{
		"String":      {reason: "A string has a text.", json: `"é"`, want: nodeSeen{Kind: "a string", Text: "é", IsThere: true, IsEmpty: true}},
		"EmptyString": {reason: "An empty string is there.", json: `""`, want: nodeSeen{Kind: "a string", IsThere: true, IsEmpty: true}},
		"Number":      {reason: "A number has nothing in it.", json: `1.5`, want: nodeSeen{Kind: "a number", IsThere: true, IsEmpty: true}},
		"True":        {reason: "A boolean has nothing in it.", json: `true`, want: nodeSeen{Kind: "a boolean", IsThere: true, IsEmpty: true}},
		"False":       {reason: "A boolean that is false is there.", json: `false`, want: nodeSeen{Kind: "a boolean", IsThere: true, IsEmpty: true}},
		"Null":        {reason: "Null is there.", json: `null`, want: nodeSeen{Kind: "null", IsThere: true, IsNull: true, IsEmpty: true}},
		"Object": {
			reason: "An object has fields.", json: `{"a": 1, "b": {"c": null}}`,
			want: nodeSeen{Kind: "an object", IsThere: true, IsObject: true, Len: 2, Fields: []string{`"a": a number, true`, `"b": an object, true`}},
		},
		"EmptyObject": {reason: "An object may have no fields.", json: `{}`, want: nodeSeen{Kind: "an object", IsThere: true, IsObject: true, IsEmpty: true}},
		"List":        {reason: "A list has items, in order.", json: `["x", 1, []]`, want: nodeSeen{Kind: "a list", IsThere: true, IsList: true, Len: 3, Items: []string{"a string", "a number", "a list"}}},
		"EmptyList":   {reason: "A list may have no items.", json: `[]`, want: nodeSeen{Kind: "a list", IsThere: true, IsList: true, IsEmpty: true}},
		"Nothing":     {reason: "What isn't there is like null.", want: nodeSeen{Kind: "null", IsNull: true, IsEmpty: true}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			n := object.NodeOf(value(tc.json))
			tc.want.Self = true

			if diff := cmp.Diff(tc.want, seen(n)); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}

			for other, tc := range cases {
				if name != other && n.Equal(object.NodeOf(value(tc.json))) {
					t.Errorf("\nA value should differ from others.\nEqual(%s): want false", other)
				}
			}
		})
	}
}

// TestEqualLists proves that lists are compared item by item: a tree of each would take many times the bytes of a request.
func TestEqualLists(t *testing.T) {
	listOf := func(items int) object.Node {
		return object.NodeOf(value("[" + strings.TrimSuffix(strings.Repeat(`"x",`, items), ",") + "]"))
	}

	shorter, longer := listOf(1000), listOf(1001)
	if shorter.Equal(longer) || longer.Equal(shorter) {
		t.Errorf("\nA list of more items is another one.\nEqual(...): want false")
	}

	if allocations := testing.AllocsPerRun(10, func() { shorter.Equal(longer) }); allocations > 0 {
		t.Errorf("\nStrings in lists are compared where they are.\nEqual(...): want no allocations, got %v", allocations)
	}
}

func TestNodeJSONSize(t *testing.T) {
	for _, j := range []string{`null`, `-1.5`, `true`, `false`, `""`, `"x\"é\u003c\n"`, `{}`, `[]`, `[[]]`, `[1,[2,{}],"x"]`, `{"a":{"b":[{}],"c\"":null},"é":""}`} {
		n := object.NodeOf(value(j))
		if got := n.JSONSize(len(j)); got != len(j) {
			t.Errorf("\nThe size should be that of the JSON.\nJSONSize() of %s: want %d, got %d", j, len(j), got)
		}

		if got := n.JSONSize(len(j) - 1); got < len(j) {
			t.Errorf("\nMore than most should be told.\nJSONSize(%d) of %s: got %d", len(j)-1, j, got)
		}
	}

	if got := object.NodeOf(value("[" + strings.Repeat("0,", 1_000_000) + "0]")).JSONSize(100); got > 110 {
		t.Errorf("\nWhat is beyond most should not be counted.\nJSONSize(100): got %d", got)
	}
}

func TestNodeIsText(t *testing.T) {
	for _, j := range []string{``, `null`, `1`, `true`, `{}`, `[]`, `""`, `"x"`, `"xx"`} {
		n := object.NodeOf(value(j))

		for _, text := range []string{"", "x"} {
			if want := j == fmt.Sprintf("%q", text); n.IsText(text) != want {
				t.Errorf("%s: IsText(%q): want %v", j, text, want)
			}
		}
	}
}

func TestNodeAppend(t *testing.T) {
	for list, want := range map[string]string{``: `[{"b": null}, 2]`, `null`: `[{"b": null}, 2]`, `[]`: `[{"b": null}, 2]`, `[1, "a"]`: `[1, "a", {"b": null}, 2]`} {
		n := object.NodeOf(value(list))

		if diff := cmp.Diff(value(want), n.Append(object.NodeOf(value(`{"b": null}`)), object.NodeOf(value(`2`))).Value(), protocmp.Transform()); diff != "" {
			t.Errorf("%s: Append(...): -want, +got:\n%s", list, diff)
		}

		if diff := cmp.Diff(value(list), n.Value(), protocmp.Transform()); diff != "" {
			t.Errorf("\nWhat is made more of should not change.\n%s: Append(...): -before, +after:\n%s", list, diff)
		}
	}
}

func TestNodeObject(t *testing.T) {
	const j = `{"a": 1, "b": {"c": "d"}, "e": null}`

	if diff := cmp.Diff(value(j), object.NodeOf(value(j)).Object().Node().Value(), protocmp.Transform()); diff != "" {
		t.Errorf("Object(): -want, +got:\n%s", diff)
	}

	for _, other := range []string{``, `null`, `"x"`, `[{}]`} {
		if !object.NodeOf(value(other)).Object().IsZero() {
			t.Errorf("%s: Object(): want none", other)
		}
	}
}

func TestOfSchema(t *testing.T) {
	openAPI := tagstest.MustStructJSON(`{"type": "object"}`)

	b, err := proto.Marshal(&fnv1.Schema{OpenapiV3: openAPI})
	if err != nil {
		t.Fatal(err)
	}

	inBytes, unknown := &fnv1.Schema{}, &fnv1.Schema{}
	object.SetSchema(inBytes, b)
	unknown.ProtoReflect().SetUnknown([]byte{4<<3 | 2, 0})

	cases := map[string]struct {
		reason string
		schema *fnv1.Schema
		want   *structpb.Value
	}{
		"Tree":    {reason: "A schema may be a tree.", schema: &fnv1.Schema{OpenapiV3: openAPI}, want: structpb.NewStructValue(openAPI)},
		"Bytes":   {reason: "A schema may be bytes.", schema: inBytes, want: structpb.NewStructValue(openAPI)},
		"Empty":   {reason: "Of a kind that isn't known there is no schema.", schema: &fnv1.Schema{}},
		"Nil":     {reason: "There may be no schema.", schema: nil},
		"Unknown": {reason: "What has only unknown fields says nothing.", schema: unknown},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, object.OfSchema(tc.schema).Value(), protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nOfSchema(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// isPlain reports whether b is a resource in plain form.
func isPlain(b []byte) bool { return (&wire.Checker{}).Resource(b, 0) }

// resourceWith returns the bytes of a resource that has the value v.
func resourceWith(t *testing.T, v *structpb.Value) []byte {
	t.Helper()

	b, err := proto.Marshal(&fnv1.Resource{Resource: &structpb.Struct{Fields: map[string]*structpb.Value{"a": v}}})
	if err != nil {
		t.Fatal(err)
	}

	return b
}

// differ says how the messages differ. NaN is the same as NaN.
func differ(want, got proto.Message) string {
	if proto.Equal(want, got) {
		return ""
	}

	return "messages differ:\n" + cmp.Diff(want, got, protocmp.Transform())
}

// FuzzObject reads and writes any resource that is in plain form as its tree is read and written.
func FuzzObject(f *testing.F) {
	add := func(path, j string) {
		r, err := proto.MarshalOptions{Deterministic: true}.Marshal(&fnv1.Resource{Resource: tagstest.MustStructJSON(bucket), Ready: fnv1.Ready_READY_TRUE, ConnectionDetails: map[string][]byte{"a": []byte("b")}})
		if err != nil {
			f.Fatal(err)
		}

		v, err := proto.Marshal(value(j))
		if err != nil {
			f.Fatal(err)
		}

		f.Add(r, path, v)
	}

	add("spec.forProvider.tags", `{"a": "b"}`)
	add("spec.rules[0].name", `"x"`)
	add("spec.rules[*].name", `null`)
	add("metadata.annotations['']", `[1]`)
	add("made.on.the.way", `true`)
	f.Add([]byte(nil), "a", []byte(nil))
	f.Add([]byte{wire.Ready, 1, wire.Object, 0}, "a.b", []byte{wire.List, 0})

	f.Fuzz(func(t *testing.T, b []byte, p string, encoded []byte) {
		path, err := object.ParsePaths(p)
		v := &structpb.Value{}

		// Paths come from messages, and so are UTF-8. Values are those that somebody makes, with
		// neither unknown fields nor nulls that are none.
		if err != nil || !utf8.ValidString(p) || !isPlain(b) || (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(encoded, v) != nil || !isPlain(resourceWith(t, v)) {
			return
		}

		before := bytes.Clone(b)
		tree, inBytes := &fnv1.Resource{}, &fnv1.Resource{}
		object.SetBytes(inBytes, b)

		if err := proto.Unmarshal(b, tree); err != nil {
			t.Fatal(err)
		}

		o := object.Of(inBytes)
		if diff := differ(tree.GetResource(), o.Struct()); diff != "" {
			t.Fatalf("Struct(): -tree, +bytes:\n%s", diff)
		}

		if diff := cmp.Diff(seen(object.Of(tree).Node()), seen(o.Node())); diff != "" {
			t.Fatalf("Node(): -encoded, +bytes:\n%s", diff)
		}

		// same compares what comes of the tree and of the bytes.
		same := func(call string, want *structpb.Struct, o object.Object, wantErr, err error) {
			if tagstest.Error(wantErr) != tagstest.Error(err) {
				t.Fatalf("%s: want error %v, got %v", call, wantErr, err)
			}

			if err != nil || len(b) == 0 {
				return
			}

			// All else that the resource had is there.
			r := o.PutInto(inBytes)
			if err := proto.Unmarshal(object.Bytes(r), r); err != nil {
				t.Fatalf("%s: cannot decode %x: %v", call, object.Bytes(r), err)
			}

			// A tree of nothing may become an empty one.
			r.Resource = &structpb.Struct{Fields: r.GetResource().GetFields()}
			whole := &fnv1.Resource{Resource: &structpb.Struct{Fields: want.GetFields()}, Ready: tree.GetReady(), ConnectionDetails: tree.GetConnectionDetails()}

			if diff := differ(whole, r); diff != "" {
				t.Fatalf("%s: -tree, +bytes:\n%s", call, diff)
			}
		}

		for name, change := range map[string]func(*structpb.Value) (*structpb.Value, error){
			"mark":   mark,
			"set":    func(*structpb.Value) (*structpb.Value, error) { return v, nil },
			"remove": func(*structpb.Value) (*structpb.Value, error) { return nil, nil }, //nolint:nilnil // There is none then.
		} {
			want, wantErr := object.UpdateTree(tree.GetResource(), path, change)
			got, changed, err := object.Update(o, path, onNodes(change))

			if wantErr == nil && !changed && differ(tree.GetResource(), want) != "" {
				t.Fatalf("Update(%q, %s): want a change, got none", path, name)
			}

			same(fmt.Sprintf("Update(%q, %s)", path, name), want, got, wantErr, err)

			if n, ok := map[string]object.Node{"set": object.NodeOf(v), "remove": {}}[name]; ok && !path.HasWildcard() {
				got, err = object.Set(o, path, n)
				same(fmt.Sprintf("Set(%q, %s)", path, name), want, got, wantErr, err)
			}
		}

		if _, changed, _ := object.Update(o, path, func(n object.Node) (object.Node, error) { return n, nil }); changed {
			t.Fatalf("Update(%q, keep): want no change, got one", path)
		}

		var found *structpb.Value

		_, wantErr := object.UpdateTree(tree.GetResource(), path, func(v *structpb.Value) (*structpb.Value, error) {
			if !object.IsNull(v) {
				found = v
			}

			return v, nil
		})

		if n, err := o.At(path); !path.HasWildcard() && (tagstest.Error(wantErr) != tagstest.Error(err) || err == nil && differ(found, n.Value()) != "") {
			t.Fatalf("At(%q): want %v, %v, got %v, %v", path, found, wantErr, n.Value(), err)
		}

		if !bytes.Equal(before, b) {
			t.Fatalf("the bytes were changed: -before, +after:\n%s", cmp.Diff(before, b))
		}
	})
}
