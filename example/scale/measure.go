package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/plexsphere/function-cloud-tags/example/internal/process"
)

// counts at a time, since the cluster was started.
type counts struct {
	at     time.Time
	calls  int
	used   map[string]process.Usage
	writes map[string]int // By key in etcd.
}

func (s *session) counts(ctx context.Context) (counts, error) {
	out := counts{at: time.Now(), used: make(map[string]process.Usage), writes: make(map[string]int)}

	for key, h := range s.watcher.Histories() {
		out.writes[key] = len(h.Writes)
	}

	for _, name := range parts {
		used, err := s.used(name)
		if err != nil {
			return out, err
		}

		out.used[name] = used
	}

	var err error
	out.calls, err = s.calls(ctx)

	return out, err
}

// calls of the function, by its own metrics.
func (s *session) calls(ctx context.Context) (int, error) {
	metrics, err := s.Metrics(ctx)
	if err != nil {
		return 0, err
	}

	total := 0.0

	for line := range strings.Lines(metrics) {
		if !strings.HasPrefix(line, "grpc_server_handled_total{") || !strings.Contains(line, `grpc_method="RunFunction"`) {
			continue
		}

		_, value, _ := strings.Cut(line, "} ")

		n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil {
			return 0, fmt.Errorf("cannot read a metric of the function: %w", err)
		}

		total += n
	}

	return int(total), nil
}

// used by all processes of a part.
func (s *session) used(name string) (process.Usage, error) {
	used, err := s.Part(name).Usage()
	ended := s.ended[name]
	used.CPU += ended.CPU
	used.Peak = max(used.Peak, ended.Peak)

	return used, err
}

// measure what something costs until it is done.
func (s *session) measure(ctx context.Context, name string, do func(context.Context) error, quiet time.Duration, calls int) error {
	before, err := s.counts(ctx)
	if err != nil {
		return err
	}

	if err := do(ctx); err != nil {
		return err
	}

	if err := s.fleet.ConvergedIn(ctx, s.watcher.Objects, s.whole.Objection); err != nil {
		return err
	}

	quietAt, err := s.done(ctx, quiet, before.calls+calls)
	if err != nil {
		return err
	}

	after, err := s.counts(ctx)
	if err != nil {
		return err
	}

	p := phase{Name: name, QuietSeconds: quietAt.Sub(before.at).Seconds(), Calls: after.calls - before.calls, CPUSeconds: make(map[string]float64)}
	p.CallsPerXR = float64(p.Calls) / float64(len(s.fleet.XRs))

	for _, name := range parts {
		p.CPUSeconds[name] = (after.used[name].CPU - before.used[name].CPU).Seconds()
	}

	s.written(&p, before)
	s.report.Phases = append(s.report.Phases, p)

	return s.watcher.Err(ctx)
}

// done waits until the function was called so often since the cluster was started, and until nothing
// is written and the function is not called, but for the ttl, for some time. It returns when
// that began.
func (s *session) done(ctx context.Context, quiet time.Duration, called int) (time.Time, error) {
	// Calls of the ttl come in waves.
	usual := 2 + int(2*float64(s.XRs)*float64(quiet)/float64(s.ttl))

	since, calls := time.Now(), -1

	for start := time.Now(); time.Since(start) < patience; {
		n, err := s.calls(ctx)
		if err != nil {
			return since, err
		}

		if last := s.lastWrite(); last.After(since) {
			since, calls = last, n
		}

		if calls < 0 || n-calls > usual {
			since, calls = time.Now(), n
		}

		if n >= called && time.Since(since) >= quiet {
			return since, nil
		}

		select {
		case <-ctx.Done():
			return since, ctx.Err()
		case <-time.After(lookInterval):
		}
	}

	return since, errors.New("there is no end of writes and calls")
}

func (s *session) lastWrite() time.Time {
	var last time.Time

	for _, h := range s.watcher.Histories() {
		if n := len(h.Writes); n > 0 && h.Writes[n-1].At.After(last) {
			last = h.Writes[n-1].At
		}
	}

	return last
}

// written says what was written since before.
func (s *session) written(p *phase, before counts) {
	p.OfResources, p.OfXRs = newWrites(), newWrites()

	for key, h := range s.watcher.Histories() {
		isXR := strings.Contains(key, "/stacks/")

		sum := p.OfResources
		if isXR {
			sum = p.OfXRs
		}

		since := h.Writes[before.writes[key]:]
		sum.add(since)

		if n := len(since); n > 0 && !isXR {
			p.TaggedSeconds = max(p.TaggedSeconds, since[n-1].At.Sub(before.at).Seconds())
		}

		if isXR && h.Object != nil && unresponsive(h.Object) {
			p.Unresponsive++
		}
	}

	p.OfResources.sum()
	p.OfXRs.sum()
}

// peaks of the memory of all parts.
func (s *session) peaks() error {
	s.report.PeakBytes = make(map[string]int)

	for _, name := range parts {
		used, err := s.used(name)
		if err != nil {
			return err
		}

		s.report.PeakBytes[name] = used.Peak
	}

	return nil
}
