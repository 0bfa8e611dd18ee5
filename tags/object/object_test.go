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

func TestParsePath(t *testing.T) {
	cases := map[string]struct {
		reason string
		path   string
		want   string
	}{
		"Field":               {reason: "One field should do.", path: "spec"},
		"Nested":              {reason: "Fields below fields should do.", path: "spec.forProvider.tags"},
		"Index":               {reason: "An item of a list should do.", path: "spec.rules[0].name"},
		"IndexOfIndex":        {reason: "An item of an item should do.", path: "spec.rules[3][0]"},
		"Brackets":            {reason: "A key with dots should do in brackets.", path: "metadata.annotations[example.org/team]"},
		"QuotedBrackets":      {reason: "A key in brackets should do in quotes, too.", path: "metadata.annotations['example.org/team']"},
		"Empty":               {reason: "No path should be refused, since it leads to no field.", path: "", want: "a field path must not be empty"},
		"LeadingDot":          {reason: "A dot at the start should be refused.", path: ".spec", want: `cannot parse field path ".spec": unexpected '.' at position 0`},
		"TrailingDot":         {reason: "A dot at the end should be refused.", path: "spec.", want: `cannot parse field path "spec.": unexpected '.' at position 4`},
		"DoubleDot":           {reason: "Two dots in a row should be refused.", path: "spec..labels", want: `cannot parse field path "spec..labels": unexpected '.' at position 5`},
		"UnterminatedBracket": {reason: "A bracket that is not closed should be refused.", path: "spec[", want: `cannot parse field path "spec[": unterminated '[' at position 4`},
		"EmptyBrackets":       {reason: "Brackets without anything should be refused.", path: "spec[]", want: `cannot parse field path "spec[]": unexpected ']' at position 5`},
		"ClosingBracket":      {reason: "A bracket that was not opened should be refused.", path: "spec]", want: `cannot parse field path "spec]": unexpected ']' at position 4`},
		"NestedBrackets":      {reason: "Brackets in brackets should be refused.", path: "a[b[c]]", want: `cannot parse field path "a[b[c]]": unexpected '[' at position 3`},
		"DotBeforeBracket":    {reason: "A dot before a bracket should be refused.", path: "spec.[0]", want: `cannot parse field path "spec.[0]": unexpected '[' at position 5`},
		"Wildcard":            {reason: "A wildcard should be refused, since it leads to many fields.", path: "spec.rules[*].name", want: `field path "spec.rules[*].name" must lead to one field, without wildcards`},
		"WildcardField":       {reason: "A wildcard should be refused outside brackets, too.", path: "spec.*", want: `field path "spec.*" must lead to one field, without wildcards`},
		"WildcardAlone":       {reason: "A wildcard should be refused as the whole path, too.", path: "*", want: `field path "*" must lead to one field, without wildcards`},
		"StarInKey":           {reason: "A star that is only a part of a key is no wildcard.", path: "metadata.annotations[a*]"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p, err := object.ParsePath(tc.path)
			if diff := cmp.Diff(tc.want, tagstest.Error(err)); diff != "" {
				t.Errorf("\n%s\nParsePath(%q): -want error, +got error:\n%s", tc.reason, tc.path, diff)
			}

			if err == nil && p.String() != tc.path {
				t.Errorf("\n%s\nParsePath(%q): it is put as %q", tc.reason, tc.path, p)
			}
		})
	}
}

func TestGet(t *testing.T) {
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
		"String":         {reason: "A string should be found.", in: bucket, path: "metadata.name", want: want{json: `"assets"`}},
		"Number":         {reason: "A number should be found.", in: bucket, path: "spec.replicas", want: want{json: `3`}},
		"False":          {reason: "A boolean that is false is there.", in: bucket, path: "spec.enabled", want: want{json: `false`}},
		"Object":         {reason: "An object should be found.", in: bucket, path: "spec.forProvider.tags", want: want{json: `{"Name": "assets"}`}},
		"EmptyObject":    {reason: "An empty object is there.", in: bucket, path: "empty", want: want{json: `{}`}},
		"EmptyList":      {reason: "An empty list is there.", in: bucket, path: "none", want: want{json: `[]`}},
		"Brackets":       {reason: "A key with dots should be found in brackets.", in: bucket, path: "metadata.annotations[example.org/team]", want: want{json: `"checkout"`}},
		"SingleQuotes":   {reason: "A key in brackets may be in single quotes.", in: bucket, path: "metadata.annotations['example.org/team']", want: want{json: `"checkout"`}},
		"DoubleQuotes":   {reason: "A key in brackets may be in double quotes.", in: bucket, path: `metadata.annotations["example.org/team"]`, want: want{json: `"checkout"`}},
		"NumberAsKey":    {reason: "A number in quotes is a key, not an index.", in: bucket, path: "metadata.annotations['0']", want: want{json: `"zero"`}},
		"FirstItem":      {reason: "The first item of a list should be found.", in: bucket, path: "spec.rules[0].name", want: want{json: `"first"`}},
		"Item":           {reason: "An item of a list should be found.", in: bucket, path: "spec.rules[1]", want: want{json: `"second"`}},
		"ItemOfItem":     {reason: "An item of an item should be found.", in: bucket, path: "spec.rules[3][0]", want: want{json: `"nested"`}},
		"NullItem":       {reason: "An item that is null is like one that is absent.", in: bucket, path: "spec.rules[2]"},
		"BeyondList":     {reason: "An item beyond the end of a list is absent.", in: bucket, path: "spec.rules[4]"},
		"FarBeyondList":  {reason: "The greatest index that there is should be no problem.", in: bucket, path: "spec.rules[4294967295]"},
		"ItemOfNone":     {reason: "An empty list has no first item.", in: bucket, path: "none[0]"},
		"Absent":         {reason: "A field that is not there should give nil.", in: bucket, path: "spec.labels"},
		"AbsentTop":      {reason: "A field of the top level that is not there should give nil.", in: bucket, path: "status"},
		"ThroughAbsent":  {reason: "A path through a field that is not there should give nil.", in: bucket, path: "status.atProvider.tags"},
		"Null":           {reason: "A field that is null should give nil.", in: bucket, path: "spec.nothing"},
		"ThroughNull":    {reason: "A path through a field that is null should give nil.", in: bucket, path: "spec.nothing.more[0].less"},
		"BelowEmpty":     {reason: "A path through an empty object should give nil.", in: bucket, path: "empty.tags"},
		"EmptyStruct":    {reason: "Nothing is in an empty struct.", in: `{}`, path: "spec.labels"},
		"BehindBeyond":   {reason: "A path through an item that is not there should give nil.", in: bucket, path: "spec.rules[9].name"},
		"ThroughString":  {reason: "A string has no fields.", in: bucket, path: "metadata.name.first", want: want{err: "metadata.name is a string, not an object"}},
		"ThroughNumber":  {reason: "A number has no fields.", in: bucket, path: "spec.replicas.min.max", want: want{err: "spec.replicas is a number, not an object"}},
		"ThroughBoolean": {reason: "A boolean has no fields.", in: bucket, path: "spec.enabled.really", want: want{err: "spec.enabled is a boolean, not an object"}},
		"FieldOfList":    {reason: "A list has no fields.", in: bucket, path: "spec.rules.name", want: want{err: "spec.rules is a list, not an object"}},
		"ItemOfObject":   {reason: "An object has no items.", in: bucket, path: "spec.forProvider[0]", want: want{err: "spec.forProvider is an object, not a list"}},
		"ItemOfString":   {reason: "A string has no items.", in: bucket, path: "metadata.name[0]", want: want{err: "metadata.name is a string, not a list"}},
		"BelowItem":      {reason: "The error should say which item it is.", in: bucket, path: "spec.rules[1].name", want: want{err: "spec.rules[1] is a string, not an object"}},
		"BelowBrackets":  {reason: "The error should put a key with dots in brackets.", in: bucket, path: "metadata.annotations['example.org/team'].lead", want: want{err: "metadata.annotations[example.org/team] is a string, not an object"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := tagstest.MustStructJSON(tc.in)
			before := proto.CloneOf(s)

			got, err := get(s, tc.path)

			if diff := cmp.Diff(tc.want.err, tagstest.Error(err)); diff != "" {
				t.Errorf("\n%s\nGet(..., %q): -want error, +got error:\n%s", tc.reason, tc.path, diff)
			}

			if diff := cmp.Diff(value(tc.want.json), got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nGet(..., %q): -want, +got:\n%s", tc.reason, tc.path, diff)
			}

			if !proto.Equal(before, s) {
				t.Errorf("\n%s\nGet(..., %q): the struct changed", tc.reason, tc.path)
			}
		})
	}
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

func TestGetItemOfTop(t *testing.T) {
	_, err := get(tagstest.MustStructJSON(bucket), "[0]")

	if diff := cmp.Diff("the object is an object, not a list", tagstest.Error(err)); diff != "" {
		t.Errorf("\nAn object has no items, and the message should read like those of other paths.\nGet(..., %q): -want error, +got error:\n%s", "[0]", diff)
	}
}

func TestSet(t *testing.T) {
	type want struct {
		json string
		err  string
	}

	cases := map[string]struct {
		reason string
		in     string
		path   string
		value  string
		want   want
	}{
		"Replace":             {reason: "A field that is there should be replaced.", in: `{"spec": {"region": "a", "size": 1}, "status": {"ready": true}}`, path: "spec.region", value: `"b"`, want: want{json: `{"spec": {"region": "b", "size": 1}, "status": {"ready": true}}`}},
		"ReplaceByOtherKind":  {reason: "A field may be replaced by one of another kind.", in: `{"spec": {"region": "a"}}`, path: "spec", value: `[1]`, want: want{json: `{"spec": [1]}`}},
		"Add":                 {reason: "A field that is not there should be added.", in: `{"spec": {"region": "a"}}`, path: "spec.tags", value: `{"k": "v"}`, want: want{json: `{"spec": {"region": "a", "tags": {"k": "v"}}}`}},
		"MakeObjects":         {reason: "Objects that are missing on the path should be made.", in: `{"kind": "Bucket"}`, path: "spec.forProvider.tags", value: `{"k": "v"}`, want: want{json: `{"kind": "Bucket", "spec": {"forProvider": {"tags": {"k": "v"}}}}`}},
		"MakeObjectOfNull":    {reason: "Null on the path should be like what is missing.", in: `{"spec": null}`, path: "spec.tags", value: `{"k": "v"}`, want: want{json: `{"spec": {"tags": {"k": "v"}}}`}},
		"IntoEmptyStruct":     {reason: "A field should be added to an empty struct.", in: `{}`, path: "spec", value: `1`, want: want{json: `{"spec": 1}`}},
		"Null":                {reason: "Null is a value, and removes nothing.", in: `{"spec": {"region": "a"}}`, path: "spec.region", value: `null`, want: want{json: `{"spec": {"region": null}}`}},
		"Brackets":            {reason: "A key with dots should be written in brackets.", in: `{"metadata": {}}`, path: "metadata.annotations[example.org/team]", value: `"checkout"`, want: want{json: `{"metadata": {"annotations": {"example.org/team": "checkout"}}}`}},
		"Item":                {reason: "An item of a list should be replaced.", in: `{"list": ["a", "b", "c"]}`, path: "list[1]", value: `"x"`, want: want{json: `{"list": ["a", "x", "c"]}`}},
		"BelowItem":           {reason: "A field of an item should be written.", in: `{"list": [{"a": 1}, {"b": 2}]}`, path: "list[1].c.d", value: `3`, want: want{json: `{"list": [{"a": 1}, {"b": 2, "c": {"d": 3}}]}`}},
		"BelowNullItem":       {reason: "An item that is null should become an object.", in: `{"list": [null]}`, path: "list[0].a", value: `1`, want: want{json: `{"list": [{"a": 1}]}`}},
		"NullItem":            {reason: "An item that is null should be replaced.", in: `{"list": [null]}`, path: "list[0]", value: `1`, want: want{json: `{"list": [1]}`}},
		"ItemOfItem":          {reason: "An item of an item should be replaced.", in: `{"list": [["a"], ["b"]]}`, path: "list[1][0]", value: `"x"`, want: want{json: `{"list": [["a"], ["x"]]}`}},
		"Remove":              {reason: "No value should remove a field.", in: `{"spec": {"region": "a", "tags": {"k": "v"}}}`, path: "spec.tags", want: want{json: `{"spec": {"region": "a"}}`}},
		"RemoveLast":          {reason: "The object that becomes empty should stay.", in: `{"spec": {"tags": {"k": "v"}}}`, path: "spec.tags", want: want{json: `{"spec": {}}`}},
		"RemoveTop":           {reason: "No value should remove a field of the top level.", in: `{"spec": {}, "kind": "Bucket"}`, path: "spec", want: want{json: `{"kind": "Bucket"}`}},
		"RemoveItem":          {reason: "No value should remove an item.", in: `{"list": ["a", "b", "c"]}`, path: "list[1]", want: want{json: `{"list": ["a", "c"]}`}},
		"RemoveBelowItem":     {reason: "No value should remove a field of an item.", in: `{"list": [{"a": 1, "b": 2}]}`, path: "list[0].a", want: want{json: `{"list": [{"b": 2}]}`}},
		"RemoveAbsent":        {reason: "Removing what is not there should change nothing, and make no objects.", in: `{"kind": "Bucket"}`, path: "spec.forProvider.tags", want: want{json: `{"kind": "Bucket"}`}},
		"RemoveBelowEmpty":    {reason: "Removing what is not there should keep the object that could have it.", in: `{"spec": {}}`, path: "spec.tags", want: want{json: `{"spec": {}}`}},
		"RemoveBelowNull":     {reason: "Removing what is below null should change nothing.", in: `{"spec": null}`, path: "spec.tags", want: want{json: `{"spec": null}`}},
		"RemoveBeyondList":    {reason: "Removing an item that is not there should change nothing.", in: `{"list": ["a"]}`, path: "list[1]", want: want{json: `{"list": ["a"]}`}},
		"RemoveNull":          {reason: "No value should remove a field that is null.", in: `{"spec": {"tags": null}}`, path: "spec.tags", want: want{json: `{"spec": {}}`}},
		"RemoveNullItem":      {reason: "No value should remove an item that is null.", in: `{"list": ["a", null, "b"]}`, path: "list[1]", want: want{json: `{"list": ["a", "b"]}`}},
		"RemoveBelowNullItem": {reason: "Removing what is below an item that is null should change nothing.", in: `{"list": [null]}`, path: "list[0].tags", want: want{json: `{"list": [null]}`}},
		"ThroughString":       {reason: "A string has no fields, and should not be destroyed.", in: `{"spec": {"tags": "a=b"}}`, path: "spec.tags.k", value: `"v"`, want: want{err: "spec.tags is a string, not an object"}},
		"RemoveThroughString": {reason: "A string has no fields to remove.", in: `{"spec": {"tags": "a=b"}}`, path: "spec.tags.k", want: want{err: "spec.tags is a string, not an object"}},
		"FieldOfList":         {reason: "A list has no fields, and should not be destroyed.", in: `{"spec": {"tags": ["a"]}}`, path: "spec.tags.k", value: `"v"`, want: want{err: "spec.tags is a list, not an object"}},
		"ItemOfObject":        {reason: "An object has no items, and should not be destroyed.", in: `{"spec": {"tags": {"k": "v"}}}`, path: "spec.tags[0]", value: `"v"`, want: want{err: "spec.tags is an object, not a list"}},
		"BeyondList":          {reason: "Items of lists should not be made.", in: `{"list": ["a"]}`, path: "list[1]", value: `"b"`, want: want{err: "list has no item 1"}},
		"BelowBeyondList":     {reason: "Items of lists should not be made on the path, either.", in: `{"spec": {"list": ["a"]}}`, path: "spec.list[7].a", value: `"b"`, want: want{err: "spec.list has no item 7"}},
		"ItemOfAbsent":        {reason: "Lists should not be made.", in: `{"spec": {}}`, path: "spec.list[0]", value: `"b"`, want: want{err: "spec.list is null, not a list"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := tagstest.MustStructJSON(tc.in)
			before := proto.CloneOf(s)

			got, err := set(s, tc.path, value(tc.value))

			if diff := cmp.Diff(tc.want.err, tagstest.Error(err)); diff != "" {
				t.Errorf("\n%s\nSet(..., %q, ...): -want error, +got error:\n%s", tc.reason, tc.path, diff)
			}

			var want *structpb.Struct
			if tc.want.err == "" {
				want = tagstest.MustStructJSON(tc.want.json)
			}

			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nSet(..., %q, ...): -want, +got:\n%s", tc.reason, tc.path, diff)
			}

			if diff := cmp.Diff(before, s, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nSet(..., %q, ...): -before, +after:\n%s", tc.reason, tc.path, diff)
			}

			if err != nil || tc.value == "" || tc.value == "null" {
				return
			}

			if at, err := get(got, tc.path); err != nil || !proto.Equal(at, value(tc.value)) {
				t.Errorf("\n%s\nGet(Set(..., %q, ...)): want %v, got %v, %v", tc.reason, tc.path, value(tc.value), at, err)
			}
		})
	}
}

func TestSetNil(t *testing.T) {
	got, err := set(nil, "spec.tags", value(`{"k": "v"}`))
	if err != nil {
		t.Errorf("\nA nil struct should be like an empty one.\nSet(nil, ...): %v", err)
	}

	if diff := cmp.Diff(tagstest.MustStructJSON(`{"spec": {"tags": {"k": "v"}}}`), got, protocmp.Transform()); diff != "" {
		t.Errorf("\nA nil struct should be like an empty one.\nSet(nil, ...): -want, +got:\n%s", diff)
	}

	if _, err := set(nil, "spec.tags", nil); err != nil {
		t.Errorf("\nNothing can be removed from a nil struct.\nSet(nil, ..., nil): %v", err)
	}
}

func TestStringMap(t *testing.T) {
	type want struct {
		m   map[string]string
		err string
	}

	cases := map[string]struct {
		reason string
		json   string
		want   want
	}{
		"Map":          {reason: "A map of strings should be one.", json: `{"platform/env": "prod", "": "", "a.b": "é"}`, want: want{m: map[string]string{"platform/env": "prod", "": "", "a.b": "é"}}},
		"Empty":        {reason: "An empty object should be an empty map, not nil.", json: `{}`, want: want{m: map[string]string{}}},
		"Absent":       {reason: "Nothing is no map.", want: want{err: "spec.labels is null, not a map of strings"}},
		"Null":         {reason: "Null is no map.", json: `null`, want: want{err: "spec.labels is null, not a map of strings"}},
		"String":       {reason: "A string is no map.", json: `"a=b"`, want: want{err: "spec.labels is a string, not a map of strings"}},
		"Number":       {reason: "A number is no map.", json: `1`, want: want{err: "spec.labels is a number, not a map of strings"}},
		"Boolean":      {reason: "A boolean is no map.", json: `true`, want: want{err: "spec.labels is a boolean, not a map of strings"}},
		"List":         {reason: "A list is no map.", json: `["a"]`, want: want{err: "spec.labels is a list, not a map of strings"}},
		"NumberValue":  {reason: "A number is no string.", json: `{"a": "b", "c": 1}`, want: want{err: "spec.labels[c] is a number, not a string"}},
		"BooleanValue": {reason: "A boolean is no string.", json: `{"c": true}`, want: want{err: "spec.labels[c] is a boolean, not a string"}},
		"NullValue":    {reason: "Null is no string.", json: `{"c": null}`, want: want{err: "spec.labels[c] is null, not a string"}},
		"ObjectValue":  {reason: "An object is no string.", json: `{"c": {}}`, want: want{err: "spec.labels[c] is an object, not a string"}},
		"ListValue":    {reason: "A list is no string.", json: `{"c": []}`, want: want{err: "spec.labels[c] is a list, not a string"}},
		"SameErrorAlways": {
			reason: "Of several values that are no strings the error should name the one with the lowest key, every time.",
			json:   `{"z": 1, "y": 2, "x": 3, "w": null, "v": "ok", "b": {}}`,
			want:   want{err: "spec.labels[b] is an object, not a string"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for range 5 {
				got, err := object.StringMap(value(tc.json), "spec.labels")

				if diff := cmp.Diff(tc.want.err, tagstest.Error(err)); diff != "" {
					t.Errorf("\n%s\nStringMap(...): -want error, +got error:\n%s", tc.reason, diff)
				}

				if diff := cmp.Diff(tc.want.m, got); diff != "" {
					t.Errorf("\n%s\nStringMap(...): -want, +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
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

		if at, err := object.Get(object.Tree(got), p); err != nil || !proto.Equal(at, v) {
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
