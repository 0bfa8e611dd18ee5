package tags_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plexsphere/function-cloud-tags/tags"
)

func TestTransform(t *testing.T) {
	type want struct {
		empty       bool
		transformed *tags.Transformed
	}

	cases := map[string]struct {
		reason  string
		profile string
		labels  []tags.Label
		want    want
	}{
		"NoLabels": {
			reason:  "No labels should give no tags and nothing skipped, and neither should be nil.",
			profile: "aws",
			want:    want{empty: true, transformed: &tags.Transformed{Tags: []tags.Tag{}, Skipped: []tags.SkippedLabel{}}},
		},
		"InOrder": {
			reason:  "Tags and skipped labels should stay in the order of the labels, and tags should keep their source.",
			profile: "aws",
			labels: []tags.Label{
				{QualifiedKey: "a", TagKey: "plexsphere:a", Value: "1", Source: &tags.Source{Position: 2}},
				{QualifiedKey: "b!", TagKey: "plexsphere:b!", Value: "2", Source: &tags.Source{Position: 1}},
				{QualifiedKey: "c", TagKey: "plexsphere:c", Value: "3"},
				{QualifiedKey: "d", TagKey: "plexsphere:d", Value: strings.Repeat("v", 257), Source: &tags.Source{Position: 1}},
			},
			want: want{transformed: &tags.Transformed{
				Tags: []tags.Tag{
					{QualifiedKey: "a", Key: "plexsphere:a", Value: "1", Source: &tags.Source{Position: 2}},
					{QualifiedKey: "c", Key: "plexsphere:c", Value: "3"},
				},
				Skipped: []tags.SkippedLabel{
					{QualifiedKey: "b!", TagKey: "plexsphere:b!", Provider: "aws", Reason: tags.KeyCharacterClass},
					{QualifiedKey: "d", TagKey: "plexsphere:d", Provider: "aws", Reason: tags.ValueTooLong},
				},
			}},
		},
		"TagKeysReserved": {
			reason:  "A tag key that opens with a reserved prefix should be reserved, whatever the qualified key is.",
			profile: "aws",
			labels:  []tags.Label{{QualifiedKey: "x", TagKey: "AWS:x", Value: "v"}},
			want: want{transformed: &tags.Transformed{
				Tags:    []tags.Tag{},
				Skipped: []tags.SkippedLabel{{QualifiedKey: "x", TagKey: "AWS:x", Provider: "aws", Reason: tags.ReservedPrefix}},
			}},
		},
		"EmptyTagKey": {
			reason:  "A tag needs a key: an empty one has no character that a cloud admits.",
			profile: "openstack",
			labels:  []tags.Label{{QualifiedKey: "", TagKey: "", Value: "v"}},
			want: want{transformed: &tags.Transformed{
				Tags:    []tags.Tag{},
				Skipped: []tags.SkippedLabel{{Provider: "openstack", Reason: tags.KeyCharacterClass}},
			}},
		},
		"LengthOfTagKey": {
			reason:  "Not the qualified key but the tag key should be measured.",
			profile: "hetzner",
			labels: []tags.Label{
				{QualifiedKey: "a", TagKey: strings.Repeat("a", 64), Value: "v"},
				{QualifiedKey: strings.Repeat("b", 64), TagKey: "b", Value: "v"},
			},
			want: want{transformed: &tags.Transformed{
				Tags:    []tags.Tag{{QualifiedKey: strings.Repeat("b", 64), Key: "b", Value: "v"}},
				Skipped: []tags.SkippedLabel{{QualifiedKey: "a", TagKey: strings.Repeat("a", 64), Provider: "hetzner", Reason: tags.KeyTooLong}},
			}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tr := tags.NewTransformer(tc.labels, nil)

			if diff := cmp.Diff(tc.want.empty, tr.Empty()); diff != "" {
				t.Errorf("\n%s\nEmpty(): -want, +got:\n%s", tc.reason, diff)
			}

			// What was transformed once is kept.
			for range 2 {
				if diff := cmp.Diff(tc.want.transformed, tr.Transform(tags.ProfileOf(tc.profile)), cmpopts.IgnoreUnexported(tags.Transformed{}), cmpopts.IgnoreFields(tags.Tag{}, "TagKey")); diff != "" {
					t.Errorf("\n%s\nTransform(...): -want, +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}

func TestTransformIgnoresCap(t *testing.T) {
	labels := make([]tags.Label, 100)
	for i := range labels {
		labels[i] = tags.Label{QualifiedKey: fmt.Sprintf("k%02d", i), TagKey: fmt.Sprintf("plexsphere-k%02d", i), Value: "v"}
	}

	tr := tags.NewTransformer(labels, nil)

	for _, p := range tags.Contract.Profiles() {
		got := tr.Transform(p)

		if diff := cmp.Diff(100, len(got.Tags)); diff != "" {
			t.Errorf("\nThe cap is each resource's own, so it should not be looked at.\nTransform(%s): -want tags, +got tags:\n%s", p.Name, diff)
		}
	}
}

func TestTransformProfilesApart(t *testing.T) {
	tr := tags.NewTransformer([]tags.Label{{QualifiedKey: "a b", TagKey: "plexsphere:a b", Value: "v"}}, nil)

	want := &tags.Transformed{Tags: []tags.Tag{{QualifiedKey: "a b", Key: "plexsphere:a b", Value: "v"}}, Skipped: []tags.SkippedLabel{}}
	if diff := cmp.Diff(want, tr.Transform(tags.ProfileOf("aws")), cmpopts.IgnoreUnexported(tags.Transformed{}), cmpopts.IgnoreFields(tags.Tag{}, "TagKey")); diff != "" {
		t.Errorf("\nAWS admits a space.\nTransform(aws): -want, +got:\n%s", diff)
	}

	want = &tags.Transformed{
		Tags:    []tags.Tag{},
		Skipped: []tags.SkippedLabel{{QualifiedKey: "a b", TagKey: "plexsphere:a b", Provider: "hetzner", Reason: tags.KeyCharacterClass}},
	}
	if diff := cmp.Diff(want, tr.Transform(tags.ProfileOf("hetzner")), cmpopts.IgnoreUnexported(tags.Transformed{}), cmpopts.IgnoreFields(tags.Tag{}, "TagKey")); diff != "" {
		t.Errorf("\nWhat one profile made of the labels should not be taken for what another makes of them.\nTransform(hetzner): -want, +got:\n%s", diff)
	}
}

func BenchmarkCloudTags(b *testing.B) {
	set := make(tags.PropagatingLabelSet, 50)
	for i := range 50 {
		set[fmt.Sprintf("acme:checkout/label-%02d", i)] = "some value of a label"
	}

	for _, p := range tags.Contract.Profiles() {
		b.Run(p.Name, func(b *testing.B) {
			b.ReportAllocs()

			for b.Loop() {
				tags.CloudTags(p.Name, set)
			}
		})
	}
}
