package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// A Footprint is the memory of a server, in bytes.
type Footprint struct {
	Shape

	Server string `json:"server"`
	AtOnce int    `json:"atOnce"`
	Bursts int    `json:"bursts"`

	// Idle is the memory of a server that has just started, and Peak the most that it ever has. The
	// ratio is to the peak of the last server.
	Idle  int     `json:"idle"`
	Peak  int     `json:"peak"`
	Ratio float64 `json:"ratio"`

	// After is what it has once so much time has passed without a call.
	After []Sample `json:"after"`
}

// A Sample is the memory at a time.
type Sample struct {
	Seconds float64 `json:"seconds"`
	Bytes   int     `json:"bytes"`
}

// idleAfter is the time that a server is left alone once it has started. It is idle then.
const idleAfter = time.Second

// Memory of servers that have just started, and are then called so many times at once, in
// so many bursts. Then they are watched for a while.
func Memory(ctx context.Context, servers []*Server, l *Load, atOnce, bursts int, watch time.Duration) ([]Footprint, error) {
	out := make([]Footprint, len(servers))
	errs := make([]error, len(servers))

	var watching sync.WaitGroup

	for i, s := range servers {
		f := &out[i]
		*f = Footprint{Shape: l.Shape, Server: s.Name, AtOnce: atOnce, Bursts: bursts}

		if errs[i] = f.measure(ctx, s, l); errs[i] != nil {
			break
		}

		watching.Go(func() { errs[i] = f.watch(ctx, s, watch) })
	}

	watching.Wait()

	for i := range out {
		out[i].Ratio = Ratio(float64(out[i].Peak), float64(out[len(out)-1].Peak))
	}

	return out, errors.Join(errs...)
}

// measure the memory of a server before, and while, it is called.
func (f *Footprint) measure(ctx context.Context, s *Server, l *Load) error {
	if err := sleep(ctx, idleAfter); err != nil {
		return err
	}

	idle, err := s.usage()
	if err != nil {
		return err
	}

	for range f.Bursts {
		errs := make([]error, f.AtOnce)

		var calls sync.WaitGroup

		for i := range errs {
			calls.Go(func() { errs[i] = Raw.call(ctx, s, l) })
		}

		calls.Wait()

		if err := errors.Join(errors.Join(errs...), s.forget()); err != nil {
			return err
		}
	}

	used, err := s.usage()
	f.Idle, f.Peak = idle.Resident, used.Peak

	return err
}

// watch samples the memory of a server that isn't called any more.
func (f *Footprint) watch(ctx context.Context, s *Server, longest time.Duration) error {
	start := time.Now()

	for _, at := range []time.Duration{0, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 3 * time.Minute, 4 * time.Minute, 5 * time.Minute, 10 * time.Minute} {
		if at > longest {
			break
		}

		if err := sleep(ctx, time.Until(start.Add(at))); err != nil {
			return err
		}

		now, err := s.usage()
		if err != nil {
			return err
		}

		f.After = append(f.After, Sample{Seconds: at.Seconds(), Bytes: now.Resident})
	}

	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// A Beginning is what a function is before it is called.
type Beginning struct {
	Server string `json:"server"`
	Rounds int    `json:"rounds"`

	// Size of the binary, and Idle memory, in bytes.
	Size int `json:"size"`
	Idle int `json:"idle"`

	// Seconds until it has answered a first call.
	Seconds float64 `json:"seconds"`
}

// Begin starts functions so many times, in turns.
func Begin(ctx context.Context, binaries []Binary, dir string, rounds int) ([]Beginning, error) {
	seconds := make([][]float64, len(binaries))
	idle := make([][]float64, len(binaries))

	for range rounds {
		for i, b := range binaries {
			s, err := b.Serve(ctx, dir)
			if err != nil {
				return nil, err
			}

			err = sleep(ctx, idleAfter)
			now, unread := s.usage()

			s.Stop()

			if err := errors.Join(err, unread); err != nil {
				return nil, err
			}

			seconds[i] = append(seconds[i], s.Took.Seconds())
			idle[i] = append(idle[i], float64(now.Resident))
		}
	}

	out := make([]Beginning, len(binaries))

	for i, b := range binaries {
		info, err := os.Stat(b.Path)
		if err != nil {
			return nil, fmt.Errorf("cannot measure %s: %w", b.Name, err)
		}

		out[i] = Beginning{Server: b.Name, Rounds: rounds, Size: int(info.Size()), Idle: int(median(idle[i])), Seconds: median(seconds[i])}
	}

	return out, nil
}
