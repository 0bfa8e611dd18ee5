package stamp

import (
	"errors"
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
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// TestStampLimit tests resources with three tag slots each.
func TestStampLimit(t *testing.T) {
	const three = "at most 50 tags on a resource, 47 of them reserved"

	type want struct {
		outcome *outcome
		err     string
	}

	// specs of resources by name, with the supplied tags.
	type resources map[string][]string

	things := func(s shape, of resources) map[string]*structpb.Struct {
		out := make(map[string]*structpb.Struct, len(of))
		for name, kv := range of {
			out[name] = thing(s.specOf(kv))
		}

		return out
	}

	tagged := func(resource string, keysAndValues ...string) active {
		out := make(map[string]string)
		for i := 0; i < len(keysAndValues); i += 2 {
			out[keysAndValues[i]] = keysAndValues[i+1]
		}

		return active{Resource: resource, Provider: "aws", Tags: out}
	}

	abc := []tags.Label{label("a", "1"), label("b", "2"), label("c", "3")}

	cases := map[string]struct {
		reason         string
		policy         v1beta1.LimitPolicy
		sources        []v1beta1.Source
		labels         []tags.Label
		remove, ignore []resolve.TagKey
		desired        resources
		cloud          []string
		want           func(s shape) want
	}{
		"Partial": {
			reason:  "Labels for which there is no slot are skipped, on each resource for itself. The lowest keys are kept.",
			policy:  v1beta1.LimitPolicyApplyPartial,
			labels:  abc,
			desired: resources{"one": {"x", "1"}, "two": {"x", "1", "y", "2"}, "zero": nil},
			want: func(s shape) want {
				return want{outcome: &outcome{
					Stamped: things(s, resources{
						"one":  {"x", "1", "ours:a", "1", "ours:b", "2"},
						"two":  {"x", "1", "y", "2", "ours:a", "1"},
						"zero": {"ours:a", "1", "ours:b", "2", "ours:c", "3"},
					}),
					Active: []active{tagged("one", "ours:a", "1", "ours:b", "2"), tagged("two", "ours:a", "1"), tagged("zero", "ours:a", "1", "ours:b", "2", "ours:c", "3")},
					Skips:  []Skip{skip("b", "aws", tags.CountCap, three, "two"), skip("c", "aws", tags.CountCap, three, "one", "two")},
				}}
			},
		},
		"NoPolicy": {
			reason:  "Without a policy, labels are skipped.",
			labels:  abc,
			desired: resources{"one": {"x", "1"}},
			want: func(s shape) want {
				return want{outcome: &outcome{
					Stamped: things(s, resources{"one": {"x", "1", "ours:a", "1", "ours:b", "2"}}),
					Active:  []active{tagged("one", "ours:a", "1", "ours:b", "2")},
					Skips:   []Skip{skip("c", "aws", tags.CountCap, three, "one")},
				}}
			},
		},
		"Strict": {
			reason:  "A strict policy stamps nothing, and names all resources and how many labels are too many.",
			policy:  v1beta1.LimitPolicyApplyStrict,
			labels:  abc,
			desired: resources{"one": {"x", "1"}, "two": {"x", "1", "y", "2"}, "zero": nil, "four": {"x", "1", "y", "2", "z", "3", "w", "4"}},
			want: func(shape) want {
				return want{err: `limitPolicy ApplyStrict: too many labels: 3 on composed resource "four" (aws: ` + three + `); ` +
					`1 on composed resource "one" (aws: ` + three + `); 2 on composed resource "two" (aws: ` + three + `)`}
			},
		},
		"StrictAndRoom": {
			reason:  "A strict policy accepts as many labels as there are slots.",
			policy:  v1beta1.LimitPolicyApplyStrict,
			labels:  abc,
			desired: resources{"zero": nil, "there": {"x", "1", "ours:b", "2", "ours:a", "9"}},
			remove:  keys("x"),
			want: func(s shape) want {
				return want{outcome: &outcome{
					Stamped:  things(s, resources{"zero": {"ours:a", "1", "ours:b", "2", "ours:c", "3"}, "there": {"ours:b", "2", "ours:a", "9", "ours:c", "3"}}),
					Active:   []active{tagged("there", "ours:b", "2", "ours:c", "3"), tagged("zero", "ours:a", "1", "ours:b", "2", "ours:c", "3")},
					Withheld: []withheldOn{{Resource: "there", Retained: []string{"ours:a"}}},
				}}
			},
		},
		"StrictOthersExceed": {
			reason:  "A strict policy is about labels: a resource that has too many tags without any is accepted.",
			policy:  v1beta1.LimitPolicyApplyStrict,
			labels:  []tags.Label{label("a", "1")},
			desired: resources{"four": {"x", "1", "y", "2", "z", "3", "ours:a", "9"}},
			want: func(shape) want {
				return want{outcome: &outcome{Withheld: []withheldOn{{Resource: "four", Retained: []string{"ours:a"}}}}}
			},
		},
		"StrictSkippedOtherwise": {
			reason:  "A strict policy accepts that labels are skipped for other reasons.",
			policy:  v1beta1.LimitPolicyApplyStrict,
			labels:  []tags.Label{label("a", "1"), label("aws:b", "1"), label("c!", "1"), label("d", "1")},
			desired: resources{"one": {"x", "1"}},
			want: func(s shape) want {
				return want{outcome: &outcome{
					Stamped: things(s, resources{"one": {"x", "1", "ours:a", "1", "ours:d", "1"}}),
					Active:  []active{tagged("one", "ours:a", "1", "ours:d", "1")},
					Skips: []Skip{
						skip("aws:b", "aws", tags.ReservedPrefix, "reserved: aws:"),
						skip("c!", "aws", tags.KeyCharacterClass, "allowed: letters, digits, space and + - = . _ : / @"),
					},
				}}
			},
		},
		"StrictWithCloud": {
			reason:  "Tags of other systems without a slot are not too many.",
			policy:  v1beta1.LimitPolicyApplyStrict,
			labels:  abc,
			ignore:  keys("z"),
			desired: resources{"one": nil},
			cloud:   []string{"z", "1"},
			want: func(s shape) want {
				return want{outcome: &outcome{
					Stamped:  things(s, resources{"one": {"ours:a", "1", "ours:b", "2", "ours:c", "3"}}),
					Active:   []active{tagged("one", "ours:a", "1", "ours:b", "2", "ours:c", "3")},
					Withheld: []withheldOn{{Resource: "one", Unkept: []string{"z"}}},
				}}
			},
		},
		"StrictRemovedLabels": {
			reason:  "Labels whose tags are removed or another system's are not too many.",
			policy:  v1beta1.LimitPolicyApplyStrict,
			labels:  append([]tags.Label{label("d", "4"), label("e", "5")}, abc...),
			remove:  keys("ours:a", "ours:e"),
			ignore:  keys("ours:d"),
			desired: resources{"one": nil},
			cloud:   []string{"ours:d", "cloud"},
			want: func(s shape) want {
				return want{outcome: &outcome{
					Stamped:  things(s, resources{"one": {"ours:b", "2", "ours:c", "3", "ours:d", "cloud"}}),
					Active:   []active{tagged("one", "ours:b", "2", "ours:c", "3")},
					Withheld: []withheldOn{{Resource: "one", Ignored: []string{"ours:d"}, Removed: []string{"ours:a", "ours:e"}}},
				}}
			},
		},
		"StrictAndConflict": {
			reason:  "A conflict that fails is told rather than labels that are too many.",
			policy:  v1beta1.LimitPolicyApplyStrict,
			sources: []v1beta1.Source{{OnConflict: v1beta1.ConflictPolicyError}},
			labels:  abc,
			desired: resources{"one": {"x", "1"}, "two": {"ours:a", "9"}},
			want: func(shape) want {
				return want{err: `cannot tag composed resource "two": an earlier step has set the tag "ours:a" to "9", and sources[0] with onConflict Error has the value "1" for it`}
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for kind, s := range shapes {
				t.Run(kind, func(t *testing.T) {
					sources := tc.sources
					if sources == nil {
						sources = []v1beta1.Source{{OnConflict: v1beta1.ConflictPolicyRetain}}
					}

					stamper := &Stamper{
						Input:       &v1beta1.CloudTags{Sources: sources, LimitPolicy: tc.policy, ReservedTags: map[string]v1beta1.TagCount{"aws": 47}},
						Provider:    "aws",
						Transformer: transformer(from(sources, tc.labels...)...),
						Fields:      everywhere(reporting(s.field)),
						Remove:      tc.remove,
						Ignore:      tc.ignore,
					}

					if tc.cloud != nil {
						stamper.Observed = map[string]*fnv1.Resource{"one": {Resource: observed(`{}`, s.spec(tc.cloud...))}}
					}

					desired := make(map[string]*fnv1.Resource, len(tc.desired))
					for name, r := range things(s, tc.desired) {
						desired[name] = &fnv1.Resource{Resource: r}
					}

					w := tc.want(s)

					got, err := stampAll(stamper, desired)
					if diff := cmp.Diff(w.err, message(err)); diff != "" {
						t.Errorf("\n%s\nStamp(...): -want error, +got error:\n%s", tc.reason, diff)
					}

					if diff := cmp.Diff(w.outcome, got, protocmp.Transform(), cmpopts.EquateEmpty()); diff != "" {
						t.Errorf("\n%s\nStamp(...): -want, +got:\n%s", tc.reason, diff)
					}
				})
			}
		})
	}
}

// TestStampLimitError tests that callers can tell the error of a strict policy, of whose
// resources each says the limit that it has.
func TestStampLimitError(t *testing.T) {
	fields := field.Chain{field.NewRules([]v1beta1.TagField{
		{APIVersion: tags.NewPattern("*"), Kind: tags.NewPattern("Odd"), FieldPath: object.MustParsePath("spec.groups[0].tags"), Shape: v1beta1.TagFieldShapeMap},
		{APIVersion: tags.NewPattern("*"), Kind: tags.NewPattern("Short"), FieldPath: object.MustParsePath("spec.tags"), Shape: v1beta1.TagFieldShapeStringList, StringList: &v1beta1.StringList{Separator: "=", MaxLength: 9}},
		{APIVersion: tags.NewPattern("*"), Kind: tags.NewPattern("*"), FieldPath: object.MustParsePath("spec.tags"), Shape: v1beta1.TagFieldShapeMap},
	})}

	kind := func(apiVersion, kind string) *fnv1.Resource {
		return &fnv1.Resource{Resource: &structpb.Struct{Fields: map[string]*structpb.Value{
			"apiVersion": structpb.NewStringValue(apiVersion), "kind": structpb.NewStringValue(kind),
		}}}
	}

	cases := map[string]struct {
		reason  string
		desired map[string]*fnv1.Resource
		want    string
	}{
		"Clouds": {
			reason: "Each resource has the limit of its cloud.",
			desired: map[string]*fnv1.Resource{
				"a": kind("s3.aws.upbound.io/v1beta1", "Bucket"),
				"b": kind("example.org/v1", "Thing"),
				"c": kind("compute.gcp.upbound.io/v1beta1", "Disk"),
			},
			want: `limitPolicy ApplyStrict: too many labels: 1 on composed resource "a" (aws: at most 50 tags on a resource); ` +
				`20 on composed resource "b" (generic: at most 32 tags on a resource, 1 of them reserved)`,
		},
		"TooLong": {
			reason:  "Labels whose entries are too long for a list are skipped, and not too many.",
			desired: map[string]*fnv1.Resource{"short": kind("example.org/v1", "Short")},
		},
		"Mismatch": {
			reason:  "A resource that can't be tagged has no labels that are too many.",
			desired: map[string]*fnv1.Resource{"odd": kind("example.org/v1", "Odd")},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			stamper := &Stamper{
				Input: &v1beta1.CloudTags{
					Sources:      []v1beta1.Source{{OnConflict: v1beta1.ConflictPolicyRetain}},
					LimitPolicy:  v1beta1.LimitPolicyApplyStrict,
					ReservedTags: map[string]v1beta1.TagCount{"generic": 1},
				},
				Transformer: transformer(labels(51)...),
				Fields:      fixed(fields),
			}

			_, err := stampAll(stamper, tc.desired)

			if limit := (&LimitError{}); errors.As(err, &limit) != (tc.want != "") {
				t.Errorf("\n%s\nStamp(...): want a LimitError: %t, got %v", tc.reason, tc.want != "", err)
			}

			if diff := cmp.Diff(tc.want, message(err)); diff != "" {
				t.Errorf("\n%s\nStamp(...): -want error, +got error:\n%s", tc.reason, diff)
			}
		})
	}
}

// must returns the supplied value, of which the test is sure.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}

	return v
}
