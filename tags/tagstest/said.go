package tagstest

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Logger returns a logger that writes lines without a time.
func Logger(to io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(to, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{}
			}

			return a
		},
	}))
}

// Scrape returns the lines about the metrics, as Prometheus gets them.
func Scrape(collectors ...prometheus.Collector) []string {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(collectors...)

	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/metrics", http.NoBody))

	return strings.Split(strings.TrimSpace(w.Body.String()), "\n")
}

// Counted returns the series that are not 0. A time has no value here, since no two runs have the same.
func Counted(collectors ...prometheus.Collector) []string {
	lines := slices.DeleteFunc(Scrape(collectors...), func(line string) bool {
		return strings.HasPrefix(line, "#") || strings.HasSuffix(line, " 0")
	})

	return words.Map(lines, func(line string) string {
		if name, _, _ := strings.Cut(line, "{"); strings.HasSuffix(name, "_timestamp_seconds") {
			line = line[:strings.LastIndex(line, " ")]
		}

		return line
	})
}
