package report

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
)

// Metrics count runs, labels and resources. All series of counters are there from the start: there is one for each tag profile
// and each reason, and none comes from a request. Gauges have the last counts of Operations.
type Metrics struct {
	runs, skipped, trustedSkipped, cloudRefuses, tagged, notTagged, unknown, violations *prometheus.CounterVec

	empty, tooLarge prometheus.Counter

	coverage coverageCollector
}

// NewMetrics returns Metrics without any count.
func NewMetrics() *Metrics {
	m := &Metrics{
		runs: counter("runs", "Runs by the reason of the condition that they set, those that fail the pipeline among them. A call that only waits is none.", "reason"),
		skipped: counter("labels_skipped", "Labels that did not become tags, or were not handed on (provider composite), by tag profile and reason. A label counts once per run and limit that it breaks, as in the log.",
			"provider", "reason"),
		trustedSkipped: counter("trusted_labels_skipped", "Those of the skipped labels that trusted sources give, by tag profile. They count as all do.", "provider"),
		cloudRefuses:   counter("tags_refused_by_cloud", "Tags that the cloud's own API refuses, by tag profile. A tag counts once per run.", "provider"),
		tagged:         counter("resources_tagged", "Composed resources that carry tags of labels, by tag profile. A resource counts once per run.", "provider"),
		notTagged:      counter("resources_not_taggable", "Composed resources that can't be tagged, by tag profile. A resource counts once per run.", "provider"),
		unknown:        counter("resources_unknown", "Managed resources that may or may not have a tag field, by tag profile. A resource counts once per run.", "provider"),
		violations:     counter("policy_violations", "Rules of the tag policy that composed resources break, by tag profile. A resource counts once per run and rule.", "provider"),
		empty:          counter("sources_empty", "Sources that found no labels. A source counts once per run.").WithLabelValues(),
		tooLarge:       counter("requests_too_large", "Requests that were refused because of their size.").WithLabelValues(),
		coverage:       coverageCollector{counts: make(map[string]lastCount)},
	}

	for _, reason := range append(slices.Clone(ranked), failures...) {
		m.runs.WithLabelValues(reason)
	}

	for _, provider := range profile.Names() {
		for _, vec := range []*prometheus.CounterVec{m.cloudRefuses, m.tagged, m.notTagged, m.unknown, m.violations} {
			vec.WithLabelValues(provider)
		}
	}

	for _, provider := range append(profile.Names(), profile.Composite().Name) {
		m.trustedSkipped.WithLabelValues(provider)

		for _, r := range profile.SkipReasons() {
			m.skipped.WithLabelValues(provider, string(r))
		}
	}

	return m
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "function_cloud_tags", Name: name + "_total", Help: help}, labels)
}

// Collectors returns the collectors of the metrics.
func (m *Metrics) Collectors() []prometheus.Collector {
	return []prometheus.Collector{m.runs, m.skipped, m.trustedSkipped, m.cloudRefuses, m.tagged, m.notTagged, m.unknown, m.violations, m.empty, m.tooLarge, &m.coverage}
}

// ran counts the run of the response. A response without a condition only waits, and is no run.
func (m *Metrics) ran(rsp *fnv1.RunFunctionResponse) {
	if m == nil {
		return
	}

	for _, c := range rsp.GetConditions() {
		m.runs.WithLabelValues(c.GetReason()).Inc()
	}
}

// TooLarge counts a request that was refused because of its size.
func (m *Metrics) TooLarge() { m.tooLarge.Inc() }

// count the findings.
func (m *Metrics) count(f *findings) {
	if m == nil {
		return
	}

	m.empty.Add(float64(len(f.empty)))

	for _, s := range f.Skips {
		m.skipped.WithLabelValues(s.Provider, string(s.Reason)).Inc()

		if s.Trusted {
			m.trustedSkipped.WithLabelValues(s.Provider).Inc()
		}
	}

	for _, s := range f.CloudRefuses {
		m.cloudRefuses.WithLabelValues(s.Provider).Inc()
	}

	for vec, results := range map[*prometheus.CounterVec][]*stamp.Result{m.tagged: f.tagged, m.notTagged: f.notTagged, m.unknown: f.unknown} {
		for _, s := range results {
			if !s.HandsLabelsOn {
				vec.WithLabelValues(s.Provider).Inc()
			}
		}
	}

	m.violated(f.Violations)
}

// violated counts violations.
func (m *Metrics) violated(violations []tagpolicy.Violation) {
	if m == nil {
		return
	}

	for _, v := range violations {
		for provider, count := range v.Providers {
			m.violations.WithLabelValues(provider).Add(float64(count))
		}
	}
}
