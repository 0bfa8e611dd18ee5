package serve

import (
	"context"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Limits of clients that scrape metrics. With more scrapes at once than maxScrapes, others are answered with status 503.
const (
	maxScrapes     = 4
	scrapeTimeout  = 5 * time.Second
	maxHeaderBytes = 8 << 10
)

// serveMetrics serves the metrics of the function, and the metrics of the process, until stop is called. Without an address, it
// serves nothing.
func (c *Command) serveMetrics(ctx context.Context, functionMetrics ...prometheus.Collector) (stop func(), err error) {
	if c.MetricsAddress == "" {
		return func() {}, nil
	}

	registry := prometheus.NewRegistry()
	registry.MustRegister(functionMetrics...)
	registry.MustRegister(c.buildInfo())
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	lis, err := listenPlain(ctx, "metrics", c.MetricsAddress)
	if err != nil {
		return nil, err
	}

	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes}))

	srv := &http.Server{
		Handler:     mux,
		ReadTimeout: scrapeTimeout, WriteTimeout: scrapeTimeout, IdleTimeout: scrapeTimeout,
		MaxHeaderBytes: maxHeaderBytes,
	}

	go func() { _ = srv.Serve(lis) }() // Close ends it.

	return func() { _ = srv.Close() }, nil
}

// buildInfo returns a metric that is 1. Its labels are the version and the revision of the program.
func (c *Command) buildInfo() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "function_cloud_tags", Name: "build_info",
		Help:        "1, with the version and the revision of the function, and the version of Go that built it.",
		ConstLabels: prometheus.Labels{"version": c.Version, "revision": c.Revision, "goversion": runtime.Version()},
	}, func() float64 { return 1 })
}
