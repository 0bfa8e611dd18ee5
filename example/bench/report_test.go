package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/example/internal/bench"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/load"
)

func TestPrint(t *testing.T) {
	shape := bench.Shape{State: load.Settled, Source: load.Name, Resources: 10, Labels: 20, Bytes: 131_000}
	timing := bench.Timing{Shape: shape, Client: bench.Raw, Server: "fn", Rounds: 30, Calls: 1200, Seconds: 0.0015, Ratio: 0.5, OfRelay: 1.3, CPUSeconds: 0.0012, CPURatio: 0.4, CPUOfRelay: 2.7}

	cases := map[string]struct {
		reason string
		report report
		want   string
	}{
		"Nothing": {
			reason: "What was not measured has no table.",
			want:   "go1 os/arch, 2 CPUs, 2026-01-02T03:04:05Z\n",
		},
		"Everything": {
			reason: "Each measure has a table.",
			report: report{
				Timings:     []bench.Timing{timing},
				Expressions: []computed{{Timing: timing, OfField: 1.1, CPUOfField: 1.2}},
				Scale:       []scaled{{Timing: timing, By: "labels"}, {Timing: timing, By: "labels", Growth: 9.96, CPUGrowth: 8.04}},
				Memory:      []bench.Footprint{{Shape: shape, Server: "fn", AtOnce: 16, Bursts: 5, Idle: 20e6, Peak: 200e6, Ratio: 0.25, After: []bench.Sample{{Bytes: 150e6}, {Seconds: 300, Bytes: 30e6}}}},
				Limits: []bench.Bound{
					{Server: "fn", Attack: "labels", Bytes: 1e6, Response: 20e3, Memory: 99e6, CPUSeconds: 0.99, Fatal: "too many"},
					{Server: "fn", Attack: "patterns", Bytes: 4e6, Memory: 1e6, CPUSeconds: 1.99},
				},
				Start: []bench.Beginning{{Server: "fn", Rounds: 3, Size: 19.96e6, Idle: 18e6, Seconds: 0.02}},
			},
			want: `go1 os/arch, 2 CPUs, 2026-01-02T03:04:05Z

    state  resources  labels    MB  client  function    ms  of echo  of relay  CPU ms  of echo  of relay  calls
  settled         10      20  0.13     raw        fn  1.50     0.50      1.30    1.20     0.40      2.70   1200

    state  labels of  resources  labels    MB  client  function    ms  of field  of echo  CPU ms  of field  of echo  calls
  settled       name         10      20  0.13     raw        fn  1.50      1.10     0.50    1.20      1.20     0.40   1200

    state  resources  labels    MB  client  function    ms  growth  of echo  CPU ms  growth  of echo  calls
  settled         10      20  0.13     raw        fn  1.50       -     0.50    1.20       -     0.40   1200
  settled         10      20  0.13     raw        fn  1.50    10.0     0.50    1.20     8.0     0.40   1200

    state  resources  at once  bursts  function  idle MB  peak MB  of echo           MB after
  settled         10       16       5        fn       20      200     0.25  0s: 150, 300s: 30

    attack    MB  function  MB above idle  CPU ms  response MB  refused  bounds
    labels  1.00        fn             99     990         0.02     true    kept
  patterns  4.00        fn              1    1990         0.00    false    kept

  function  binary MB  idle MB  ms until it answers  starts
        fn       20.0     18.0                   20       3
`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.report.Go, tc.report.Platform, tc.report.Processors = "go1", "os/arch", 2
			tc.report.Time = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

			var got bytes.Buffer
			if err := tc.report.table(&got); err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, got.String()); diff != "" {
				t.Errorf("\n%s\ntable(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	cases := map[string]struct {
		reason string
		limits []bench.Bound
		want   string
	}{
		"Within": {
			reason: "An attack may take 100 MB, and a second for each of two sizes.",
			limits: []bench.Bound{{Server: "fn", Bytes: 1e6, Memory: 100e6, CPUSeconds: 1}, {Server: "fn", Bytes: 4e6, CPUSeconds: 2}},
		},
		"Over": {
			reason: "What takes more is named.",
			limits: []bench.Bound{
				{Server: "fn", Attack: "a", Bytes: 1e6, Memory: 101e6}, {Server: "fn", Attack: "b", Bytes: 1e6, CPUSeconds: 1.01}, {Server: "fn", Attack: "c", Bytes: 4e6, CPUSeconds: 2.01},
			},
			want: "a (1.00 MB) takes more than 100 MB\nb (1.00 MB) takes more than 1 s\nc (4.00 MB) takes more than 2 s",
		},
		"Other": {
			reason: "Another function is there to compare with.",
			limits: []bench.Bound{{Server: "before", Bytes: 1e6, Memory: 3e9}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := (report{Limits: tc.limits}).check("fn"); err != nil {
				got = err.Error()
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\ncheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
