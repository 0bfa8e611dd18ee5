package codec_test

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/proto/v1beta1"

	"github.com/plexsphere/function-cloud-tags/tags/command/serve/codec"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

func resourceOf(j string) *fnv1.Resource {
	return &fnv1.Resource{
		Resource:          tagstest.MustStructJSON(j),
		ConnectionDetails: map[string][]byte{"user": []byte("admin"), "key": {0xff}},
		Ready:             fnv1.Ready_READY_TRUE,
	}
}

// request returns a request with all fields.
func request() *fnv1.RunFunctionRequest {
	bucket := `{"kind": "Bucket", "spec": {"forProvider": {"tags": {"a": "b"}, "n": [1, null, true, "é", {}, []]}}}`
	found := &fnv1.Resources{Items: []*fnv1.Resource{resourceOf(bucket), {}, resourceOf(`{}`)}}

	return &fnv1.RunFunctionRequest{
		Meta:              &fnv1.RequestMeta{Tag: "tag", Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES}},
		Observed:          &fnv1.State{Composite: resourceOf(bucket), Resources: map[string]*fnv1.Resource{"a": resourceOf(bucket), "é": {}}},
		Desired:           &fnv1.State{Composite: resourceOf(`{}`), Resources: map[string]*fnv1.Resource{"": resourceOf(bucket), "b": {Ready: fnv1.Ready_READY_FALSE}}},
		Input:             tagstest.MustStructJSON(bucket),
		Context:           tagstest.MustStructJSON(bucket),
		Credentials:       map[string]*fnv1.Credentials{"c": {Source: &fnv1.Credentials_CredentialData{CredentialData: &fnv1.CredentialData{Data: map[string][]byte{"k": []byte("v")}}}}},
		RequiredResources: map[string]*fnv1.Resources{"found": found, "none": {}},
		ExtraResources:    map[string]*fnv1.Resources{"found": found}, //nolint:staticcheck // Old releases send it.
		RequiredSchemas:   map[string]*fnv1.Schema{"bucket": {OpenapiV3: tagstest.MustStructJSON(bucket)}, "none": {}},
	}
}

// newer returns the message with fields of a newer version of the protocol, in itself and in all messages within. Maps, values
// and their entries get none, since they never change.
func newer[M proto.Message](m M) M {
	var add func(m protoreflect.Message)

	add = func(m protoreflect.Message) {
		if m.Descriptor().FullName() == "google.protobuf.Struct" {
			return
		}

		m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			switch {
			case f.IsMap() && f.MapValue().Message() != nil:
				v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool { add(v.Message()); return true })
			case f.IsList() && f.Message() != nil:
				for i := range v.List().Len() {
					add(v.List().Get(i).Message())
				}
			case !f.IsMap() && !f.IsList() && f.Message() != nil:
				add(v.Message())
			}

			return true
		})

		unknown := protowire.AppendBytes(protowire.AppendTag(nil, 100, protowire.BytesType), []byte("new"))
		m.SetUnknown(protowire.AppendVarint(protowire.AppendTag(unknown, 101, protowire.VarintType), 1))
	}

	add(m.ProtoReflect())

	return m
}

func marshal(tb testing.TB, m proto.Message) []byte {
	tb.Helper()

	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		tb.Fatal(err)
	}

	return b
}

// eachResource calls yield for each resource that may be bytes, with its place.
func eachResource(req *fnv1.RunFunctionRequest, yield func(where string, r *fnv1.Resource)) {
	for where, state := range map[string]*fnv1.State{"observed": req.GetObserved(), "desired": req.GetDesired()} {
		if xr := state.GetComposite(); xr != nil {
			yield(where+" composite", xr)
		}

		for name, r := range state.GetResources() {
			yield(where+" "+name, r)
		}
	}

	for where, found := range map[string]map[string]*fnv1.Resources{"required": req.GetRequiredResources(), "extra": req.GetExtraResources()} { //nolint:staticcheck // As above.
		for name, rs := range found {
			for i, r := range rs.GetItems() {
				yield(fmt.Sprint(where, " ", name, " ", i), r)
			}
		}
	}
}

// toTrees makes trees of all bytes in the request, and returns their places.
func toTrees(tb testing.TB, req *fnv1.RunFunctionRequest) (inBytes []string) {
	tb.Helper()

	eachResource(req, func(where string, r *fnv1.Resource) {
		b := object.Bytes(r)
		if b == nil {
			return
		}

		inBytes = append(inBytes, where)

		o := object.Of(r)

		// It has nothing else.
		if err := proto.Unmarshal(b, r); err != nil {
			tb.Fatalf("cannot decode the bytes of %s: %v", where, err)
		}

		if want := r.GetResource(); !proto.Equal(want, o.Struct()) {
			tb.Errorf("Struct() of %s: -decoded, +got:\n%s", where, cmp.Diff(want, o.Struct(), protocmp.Transform()))
		}
	})

	for key, v := range req.GetContext().GetFields() {
		b := v.ProtoReflect().GetUnknown()
		if v.GetKind() != nil || len(b) == 0 {
			continue
		}

		inBytes = append(inBytes, "context "+key)
		read := object.NodeOf(v).Value()

		if err := proto.Unmarshal(b, v); err != nil {
			tb.Fatalf("cannot decode the bytes of the context's %s: %v", key, err)
		}

		if !proto.Equal(v, read) {
			tb.Errorf("NodeOf(...) of the context's %s: -decoded, +got:\n%s", key, cmp.Diff(v, read, protocmp.Transform()))
		}
	}

	for name, s := range req.GetRequiredSchemas() {
		b := s.ProtoReflect().GetUnknown()
		if s.GetOpenapiV3() != nil || len(b) == 0 || b[0] != 1<<3|2 {
			continue
		}

		inBytes = append(inBytes, "schema "+name)
		v := object.OfSchema(s).Value()

		if err := proto.Unmarshal(b, s); err != nil {
			tb.Fatalf("cannot decode the bytes of the schema %s: %v", name, err)
		}

		if want := s.GetOpenapiV3(); !proto.Equal(want, v.GetStructValue()) {
			tb.Errorf("OfSchema(...) of %s: -decoded, +got:\n%s", name, cmp.Diff(want, v.GetStructValue(), protocmp.Transform()))
		}
	}

	slices.Sort(inBytes)

	return inBytes
}

// check compares the decoded b with protobuf's, and returns the places of bytes.
func check(tb testing.TB, b []byte) (inBytes []string) {
	tb.Helper()

	want, got := &fnv1.RunFunctionRequest{}, request()
	wantErr := proto.Unmarshal(b, want)
	err := codec.Unmarshal(b, got)

	if diff := cmp.Diff(fmt.Sprint(wantErr), fmt.Sprint(err)); diff != "" {
		tb.Fatalf("Unmarshal(%x): -want error, +got error:\n%s", b, diff)
	}

	if err != nil {
		return nil
	}

	// It is sent as it came.
	again := &fnv1.RunFunctionRequest{}
	if err := proto.Unmarshal(marshal(tb, got), again); err != nil {
		tb.Fatalf("Unmarshal(%x): cannot decode it when it's encoded again: %v", b, err)
	}

	inBytes = toTrees(tb, got)

	for stage, got := range map[string]proto.Message{"decoded": got, "encoded again": again} {
		if !proto.Equal(want, got) {
			tb.Errorf("Unmarshal(%x): %s: -want, +got:\n%s", b, stage, cmp.Diff(want, got, protocmp.Transform()))
		}
	}

	return inBytes
}

// all has the places of bytes in request. An empty resource is a tree.
var all = []string{"context kind", "context spec", "desired ", "desired b", "desired composite", "extra found 0", "extra found 2", "observed a", "observed composite", "required found 0", "required found 2", "schema bucket"}

func TestUnmarshal(t *testing.T) {
	// field n of a request, or of a state.
	field := func(n protowire.Number, body ...[]byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), slices.Concat(body...))
	}
	entry := func(name string, value []byte) []byte { return slices.Concat(field(1, []byte(name)), field(2, value)) }
	composed := func(name string, value []byte) []byte { return field(2, entry(name, value)) }

	whole := marshal(t, request())
	bucket := marshal(t, resourceOf(`{"kind": "Bucket", "spec": {"a": "b"}}`))
	xr := field(1, bucket)

	cases := map[string]struct {
		reason string
		b      []byte
		want   []string
	}{
		"Whole":             {reason: "Resources and schemas should stay bytes, and nothing else.", b: whole, want: all},
		"Nothing":           {reason: "A request may have nothing.", b: nil},
		"Reset":             {reason: "Whatever the request had before should be gone.", b: marshal(t, &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Tag: "x"}})},
		"EmptyState":        {reason: "A state that has nothing is there.", b: slices.Concat(field(2), field(3))},
		"SchemaEmptyObject": {reason: "A schema that says nothing is one.", b: field(9, entry("s", field(1))), want: []string{"schema s"}},
		"MetaTwice":         {reason: "What is decoded may be in two parts.", b: slices.Concat(whole, field(1, field(1, []byte("other")))), want: all},
		"ContextInTwo":      {reason: "The context may be in two parts.", b: slices.Concat(whole, field(5, marshal(t, tagstest.MustStructJSON(`{"lore": 2}`)))), want: slices.Insert(slices.Clone(all), 1, "context lore")},
		"ContextTwice":      {reason: "Of two values with a key the last holds.", b: slices.Concat(whole, field(5, marshal(t, tagstest.MustStructJSON(`{"kind": 1, "more": 2}`))))},
		"CredentialsTwice":  {reason: "What is decoded may be there twice.", b: slices.Concat(whole, field(7, entry("c", nil))), want: all},
		"UnknownInMeta":     {reason: "What is decoded may have unknown fields.", b: slices.Concat(whole, field(1, field(99, bucket))), want: all},
		"UnknownInXR":       {reason: "Unknown fields of a resource should be kept beside.", b: field(2, field(1, bucket, field(4, bucket)), composed("a", bucket)), want: []string{"observed a", "observed composite"}},

		// A newer Crossplane has fields unknown here.
		"Newer":              {reason: "Unknown fields of anything should be kept beside.", b: marshal(t, newer(request())), want: all},
		"Unknown":            {reason: "Unknown fields of a request should be kept beside.", b: slices.Concat(field(99, bucket), whole, field(10), []byte{99<<3&0x7f | 0x80, 99 >> 4, 1}), want: all},
		"UnknownInState":     {reason: "Unknown fields of a state should be kept beside.", b: field(3, field(3), composed("a", bucket), field(99, bucket)), want: []string{"desired a"}},
		"UnknownInComposed":  {reason: "Unknown fields of a resource should be kept beside.", b: field(3, composed("a", slices.Concat(bucket, field(99)))), want: []string{"desired a"}},
		"UnknownInResources": {reason: "Unknown fields of lists should be kept beside.", b: field(8, entry("a", slices.Concat(field(2), field(1, bucket), field(99)))), want: []string{"required a 0"}},
		"UnknownInSchema":    {reason: "Unknown fields of a schema should be kept beside.", b: field(9, entry("a", slices.Concat(field(1), field(2, bucket)))), want: []string{"schema a"}},
		"OnlyUnknown":        {reason: "What has only unknown fields should be a tree, and nothing else for that.", b: slices.Concat(field(3, composed("a", field(99)), composed("b", bucket)), field(9, entry("s", field(99)))), want: []string{"desired b"}},

		// All others are decoded whole.
		"StateTwice":          {reason: "States in two parts are merged.", b: slices.Concat(field(2, xr), field(2, composed("a", bucket)))},
		"CompositeTwice":      {reason: "Composite resources in two parts are merged.", b: field(2, xr, field(1, []byte{3 << 3, 2}), composed("a", bucket))},
		"DesiredTwice":        {reason: "States in two parts are merged.", b: slices.Concat(field(3, composed("a", bucket)), field(3, composed("a", field(2, entry("k", nil)))))},
		"EmptyStateTwice":     {reason: "States in two parts are merged.", b: slices.Concat(field(3), field(3))},
		"ComposedTwice":       {reason: "Of two resources with a name the last holds.", b: field(3, composed("a", bucket), composed("a", field(1)))},
		"RequiredTwice":       {reason: "Of two lists with a name the last holds.", b: slices.Concat(field(8, entry("a", field(1, bucket))), field(8, entry("a", nil)))},
		"ExtraTwice":          {reason: "Of two lists with a name the last holds.", b: slices.Concat(field(6, entry("a", nil)), field(6, entry("a", field(1, bucket))))},
		"SchemaTwice":         {reason: "Of two schemas with a name the last holds.", b: slices.Concat(field(9, entry("a", field(1))), field(9, entry("a", nil)))},
		"SchemaInTwo":         {reason: "Schemas in two parts are merged.", b: field(9, entry("s", slices.Concat(field(1), field(1))))},
		"ObjectInTwo":         {reason: "Objects in two parts are merged.", b: field(3, composed("a", slices.Concat(bucket, bucket)))},
		"ObjectBehindUnknown": {reason: "Unknown fields may be before known ones.", b: field(3, composed("a", slices.Concat(field(99), bucket)))},
		"UnknownInEntry":      {reason: "Unknown fields of entries are not.", b: field(3, field(2, entry("a", bucket), field(3)))},
		"UnknownForValue":     {reason: "Unknown fields of entries are not, if there is no value either.", b: field(3, field(2, field(1, []byte("a")), field(3, bucket)))},
		"ValueForName":        {reason: "Of two values of an entry both count.", b: field(3, field(2, field(2, bucket), field(2, []byte{3 << 3, 2})))},
		"AnotherType":         {reason: "A known field of another type is an unknown one.", b: []byte{3 << 3, 1}},
		"ValueFirst":          {reason: "The value of an entry may be before its name.", b: field(3, field(2, field(2, bucket), field(1, []byte("a"))))},
		"NoName":              {reason: "The name of an entry may be left out, if it's empty.", b: field(3, field(2, field(2, bucket)))},
		"NoValue":             {reason: "The value of an entry may be left out, if it has nothing.", b: slices.Concat(field(3, field(2, field(1, []byte("a")))), field(9, field(1, []byte("a"))))},
		"LongTag":             {reason: "A tag may take more bytes than it has to.", b: []byte{3<<3 | 2 | 0x80, 0, 0}},
		"LongLength":          {reason: "A length may take more bytes than it has to.", b: []byte{3<<3 | 2, 0x80, 0}},

		// None of these is a request.
		"NameNotUTF8":    {reason: "Text has to be UTF-8.", b: field(3, composed("\xff", bucket))},
		"SchemaNotUTF8":  {reason: "Text has to be UTF-8.", b: field(9, entry("\xff", nil))},
		"ObjectNotUTF8":  {reason: "Text has to be UTF-8, where it stays bytes, too.", b: field(3, composed("a", field(1, field(1, entry("\xff", nil)))))},
		"ContextNotUTF8": {reason: "Text has to be UTF-8.", b: field(5, field(1, entry("\xff", nil)))},
		"XRNotUTF8":      {reason: "Text has to be UTF-8.", b: field(3, field(1, field(1, field(1, entry("\xff", nil)))))},
		"CutOff":         {reason: "What is cut off is no request.", b: whole[:len(whole)-1]},
		"StateCutOff":    {reason: "What is cut off is no request, be it one byte.", b: field(3, composed("a", bucket), []byte{2<<3 | 2})},
		"SchemaCutOff":   {reason: "What is cut off is no request, be it one byte.", b: field(9, entry("a", []byte{1<<3 | 2}))},
		"ItemsCutOff":    {reason: "What is cut off is no request, be it one byte.", b: field(8, entry("a", []byte{1<<3 | 2}))},
		"TooDeep":        {reason: "What is nested deeper than a library decodes is no request.", b: marshal(t, &fnv1.RunFunctionRequest{Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"a": deep(5001, 0)}}})},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, check(t, tc.b)); diff != "" {
				t.Errorf("\n%s\nUnmarshal(...): -want in bytes, +got:\n%s", tc.reason, diff)
			}
		})
	}

	for n := range whole {
		check(t, whole[:n])
	}
}

// deep returns a resource of n objects, each in the one before. The last one has so many lists, one in the other.
func deep(n, lists int) *fnv1.Resource {
	v := structpb.NewNullValue()
	for range lists {
		v = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{v}})
	}

	for range n {
		v = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"a": v}})
	}

	return &fnv1.Resource{Resource: v.GetStructValue()}
}

// TestUnmarshalDepth proves that resources may be nested as deep as protobuf admits, and stay bytes: a tree takes 28 times the memory. An
// object takes three of the 10,000 levels, and a list two. So each level is tried.
func TestUnmarshalDepth(t *testing.T) {
	for lists := range 3 {
		accepted := make(map[string]int)

		for n := 3331 - lists; n < 3335-lists; n++ {
			for where, req := range map[string]*fnv1.RunFunctionRequest{
				"composite": {Observed: &fnv1.State{Composite: deep(n, lists)}},
				"composed":  {Observed: &fnv1.State{Resources: map[string]*fnv1.Resource{"a": deep(n, lists)}}},
				"required":  {RequiredResources: map[string]*fnv1.Resources{"a": {Items: []*fnv1.Resource{deep(n, lists)}}}},
				"schema":    {RequiredSchemas: map[string]*fnv1.Schema{"a": {OpenapiV3: deep(n, lists).GetResource()}}},
				"context":   {Context: deep(n, lists).GetResource()},
				"input":     {Input: deep(n, lists).GetResource()},
			} {
				b, got := marshal(t, req), &fnv1.RunFunctionRequest{}
				err := codec.Unmarshal(b, got)

				if want := proto.Unmarshal(b, &fnv1.RunFunctionRequest{}); (err == nil) != (want == nil) {
					t.Errorf("Unmarshal(...) of a %s of %d objects and %d lists: want error %v, got %v", where, n, lists, want, err)
				}

				if err == nil {
					accepted[where]++

					if inBytes := toTrees(t, got); where != "input" && len(inBytes) != 1 {
						t.Errorf("Unmarshal(...) of a %s of %d objects and %d lists: want it in bytes, got a tree", where, n, lists)
					}
				}
			}
		}

		for where, n := range accepted {
			if n == 4 || len(accepted) < 6 {
				t.Errorf("%s: want the greatest depth to be among those that are tried, got %v accepted", where, accepted)
			}
		}
	}
}

// TestUnmarshalKeepsNothing proves that a request keeps no memory of the call's buffers: the next call gets these.
func TestUnmarshalKeepsNothing(t *testing.T) {
	want := request()

	for name, received := range map[string][]byte{
		"InBytes": marshal(t, want),
		"Whole":   append(marshal(t, want), 3<<3|2, 0),
	} {
		for _, parts := range []int{1, 7} {
			var data mem.BufferSlice
			for part := range slices.Chunk(received, len(received)/parts+1) {
				data = append(data, mem.SliceBuffer(part))
			}

			got := &fnv1.RunFunctionRequest{}
			if err := (codec.Codec{}).Unmarshal(data, got); err != nil {
				t.Fatal(err)
			}

			before := bytes.Clone(received)
			for i := range received {
				received[i] = 0xff
			}

			toTrees(t, got)

			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s: Unmarshal(...) of %d parts: -want, +got after they were overwritten:\n%s", name, parts, diff)
			}

			copy(received, before)
		}
	}
}

// TestUnmarshalClips proves that appending to the bytes of a resource can't overwrite the next one.
func TestUnmarshalClips(t *testing.T) {
	req := &fnv1.RunFunctionRequest{}
	if err := codec.Unmarshal(marshal(t, request()), req); err != nil {
		t.Fatal(err)
	}

	eachResource(req, func(where string, r *fnv1.Resource) {
		if b := object.Bytes(r); cap(b) > len(b) {
			t.Errorf("%s: want bytes without more room behind them, got room for %d", where, cap(b)-len(b))
		}
	})
}

// TestUnmarshalOthers decodes messages other than requests of this version.
func TestUnmarshalOthers(t *testing.T) {
	b := marshal(t, request())
	want, got := &v1beta1.RunFunctionRequest{}, &v1beta1.RunFunctionRequest{}

	if err := proto.Unmarshal(b, want); err != nil {
		t.Fatal(err)
	}

	if err := (codec.Codec{}).Unmarshal(mem.BufferSlice{mem.SliceBuffer(b)}, got); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("\nA request of v1beta1 should be decoded whole.\nUnmarshal(...): -want, +got:\n%s", diff)
	}

	if err := (codec.Codec{}).Unmarshal(nil, "text"); fmt.Sprint(err) != "failed to unmarshal, message is string, want proto.Message" {
		t.Errorf("Unmarshal(...): want an error, got %v", err)
	}

	if _, err := (codec.Codec{}).Marshal("text"); fmt.Sprint(err) != "cannot encode string, which is no protobuf message" {
		t.Errorf("Marshal(...): want an error, got %v", err)
	}
}

func TestMarshal(t *testing.T) {
	req := request()
	if err := codec.Unmarshal(marshal(t, req), req); err != nil {
		t.Fatal(err)
	}

	rsp := &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Tag: "tag"}, Desired: req.GetDesired(), Context: req.GetContext()}
	want := &fnv1.RunFunctionResponse{Meta: rsp.GetMeta(), Desired: request().GetDesired(), Context: request().GetContext()}

	var first []byte

	for range 30 {
		data, err := codec.Codec{}.Marshal(rsp)
		if err != nil {
			t.Fatal(err)
		}

		b := data.Materialize()
		data.Free()

		if first == nil {
			first = b
		}

		if diff := cmp.Diff(first, b); diff != "" {
			t.Fatalf("\nThe same response should be encoded in the same way.\nMarshal(...): -first, +this:\n%s", diff)
		}
	}

	got := &fnv1.RunFunctionResponse{}
	if err := proto.Unmarshal(first, got); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("\nA response should have what came.\nMarshal(...): -want, +got:\n%s", diff)
	}

	if size := proto.Size(want); len(first) != size {
		t.Errorf("\nA response should have nothing twice.\nMarshal(...): want %d bytes, got %d", size, len(first))
	}

	rsp.Meta.Tag = "\xff"
	if _, err := (codec.Codec{}).Marshal(rsp); err == nil {
		t.Error("Marshal(...): want an error for text that isn't UTF-8")
	}
}

// TestUnmarshalMemory proves that no request takes more memory than protobuf takes for it.
func TestUnmarshalMemory(t *testing.T) {
	// many joins the results of piece for each number below n.
	many := func(n int, piece func(i int) []byte) []byte {
		var b []byte
		for i := range n {
			b = append(b, piece(i)...)
		}

		return b
	}
	field := func(tag byte, body []byte) []byte { return protowire.AppendBytes([]byte{tag}, body) }
	composed := func(content []byte) []byte {
		return field(3<<3|2, field(2<<3|2, slices.Concat([]byte{1<<3 | 2, 1, 'a'}, field(2<<3|2, content))))
	}
	entries := func(tag byte, n int) []byte {
		return many(n, func(i int) []byte {
			return field(tag, slices.Concat(field(1<<3|2, fmt.Append(nil, i)), []byte{2<<3 | 2, 0}))
		})
	}
	items := func(n int) []byte { return many(n, func(int) []byte { return []byte{1<<3 | 2, 0} }) }

	for name, b := range map[string][]byte{
		"Composed":    field(3<<3|2, entries(2<<3|2, 10_000)),
		"Details":     composed(entries(2<<3|2, 10_000)),
		"Fields":      composed(field(1<<3|2, entries(1<<3|2, 10_000))),
		"Items":       composed(field(1<<3|2, field(1<<3|2, slices.Concat([]byte{1<<3 | 2, 1, 'a'}, field(2<<3|2, field(6<<3|2, items(100_000))))))),
		"Required":    field(8<<3|2, slices.Concat([]byte{1<<3 | 2, 1, 'a'}, field(2<<3|2, items(100_000)))),
		"Schemas":     entries(9<<3|2, 10_000),
		"Credentials": entries(7<<3|2, 10_000),
	} {
		t.Run(name, func(t *testing.T) {
			allocated := func(unmarshal func([]byte, *fnv1.RunFunctionRequest) error) uint64 {
				var before, after runtime.MemStats

				runtime.ReadMemStats(&before)

				if err := unmarshal(b, &fnv1.RunFunctionRequest{}); err != nil {
					t.Fatal(err)
				}

				runtime.ReadMemStats(&after)

				return after.TotalAlloc - before.TotalAlloc
			}

			usual := allocated(func(b []byte, req *fnv1.RunFunctionRequest) error { return proto.Unmarshal(b, req) })
			if got := allocated(codec.Unmarshal); got > usual+usual/10 {
				t.Errorf("Unmarshal(...): want at most the %d bytes that the usual codec allocates, got %d", usual, got)
			} else {
				t.Logf("%d bytes take %d, and %d with the usual codec", len(b), got, usual)
			}
		})
	}
}

// TestUnmarshalAllocations proves that a resource costs no more than itself, its name, and its place in the map. Its content
// costs nothing, and neither do fields of a newer Crossplane.
func TestUnmarshalAllocations(t *testing.T) {
	type request = *fnv1.RunFunctionRequest

	for name, version := range map[string]func(request) request{
		"Known": func(req request) request { return req },
		"Newer": newer[request],
	} {
		allocations := func(n int) float64 {
			req := &fnv1.RunFunctionRequest{Desired: &fnv1.State{Resources: make(map[string]*fnv1.Resource)}}
			for i := range n {
				req.Desired.Resources[strconv.Itoa(i)] = resourceOf(`{"kind": "Bucket", "metadata": {"labels": {"a": "b"}}, "spec": {"n": [1, null, true, "é", {}, []]}}`)
			}

			b := marshal(t, version(req))

			return testing.AllocsPerRun(10, func() {
				if err := codec.Unmarshal(b, &fnv1.RunFunctionRequest{}); err != nil {
					t.Fatal(err)
				}
			})
		}

		if got := (allocations(2000) - allocations(1000)) / 1000; got > 2.1 {
			t.Errorf("%s: Unmarshal(...): want 2 allocations for each resource, and few for the map, got %g", name, got)
		}
	}
}

// FuzzUnmarshal decodes any bytes, and compares the result with protobuf's.
func FuzzUnmarshal(f *testing.F) {
	whole := marshal(f, request())

	f.Add(whole)
	f.Add(marshal(f, newer(request())))
	f.Add(slices.Concat(whole, whole))
	f.Add(whole[:len(whole)/2])
	f.Add(marshal(f, &fnv1.RunFunctionRequest{Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"a": deep(3, 0), "b": resourceOf(`{"l": [[1, "x"], {}]}`)}}}))
	f.Add([]byte{2<<3 | 2, 2, 1 << 3, 0}) // The composite resource is a number.
	f.Add([]byte{3<<3 | 2, 9, 2<<3 | 2, 7, 1<<3 | 2, 1, 'a', 2<<3 | 2, 2, 1<<3 | 2, 0})

	f.Fuzz(func(t *testing.T, b []byte) { check(t, b) })
}

func BenchmarkUnmarshal(b *testing.B) {
	req := &fnv1.RunFunctionRequest{Desired: &fnv1.State{Resources: make(map[string]*fnv1.Resource)}}
	for i := range 100 {
		req.Desired.Resources[strconv.Itoa(i)] = resourceOf(`{"kind": "Bucket", "metadata": {"labels": {"a": "b"}}, "spec": {"forProvider": {"tags": {"a": "b"}, "n": [1, null, true, "é", {}, []]}}}`)
	}

	data := mem.BufferSlice{mem.SliceBuffer(marshal(b, req))}

	for name, c := range map[string]encoding.CodecV2{"tree": encoding.GetCodecV2("proto"), "bytes": codec.Codec{}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(data.Len()))

			for b.Loop() {
				if err := c.Unmarshal(data, &fnv1.RunFunctionRequest{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
