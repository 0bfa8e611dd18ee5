package report

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// Metrics count what came of labels and resources. All series are there from the
// start: there is one for each tag profile and reason to skip a label, and none
// comes from a request.
type Metrics struct {
	skipped, tagged, notTagged, violations *prometheus.CounterVec
}

// NewMetrics returns Metrics that have counted nothing.
func NewMetrics() *Metrics {
	m := &Metrics{
		skipped: counter("labels_skipped", "Labels that did not become tags, by tag profile and reason. A label counts once per run and limit that it breaks, as in the log.",
			"provider", "reason"),
		tagged:     counter("resources_tagged", "Composed resources that carry tags of labels, by tag profile. A resource counts once per run.", "provider"),
		notTagged:  counter("resources_not_taggable", "Composed resources that can't be tagged, by tag profile. A resource counts once per run.", "provider"),
		violations: counter("policy_violations", "Rules of the tag policy that composed resources break, by tag profile. A resource counts once per run and rule.", "provider"),
	}

	for _, provider := range tags.ProfileNames() {
		m.tagged.WithLabelValues(provider)
		m.notTagged.WithLabelValues(provider)
		m.violations.WithLabelValues(provider)

		for _, r := range tags.SkipReasons() {
			m.skipped.WithLabelValues(provider, string(r))
		}
	}

	return m
}

func counter(of, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "function_cloud_tags", Name: of + "_total", Help: help}, labels)
}

// Collectors of the metrics.
func (m *Metrics) Collectors() []prometheus.Collector {
	return []prometheus.Collector{m.skipped, m.tagged, m.notTagged, m.violations}
}

// count what came of a run.
func (m *Metrics) count(o *sorted) {
	if m == nil {
		return
	}

	for _, s := range o.Skips {
		m.skipped.WithLabelValues(s.Provider, string(s.Reason)).Inc()
	}

	for _, s := range o.tagged {
		m.tagged.WithLabelValues(s.Provider).Inc()
	}

	for _, s := range slices.Concat(o.unknown, o.notTagged) {
		m.notTagged.WithLabelValues(s.Provider).Inc()
	}

	m.violated(o.Violations)
}

// violated counts the supplied violations.
func (m *Metrics) violated(of []stamp.Violation) {
	if m == nil {
		return
	}

	for _, v := range of {
		m.violations.WithLabelValues(v.Provider).Inc()
	}
}
