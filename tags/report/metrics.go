package report

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/plexsphere/function-cloud-tags/tags"
)

// Metrics count what came of labels and resources. All series are there from the
// start: there is one for each tag profile and reason to skip a label, and none
// comes from a request.
type Metrics struct {
	skipped    *prometheus.CounterVec
	tagged     *prometheus.CounterVec
	notTagged  *prometheus.CounterVec
	collectors []prometheus.Collector
}

// NewMetrics returns Metrics that have counted nothing.
func NewMetrics() *Metrics {
	m := &Metrics{
		skipped: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "function_cloud_tags_labels_skipped_total",
			Help: "Labels that did not become tags, by tag profile and reason. A label counts once per run and limit that it breaks, as in the log.",
		}, []string{"provider", "reason"}),
		tagged: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "function_cloud_tags_resources_tagged_total",
			Help: "Composed resources that carry tags of labels, by tag profile. A resource counts once per run.",
		}, []string{"provider"}),
		notTagged: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "function_cloud_tags_resources_not_taggable_total",
			Help: "Composed resources that can't be tagged, by tag profile. A resource counts once per run.",
		}, []string{"provider"}),
	}
	m.collectors = []prometheus.Collector{m.skipped, m.tagged, m.notTagged}

	for _, provider := range tags.ProfileNames() {
		m.tagged.WithLabelValues(provider)
		m.notTagged.WithLabelValues(provider)

		for _, r := range tags.SkipReasons() {
			m.skipped.WithLabelValues(provider, string(r))
		}
	}

	return m
}

// Describe the metrics.
func (m *Metrics) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range m.collectors {
		c.Describe(ch)
	}
}

// Collect the metrics.
func (m *Metrics) Collect(ch chan<- prometheus.Metric) {
	for _, c := range m.collectors {
		c.Collect(ch)
	}
}

// count what came of a run.
func (m *Metrics) count(o *Outcome) {
	if m == nil {
		return
	}

	for _, s := range o.Skips {
		m.skipped.WithLabelValues(s.Provider, string(s.Reason)).Inc()
	}

	for i := range o.Results {
		switch s := &o.Results[i]; {
		case isTagged(s):
			m.tagged.WithLabelValues(s.Provider).Inc()
		case s.LeftAlone != "":
			m.notTagged.WithLabelValues(s.Provider).Inc()
		}
	}
}
