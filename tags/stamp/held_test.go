package stamp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A stamped says what became of the only resource of a test.
type stamped struct {
	// spec of the resource, or empty if it was not stamped.
	spec string

	// active tags of it, that labels have become.
	active map[string]string

	withheld []string
	mismatch string
	skips    []Skip
	err      string
}

// stampedBy says what becomes of a resource by each policy for conflicts.
type stampedBy struct {
	retain, replace, refuse stamped
}

// always is what becomes of a resource whose tags are in nobody's way.
func always(s stamped) stampedBy { return stampedBy{retain: s, replace: s, refuse: s} }

// assertStamped stamps a resource that has the supplied spec with the supplied
// labels.
func assertStamped(t *testing.T, reason string, f field.Field, policy v1beta1.ConflictPolicy, labels []tags.Label, spec string, want stamped) {
	t.Helper()

	s := &Stamper{
		Input:       &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: policy}}},
		Provider:    "aws",
		Transformer: transformer(under(policy, labels...)...),
		Fields:      everywhere(f),
	}

	outcome := &outcome{Skips: want.skips}

	if want.spec != "" {
		outcome.Stamped = map[string]*structpb.Struct{"r": thing(want.spec)}
	}

	if len(want.active) > 0 {
		outcome.Active = []active{{Resource: "r", Provider: "aws", Tags: want.active}}
	}

	if len(want.withheld) > 0 {
		outcome.Withheld = []withheldOn{{Resource: "r", Retained: want.withheld}}
	}

	if want.mismatch != "" {
		outcome.Mismatches = []mismatch{{Resource: "r", Why: want.mismatch}}
	}

	if want.err != "" {
		outcome = nil
	}

	desired := map[string]*fnv1.Resource{"r": {Resource: thing(spec)}}

	got, err := stampAll(s, desired)
	if diff := cmp.Diff(want.err, message(err)); diff != "" {
		t.Errorf("\n%s\n%s: Stamp(...): -want error, +got error:\n%s", reason, policy, diff)
	}

	if diff := cmp.Diff(outcome, got, protocmp.Transform(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("\n%s\n%s: Stamp(...): -want, +got:\n%s", reason, policy, diff)
	}

	if diff := cmp.Diff(map[string]*fnv1.Resource{"r": {Resource: thing(spec)}}, desired, protocmp.Transform()); diff != "" {
		t.Errorf("\n%s\n%s: Stamp(...) changed the desired resource: -before, +after:\n%s", reason, policy, diff)
	}
}

// A conflictCase is a case of one shape and all policies for conflicts.
type conflictCase struct {
	reason string
	spec   string
	want   stampedBy
}

// run the case with labels that should become the tags ours:a=1 and ours:b=2.
func (tc conflictCase) run(t *testing.T, f field.Field) {
	t.Helper()

	labels := []tags.Label{label("a", "1"), label("b", "2")}

	assertStamped(t, tc.reason, f, v1beta1.ConflictPolicyRetain, labels, tc.spec, tc.want.retain)
	assertStamped(t, tc.reason, f, v1beta1.ConflictPolicyReplace, labels, tc.spec, tc.want.replace)
	assertStamped(t, tc.reason, f, v1beta1.ConflictPolicyError, labels, tc.spec, tc.want.refuse)
}

// The active tags of resources of conflict cases, which are the tags that have the
// value of the label, and not those with the value that an earlier step set.
var (
	both  = map[string]string{"ours:a": "1", "ours:b": "2"}
	onlyB = map[string]string{"ours:b": "2"}
)

// refused is the error about the tag ours:a, that an earlier step has set to what is
// supplied.
func refused(to string) stamped {
	return stamped{err: `cannot tag composed resource "r": an earlier step has set the tag "ours:a" to ` + to +
		`, and sources[0] with onConflict Error has the value "1" for it`}
}

func TestStampMap(t *testing.T) {
	cases := map[string]conflictCase{
		"NoSpec": {
			reason: "Objects that are missing on the way to the field are made.",
			spec:   `null`,
			want:   always(stamped{spec: `{"tags": {"ours:a": "1", "ours:b": "2"}}`, active: both}),
		},
		"Absent": {
			reason: "A field that is absent is made.",
			spec:   `{"other": true}`,
			want:   always(stamped{spec: `{"other": true, "tags": {"ours:a": "1", "ours:b": "2"}}`, active: both}),
		},
		"Null": {
			reason: "A field that is null is absent.",
			spec:   `{"tags": null}`,
			want:   always(stamped{spec: `{"tags": {"ours:a": "1", "ours:b": "2"}}`, active: both}),
		},
		"Empty": {
			reason: "An empty field gets our tags.",
			spec:   `{"tags": {}}`,
			want:   always(stamped{spec: `{"tags": {"ours:a": "1", "ours:b": "2"}}`, active: both}),
		},
		"Others": {
			reason: "Whatever else is in the field stays.",
			spec:   `{"tags": {"Name": "x", "ours:c": "", "number": 1, "object": {"a": ["b"]}, "null": null}}`,
			want:   always(stamped{spec: `{"tags": {"Name": "x", "ours:c": "", "number": 1, "object": {"a": ["b"]}, "null": null, "ours:a": "1", "ours:b": "2"}}`, active: both}),
		},
		"Case": {
			reason: "Keys that differ in case are different keys.",
			spec:   `{"tags": {"OURS:A": "9"}}`,
			want:   always(stamped{spec: `{"tags": {"OURS:A": "9", "ours:a": "1", "ours:b": "2"}}`, active: both}),
		},
		"SameValue": {
			reason: "A tag that is there already is only in the way of a source that refuses any.",
			spec:   `{"tags": {"Name": "x", "ours:a": "1"}}`,
			want: stampedBy{
				retain:  stamped{spec: `{"tags": {"Name": "x", "ours:a": "1", "ours:b": "2"}}`, active: both},
				replace: stamped{spec: `{"tags": {"Name": "x", "ours:a": "1", "ours:b": "2"}}`, active: both},
				refuse:  refused(`"1"`),
			},
		},
		"AllThere": {
			reason: "A resource that has all the tags already does not change.",
			spec:   `{"tags": {"ours:a": "1", "ours:b": "2"}}`,
			want:   stampedBy{retain: stamped{active: both}, replace: stamped{active: both}, refuse: refused(`"1"`)},
		},
		"OtherValue": {
			reason: "The policy says which of two values a tag has.",
			spec:   `{"tags": {"Name": "x", "ours:a": "9"}}`,
			want: stampedBy{
				retain:  stamped{spec: `{"tags": {"Name": "x", "ours:a": "9", "ours:b": "2"}}`, withheld: []string{"ours:a"}, active: onlyB},
				replace: stamped{spec: `{"tags": {"Name": "x", "ours:a": "1", "ours:b": "2"}}`, active: both},
				refuse:  refused(`"9"`),
			},
		},
		"AllWithOtherValues": {
			reason: "A resource that keeps all of its tags does not change, and says so.",
			spec:   `{"tags": {"ours:b": "8", "ours:a": "9"}}`,
			want: stampedBy{
				retain:  stamped{withheld: []string{"ours:a", "ours:b"}},
				replace: stamped{spec: `{"tags": {"ours:a": "1", "ours:b": "2"}}`, active: both},
				refuse:  refused(`"9"`),
			},
		},
		"EmptyValue": {
			reason: "An empty value is a value.",
			spec:   `{"tags": {"ours:a": ""}}`,
			want: stampedBy{
				retain:  stamped{spec: `{"tags": {"ours:a": "", "ours:b": "2"}}`, withheld: []string{"ours:a"}, active: onlyB},
				replace: stamped{spec: `{"tags": {"ours:a": "1", "ours:b": "2"}}`, active: both},
				refuse:  refused(`""`),
			},
		},
		"NumberValue": {
			reason: "A value that is no string is another value, even if it reads like ours.",
			spec:   `{"tags": {"ours:a": 1}}`,
			want: stampedBy{
				retain:  stamped{spec: `{"tags": {"ours:a": 1, "ours:b": "2"}}`, withheld: []string{"ours:a"}, active: onlyB},
				replace: stamped{spec: `{"tags": {"ours:a": "1", "ours:b": "2"}}`, active: both},
				refuse:  refused(`a number`),
			},
		},
		"ObjectValue": {
			reason: "A value that is an object is another value.",
			spec:   `{"tags": {"ours:a": {"x": "y"}}}`,
			want: stampedBy{
				retain:  stamped{spec: `{"tags": {"ours:a": {"x": "y"}, "ours:b": "2"}}`, withheld: []string{"ours:a"}, active: onlyB},
				replace: stamped{spec: `{"tags": {"ours:a": "1", "ours:b": "2"}}`, active: both},
				refuse:  refused(`an object`),
			},
		},
		"NullValue": {
			reason: "A value that is null is another value, by which an earlier step may want the tag not to be.",
			spec:   `{"tags": {"ours:a": null}}`,
			want: stampedBy{
				retain:  stamped{spec: `{"tags": {"ours:a": null, "ours:b": "2"}}`, withheld: []string{"ours:a"}, active: onlyB},
				replace: stamped{spec: `{"tags": {"ours:a": "1", "ours:b": "2"}}`, active: both},
				refuse:  refused(`null`),
			},
		},
		"List": {
			reason: "A list is left alone.",
			spec:   `{"tags": ["ours:a=1"]}`,
			want:   always(stamped{mismatch: "spec.tags is a list, not a map of tags"}),
		},
		"EmptyList": {
			reason: "Even an empty list is left alone.",
			spec:   `{"tags": []}`,
			want:   always(stamped{mismatch: "spec.tags is a list, not a map of tags"}),
		},
		"String": {
			reason: "A string is left alone.",
			spec:   `{"tags": ""}`,
			want:   always(stamped{mismatch: "spec.tags is a string, not a map of tags"}),
		},
		"Number": {
			reason: "A number is left alone.",
			spec:   `{"tags": 0}`,
			want:   always(stamped{mismatch: "spec.tags is a number, not a map of tags"}),
		},
		"Boolean": {
			reason: "A boolean is left alone.",
			spec:   `{"tags": false}`,
			want:   always(stamped{mismatch: "spec.tags is a boolean, not a map of tags"}),
		},
		"SpecIsString": {
			reason: "What has no fields is left alone.",
			spec:   `"text"`,
			want:   always(stamped{mismatch: "spec is a string, not an object"}),
		},
		"SpecIsList": {
			reason: "A list has no field.",
			spec:   `[{"tags": {}}]`,
			want:   always(stamped{mismatch: "spec is a list, not an object"}),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.run(t, field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.Map})
		})
	}
}

func TestStampKeyValueList(t *testing.T) {
	cases := map[string]conflictCase{
		"NoSpec": {
			reason: "Objects that are missing on the way to the field are made.",
			spec:   `null`,
			want:   always(stamped{spec: `{"tags": [{"k": "ours:a", "v": "1"}, {"k": "ours:b", "v": "2"}]}`, active: both}),
		},
		"Absent": {
			reason: "A field that is absent is made.",
			spec:   `{"other": true}`,
			want:   always(stamped{spec: `{"other": true, "tags": [{"k": "ours:a", "v": "1"}, {"k": "ours:b", "v": "2"}]}`, active: both}),
		},
		"Null": {
			reason: "A field that is null is absent.",
			spec:   `{"tags": null}`,
			want:   always(stamped{spec: `{"tags": [{"k": "ours:a", "v": "1"}, {"k": "ours:b", "v": "2"}]}`, active: both}),
		},
		"Empty": {
			reason: "An empty field gets our tags.",
			spec:   `{"tags": []}`,
			want:   always(stamped{spec: `{"tags": [{"k": "ours:a", "v": "1"}, {"k": "ours:b", "v": "2"}]}`, active: both}),
		},
		"Others": {
			reason: "Whatever else is in the field stays, in its order, before our tags.",
			spec:   `{"tags": [{"k": "z", "v": "x", "more": [1]}, {"key": "ours:a", "value": "9"}, {"v": "no key"}, {"k": 1, "v": 2}, {}, {"k": "Name"}]}`,
			want: always(stamped{spec: `{"tags": [{"k": "z", "v": "x", "more": [1]}, {"key": "ours:a", "value": "9"}, {"v": "no key"}, {"k": 1, "v": 2}, {}, {"k": "Name"},
				{"k": "ours:a", "v": "1"}, {"k": "ours:b", "v": "2"}]}`, active: both}),
		},
		"SameValue": {
			reason: "A tag that is there already keeps its place, and what else its entry has.",
			spec:   `{"tags": [{"k": "ours:a", "v": "1", "more": true}, {"k": "Name", "v": "x"}]}`,
			want: stampedBy{
				retain:  stamped{spec: `{"tags": [{"k": "ours:a", "v": "1", "more": true}, {"k": "Name", "v": "x"}, {"k": "ours:b", "v": "2"}]}`, active: both},
				replace: stamped{spec: `{"tags": [{"k": "ours:a", "v": "1", "more": true}, {"k": "Name", "v": "x"}, {"k": "ours:b", "v": "2"}]}`, active: both},
				refuse:  refused(`"1"`),
			},
		},
		"AllThere": {
			reason: "A resource that has all the tags already does not change, whatever their order.",
			spec:   `{"tags": [{"k": "ours:b", "v": "2"}, {"k": "ours:a", "v": "1"}]}`,
			want:   stampedBy{retain: stamped{active: both}, replace: stamped{active: both}, refuse: refused(`"1"`)},
		},
		"OtherValue": {
			reason: "The policy says which of two values a tag has. It keeps its place, and what else its entry has.",
			spec:   `{"tags": [{"k": "ours:a", "v": "9", "more": {"a": 1}}, {"k": "Name", "v": "x"}]}`,
			want: stampedBy{
				retain: stamped{
					spec:     `{"tags": [{"k": "ours:a", "v": "9", "more": {"a": 1}}, {"k": "Name", "v": "x"}, {"k": "ours:b", "v": "2"}]}`,
					withheld: []string{"ours:a"},
					active:   onlyB,
				},
				replace: stamped{spec: `{"tags": [{"k": "ours:a", "v": "1", "more": {"a": 1}}, {"k": "Name", "v": "x"}, {"k": "ours:b", "v": "2"}]}`, active: both},
				refuse:  refused(`"9"`),
			},
		},
		"NumberValue": {
			reason: "A value that is no string is another value, even if it reads like ours.",
			spec:   `{"tags": [{"k": "ours:a", "v": 1}]}`,
			want: stampedBy{
				retain:  stamped{spec: `{"tags": [{"k": "ours:a", "v": 1}, {"k": "ours:b", "v": "2"}]}`, withheld: []string{"ours:a"}, active: onlyB},
				replace: stamped{spec: `{"tags": [{"k": "ours:a", "v": "1"}, {"k": "ours:b", "v": "2"}]}`, active: both},
				refuse:  refused(`a number`),
			},
		},
		"NoValue": {
			reason: "An entry without a value is a tag with another value than ours.",
			spec:   `{"tags": [{"k": "ours:a"}]}`,
			want: stampedBy{
				retain:  stamped{spec: `{"tags": [{"k": "ours:a"}, {"k": "ours:b", "v": "2"}]}`, withheld: []string{"ours:a"}, active: onlyB},
				replace: stamped{spec: `{"tags": [{"k": "ours:a", "v": "1"}, {"k": "ours:b", "v": "2"}]}`, active: both},
				refuse:  refused(`null`),
			},
		},
		"Duplicates": {
			reason: "Of several entries of a key, the first stands for all. Replacing leaves one.",
			spec:   `{"tags": [{"k": "x", "v": "1"}, {"k": "ours:a", "v": "8", "n": 1}, {"k": "y", "v": "2"}, {"k": "ours:a", "v": "9", "n": 2}, {"k": "ours:a", "v": "1"}, {"k": "z", "v": "3"}]}`,
			want: stampedBy{
				retain: stamped{
					spec: `{"tags": [{"k": "x", "v": "1"}, {"k": "ours:a", "v": "8", "n": 1}, {"k": "y", "v": "2"}, {"k": "ours:a", "v": "9", "n": 2}, {"k": "ours:a", "v": "1"}, {"k": "z", "v": "3"},
						{"k": "ours:b", "v": "2"}]}`,
					withheld: []string{"ours:a"},
					active:   onlyB,
				},
				replace: stamped{spec: `{"tags": [{"k": "x", "v": "1"}, {"k": "ours:a", "v": "1", "n": 1}, {"k": "y", "v": "2"}, {"k": "z", "v": "3"}, {"k": "ours:b", "v": "2"}]}`, active: both},
				refuse:  refused(`"8"`),
			},
		},
		"DuplicatesFirstSame": {
			reason: "Replacing leaves only our value, also where another one follows it.",
			spec:   `{"tags": [{"k": "ours:a", "v": "1"}, {"k": "ours:a", "v": "9"}, {"k": "ours:b", "v": "2"}]}`,
			want: stampedBy{
				retain:  stamped{active: both},
				replace: stamped{spec: `{"tags": [{"k": "ours:a", "v": "1"}, {"k": "ours:b", "v": "2"}]}`, active: both},
				refuse:  refused(`"1"`),
			},
		},
		"OthersDuplicates": {
			reason: "Several entries of a key that is not ours are not ours to clean up.",
			spec:   `{"tags": [{"k": "x", "v": "1"}, {"k": "x", "v": "2"}]}`,
			want:   always(stamped{spec: `{"tags": [{"k": "x", "v": "1"}, {"k": "x", "v": "2"}, {"k": "ours:a", "v": "1"}, {"k": "ours:b", "v": "2"}]}`, active: both}),
		},
		"Map": {
			reason: "A map is left alone.",
			spec:   `{"tags": {"ours:a": "1"}}`,
			want:   always(stamped{mismatch: "spec.tags is an object, not a list of tags"}),
		},
		"EmptyMap": {
			reason: "Even an empty map is left alone.",
			spec:   `{"tags": {}}`,
			want:   always(stamped{mismatch: "spec.tags is an object, not a list of tags"}),
		},
		"String": {
			reason: "A string is left alone.",
			spec:   `{"tags": "x"}`,
			want:   always(stamped{mismatch: "spec.tags is a string, not a list of tags"}),
		},
		"StringEntry": {
			reason: "A list with an entry that is no object is left alone, whatever else it has.",
			spec:   `{"tags": [{"k": "ours:a", "v": "9"}, "ours:a=9"]}`,
			want:   always(stamped{mismatch: "spec.tags[1] is a string, not an object with a tag"}),
		},
		"NullEntry": {
			reason: "A list with an entry that is null is left alone.",
			spec:   `{"tags": [null]}`,
			want:   always(stamped{mismatch: "spec.tags[0] is null, not an object with a tag"}),
		},
		"SpecIsString": {
			reason: "What has no fields is left alone.",
			spec:   `"text"`,
			want:   always(stamped{mismatch: "spec is a string, not an object"}),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.run(t, field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.KeyValueList, Key: "k", Value: "v"})
		})
	}
}

func TestStampStringList(t *testing.T) {
	cases := map[string]conflictCase{
		"NoSpec": {
			reason: "Objects that are missing on the way to the field are made.",
			spec:   `null`,
			want:   always(stamped{spec: `{"tags": ["ours:a=1", "ours:b=2"]}`, active: both}),
		},
		"Absent": {
			reason: "A field that is absent is made.",
			spec:   `{"other": true}`,
			want:   always(stamped{spec: `{"other": true, "tags": ["ours:a=1", "ours:b=2"]}`, active: both}),
		},
		"Null": {
			reason: "A field that is null is absent.",
			spec:   `{"tags": null}`,
			want:   always(stamped{spec: `{"tags": ["ours:a=1", "ours:b=2"]}`, active: both}),
		},
		"Empty": {
			reason: "An empty field gets our tags.",
			spec:   `{"tags": []}`,
			want:   always(stamped{spec: `{"tags": ["ours:a=1", "ours:b=2"]}`, active: both}),
		},
		"Opaque": {
			reason: "Entries that are no tags of ours stay, in their order, before our tags.",
			spec:   `{"tags": ["z=1", "public", "", "=", "ours:a", "ours:a:x=9", "xours:a=9", "OURS:A=9", "ours", "a", "public"]}`,
			want:   always(stamped{spec: `{"tags": ["z=1", "public", "", "=", "ours:a", "ours:a:x=9", "xours:a=9", "OURS:A=9", "ours", "a", "public", "ours:a=1", "ours:b=2"]}`, active: both}),
		},
		"SameValue": {
			reason: "A tag that is there already keeps its place.",
			spec:   `{"tags": ["ours:a=1", "public"]}`,
			want: stampedBy{
				retain:  stamped{spec: `{"tags": ["ours:a=1", "public", "ours:b=2"]}`, active: both},
				replace: stamped{spec: `{"tags": ["ours:a=1", "public", "ours:b=2"]}`, active: both},
				refuse:  refused(`"1"`),
			},
		},
		"AllThere": {
			reason: "A resource that has all the tags already does not change, whatever their order.",
			spec:   `{"tags": ["ours:b=2", "ours:a=1"]}`,
			want:   stampedBy{retain: stamped{active: both}, replace: stamped{active: both}, refuse: refused(`"1"`)},
		},
		"OtherValue": {
			reason: "The policy says which of two values a tag has. It keeps its place.",
			spec:   `{"tags": ["x", "ours:a=9", "y"]}`,
			want: stampedBy{
				retain:  stamped{spec: `{"tags": ["x", "ours:a=9", "y", "ours:b=2"]}`, withheld: []string{"ours:a"}, active: onlyB},
				replace: stamped{spec: `{"tags": ["x", "ours:a=1", "y", "ours:b=2"]}`, active: both},
				refuse:  refused(`"9"`),
			},
		},
		"ValueWithSeparator": {
			reason: "What follows the key and the separator is the value, with every separator in it.",
			spec:   `{"tags": ["ours:a=1=", "ours:b==2"]}`,
			want: stampedBy{
				retain:  stamped{withheld: []string{"ours:a", "ours:b"}},
				replace: stamped{spec: `{"tags": ["ours:a=1", "ours:b=2"]}`, active: both},
				refuse:  refused(`"1="`),
			},
		},
		"EmptyValue": {
			reason: "Nothing after the separator is an empty value.",
			spec:   `{"tags": ["ours:a="]}`,
			want: stampedBy{
				retain:  stamped{spec: `{"tags": ["ours:a=", "ours:b=2"]}`, withheld: []string{"ours:a"}, active: onlyB},
				replace: stamped{spec: `{"tags": ["ours:a=1", "ours:b=2"]}`, active: both},
				refuse:  refused(`""`),
			},
		},
		"Duplicates": {
			reason: "Of several entries of a key, the first stands for all. Replacing leaves one.",
			spec:   `{"tags": ["x", "ours:a=8", "y", "ours:a=9", "ours:a=1", "z"]}`,
			want: stampedBy{
				retain:  stamped{spec: `{"tags": ["x", "ours:a=8", "y", "ours:a=9", "ours:a=1", "z", "ours:b=2"]}`, withheld: []string{"ours:a"}, active: onlyB},
				replace: stamped{spec: `{"tags": ["x", "ours:a=1", "y", "z", "ours:b=2"]}`, active: both},
				refuse:  refused(`"8"`),
			},
		},
		"DuplicatesFirstSame": {
			reason: "Replacing leaves only our value, also where another one follows it.",
			spec:   `{"tags": ["ours:a=1", "ours:a=9", "ours:b=2"]}`,
			want: stampedBy{
				retain:  stamped{active: both},
				replace: stamped{spec: `{"tags": ["ours:a=1", "ours:b=2"]}`, active: both},
				refuse:  refused(`"1"`),
			},
		},
		"Map": {
			reason: "A map is left alone.",
			spec:   `{"tags": {"ours:a": "1"}}`,
			want:   always(stamped{mismatch: "spec.tags is an object, not a list of tags"}),
		},
		"String": {
			reason: "A string is left alone.",
			spec:   `{"tags": "ours:a=1"}`,
			want:   always(stamped{mismatch: "spec.tags is a string, not a list of tags"}),
		},
		"ObjectEntry": {
			reason: "A list with an entry that is no string is left alone, whatever else it has.",
			spec:   `{"tags": ["ours:a=9", {"key": "ours:a", "value": "9"}]}`,
			want:   always(stamped{mismatch: "spec.tags[1] is an object, not a string with a tag"}),
		},
		"NullEntry": {
			reason: "A list with an entry that is null is left alone.",
			spec:   `{"tags": [null]}`,
			want:   always(stamped{mismatch: "spec.tags[0] is null, not a string with a tag"}),
		},
		"NumberEntry": {
			reason: "A list with an entry that is a number is left alone.",
			spec:   `{"tags": ["x", "y", 1]}`,
			want:   always(stamped{mismatch: "spec.tags[2] is a number, not a string with a tag"}),
		},
		"SpecIsString": {
			reason: "What has no fields is left alone.",
			spec:   `"text"`,
			want:   always(stamped{mismatch: "spec is a string, not an object"}),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.run(t, field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.StringList, Separator: "="})
		})
	}
}

func TestStampEntries(t *testing.T) {
	type args struct {
		field  field.Field
		policy v1beta1.ConflictPolicy
		labels []tags.Label
		spec   string
	}

	extra := map[string]*structpb.Value{
		"propagateAtLaunch": structpb.NewBoolValue(true),
		"resource":          structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"type": structpb.NewStringValue("group")}}),
	}

	keyValues := field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.KeyValueList, Key: "tagKey", Value: "tagValue", Extra: extra}
	stringsBy := func(separator string, maxLength int) field.Field {
		return field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.StringList, Separator: separator, MaxLength: maxLength}
	}
	tooLong := func(key, limit string) []Skip {
		return []Skip{{
			SkippedLabel: tags.SkippedLabel{QualifiedKey: key, TagKey: "ours:" + key, Provider: "aws", Reason: tags.ValueTooLong},
			Limit:        limit,
			Resources:    []string{"r"},
		}}
	}

	cases := map[string]struct {
		reason string
		args   args
		want   stamped
	}{
		"ExtraOnAdded": {
			reason: "Entries that we add have the extra fields, and those of others don't get them.",
			args: args{
				field:  keyValues,
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a", "1"), label("b", "2")},
				spec:   `{"tags": [{"tagKey": "Name", "tagValue": "x"}]}`,
			},
			want: stamped{spec: `{"tags": [{"tagKey": "Name", "tagValue": "x"},
				{"tagKey": "ours:a", "tagValue": "1", "propagateAtLaunch": true, "resource": {"type": "group"}},
				{"tagKey": "ours:b", "tagValue": "2", "propagateAtLaunch": true, "resource": {"type": "group"}}]}`, active: both},
		},
		"ExtraKeptOnReplaced": {
			reason: "An entry whose value we replace keeps its own extra fields.",
			args: args{
				field:  keyValues,
				policy: v1beta1.ConflictPolicyReplace,
				labels: []tags.Label{label("a", "1")},
				spec:   `{"tags": [{"tagKey": "ours:a", "tagValue": "9", "propagateAtLaunch": false, "resource": null, "more": [1, 2]}]}`,
			},
			want: stamped{spec: `{"tags": [{"tagKey": "ours:a", "tagValue": "1", "propagateAtLaunch": false, "resource": null, "more": [1, 2]}]}`, active: map[string]string{"ours:a": "1"}},
		},
		"ExtraNotOnReplaced": {
			reason: "An entry whose value we replace doesn't get extra fields, which are for entries that we add.",
			args: args{
				field:  keyValues,
				policy: v1beta1.ConflictPolicyReplace,
				labels: []tags.Label{label("a", "1")},
				spec:   `{"tags": [{"tagKey": "ours:a", "tagValue": "9"}]}`,
			},
			want: stamped{spec: `{"tags": [{"tagKey": "ours:a", "tagValue": "1"}]}`, active: map[string]string{"ours:a": "1"}},
		},
		"SortedByTagKey": {
			reason: "Our tags follow those of others, and are sorted by tag key, not by qualified key.",
			args: args{
				field:  stringsBy("=", 0),
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{
					{QualifiedKey: "a", TagKey: "z", Value: "1"},
					{QualifiedKey: "b", TagKey: "Z", Value: "2"},
					{QualifiedKey: "c", TagKey: "a", Value: "3"},
				},
				spec: `{"tags": ["zz", "b"]}`,
			},
			want: stamped{spec: `{"tags": ["zz", "b", "Z=2", "a=3", "z=1"]}`, active: map[string]string{"z": "1", "Z": "2", "a": "3"}},
		},
		"LongestKeyFirst": {
			reason: "An entry belongs to the longest key that it starts with, so that the shorter one is not there yet.",
			args: args{
				field:  stringsBy("=", 0),
				policy: v1beta1.ConflictPolicyReplace,
				labels: []tags.Label{label("a", "x"), label("a=b", "y"), label("a=b=c", "z")},
				spec:   `{"tags": ["ours:a=b=1", "ours:a=b=c=2"]}`,
			},
			want: stamped{spec: `{"tags": ["ours:a=b=y", "ours:a=b=c=z", "ours:a=x"]}`, active: map[string]string{"ours:a": "x", "ours:a=b": "y", "ours:a=b=c": "z"}},
		},
		"KeyWithSeparator": {
			reason: "A key that we don't handle is part of the value of the key that we do handle.",
			args: args{
				field:  stringsBy("=", 0),
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a", "b=1")},
				spec:   `{"tags": ["ours:a=b=1"]}`,
			},
			want: stamped{active: map[string]string{"ours:a": "b=1"}},
		},
		"KeyWithSeparatorLonger": {
			reason: "An entry that only starts with a shorter key is not the tag of the longer one.",
			args: args{
				field:  stringsBy("=", 0),
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a=b", "1")},
				spec:   `{"tags": ["ours:a=1", "ours:a=b"]}`,
			},
			want: stamped{spec: `{"tags": ["ours:a=1", "ours:a=b", "ours:a=b=1"]}`, active: map[string]string{"ours:a=b": "1"}},
		},
		"LongSeparator": {
			reason: "The separator may have many characters.",
			args: args{
				field:  stringsBy(" := ", 0),
				policy: v1beta1.ConflictPolicyReplace,
				labels: []tags.Label{label("a", "1"), label("b", "2")},
				spec:   `{"tags": ["ours:a := 9", "ours:b=9"]}`,
			},
			want: stamped{spec: `{"tags": ["ours:a := 1", "ours:b=9", "ours:b := 2"]}`, active: both},
		},
		"SeparatorInValueOverlaps": {
			reason: "A value may start with a part of the separator.",
			args: args{
				field:  stringsBy("::", 0),
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a", ":1")},
				spec:   `{"tags": ["ours:a:::1"]}`,
			},
			want: stamped{active: map[string]string{"ours:a": ":1"}},
		},
		"OneString": {
			reason: "Two tags that come to one string are there once, since a set can't have it twice.",
			args: args{
				field:  stringsBy("=", 0),
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a", "b=c"), label("a=b", "c")},
				spec:   `{"tags": ["x"]}`,
			},
			want: stamped{spec: `{"tags": ["x", "ours:a=b=c"]}`, active: map[string]string{"ours:a": "b=c", "ours:a=b": "c"}},
		},
		"OneStringThere": {
			reason: "A tag whose string is there, as that of another tag, changes nothing.",
			args: args{
				field:  stringsBy("=", 0),
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a", "b=c"), label("a=b", "c")},
				spec:   `{"tags": ["ours:a=b=c"]}`,
			},
			want: stamped{active: map[string]string{"ours:a": "b=c", "ours:a=b": "c"}},
		},
		"OneStringReplaced": {
			reason: "A tag that is replaced by a string that is there already leaves it there once.",
			args: args{
				field:  stringsBy("=", 0),
				policy: v1beta1.ConflictPolicyReplace,
				labels: []tags.Label{label("a", "b=c"), label("a=b", "c")},
				spec:   `{"tags": ["ours:a=9", "ours:a=b=c"]}`,
			},
			want: stamped{spec: `{"tags": ["ours:a=b=c"]}`, active: map[string]string{"ours:a": "b=c", "ours:a=b": "c"}},
		},
		"MaxLength": {
			reason: "An entry may have as many characters as the limit says, however many bytes they are.",
			args: args{
				field:  stringsBy("=", 10),
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a", "äöü")},
				spec:   `{}`,
			},
			want: stamped{spec: `{"tags": ["ours:a=äöü"]}`, active: map[string]string{"ours:a": "äöü"}},
		},
		"MaxLengthExceeded": {
			reason: "A label whose entry has one character more than the limit is skipped, and others are not.",
			args: args{
				field:  stringsBy("=", 10),
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a", "1234"), label("b", "123")},
				spec:   `{}`,
			},
			want: stamped{spec: `{"tags": ["ours:b=123"]}`, skips: tooLong("a", `at most 10 characters for key, "=" and value together`), active: map[string]string{"ours:b": "123"}},
		},
		"MaxLengthKeyAndSeparator": {
			reason: "The key and the separator count.",
			args: args{
				field:  stringsBy("→→→→", 10),
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a", ""), label("b", "1")},
				spec:   `{}`,
			},
			want: stamped{spec: `{"tags": ["ours:a→→→→"]}`, skips: tooLong("b", `at most 10 characters for key, "→→→→" and value together`), active: map[string]string{"ours:a": ""}},
		},
		"MaxLengthOfOthers": {
			reason: "Entries of others stay, however long they are, and so does an earlier value of a label that is skipped.",
			args: args{
				field:  stringsBy("=", 10),
				policy: v1beta1.ConflictPolicyReplace,
				labels: []tags.Label{label("a", "12345")},
				spec:   `{"tags": ["of others and long", "ours:a=1"]}`,
			},
			want: stamped{skips: tooLong("a", `at most 10 characters for key, "=" and value together`)},
		},
		"MaxLengthSkipsAll": {
			reason: "A field is not created if every label is skipped.",
			args: args{
				field:  stringsBy("=", 1),
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a", "1")},
				spec:   `{}`,
			},
			want: stamped{skips: tooLong("a", `at most 1 characters for key, "=" and value together`)},
		},
		"EmptyValueOfMap": {
			reason: "A label with an empty value is a tag.",
			args: args{
				field:  field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.Map},
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a", "")},
				spec:   `{}`,
			},
			want: stamped{spec: `{"tags": {"ours:a": ""}}`, active: map[string]string{"ours:a": ""}},
		},
		"EmptyValueOfKeyValueList": {
			reason: "The entry of a tag with an empty value has the value.",
			args: args{
				field:  field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.KeyValueList, Key: "key", Value: "value"},
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a", "")},
				spec:   `{}`,
			},
			want: stamped{spec: `{"tags": [{"key": "ours:a", "value": ""}]}`, active: map[string]string{"ours:a": ""}},
		},
		"EmptyValueThere": {
			reason: "A null is no empty value, so replacing it writes one.",
			args: args{
				field:  field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.Map},
				policy: v1beta1.ConflictPolicyReplace,
				labels: []tags.Label{label("a", "")},
				spec:   `{"tags": {"ours:a": null}}`,
			},
			want: stamped{spec: `{"tags": {"ours:a": ""}}`, active: map[string]string{"ours:a": ""}},
		},
		"EmptyValueOfStringList": {
			reason: "The entry of a tag with an empty value ends in the separator.",
			args: args{
				field:  stringsBy("=", 0),
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a", "")},
				spec:   `{}`,
			},
			want: stamped{spec: `{"tags": ["ours:a="]}`, active: map[string]string{"ours:a": ""}},
		},
		"ListIndex": {
			reason: "A path may lead through an item of a list.",
			args: args{
				field:  field.Field{Path: object.MustParsePath("spec.groups[1].tags"), Shape: field.Map},
				policy: v1beta1.ConflictPolicyReplace,
				labels: []tags.Label{label("a", "1")},
				spec:   `{"groups": [{"tags": {"ours:a": "9"}}, {"tags": {"ours:a": "8", "x": "y"}}, {}]}`,
			},
			want: stamped{spec: `{"groups": [{"tags": {"ours:a": "9"}}, {"tags": {"ours:a": "1", "x": "y"}}, {}]}`, active: map[string]string{"ours:a": "1"}},
		},
		"ListIndexAbsentField": {
			reason: "An item of a list that has no tags yet gets them.",
			args: args{
				field:  field.Field{Path: object.MustParsePath("spec.groups[0].tags"), Shape: field.StringList, Separator: "="},
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a", "1")},
				spec:   `{"groups": [{"name": "x"}]}`,
			},
			want: stamped{spec: `{"groups": [{"name": "x", "tags": ["ours:a=1"]}]}`, active: map[string]string{"ours:a": "1"}},
		},
		"ListIndexMissing": {
			reason: "Items of lists are not made.",
			args: args{
				field:  field.Field{Path: object.MustParsePath("spec.groups[1].tags"), Shape: field.Map},
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a", "1")},
				spec:   `{"groups": [{}]}`,
			},
			want: stamped{mismatch: "spec.groups has no item 1"},
		},
		"ListMissing": {
			reason: "Lists are not made.",
			args: args{
				field:  field.Field{Path: object.MustParsePath("spec.groups[0].tags"), Shape: field.Map},
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a", "1")},
				spec:   `{}`,
			},
			want: stamped{mismatch: "spec.groups has no item to hold tags"},
		},
		"ListIndexOfObject": {
			reason: "An object has no items.",
			args: args{
				field:  field.Field{Path: object.MustParsePath("spec.groups[0].tags"), Shape: field.Map},
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a", "1")},
				spec:   `{"groups": {"0": {}}}`,
			},
			want: stamped{mismatch: "spec.groups is an object, not a list"},
		},
		"QuotedField": {
			reason: "A path may name fields with dots in them.",
			args: args{
				field:  field.Field{Path: object.MustParsePath("spec.tags[example.org/cloud]"), Shape: field.Map},
				policy: v1beta1.ConflictPolicyRetain,
				labels: []tags.Label{label("a", "1")},
				spec:   `{"tags": {"example.org/cloud": {"x": "y"}}}`,
			},
			want: stamped{spec: `{"tags": {"example.org/cloud": {"x": "y", "ours:a": "1"}}}`, active: map[string]string{"ours:a": "1"}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			assertStamped(t, tc.reason, tc.args.field, tc.args.policy, tc.args.labels, tc.args.spec, tc.want)
		})
	}
}

func TestStampAtomicList(t *testing.T) {
	type args struct {
		field    field.Field
		labels   []tags.Label
		spec     string
		observed string
	}

	keyValues := field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.KeyValueList, Key: "key", Value: "value", Atomic: true}
	texts := field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.StringList, Separator: "=", Atomic: true}

	cases := map[string]struct {
		reason string
		args   args
		want   *outcome
	}{
		"Kept": {
			reason: "The tags that the provider has added are kept, behind those of earlier steps and before ours. Others are not.",
			args: args{
				field:  keyValues,
				labels: []tags.Label{label("a", "1")},
				spec:   `{"tags": [{"key": "Name", "value": "x"}]}`,
				observed: `{"tags": [{"key": "of an earlier reconcile", "value": "x"}, {"key": "crossplane-providerconfig", "value": "default"},
					{"key": "crossplane-name", "value": "thing-x"}, {"key": "crossplane-kind", "value": "thing.example.org"}, {"key": "crossplane-other", "value": "x"}]}`,
			},
			want: &outcome{
				Stamped: map[string]*structpb.Struct{"r": thing(`{"tags": [{"key": "Name", "value": "x"},
				{"key": "crossplane-kind", "value": "thing.example.org"}, {"key": "crossplane-name", "value": "thing-x"},
				{"key": "crossplane-providerconfig", "value": "default"}, {"key": "ours:a", "value": "1"}]}`)},
				Active: []active{{Resource: "r", Provider: "aws", Tags: map[string]string{"ours:a": "1"}}},
			},
		},
		"Verbatim": {
			reason: "What the provider has added is kept as it is, without what our own entries have.",
			args: args{
				field:    field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.KeyValueList, Key: "key", Value: "value", Atomic: true, Extra: map[string]*structpb.Value{"extra": structpb.NewBoolValue(true)}},
				labels:   []tags.Label{label("a", "1")},
				spec:     `{"tags": [{"key": "Name", "value": "x"}]}`,
				observed: `{"tags": [{"key": "crossplane-kind", "value": "thing.example.org"}]}`,
			},
			want: &outcome{
				Stamped: map[string]*structpb.Struct{"r": thing(`{"tags": [{"key": "Name", "value": "x"},
				{"key": "crossplane-kind", "value": "thing.example.org"}, {"key": "ours:a", "value": "1", "extra": true}]}`)},
				Active: []active{{Resource: "r", Provider: "aws", Tags: map[string]string{"ours:a": "1"}}},
			},
		},
		"NoLabels": {
			reason: "Without labels, the provider's tags are kept with those of earlier steps.",
			args: args{
				field:    keyValues,
				spec:     `{"tags": [{"key": "Name", "value": "x"}]}`,
				observed: `{"tags": [{"key": "crossplane-kind", "value": "thing.example.org"}, {"key": "ours:a", "value": "1"}]}`,
			},
			want: &outcome{
				Stamped: map[string]*structpb.Struct{"r": thing(`{"tags": [{"key": "Name", "value": "x"}, {"key": "crossplane-kind", "value": "thing.example.org"}]}`)},
			},
		},
		"NoTagsAndNoLabels": {
			reason: "A list that nobody desires is none to keep anything in.",
			args: args{
				field:    keyValues,
				spec:     `{}`,
				observed: `{"tags": [{"key": "crossplane-kind", "value": "thing.example.org"}]}`,
			},
			want: &outcome{},
		},
		"StringList": {
			reason: "The tags that the provider has added to a list of strings are kept.",
			args: args{
				field:    texts,
				labels:   []tags.Label{label("a", "1")},
				spec:     `{}`,
				observed: `{"tags": ["crossplane-name=a=b", "crossplane-kind", "x"]}`,
			},
			want: &outcome{
				Stamped: map[string]*structpb.Struct{"r": thing(`{"tags": ["crossplane-name=a=b", "ours:a=1"]}`)},
				Active:  []active{{Resource: "r", Provider: "aws", Tags: map[string]string{"ours:a": "1"}}},
			},
		},
		"Desired": {
			reason: "What an earlier step set is not overwritten by what is observed.",
			args: args{
				field:    texts,
				labels:   []tags.Label{label("a", "1")},
				spec:     `{"tags": ["crossplane-name=desired"]}`,
				observed: `{"tags": ["crossplane-name=observed"]}`,
			},
			want: &outcome{
				Stamped: map[string]*structpb.Struct{"r": thing(`{"tags": ["crossplane-name=desired", "ours:a=1"]}`)},
				Active:  []active{{Resource: "r", Provider: "aws", Tags: map[string]string{"ours:a": "1"}}},
			},
		},
		"NotAtomic": {
			reason: "A list whose entries server-side apply merges needs no entry kept.",
			args: args{
				field:    field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.StringList, Separator: "="},
				labels:   []tags.Label{label("a", "1")},
				spec:     `{}`,
				observed: `{"tags": ["crossplane-name=x"]}`,
			},
			want: &outcome{
				Stamped: map[string]*structpb.Struct{"r": thing(`{"tags": ["ours:a=1"]}`)},
				Active:  []active{{Resource: "r", Provider: "aws", Tags: map[string]string{"ours:a": "1"}}},
			},
		},
		"NotObserved": {
			reason: "A resource that isn't there yet has no entry to keep.",
			args: args{
				field:    keyValues,
				labels:   []tags.Label{label("a", "1")},
				spec:     `{}`,
				observed: `null`,
			},
			want: &outcome{
				Stamped: map[string]*structpb.Struct{"r": thing(`{"tags": [{"key": "ours:a", "value": "1"}]}`)},
				Active:  []active{{Resource: "r", Provider: "aws", Tags: map[string]string{"ours:a": "1"}}},
			},
		},
		"ObservedOtherShape": {
			reason: "What is observed in another shape has no entry to keep.",
			args: args{
				field:    keyValues,
				labels:   []tags.Label{label("a", "1")},
				spec:     `{}`,
				observed: `{"tags": {"crossplane-name": "x"}}`,
			},
			want: &outcome{
				Stamped: map[string]*structpb.Struct{"r": thing(`{"tags": [{"key": "ours:a", "value": "1"}]}`)},
				Active:  []active{{Resource: "r", Provider: "aws", Tags: map[string]string{"ours:a": "1"}}},
			},
		},
		"NothingOfOurs": {
			reason: "A field that gets no tag of ours is not created to keep an entry.",
			args: args{
				field:    texts,
				labels:   []tags.Label{label("*", "1")},
				spec:     `{}`,
				observed: `{"tags": ["crossplane-name=x"]}`,
			},
			want: &outcome{Skips: []Skip{skip("*", "aws", tags.KeyCharacterClass, "allowed: letters, digits, space and + - = . _ : / @")}},
		},
		"Cap": {
			reason: "Entries that are kept take slots.",
			args: args{
				field:    texts,
				labels:   labels(2),
				spec:     `{"tags": ["x"` + strings.Repeat(`, "x"`, 47) + `]}`,
				observed: `{"tags": ["crossplane-name=x"]}`,
			},
			want: &outcome{
				Stamped: map[string]*structpb.Struct{"r": thing(`{"tags": ["x"` + strings.Repeat(`, "x"`, 47) + `, "crossplane-name=x", "ours:k00=v"]}`)},
				Active:  []active{{Resource: "r", Provider: "aws", Tags: map[string]string{"ours:k00": "v"}}},
				Skips:   capped("aws", "at most 50 tags on a resource", 1, 2, "r"),
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &Stamper{
				Input:       &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: v1beta1.ConflictPolicyRetain}}},
				Provider:    "aws",
				Transformer: transformer(tc.args.labels...),
				Fields:      everywhere(tc.args.field),
				Observed:    map[string]*fnv1.Resource{"r": {Resource: thing(tc.args.observed)}},
			}

			got, err := stampAll(s, map[string]*fnv1.Resource{"r": {Resource: thing(tc.args.spec)}})
			if err != nil {
				t.Fatalf("\n%s\nStamp(...): %s", tc.reason, err)
			}

			if diff := cmp.Diff(tc.want, got, protocmp.Transform(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("\n%s\nStamp(...): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(map[string]*fnv1.Resource{"r": {Resource: thing(tc.args.observed)}}, s.Observed, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nStamp(...) changed what is observed: -before, +after:\n%s", tc.reason, diff)
			}
		})
	}
}
