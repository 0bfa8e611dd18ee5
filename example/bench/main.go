// Command bench measures the function of this checkout beside a function that does nothing.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/plexsphere/function-cloud-tags/example/internal/attacks"
	"github.com/plexsphere/function-cloud-tags/example/internal/bench"
	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/program"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/load"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

const description = `Measures the function of this checkout beside two others: the echo is made of the SDK and returns the
desired state as it came, and the relay hands its bytes on and decodes nothing. All are served as processes of
their own, and called over gRPC in turns.

time: a call, and the CPU time of the server for it, with few and many resources. expressions: the same of
labels that expressions compute, half of them for each resource, beside those of a field. scale: with ten
times the resources, and ten times the labels. memory: with many calls at once, and afterwards. limits: the
memory and CPU time of one call of a server that has just started, with a request in which somebody has
made one thing as long as can be. start: the size of the binary, the time until it has answered a first
call, and its memory when idle.

CPU time and memory need Linux.`

type cli struct {
	Measure []string

	States    []load.State
	Clients   []bench.Client
	Resources []int
	Labels    int
	Rounds    int

	AtOnce int
	Bursts int
	Watch  time.Duration

	Attacks string

	Env      map[string]string
	Function map[string]string
	JSON     bool
}

// validate the numbers.
func (c *cli) validate() error {
	for _, n := range append([]int{c.Labels + 1, c.Rounds, c.AtOnce, c.Bursts}, c.Resources...) {
		if n < 1 {
			return fmt.Errorf("must be at least 1, and labels 0: got %d", n)
		}
	}

	return nil
}

// parse returns the names as what they name, of which there are these.
func parse[T ~string](names []string, all ...T) ([]T, error) {
	out := words.Map(names, func(name string) T { return T(name) })

	for _, v := range out {
		if !slices.Contains(all, v) {
			return nil, fmt.Errorf("there is no %q: there are %s", v, strings.Join(words.Map(all, func(v T) string { return string(v) }), ", "))
		}
	}

	return out, nil
}

func main() {
	c := &cli{}

	var states, clients []string

	p := &cobra.Command{
		Use: "bench [time|expressions|scale|memory|limits|start]...", Long: description,
		ValidArgs: []string{"time", "expressions", "scale", "memory", "limits", "start"}, Args: cobra.OnlyValidArgs,
		RunE: func(p *cobra.Command, args []string) (err error) {
			if c.Measure = args; len(args) == 0 {
				c.Measure = []string{"time"}
			}

			if c.States, err = parse(states, load.Settled, load.Stable, load.Changed); err != nil {
				return err
			}

			if c.Clients, err = parse(clients, bench.Decoding, bench.Raw); err != nil {
				return err
			}

			if err := c.validate(); err != nil {
				return err
			}

			return c.run(p.Context())
		},
	}

	f := p.Flags()
	f.StringSliceVar(&states, "states", []string{"settled", "stable", "changed"}, "Which resources have the tags: settled: all; stable: the observed ones, as in nearly every reconcile; changed: none.")
	f.StringSliceVar(&clients, "clients", []string{"decoding", "raw"}, "What calls, for time, expressions and scale: decoding: a client that encodes and decodes; raw: one that sends encoded bytes, and decodes nothing.")
	f.IntSliceVar(&c.Resources, "resources", []int{10, 100, 400}, "How many composed resources, for time. Memory is measured with the most.")
	f.IntVar(&c.Labels, "labels", 20, "How many labels.")
	f.IntVar(&c.Rounds, "rounds", 30, "How many rounds. What is said is of the median round.")
	f.IntVar(&c.AtOnce, "at-once", 16, "How many calls at once, for memory.")
	f.IntVar(&c.Bursts, "bursts", 5, "How many times so many calls, for memory.")
	f.DurationVar(&c.Watch, "watch", time.Minute, "How long to look at the memory afterwards.")
	f.StringVar(&c.Attacks, "attacks", "", "Only attacks whose name has this text, for limits.")
	f.StringToStringVar(&c.Env, "env", nil, "Environment of all functions (`NAME=VALUE`), as GOMEMLIMIT=256MiB.")
	f.StringToStringVar(&c.Function, "function", nil, "Binaries of other functions that are measured, too (`NAME=FILE`): before=/tmp/function.")
	f.BoolVar(&c.JSON, "json", false, "Print JSON rather than a table. Times are seconds, and sizes are bytes.")

	program.Main(p)
}

// A session of measuring.
type session struct {
	*cli

	dir      string
	binaries []bench.Binary
	servers  []*bench.Server

	report report
}

func (c *cli) run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return fmt.Errorf("cannot make a temporary folder: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // It is temporary.

	s := &session{cli: c, dir: dir, report: report{
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Processors: runtime.NumCPU(), Time: time.Now().UTC().Truncate(time.Second),
	}}
	if err := s.build(ctx); err != nil {
		return err
	}

	var stop func()

	s.servers, stop, err = s.serve(ctx)
	if err != nil {
		return err
	}
	defer stop()

	for _, m := range c.Measure {
		measure := map[string]func(context.Context) error{"time": s.time, "expressions": s.expressions, "scale": s.scale, "memory": s.memory, "limits": s.limits, "start": s.start}[m]
		if err := measure(ctx); err != nil {
			return fmt.Errorf("cannot measure %s: %w", m, err)
		}
	}

	if c.JSON {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")

		err = e.Encode(s.report)
	} else {
		err = s.report.table(os.Stdout)
	}

	if err != nil {
		return err
	}

	return s.report.check(functions.CloudTags)
}

// build the function of this checkout, which comes first, and the relay and the echo, which come last.
func (s *session) build(ctx context.Context) error {
	root, err := scenario.Root()
	if err != nil {
		return err
	}

	function, err := bench.Build(ctx, root, ".", s.dir, functions.CloudTags)
	if err != nil {
		return err
	}

	echo, err := bench.Build(ctx, root, "./example/internal/echo", s.dir, "echo")
	if err != nil {
		return err
	}

	relay, err := bench.Build(ctx, root, "./example/internal/relay", s.dir, bench.Relay)
	if err != nil {
		return err
	}

	s.binaries = append(s.binaries, function)
	for _, name := range slices.Sorted(maps.Keys(s.Function)) {
		s.binaries = append(s.binaries, bench.Binary{Name: name, Path: s.Function[name]})
	}

	s.binaries = append(s.binaries, relay, echo)

	for i := range s.binaries {
		for name, value := range s.Env {
			s.binaries[i].Env = append(s.binaries[i].Env, name+"="+value)
		}
	}

	return nil
}

// serve all functions, as processes that have just started.
func (s *session) serve(ctx context.Context) (servers []*bench.Server, stop func(), _ error) {
	stop = func() {
		for _, s := range servers {
			s.Stop()
		}
	}

	for _, b := range s.binaries {
		server, err := b.Serve(ctx, s.dir)
		if err != nil {
			stop()
			return nil, nil, err
		}

		servers = append(servers, server)
	}

	return servers, stop, nil
}

func (s *session) load(ctx context.Context, state load.State, resources, labels int) (*bench.Load, error) {
	return bench.NewLoad(ctx, s.servers[0], bench.Shape{State: state, Source: load.Field, Resources: resources, Labels: labels})
}

// computedFor so many resources expressions are timed.
const computedFor = 100

// progressf says on standard error what is measured, since it takes minutes.
func progressf(format string, a ...any) { _, _ = fmt.Fprintf(os.Stderr, format+" …\n", a...) }

func (s *session) time(ctx context.Context) error {
	for _, state := range s.States {
		for _, n := range s.Resources {
			timings, err := s.timings(ctx, state, n, s.Labels)
			if err != nil {
				return err
			}

			s.report.Timings = append(s.report.Timings, timings...)
		}
	}

	return nil
}

func (s *session) timings(ctx context.Context, state load.State, resources, labels int) ([]bench.Timing, error) {
	l, err := s.load(ctx, state, resources, labels)
	if err != nil {
		return nil, err
	}

	return s.each(ctx, "time", s.runs(l))
}

// each client's timings of the runs.
func (s *session) each(ctx context.Context, task string, runs []bench.Run) (out []bench.Timing, _ error) {
	for _, client := range s.Clients {
		progressf("%s, %s, %d resources, %d labels, %s client", task, runs[0].State, runs[0].Resources, runs[0].Labels, client)

		timings, err := bench.Time(ctx, runs, client, s.Rounds)
		if err != nil {
			return nil, err
		}

		out = append(out, timings...)
	}

	return out, nil
}

// runs of all functions with the load.
func (s *session) runs(l *bench.Load) []bench.Run {
	out := make([]bench.Run, len(s.servers))
	for i, server := range s.servers {
		out[i] = bench.Run{Server: server, Load: l}
	}

	return out
}

// expressions are timed in turns with a field that has the same labels.
func (s *session) expressions(ctx context.Context) error {
	for _, state := range s.States {
		var all []bench.Run

		for _, source := range []load.Source{load.Field, load.Name, load.Desired, load.Observed} {
			l, err := bench.NewLoad(ctx, s.servers[0], bench.Shape{State: state, Source: source, Resources: computedFor, Labels: s.Labels})
			if err != nil {
				return err
			}

			all = append(all, s.runs(l)...)
		}

		timings, err := s.each(ctx, "expressions", all)
		if err != nil {
			return err
		}

		for round := range slices.Chunk(timings, len(all)) {
			for i, t := range round {
				field := round[i%len(s.servers)]
				s.report.Expressions = append(s.report.Expressions, computed{Timing: t, OfField: bench.Ratio(t.Seconds, field.Seconds), CPUOfField: bench.Ratio(t.CPUSeconds, field.CPUSeconds)})
			}
		}
	}

	return nil
}

// scale is time with ten times the resources, and ten times the labels.
func (s *session) scale(ctx context.Context) error {
	for _, state := range s.States {
		for _, by := range []struct {
			name string
			to   [][2]int // Resources and labels.
		}{
			{"resources", [][2]int{{10, 20}, {100, 20}, {1000, 20}}},
			{"labels", [][2]int{{100, 10}, {100, 100}, {100, 1000}}},
		} {
			var before []bench.Timing

			for _, n := range by.to {
				timings, err := s.timings(ctx, state, n[0], n[1])
				if err != nil {
					return err
				}

				for i, t := range timings {
					m := scaled{Timing: t, By: by.name}
					if before != nil {
						m.Growth = bench.Ratio(t.Seconds, before[i].Seconds)
						m.CPUGrowth = bench.Ratio(t.CPUSeconds, before[i].CPUSeconds)
					}

					s.report.Scale = append(s.report.Scale, m)
				}

				before = timings
			}
		}
	}

	return nil
}

// limits are measured of functions that do something: the relay and the echo return what they get.
func (s *session) limits(ctx context.Context) error {
	for _, attack := range attacks.All() {
		if !strings.Contains(attack.Name, s.Attacks) {
			continue
		}

		before := 0

		for _, size := range bench.Sizes {
			a := bench.NewAttack(ctx, s.servers[0], &attack, size)
			if a.Bytes == before {
				continue // The function accepts no more.
			}

			before = a.Bytes

			progressf("limits, %s, %.1f MB", attack.Name, mb(a.Bytes))

			for _, b := range s.binaries[:len(s.binaries)-2] {
				if err := s.limit(ctx, b, a); err != nil {
					return err
				}
			}
		}
	}

	return nil
}

// limit measures what one attack costs the program.
func (s *session) limit(ctx context.Context, b bench.Binary, a *bench.Attack) error {
	server, err := b.Serve(ctx, s.dir)
	if err != nil {
		return err
	}
	defer server.Stop()

	bound, err := bench.Limits(ctx, server, a)
	s.report.Limits = append(s.report.Limits, bound)

	return err
}

func (s *session) memory(ctx context.Context) error {
	for _, state := range s.States {
		n := slices.Max(s.Resources)

		l, err := s.load(ctx, state, n, s.Labels)
		if err != nil {
			return err
		}

		progressf("memory, %s, %d times %d resources at once, and %s afterwards", state, s.AtOnce, n, s.Watch)

		servers, stop, err := s.serve(ctx)
		if err != nil {
			return err
		}

		footprints, err := bench.Memory(ctx, servers, l, s.AtOnce, s.Bursts, s.Watch)

		stop()

		if err != nil {
			return err
		}

		s.report.Memory = append(s.report.Memory, footprints...)
	}

	return nil
}

func (s *session) start(ctx context.Context) error {
	progressf("start")

	var err error
	s.report.Start, err = bench.Begin(ctx, s.binaries, s.dir, s.Rounds)

	return err
}
