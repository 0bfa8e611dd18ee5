package report

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/coverage"
)

// maxConfigMaps is the number of ConfigMaps whose last count is kept. Then a new count replaces the oldest one.
const maxConfigMaps = 100

// A coverageCollector has the last count of each Operation that writes a ConfigMap, by the namespace and name of the ConfigMap,
// such as platform/tag-coverage. A count replaces the whole count before, so that a provider without resources has no series
// any more.
type coverageCollector struct {
	mutex  sync.Mutex
	counts map[string]lastCount
}

// A lastCount has the gauges of a report, and the time when the Operation counted.
type lastCount struct {
	gauges []prometheus.Metric
	at     time.Time
}

func coverageGauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("function_cloud_tags_coverage_"+name, help, append([]string{"configmap"}, labels...), nil)
}

// The gauges of a coverageCollector.
var (
	gaugeTime      = coverageGauge("counted_timestamp_seconds", "Time of the last count of an Operation. Only the pod that counted has it, until it restarts: take the newest one.")
	gaugeResources = coverageGauge("resources", "Resources that can have tags in the last count of an Operation, by tag profile.", "provider")
	gaugeTagged    = coverageGauge("tagged", "Of these, the resources with a tag that their provider doesn't add.", "provider")
	gaugeComplete  = coverageGauge("complete", "Of these, the resources with all required tags, none of which breaks the tag policy.", "provider")
	gaugeDrifted   = coverageGauge("drifted", "Of these, the resources with other tags in the cloud.", "provider")
	gaugeNeedKey   = coverageGauge("key_resources", "Resources that should have a required key, by tag profile.", "provider", "key")
	gaugeHaveKey   = coverageGauge("key_tagged", "Of these, the resources that have the key.", "provider", "key")
)

// Describe sends the descriptions of all gauges.
func (c *coverageCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{gaugeTime, gaugeResources, gaugeTagged, gaugeComplete, gaugeDrifted, gaugeNeedKey, gaugeHaveKey} {
		out <- d
	}
}

// Collect sends the gauges of all counts.
func (c *coverageCollector) Collect(out chan<- prometheus.Metric) {
	c.mutex.Lock()
	counts := maps.Clone(c.counts)
	c.mutex.Unlock()

	for _, last := range counts {
		for _, gauge := range last.gauges {
			out <- gauge
		}
	}
}

// counted keeps the totals of the report if the input has it written to a ConfigMap.
func (m *Metrics) counted(in *v1beta1.Coverage, counted *coverage.Report) {
	if m == nil || in == nil || in.ConfigMap == nil {
		return
	}

	m.coverage.keep(in.ConfigMap.Namespace+"/"+in.ConfigMap.Name, counted)
}

// keep keeps the totals of the report as the last count for the ConfigMap. Keys that nobody requires have no gauges, since users
// could add series with tags.
func (c *coverageCollector) keep(configMap string, counted *coverage.Report) {
	last := lastCount{at: time.Now()}
	add := func(d *prometheus.Desc, value float64, labels ...string) {
		last.gauges = append(last.gauges, prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, append([]string{configMap}, labels...)...))
	}

	add(gaugeTime, float64(last.at.UnixMilli())/1000)

	for _, g := range counted.Totals().Groups {
		add(gaugeResources, float64(g.Taggable), g.Name)
		add(gaugeTagged, float64(g.Tagged), g.Name)
		add(gaugeComplete, float64(g.Taggable-g.Incomplete), g.Name)
		add(gaugeDrifted, float64(g.Drifted), g.Name)

		seen := make(map[string]bool)

		// Long keys are cut, and two of them may be one then.
		for _, k := range g.Keys {
			if counted.Required && !seen[k.Key] {
				seen[k.Key] = true

				add(gaugeNeedKey, float64(k.Resources), g.Name, k.Key)
				add(gaugeHaveKey, float64(k.Tagged), g.Name, k.Key)
			}
		}
	}

	c.mutex.Lock()
	defer c.mutex.Unlock()

	c.counts[configMap] = last

	if len(c.counts) > maxConfigMaps {
		delete(c.counts, slices.MinFunc(slices.Sorted(maps.Keys(c.counts)), func(a, b string) int { return c.counts[a].at.Compare(c.counts[b].at) }))
	}
}
