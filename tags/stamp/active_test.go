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

// A shape is a tag field, and how it holds tags.
type shape struct {
	field field.Field

	// spec with the tags of the supplied keys and values.
	spec func(keysAndValues ...string) string
}

// join what the supplied function makes of each of the supplied keys and values.
func join(keysAndValues []string, entry func(key, value string) string) string {
	out := make([]string, 0, len(keysAndValues)/2)
	for i := 0; i < len(keysAndValues); i += 2 {
		out = append(out, entry(keysAndValues[i], keysAndValues[i+1]))
	}

	return strings.Join(out, ", ")
}

// shapes of tag fields.
var shapes = map[string]shape{
	"Map": {
		field: field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.Map},
		spec: func(kv ...string) string {
			return `{"tags": {` + join(kv, func(k, v string) string { return `"` + k + `": "` + v + `"` }) + `}}`
		},
	},
	"KeyValueList": {
		field: field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.KeyValueList, Key: "k", Value: "v"},
		spec: func(kv ...string) string {
			return `{"tags": [` + join(kv, func(k, v string) string { return `{"k": "` + k + `", "v": "` + v + `"}` }) + `]}`
		},
	},
	"StringList": {
		field: field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.StringList, Separator: "="},
		spec: func(kv ...string) string {
			return `{"tags": [` + join(kv, func(k, v string) string { return `"` + k + `=` + v + `"` }) + `]}`
		},
	},
}

// assertOutcome stamps a resource that has the supplied spec.
func assertOutcome(t *testing.T, reason string, s *Stamper, spec string, want *outcome, wantErr string) {
	t.Helper()

	desired := map[string]*fnv1.Resource{"r": {Resource: thing(spec)}}

	got, err := stampAll(s, desired)
	if diff := cmp.Diff(wantErr, message(err)); diff != "" {
		t.Errorf("\n%s\nStamp(...): -want error, +got error:\n%s", reason, diff)
	}

	if diff := cmp.Diff(want, got, protocmp.Transform(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(outcome{}, "Trusted")); diff != "" {
		t.Errorf("\n%s\nStamp(...): -want, +got:\n%s", reason, diff)
	}

	if diff := cmp.Diff(map[string]*fnv1.Resource{"r": {Resource: thing(spec)}}, desired, protocmp.Transform()); diff != "" {
		t.Errorf("\n%s\nStamp(...) changed what is desired: -before, +after:\n%s", reason, diff)
	}
}

// TestStampActive tests, in each shape, that the active tags are those that labels
// have become: that were written or replaced, or were there. Tags that were withheld
// or skipped, and those of others, are not.
func TestStampActive(t *testing.T) {
	replaced := func(l tags.Label) tags.Label { return under(v1beta1.ConflictPolicyReplace, l)[0] }

	for kind, s := range shapes {
		t.Run(kind, func(t *testing.T) {
			stamper := &Stamper{
				Input: &v1beta1.CloudTags{
					Sources:      []v1beta1.Source{{OnConflict: v1beta1.ConflictPolicyRetain}, {OnConflict: v1beta1.ConflictPolicyReplace}},
					ReservedTags: map[string]v1beta1.TagCount{"aws": 43},
				},
				Provider: "aws",
				Transformer: transformer(
					label("written", "1"),
					label("there", "1"),
					label("withheld", "1"),
					replaced(label("replaced", "1")),
					replaced(label("there too", "1")),
					replaced(label("xcapped", "1")),
					label("empty", ""),
					label("c*", "1"),
					label("aws:x", "1"),
					label("long", strings.Repeat("v", 257)),
				),
				Fields: everywhere(s.field),
			}

			spec := s.spec("Name", "x", "ours:there", "1", "ours:withheld", "9", "ours:replaced", "9", "ours:there too", "1")

			assertOutcome(t, "Only tags that the resource has because of labels, or as labels want them, are active.", stamper, spec, &outcome{
				Stamped: map[string]*structpb.Struct{"r": thing(s.spec(
					"Name", "x", "ours:there", "1", "ours:withheld", "9", "ours:replaced", "1", "ours:there too", "1", "ours:empty", "", "ours:written", "1",
				))},
				Active: []active{{Resource: "r", Provider: "aws", Tags: map[string]string{
					"ours:written": "1", "ours:there": "1", "ours:replaced": "1", "ours:there too": "1", "ours:empty": "",
				}}},
				Skips: []Skip{
					skip("aws:x", "aws", tags.ReservedPrefix, "reserved: aws:"),
					skip("long", "aws", tags.ValueTooLong, "at most 256 characters"),
					skip("c*", "aws", tags.KeyCharacterClass, "allowed: letters, digits, space and + - = . _ : / @"),
					skip("xcapped", "aws", tags.CountCap, "at most 50 tags on a resource, 43 of them reserved", "r"),
				},
				Withheld: []withheldOn{{Resource: "r", Retained: []string{"ours:withheld"}}},
			}, "")
		})
	}
}

func TestStampActiveOnly(t *testing.T) {
	cases := map[string]struct {
		reason string
		before []string
		want   *outcome
	}{
		"AllThere": {
			reason: "Tags that are there are active though nothing has to be written.",
			before: []string{"ours:a", "1", "Name", "x"},
			want:   &outcome{Active: []active{{Resource: "r", Provider: "aws", Tags: map[string]string{"ours:a": "1"}}}},
		},
		"AllWithheld": {
			reason: "A resource all of whose tags were withheld has none that are active.",
			before: []string{"ours:a", "9"},
			want:   &outcome{Withheld: []withheldOn{{Resource: "r", Retained: []string{"ours:a"}}}},
		},
		"EmptyValueWithheld": {
			reason: "An empty value that an earlier step set is another value.",
			before: []string{"ours:a", ""},
			want:   &outcome{Withheld: []withheldOn{{Resource: "r", Retained: []string{"ours:a"}}}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for kind, s := range shapes {
				t.Run(kind, func(t *testing.T) {
					stamper := &Stamper{
						Input:       &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: v1beta1.ConflictPolicyRetain}}},
						Provider:    "aws",
						Transformer: transformer(label("a", "1")),
						Fields:      everywhere(s.field),
					}

					assertOutcome(t, tc.reason, stamper, s.spec(tc.before...), tc.want, "")
				})
			}
		})
	}
}

// TestStampActiveEmptyValue tests an entry that is no more than a key, for which the
// label has an empty value.
func TestStampActiveEmptyValue(t *testing.T) {
	active := []active{{Resource: "r", Provider: "aws", Tags: map[string]string{"ours:a": ""}}}
	withheld := []withheldOn{{Resource: "r", Retained: []string{"ours:a"}}}

	cases := map[string]struct {
		reason string
		shape  string
		spec   string
		want   *outcome
	}{
		"MapNull": {
			reason: "A null in a map of strings is no tag: the API server drops it. So the tag is not there, and an earlier step doesn't want it to be.",
			shape:  "Map",
			spec:   `{"tags": {"ours:a": null}}`,
			want:   &outcome{Withheld: withheld},
		},
		"KeyValueListWithoutValue": {
			reason: "An entry without a value is a tag with an empty one.",
			shape:  "KeyValueList",
			spec:   `{"tags": [{"k": "ours:a"}]}`,
			want:   &outcome{Active: active},
		},
		"KeyValueListNull": {
			reason: "An entry whose value is null is a tag with an empty one, since the API server drops the null.",
			shape:  "KeyValueList",
			spec:   `{"tags": [{"k": "ours:a", "v": null}]}`,
			want:   &outcome{Active: active},
		},
		"StringListWithoutSeparator": {
			reason: "A string without the separator is no tag of a key.",
			shape:  "StringList",
			spec:   `{"tags": ["ours:a"]}`,
			want:   &outcome{Stamped: map[string]*structpb.Struct{"r": thing(`{"tags": ["ours:a", "ours:a="]}`)}, Active: active},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			stamper := &Stamper{
				Input:       &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: v1beta1.ConflictPolicyRetain}}},
				Provider:    "aws",
				Transformer: transformer(label("a", "")),
				Fields:      everywhere(shapes[tc.shape].field),
			}

			assertOutcome(t, tc.reason, stamper, tc.spec, tc.want, "")
		})
	}
}

// TestStampActiveWithoutCase tests tags of a provider whose keys compare without
// case.
func TestStampActiveWithoutCase(t *testing.T) {
	for name, s := range map[string]shape{"Map": shapes["Map"], "KeyValueList": shapes["KeyValueList"]} {
		t.Run(name, func(t *testing.T) {
			stamper := &Stamper{
				Input:       &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: v1beta1.ConflictPolicyRetain}}},
				Provider:    "azure",
				Transformer: transformer(label("a", "1"), label("b", "2"), label("c/d", "3")),
				Fields:      everywhere(s.field),
			}

			assertOutcome(t, "A key that is there in another case is there.", stamper, s.spec("OURS:A", "1", "Ours:B", "9"), &outcome{
				Stamped:  map[string]*structpb.Struct{"r": thing(s.spec("OURS:A", "1", "Ours:B", "9", "ours:c.d", "3"))},
				Active:   []active{{Resource: "r", Provider: "azure", Tags: map[string]string{"ours:a": "1", "ours:c.d": "3"}}},
				Withheld: []withheldOn{{Resource: "r", Retained: []string{"ours:b"}}},
			}, "")
		})
	}
}

// TestStampObservedOrder tests lists that server-side apply replaces as a whole. If
// the provider has put the items in another order, that is the order that they keep.
func TestStampObservedOrder(t *testing.T) {
	active := []active{{Resource: "r", Provider: "aws", Tags: map[string]string{"ours:a": "1"}}}

	cases := map[string]struct {
		reason   string
		atomic   bool
		before   []string
		observed string
		want     []string
	}{
		"SameItems": {
			reason:   "The same items in another order are in the provider's order.",
			atomic:   true,
			before:   []string{"Name", "x", "b", "2"},
			observed: "ours:a 1 b 2 Name x",
			want:     []string{"ours:a", "1", "b", "2", "Name", "x"},
		},
		"WithProviders": {
			reason:   "What is kept of the provider's own tags counts.",
			atomic:   true,
			before:   []string{"Name", "x"},
			observed: "crossplane-name thing ours:a 1 Name x",
			want:     []string{"crossplane-name", "thing", "ours:a", "1", "Name", "x"},
		},
		"MoreObserved": {
			reason:   "An item that is no longer desired is not brought back.",
			atomic:   true,
			before:   []string{"Name", "x"},
			observed: "ours:a 1 old 1 Name x",
			want:     []string{"Name", "x", "ours:a", "1"},
		},
		"OtherValue": {
			reason:   "An item that has another value than is observed changes.",
			atomic:   true,
			before:   []string{"Name", "x"},
			observed: "ours:a 9 Name x",
			want:     []string{"Name", "x", "ours:a", "1"},
		},
		"Twice": {
			reason:   "An item that is desired twice is not the same as one that is observed once.",
			atomic:   true,
			before:   []string{"Name", "x", "Name", "x"},
			observed: "ours:a 1 Name x",
			want:     []string{"Name", "x", "Name", "x", "ours:a", "1"},
		},
		"TwiceObserved": {
			reason:   "An item that is observed twice is not the same as one that is desired once.",
			atomic:   true,
			before:   []string{"Name", "x"},
			observed: "ours:a 1 Name x Name x",
			want:     []string{"Name", "x", "ours:a", "1"},
		},
		"NotAtomic": {
			reason:   "A list whose entries server-side apply merges has its own order.",
			before:   []string{"Name", "x"},
			observed: "ours:a 1 Name x",
			want:     []string{"Name", "x", "ours:a", "1"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for kind, s := range map[string]shape{"KeyValueList": shapes["KeyValueList"], "StringList": shapes["StringList"]} {
				t.Run(kind, func(t *testing.T) {
					s.field.Atomic = tc.atomic
					observed := thing(s.spec(strings.Fields(tc.observed)...))

					stamper := &Stamper{
						Input:       &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: v1beta1.ConflictPolicyRetain}}},
						Provider:    "aws",
						Transformer: transformer(label("a", "1")),
						Fields:      everywhere(s.field),
						Observed:    map[string]*fnv1.Resource{"r": {Resource: observed}},
					}

					assertOutcome(t, tc.reason, stamper, s.spec(tc.before...), &outcome{
						Stamped: map[string]*structpb.Struct{"r": thing(s.spec(tc.want...))},
						Active:  active,
					}, "")

					if diff := cmp.Diff(thing(s.spec(strings.Fields(tc.observed)...)), observed, protocmp.Transform()); diff != "" {
						t.Errorf("\n%s\nStamp(...) changed what is observed: -before, +after:\n%s", tc.reason, diff)
					}
				})
			}
		})
	}
}
