package report

import (
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/coverage"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestCoverageGauges tests the gauges of last counts.
func TestCoverageGauges(t *testing.T) {
	aws := &coverage.Group{Name: "aws", Resources: 9, Taggable: 8, Tagged: 7, Incomplete: 6, Drifted: 1, Keys: []*coverage.KeyCount{
		{Key: "env", Tagged: 2, Resources: 8}, {Key: strings.Repeat("k", 5_000) + "a", Resources: 1}, {Key: strings.Repeat("k", 5_000) + "b", Resources: 2},
	}}
	gcp := &coverage.Group{Name: "gcp", Taggable: 1}
	platform := &v1beta1.ConfigMap{Namespace: "platform", Name: "tag-coverage"}

	// withoutKeys are the gauges of aws without its keys.
	withoutKeys := []string{
		`function_cloud_tags_coverage_complete{configmap="platform/tag-coverage",provider="aws"} 2`,
		`function_cloud_tags_coverage_counted_timestamp_seconds{configmap="platform/tag-coverage"}`,
		`function_cloud_tags_coverage_drifted{configmap="platform/tag-coverage",provider="aws"} 1`,
		`function_cloud_tags_coverage_resources{configmap="platform/tag-coverage",provider="aws"} 8`,
		`function_cloud_tags_coverage_tagged{configmap="platform/tag-coverage",provider="aws"} 7`,
	}

	for _, tc := range []struct {
		reason string

		configMap *v1beta1.ConfigMap
		reports   []*coverage.Report
		want      []string
	}{
		{"Without a ConfigMap, nothing tells the counts of two Operations apart.", nil, []*coverage.Report{{Groups: []*coverage.Group{aws}, Total: aws}}, nil},
		{"Keys that nobody requires are as many as users want.", platform, []*coverage.Report{{Groups: []*coverage.Group{aws}, Total: aws}}, withoutKeys},
		{
			"A count takes the place of the one before. Keys that are equal after a cut are one.", platform,
			[]*coverage.Report{{Groups: []*coverage.Group{gcp}, Total: gcp}, {Groups: []*coverage.Group{aws}, Total: aws, Required: true}},
			slices.Sorted(slices.Values(slices.Concat(withoutKeys, []string{
				`function_cloud_tags_coverage_key_resources{configmap="platform/tag-coverage",key="env",provider="aws"} 8`,
				`function_cloud_tags_coverage_key_tagged{configmap="platform/tag-coverage",key="env",provider="aws"} 2`,
			}))),
		},
	} {
		m := NewMetrics()

		for _, counted := range tc.reports {
			req := request("")
			r := NewRun(req, Options{})
			r.Log, r.Metrics, r.Required = slog.New(slog.DiscardHandler), m, require.New(req)
			r.Input = &v1beta1.CloudTags{Coverage: &v1beta1.Coverage{ConfigMap: tc.configMap}}

			rsp, err := r.Counted(t.Context(), counted)
			if err != nil {
				t.Fatal(err)
			}

			r.Done(t.Context(), rsp, nil)
		}

		var got []string

		for _, line := range tagstest.Counted(m.Collectors()...) {
			if !strings.Contains(line, "kkk") {
				got = append(got, line)
			}
		}

		slices.Sort(got)

		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("\n%s\nCounted(...): -want series, +got series:\n%s", tc.reason, diff)
		}
	}
}

// TestCoverageForgets keeps the last counts of as many ConfigMaps as there may be.
func TestCoverageForgets(t *testing.T) {
	c := &NewMetrics().coverage
	for i := range maxConfigMaps + 1 {
		c.keep(strconv.Itoa(i), &coverage.Report{Total: &coverage.Group{}})
	}

	if _, oldest := c.counts["0"]; oldest || len(c.counts) != maxConfigMaps {
		t.Errorf("keep(...): want the newest %d counts, got %d, and the oldest one: %t", maxConfigMaps, len(c.counts), oldest)
	}
}
