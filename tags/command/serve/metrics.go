package serve

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/crossplane/function-sdk-go/errors"
)

// serveMetrics serves the metrics of the function, and the metrics of the process, until stop is called. Without an address, it
// serves nothing.
func (c *Command) serveMetrics(ctx context.Context, functionMetrics ...prometheus.Collector) (stop func(), err error) {
	if c.MetricsAddress == "" {
		return func() {}, nil
	}

	registry := prometheus.NewRegistry()
	registry.MustRegister(functionMetrics...)
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	lis, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.MetricsAddress)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot listen for metrics connections at address %q", c.MetricsAddress)
	}

	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))

	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 30 * time.Second}

	go func() { _ = srv.Serve(lis) }() // Close ends it.

	return func() { _ = srv.Close() }, nil
}
