package bench

import (
	"context"
	"runtime"
	"slices"
	"time"
)

// perRound is how many resources a round has at least: it has as many calls.
const perRound = 400

// A Timing is how long a server takes for a call.
type Timing struct {
	Shape

	Client Client `json:"client"`
	Server string `json:"server"`
	Rounds int    `json:"rounds"`
	Calls  int    `json:"calls"`

	// Seconds that a call took in the median round, and that the server ran on CPUs for a
	// call. Their ratios are to those of the last server.
	Seconds    float64 `json:"seconds"`
	Ratio      float64 `json:"ratio"`
	CPUSeconds float64 `json:"cpuSeconds"`
	CPURatio   float64 `json:"cpuRatio"`
}

// Time so many rounds of calls by a client, one after another. Servers take turns, and each
// round begins with another.
func Time(ctx context.Context, servers []*Server, client Client, l *Load, rounds int) ([]Timing, error) {
	calls := max(1, perRound/l.Resources)
	took := make([][]float64, len(servers))
	before := make([]time.Duration, len(servers))

	// The first round is not measured.
	for i, s := range servers {
		err := l.check(ctx, s)
		if err == nil {
			_, err = client.round(ctx, s, l, calls)
		}

		if err == nil {
			before[i], err = s.cpu()
		}

		if err != nil {
			return nil, err
		}
	}

	for n := range rounds {
		for i := range servers {
			i = (i + n) % len(servers)

			seconds, err := client.round(ctx, servers[i], l, calls)
			if err != nil {
				return nil, err
			}

			took[i] = append(took[i], seconds)
		}
	}

	out := make([]Timing, len(servers))

	for i, s := range servers {
		cpu, err := s.cpu()
		if err != nil {
			return nil, err
		}

		out[i] = Timing{Shape: l.Shape, Client: client, Server: s.Name, Rounds: rounds, Calls: calls * rounds}
		out[i].Seconds = median(took[i])
		out[i].CPUSeconds = (cpu - before[i]).Seconds() / float64(calls*rounds)
	}

	last := out[len(out)-1]
	for i := range out {
		out[i].Ratio = Ratio(out[i].Seconds, last.Seconds)
		out[i].CPURatio = Ratio(out[i].CPUSeconds, last.CPUSeconds)
	}

	return out, nil
}

// round of so many calls. It returns the seconds that one of them took.
func (c Client) round(ctx context.Context, s *Server, l *Load, calls int) (float64, error) {
	// What the client has left of others' rounds costs this one nothing.
	runtime.GC()

	start := time.Now()

	for range calls {
		if err := c.call(ctx, s, l); err != nil {
			return 0, err
		}
	}

	return time.Since(start).Seconds() / float64(calls), s.forget()
}

// Ratio of a value to another. It is 0 if the other one is too small to be measured.
func Ratio(of, to float64) float64 {
	if to == 0 {
		return 0
	}

	return of / to
}

// median of values, which it sorts. There must be one.
func median(of []float64) float64 {
	slices.Sort(of)
	return (of[(len(of)-1)/2] + of[len(of)/2]) / 2
}
