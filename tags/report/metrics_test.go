package report

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/metadata"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// Names of the metrics.
const (
	labelsSkipped = "function_cloud_tags_labels_skipped_total"
	notTaggable   = "function_cloud_tags_resources_not_taggable_total"
	tagged        = "function_cloud_tags_resources_tagged_total"
)

// skippedSeries and series are the names of series.
func skippedSeries(provider string, r tags.SkipReason) string {
	return fmt.Sprintf("%s{provider=%q,reason=%q}", labelsSkipped, provider, r)
}

func series(metric, provider string) string { return fmt.Sprintf("%s{provider=%q}", metric, provider) }

// counted returns all lines about all series, which are 0 but for those supplied.
func counted(counts map[string]int) []string {
	out := []string{}
	add := func(series string) { out = append(out, fmt.Sprintf("%s %d", series, counts[series])) }

	// These are said here once more, so that none gets lost unnoticed.
	for _, provider := range []string{"aws", "azure", "digitalocean", "gcp", "generic", "hetzner", "openstack"} {
		add(series(notTaggable, provider))
		add(series(tagged, provider))

		for _, r := range []tags.SkipReason{
			"count-cap", "key-character-class", "key-collision", "key-too-long",
			"reserved-key", "reserved-prefix", "value-character-class", "value-too-long",
		} {
			add(skippedSeries(provider, r))
		}
	}

	slices.Sort(out)

	return out
}

// scrape returns the lines about all series of the supplied metrics, as Prometheus
// gets them.
func scrape(t rapid.TB, m *Metrics) []string {
	t.Helper()

	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(m.Collectors()...)

	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/metrics", http.NoBody))

	if w.Code != http.StatusOK {
		t.Fatalf("GET /metrics: %d: %s", w.Code, w.Body)
	}

	out := []string{}

	for line := range strings.Lines(w.Body.String()) {
		if !strings.HasPrefix(line, "#") {
			out = append(out, strings.TrimSpace(line))
		}
	}

	slices.Sort(out)

	return out
}

func TestMetrics(t *testing.T) {
	const limit = "at most 50 tags on a resource"

	cases := map[string]struct {
		reason   string
		outcomes []*Outcome
		want     map[string]int
	}{
		"Nothing": {
			reason: "All series are there from the start, since a counter that only then appears has no rate.",
		},
		"Skipped": {
			reason: "Skipped labels count by profile and reason.",
			outcomes: []*Outcome{{Skips: []stamp.Skip{
				skip("aws", "a", tags.KeyTooLong, "at most 128 characters"),
				skip("aws", "b", tags.KeyTooLong, "at most 128 characters"),
				skip("aws", "aws:c", tags.ReservedPrefix, "reserved: aws:"),
				skip("hetzner", "a", tags.KeyTooLong, "at most 63 characters"),
			}}},
			want: map[string]int{
				skippedSeries("aws", tags.KeyTooLong):     2,
				skippedSeries("aws", tags.ReservedPrefix): 1,
				skippedSeries("hetzner", tags.KeyTooLong): 1,
			},
		},
		"SkippedForAllReasons": {
			reason: "Each reason of each profile has a series of its own.",
			outcomes: func() []*Outcome {
				o := &Outcome{}

				for i, p := range tags.ProfileNames() {
					for j, r := range tags.SkipReasons() {
						for n := range i*10 + j {
							o.Skips = append(o.Skips, skip(p, strconv.Itoa(n), r, limit))
						}
					}
				}

				return []*Outcome{o}
			}(),
			want: func() map[string]int {
				counts := make(map[string]int)

				for i, p := range tags.ProfileNames() {
					for j, r := range tags.SkipReasons() {
						counts[skippedSeries(p, r)] = i*10 + j
					}
				}

				return counts
			}(),
		},
		"SkippedOnResources": {
			reason:   "A label that is skipped on several resources counts once.",
			outcomes: []*Outcome{{Skips: []stamp.Skip{skip("aws", "a", tags.CountCap, limit, "a", "b", "c")}}},
			want:     map[string]int{skippedSeries("aws", tags.CountCap): 1},
		},
		"SkippedByLimits": {
			reason: "A label that breaks two limits counts for each, as it has a log line for each.",
			outcomes: []*Outcome{{Skips: []stamp.Skip{
				skip("openstack", "a", tags.ValueTooLong, "at most 10 characters", "a"),
				skip("openstack", "a", tags.ValueTooLong, "at most 12 characters", "b"),
			}}},
			want: map[string]int{skippedSeries("openstack", tags.ValueTooLong): 2},
		},
		"Tagged": {
			reason: "Resources that carry tags of labels count, however many tags these are, and whether they are new or not.",
			outcomes: []*Outcome{{
				Results: []stamp.Result{
					{Resource: "a", Provider: "aws", Active: map[string]string{"a": "b", "c": "d"}},
					{Resource: "b", Provider: "aws", Active: map[string]string{"a": "b"}},
					{Resource: "c", Provider: "digitalocean", Active: map[string]string{"a": "b"}},
				},
			}},
			want: map[string]int{series(tagged, "aws"): 2, series(tagged, "digitalocean"): 1},
		},
		"NotTaggable": {
			reason: "Resources that can't be tagged count, whatever the reason.",
			outcomes: []*Outcome{{Results: []stamp.Result{
				{Resource: "a", Provider: "generic", APIVersion: "v1", Kind: "ConfigMap", LeftAlone: "has no tag field"},
				{Resource: "b", Provider: "generic", APIVersion: "v1", Kind: "Secret", LeftAlone: "has no tag field"},
				{Resource: "c", Provider: "gcp", APIVersion: "example.org/v1", Kind: "Bucket", LeftAlone: "is adopted"},
			}}},
			want: map[string]int{series(notTaggable, "generic"): 2, series(notTaggable, "gcp"): 1},
		},
		"Neither": {
			reason: "A resource whose tag field is odd, or whose tags are withheld, is neither tagged nor impossible to tag.",
			outcomes: []*Outcome{{
				Results:   []stamp.Result{{Resource: "a", Mismatch: "x"}, {Resource: "b", Withheld: stamp.Withheld{Retained: []string{"k"}, Ignored: []string{"l"}, Removed: []string{"m"}, Protected: []string{"n"}}}},
				NotCopied: []metadata.NotCopied{{Rule: 0, Why: "x"}},
				Changes:   []stamp.Change{{Resource: "a", Removed: map[string]stamp.Values{"a": {Before: "b"}}}},
			}},
		},
		"Runs": {
			reason: "Each run counts on from the one before.",
			outcomes: slices.Repeat([]*Outcome{{
				Skips:   []stamp.Skip{skip("azure", "a", tags.KeyCollision, "another label has the same tag key")},
				Results: []stamp.Result{{Resource: "a", Provider: "azure", Active: map[string]string{"a": "b"}}, {Resource: "b", Provider: "azure", APIVersion: "v1", Kind: "ConfigMap", LeftAlone: "has no tag field"}},
			}}, 7),
			want: map[string]int{skippedSeries("azure", tags.KeyCollision): 7, series(tagged, "azure"): 7, series(notTaggable, "azure"): 7},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := NewMetrics()

			for _, o := range tc.outcomes {
				req := request(namespaced)
				(&Run{Request: req, Log: slog.New(slog.DiscardHandler), Metrics: m, Input: &v1beta1.CloudTags{}, Required: require.New(req)}).Success(t.Context(), o)
			}

			if diff := cmp.Diff(counted(tc.want), scrape(t, m)); diff != "" {
				t.Errorf("\n%s\nSuccess(...): -want series, +got series:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestMetricsNames tests that what people are told to look at is there, with help.
func TestMetricsNames(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(NewMetrics().Collectors()...)

	families, err := registry.Gather()
	if err != nil {
		t.Fatalf("Gather(): %v", err)
	}

	want, got := []string{labelsSkipped, notTaggable, tagged}, make([]string, len(families))

	for i, f := range families {
		got[i] = f.GetName()

		if f.GetHelp() == "" || f.GetType().String() != "COUNTER" {
			t.Errorf("Gather(): want %s to be a counter with help, got %s %q", f.GetName(), f.GetType(), f.GetHelp())
		}
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Gather(): -want, +got:\n%s", diff)
	}
}

// TestMetricsBounded tests that nothing in a request makes a series: neither labels
// and their values, nor the names of resources and of composite resources.
func TestMetricsBounded(t *testing.T) {
	const runs, labels = 100, 100

	m := NewMetrics()

	for i := range runs {
		s := scenario{
			in:      retaining(),
			profile: "aws",
			desired: map[string]*fnv1.Resource{
				fmt.Sprintf("bucket-%d", i): {Resource: bucket(`{}`)},
				fmt.Sprintf("config-%d", i): {Resource: composite(fmt.Sprintf(`{"apiVersion": "v%d", "kind": "Kind%d"}`, i, i)).GetResource()},
			},
			metrics: m,
			xr:      fmt.Sprintf(`{"metadata": {"namespace": "team-%d", "name": "assets-%d"}}`, i, i),
		}

		for j := range labels {
			key := fmt.Sprintf("_%04d_-%d", j, i)
			s.labels = append(s.labels, tags.Label{QualifiedKey: key, TagKey: "plexsphere:" + key, Value: fmt.Sprintf("value-%d-%d", i, j)})
		}

		if _, _, _, err := s.run(); err != nil {
			t.Fatal(err)
		}
	}

	want := counted(map[string]int{
		// A bucket has room for half of the labels.
		skippedSeries("aws", tags.CountCap): runs * labels / 2,
		series(tagged, "aws"):               runs,
		series(notTaggable, "aws"):          runs,
	})
	if diff := cmp.Diff(want, scrape(t, m)); diff != "" {
		t.Errorf("\nTen thousand labels make no series.\nSuccess(...): -want series, +got series:\n%s", diff)
	}
}

// TestMetricsProperties tests that counters agree with the log, whatever happens, and
// that responses and log lines don't depend on them.
func TestMetricsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scenarios(60).Draw(t, "scenario")

		without, _, logsWithout, err := s.run()
		if err != nil {
			t.Fatal(err)
		}

		s.metrics = NewMetrics()

		rsp, o, logs, err := s.run()
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(without, rsp, protocmp.Transform()); diff != "" {
			t.Fatalf("Success(...): want the same with metrics as without: -without, +with:\n%s", diff)
		}

		if logs != logsWithout {
			t.Fatalf("Success(...): want the same log lines with metrics as without: -without, +with:\n%s", cmp.Diff(lines(logsWithout), lines(logs)))
		}

		counts := map[string]int{}
		for _, r := range o.Results {
			if len(r.Active) > 0 {
				counts[series(tagged, r.Provider)]++
			}

			if r.LeftAlone != "" {
				counts[series(notTaggable, r.Provider)]++
			}
		}

		// Each line of the log is about a label that was skipped.
		for _, r := range tags.SkipReasons() {
			counts[skippedSeries(s.profile, r)] = strings.Count(logs, fmt.Sprintf(`"provider":%q,"reason":%q`, s.profile, r))
		}

		if diff := cmp.Diff(counted(counts), scrape(t, s.metrics)); diff != "" {
			t.Fatalf("Success(...): -want series, +got series:\n%s", diff)
		}
	})
}

// TestMetricsOfOtherRuns tests that a run that doesn't succeed counts nothing.
func TestMetricsOfOtherRuns(t *testing.T) {
	m := NewMetrics()
	req := request(namespaced)
	r := &Run{Request: req, Log: logger(&bytes.Buffer{}), Metrics: m, Input: &v1beta1.CloudTags{TTL: metav1.Duration{Duration: time.Minute}}, Required: requiring(req, respond(0, allPropagated()))}

	r.Waiting()
	Fatal(t.Context(), req, r.Log, Fail(ReasonLimitExceeded, errors.New("a")))

	if diff := cmp.Diff(counted(nil), scrape(t, m)); diff != "" {
		t.Errorf("\nA run that waits or fails is told elsewhere.\nWaiting(), Fatal(...): -want series, +got series:\n%s", diff)
	}
}

// TestNoMetrics tests that runs needn't be counted, as when nobody serves them.
func TestNoMetrics(t *testing.T) {
	req := request(namespaced)
	o := &Outcome{
		Skips:   []stamp.Skip{skip("aws", "a", tags.KeyTooLong, "at most 128 characters")},
		Results: []stamp.Result{{Resource: "a", Provider: "aws", Active: map[string]string{"a": "b"}}, {Resource: "b", Provider: "aws", APIVersion: "v1", Kind: "ConfigMap", LeftAlone: "has no tag field"}},
	}

	want := respond(
		time.Minute,
		someSkipped("1 label skipped on aws: key-too-long (a)"),
		warning("KeyTooLong", "aws: skipped 1 label: key-too-long (at most 128 characters): a → plexsphere:a"),
		normal("NotTagged", "not tagged: b (v1 ConfigMap) has no tag field"),
	)
	if diff := cmp.Diff(want, succeed(req, slog.New(slog.DiscardHandler), time.Minute, o), protocmp.Transform()); diff != "" {
		t.Errorf("\nA run without metrics is like any other.\nSuccess(...): -want, +got:\n%s", diff)
	}
}

// TestMetricsOfDialects tests that profiles which only some kinds have count as the
// provider that they belong to.
func TestMetricsOfDialects(t *testing.T) {
	m := NewMetrics()
	s := scenario{
		in:      retaining(),
		metrics: m,
		desired: map[string]*fnv1.Resource{
			"object": {Resource: composite(`{"apiVersion": "s3.aws.m.upbound.io/v1beta1", "kind": "BucketObject", "spec": {"forProvider": {}}}`).GetResource()},
			"bucket": {Resource: composite(`{"apiVersion": "s3.aws.m.upbound.io/v1beta1", "kind": "Bucket", "spec": {"forProvider": {}}}`).GetResource()},
		},
		fields: field.BuiltIn(),
	}
	s.in.ProfileRules = "Cloud"

	for i := range 12 {
		key := fmt.Sprintf("_%04d_", i)
		s.labels = append(s.labels, tags.Label{QualifiedKey: key, TagKey: key, Value: "x"})
	}

	if _, _, _, err := s.run(); err != nil {
		t.Fatal(err)
	}

	// An object of S3 has ten tags at most, three of which the provider adds.
	want := counted(map[string]int{skippedSeries("aws", tags.CountCap): 5, series(tagged, "aws"): 2})
	if diff := cmp.Diff(want, scrape(t, m)); diff != "" {
		t.Errorf("Success(...): -want series, +got series:\n%s", diff)
	}
}
