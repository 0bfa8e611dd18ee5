package stamp

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// TestStampLimit tests resources with three tag slots each.
func TestStampLimit(t *testing.T) {
	// specs of resources by name, with the supplied tags.
	type resources map[string][]string

	abc := []tags.Label{label("a", "1"), label("b", "2"), label("c", "3")}

	cases := map[string]struct {
		reason         string
		policy         v1beta1.LimitPolicy
		sources        []v1beta1.Source
		labels         []tags.Label
		remove, ignore []resolve.TagKey
		desired        resources
		cloud          []string
	}{
		"Partial":                {reason: "Labels for which there is no slot are skipped, on each resource for itself. The lowest keys are kept.", policy: v1beta1.LimitPolicyApplyPartial, labels: abc, desired: resources{"one": {"x", "1"}, "two": {"x", "1", "y", "2"}, "zero": nil}},
		"NoPolicy":               {reason: "Without a policy, labels are skipped.", labels: abc, desired: resources{"one": {"x", "1"}}},
		"Strict":                 {reason: "A strict policy stamps nothing, and names all resources and how many labels are too many.", policy: v1beta1.LimitPolicyApplyStrict, labels: abc, desired: resources{"one": {"x", "1"}, "two": {"x", "1", "y", "2"}, "zero": nil, "four": {"x", "1", "y", "2", "z", "3", "w", "4"}}},
		"StrictAndRoom":          {reason: "A strict policy accepts as many labels as there are slots.", policy: v1beta1.LimitPolicyApplyStrict, labels: abc, desired: resources{"zero": nil, "there": {"x", "1", "ours:b", "2", "ours:a", "9"}}, remove: keys("x")},
		"StrictOthersExceed":     {reason: "A strict policy is about labels: a resource that has too many tags without any is accepted.", policy: v1beta1.LimitPolicyApplyStrict, labels: []tags.Label{label("a", "1")}, desired: resources{"four": {"x", "1", "y", "2", "z", "3", "ours:a", "9"}}},
		"StrictSkippedOtherwise": {reason: "A strict policy accepts that labels are skipped for other reasons.", policy: v1beta1.LimitPolicyApplyStrict, labels: []tags.Label{label("a", "1"), label("aws:b", "1"), label("c!", "1"), label("d", "1")}, desired: resources{"one": {"x", "1"}}},
		"StrictWithCloud":        {reason: "Tags of other systems without a slot are not too many.", policy: v1beta1.LimitPolicyApplyStrict, labels: abc, ignore: keys("z"), desired: resources{"one": nil}, cloud: []string{"z", "1"}},
		"StrictRemovedLabels": {
			reason:  "Labels whose tags are removed or another system's are not too many.",
			policy:  v1beta1.LimitPolicyApplyStrict,
			labels:  append([]tags.Label{label("d", "4"), label("e", "5")}, abc...),
			remove:  keys("ours:a", "ours:e"),
			ignore:  keys("ours:d"),
			desired: resources{"one": nil},
			cloud:   []string{"ours:d", "cloud"},
		},
		"StrictAndConflict": {reason: "A conflict that fails is told rather than labels that are too many.", policy: v1beta1.LimitPolicyApplyStrict, sources: []v1beta1.Source{{OnConflict: tags.Refuse}}, labels: abc, desired: resources{"one": {"x", "1"}, "two": {"ours:a", "9"}}},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for kind, s := range shapes {
				t.Run(kind, func(t *testing.T) {
					sources := tc.sources
					if sources == nil {
						sources = []v1beta1.Source{{OnConflict: tags.Retain}}
					}

					stamper := &Stamper{
						Finder: target.Finder{
							Input:    &v1beta1.CloudTags{Sources: sources, LimitPolicy: tc.policy, ReservedTags: map[string]v1beta1.TagCount{"aws": 47}},
							Provider: "aws",
							Fields:   everywhere(reporting(s.field)),
						},
						Transformer: transformer(from(sources, tc.labels...)...),
						Remove:      tc.remove,
						Ignore:      tc.ignore,
					}

					if tc.cloud != nil {
						stamper.Observed = map[string]*fnv1.Resource{"one": {Resource: observed(`{}`, s.spec(tc.cloud...))}}
					}

					desired := make(map[string]*fnv1.Resource, len(tc.desired))
					for name, kv := range tc.desired {
						desired[name] = &fnv1.Resource{Resource: thing(s.specOf(kv))}
					}

					check(t, g, tc.reason, stamper, desired)
				})
			}
		})
	}
}

// TestStampLimitError tests that callers can tell the error of a strict policy, of whose
// resources each says the limit that it has.
func TestStampLimitError(t *testing.T) {
	fields := field.Chain{field.NewRules([]v1beta1.TagField{
		{APIVersion: profile.NewPattern("*"), Kind: profile.NewPattern("Odd"), FieldPath: object.MustParsePath("spec.groups[0].tags"), Shape: field.Map},
		{APIVersion: profile.NewPattern("*"), Kind: profile.NewPattern("Short"), FieldPath: object.MustParsePath("spec.tags"), Shape: field.StringList, StringList: &v1beta1.StringList{Separator: "=", MaxLength: 9}},
		{APIVersion: profile.NewPattern("*"), Kind: profile.NewPattern("*"), FieldPath: object.MustParsePath("spec.tags"), Shape: field.Map},
	})}

	kind := func(apiVersion, kind string) *fnv1.Resource {
		return &fnv1.Resource{Resource: &structpb.Struct{Fields: map[string]*structpb.Value{
			"apiVersion": structpb.NewStringValue(apiVersion), "kind": structpb.NewStringValue(kind),
		}}}
	}

	cases := map[string]struct {
		reason  string
		desired map[string]*fnv1.Resource
		limit   bool
	}{
		"Clouds":   {reason: "Each resource has the limit of its cloud.", limit: true, desired: map[string]*fnv1.Resource{"a": kind("s3.aws.upbound.io/v1beta1", "Bucket"), "b": kind("example.org/v1", "Thing"), "c": kind("compute.gcp.upbound.io/v1beta1", "Disk")}},
		"TooLong":  {reason: "Labels whose entries are too long for a list are skipped, and not too many.", desired: map[string]*fnv1.Resource{"short": kind("example.org/v1", "Short")}},
		"Mismatch": {reason: "A resource that can't be tagged has no labels that are too many.", desired: map[string]*fnv1.Resource{"odd": kind("example.org/v1", "Odd")}},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			stamper := &Stamper{
				Finder: target.Finder{
					Input: &v1beta1.CloudTags{
						Sources:      []v1beta1.Source{{OnConflict: tags.Retain}},
						LimitPolicy:  v1beta1.LimitPolicyApplyStrict,
						ReservedTags: map[string]v1beta1.TagCount{"generic": 1},
					},
					Fields: fixed(fields),
				},
				Transformer: transformer(labels(51)...),
			}

			_, err := stampAll(stamper, tc.desired)

			if limit := (&LimitError{}); errors.As(err, &limit) != tc.limit {
				t.Errorf("\n%s\nStamp(...): want a LimitError: %t, got %v", tc.reason, tc.limit, err)
			}

			g.Check(t, tc.reason, []string{message(err)})
		})
	}
}
