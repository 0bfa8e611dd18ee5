package report

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// Names of the metrics.
const (
	tagsRefused    = "function_cloud_tags_tags_refused_by_cloud_total"
	labelsSkipped  = "function_cloud_tags_labels_skipped_total"
	trustedSkipped = "function_cloud_tags_trusted_labels_skipped_total"
	notTaggable    = "function_cloud_tags_resources_not_taggable_total"
	notKnown       = "function_cloud_tags_resources_unknown_total"
	runs           = "function_cloud_tags_runs_total"
	sourcesEmpty   = "function_cloud_tags_sources_empty_total"
	tooLarge       = "function_cloud_tags_requests_too_large_total"
	tagged         = "function_cloud_tags_resources_tagged_total"
)

// skippedSeries and series are the names of series.
func skippedSeries(provider string, r profile.SkipReason) string {
	return fmt.Sprintf("%s{provider=%q,reason=%q}", labelsSkipped, provider, r)
}

func series(metric, provider string) string { return fmt.Sprintf("%s{provider=%q}", metric, provider) }

// nonzero returns the lines about the series that are not 0.
func nonzero(counts map[string]int) []string {
	out := []string{}

	for _, s := range slices.Sorted(maps.Keys(counts)) {
		if counts[s] > 0 {
			out = append(out, fmt.Sprintf("%s %d", s, counts[s]))
		}
	}

	return out
}

// TestMetrics tests that each run counts on from the one before, in all series, which are
// there from the start, since a counter that only then appears has no rate.
func TestMetrics(t *testing.T) {
	m := NewMetrics()
	want := make(map[string]int)

	tagstest.NewGolden(t).Check(t, "All series are there.", tagstest.Scrape(m.Collectors()...))

	for run := range 3 {
		o := &Facts{}

		for i, p := range profile.Names() {
			for j, r := range profile.SkipReasons() {
				o.Skips = append(o.Skips, slices.Repeat([]stamp.Skip{skip(p, "k", r, "limit", "a", "b")}, run+i+j)...)
				want[skippedSeries(p, r)] += run + i + j
			}

			trusted := skip(p, "trusted", profile.ValueTooLong, "limit")
			trusted.Trusted = true
			o.Skips = append(o.Skips, slices.Repeat([]stamp.Skip{trusted}, i)...)
			want[skippedSeries(p, profile.ValueTooLong)] += i
			want[series(trustedSkipped, p)] += i

			o.Results = slices.Concat(o.Results, slices.Repeat([]stamp.Result{active("a", p)}, i), []stamp.Result{
				{Resource: "b", Provider: p, LeftAlone: "is adopted"}, {Resource: "c", Provider: p, LeftAlone: "?", NoFieldReason: locate.Unknown}, // Not taggable.
				{Resource: "d", Provider: p, Mismatch: "x"}, {Resource: "e", Provider: p, Records: recordsOf(tags.Retained, "k")}, // Neither.
			})
			want[series(tagged, p)] += i
			want[series(notTaggable, p)]++
			want[series(notKnown, p)]++

			o.CloudRefuses = append(o.CloudRefuses, slices.Repeat([]stamp.Skip{skip(p, "k", profile.KeyCharacterClass, "limit")}, i)...)
			want[series(tagsRefused, p)] += i
		}

		req := request("")
		r := NewRun(req, Options{})
		r.Log, r.Metrics, r.Input, r.Required = slog.New(slog.DiscardHandler), m, &v1beta1.CloudTags{}, require.New(req)
		o.Set.EmptySources = slices.Repeat([]resolve.SourceNote{{Source: "sources[0]", Why: "there is none"}}, 2)
		want[sourcesEmpty] += 2

		r.Done(t.Context(), r.AskAgain(), nil) // It says nothing.
		r.Done(t.Context(), r.Success(t.Context(), o), nil)
		want[runs+`{reason="UnknownKinds"}`]++

		for _, reason := range failures {
			if rsp := r.Done(t.Context(), nil, Fail(reason, errors.New("x"))); rsp.GetConditions()[0].GetReason() != reason {
				t.Errorf("Done(...): want a condition with the reason %s, got %v", reason, rsp)
			}

			want[fmt.Sprintf("%s{reason=%q}", runs, reason)]++
		}

		m.TooLarge()
		want[tooLarge]++
	}

	if diff := cmp.Diff(nonzero(want), tagstest.Counted(m.Collectors()...)); diff != "" {
		t.Errorf("Success(...): -want series, +got series:\n%s", diff)
	}
}
