package bench

import (
	"context"
	"runtime"
	"slices"
	"time"
)

// perRound is how many resources a round has at least: it has as many calls.
const perRound = 400

// Relay is the name of the server that decodes nothing. It is the limit: no function can do less.
const Relay = "relay"

// A Timing is how long a server takes for a call.
type Timing struct {
	Shape

	Client Client `json:"client"`
	Server string `json:"server"`
	Rounds int    `json:"rounds"`
	Calls  int    `json:"calls"`

	// Seconds that a call took in the median round, and that the server ran on CPUs for a
	// call. Their ratios are to the last server with the same load, and to the Relay.
	Seconds    float64 `json:"seconds"`
	Ratio      float64 `json:"ratio"`
	OfRelay    float64 `json:"ofRelay"`
	CPUSeconds float64 `json:"cpuSeconds"`
	CPURatio   float64 `json:"cpuRatio"`
	CPUOfRelay float64 `json:"cpuOfRelay"`
}

// A Run is a server and the load that it is called with.
type Run struct {
	*Server
	*Load
}

// calls of a round.
func (r *Run) calls() int { return max(1, perRound/r.Resources) }

// Time so many rounds of calls by a client, one after another. Runs take turns, and each
// round begins with another.
func Time(ctx context.Context, runs []Run, client Client, rounds int) ([]Timing, error) {
	took := make([][]float64, len(runs))
	spent := make([]time.Duration, len(runs))

	// The first round is not measured.
	for _, r := range runs {
		err := r.check(ctx, r.Server)
		if err == nil {
			_, _, err = client.round(ctx, &r)
		}

		if err != nil {
			return nil, err
		}
	}

	for n := range rounds {
		for i := range runs {
			i = (i + n) % len(runs)

			seconds, cpu, err := client.round(ctx, &runs[i])
			if err != nil {
				return nil, err
			}

			took[i] = append(took[i], seconds)
			spent[i] += cpu
		}
	}

	out := make([]Timing, len(runs))
	last, relay := make(map[*Load]*Timing), make(map[*Load]*Timing)

	for i, r := range runs {
		t := &out[i]
		*t = Timing{Shape: r.Shape, Client: client, Server: r.Name, Rounds: rounds, Calls: r.calls() * rounds}
		t.Seconds = median(took[i])
		t.CPUSeconds = spent[i].Seconds() / float64(t.Calls)
		last[r.Load] = t

		if r.Name == Relay {
			relay[r.Load] = t
		}
	}

	for i, r := range runs {
		out[i].Ratio = Ratio(out[i].Seconds, last[r.Load].Seconds)
		out[i].CPURatio = Ratio(out[i].CPUSeconds, last[r.Load].CPUSeconds)

		if limit := relay[r.Load]; limit != nil {
			out[i].OfRelay, out[i].CPUOfRelay = Ratio(out[i].Seconds, limit.Seconds), Ratio(out[i].CPUSeconds, limit.CPUSeconds)
		}
	}

	return out, nil
}

// round makes one round of calls. It returns the seconds of a call, and the server's CPU time for all.
func (c Client) round(ctx context.Context, r *Run) (seconds float64, cpu time.Duration, _ error) {
	// This round doesn't pay for garbage of the client's earlier rounds.
	runtime.GC()

	before, err := r.usage()
	if err != nil {
		return 0, 0, err
	}

	start := time.Now()

	for range r.calls() {
		if err := c.call(ctx, r.Server, r.Load); err != nil {
			return 0, 0, err
		}
	}

	seconds = time.Since(start).Seconds() / float64(r.calls())

	after, err := r.usage()
	if err != nil {
		return 0, 0, err
	}

	return seconds, after.CPU - before.CPU, r.forget()
}

// Ratio returns value / to. It returns 0 if to is too small to be measured.
func Ratio(value, to float64) float64 {
	if to == 0 {
		return 0
	}

	return value / to
}

// median returns the median of at least one value. It sorts the values.
func median(values []float64) float64 {
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}
