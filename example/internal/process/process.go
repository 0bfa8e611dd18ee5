// Package process runs programs beside the one that uses it: it waits until they are ready,
// keeps what they log, and ends them.
package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// How often, and for how long, something is waited for. It takes seconds, but on a
// machine that is busy with other tests it may take much longer.
const (
	pollInterval = 100 * time.Millisecond
	pollTimeout  = 4 * time.Minute
)

// ErrEnded says that a program has ended, though it should run.
var ErrEnded = errors.New("it has ended")

// A Program is run in a folder. It is killed with the context, or with the process that
// has started it: there is nothing to be saved.
type Program struct {
	Name   string
	Binary string
	Args   []string
	Env    []string

	// Dir is the folder that it runs in, and that has its log, to which each run of it adds.
	Dir string

	// Started is called with the process as soon as it runs, if somebody wants to know it.
	Started func(*os.Process)
}

// LogFile is where the program writes to.
func (p Program) LogFile() string { return filepath.Join(p.Dir, p.Name+".log") }

// Run the program until it has ended.
func (p Program) Run(ctx context.Context) error {
	cmd, log, err := p.command(ctx)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // It is the program's.

	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s has failed: %w\n%s", p.Name, err, Tail(log.Name()))
	}

	return nil
}

// Start the program, and wait until it is ready. It ends with the function that is
// returned, or with the context.
func (p Program) Start(ctx context.Context, ready func(context.Context) error) (func(), error) {
	ctx, cancel := context.WithCancel(ctx)

	cmd, log, err := p.command(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	defer log.Close() //nolint:errcheck // It is the program's.

	if err := cmd.Start(); err != nil {
		cancel()
		return nil, err
	}

	if p.Started != nil {
		p.Started(cmd.Process)
	}

	exited := make(chan struct{})
	stop := func() { cancel(); <-exited }

	var ended error

	go func() {
		defer close(exited)

		ended = cmd.Wait()
	}()

	err = Eventually(ctx, func(ctx context.Context) error {
		select {
		case <-exited:
			return fmt.Errorf("%w: %w", ErrEnded, ended)
		default:
			return ready(ctx)
		}
	})
	if err != nil {
		stop()
		return nil, fmt.Errorf("%s isn't ready: %w\n%s", p.Name, err, Tail(log.Name()))
	}

	return stop, nil
}

func (p Program) command(ctx context.Context) (*exec.Cmd, *os.File, error) {
	log, err := os.OpenFile(p.LogFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, err
	}

	cmd := exec.CommandContext(ctx, p.Binary, p.Args...)
	cmd.Dir = p.Dir
	cmd.Env = append(os.Environ(), p.Env...)
	cmd.Stdout = log
	cmd.Stderr = log
	cmd.SysProcAttr = withParent()

	return cmd, log, nil
}

// Eventually waits until objection returns nil. That a program has ended is final.
func Eventually(ctx context.Context, objection func(context.Context) error) error {
	var last error

	err := wait.PollUntilContextTimeout(ctx, pollInterval, pollTimeout, true, func(ctx context.Context) (bool, error) {
		if err := objection(ctx); err == nil || ctx.Err() == nil || last == nil { // An attempt that is cut short has no more to say.
			last = err
		}

		return last == nil || errors.Is(last, ErrEnded), nil
	})

	return errors.Join(err, last)
}

// Listening starts a program on free ports. A port that is free now may be taken by the
// time it listens, so that it ends. Then others are tried.
func Listening(ctx context.Context, ports int, start func(ports []int) (func(), error)) (func(), error) {
	var errs []error

	for range 3 {
		free, err := freePorts(ctx, ports)
		if err != nil {
			return nil, err
		}

		stop, err := start(free)
		if err == nil {
			return stop, nil
		}

		errs = append(errs, err)

		if !errors.Is(err, ErrEnded) {
			break
		}
	}

	return nil, errors.Join(errs...)
}

func freePorts(ctx context.Context, n int) ([]int, error) {
	var ports []int

	// They differ, since none is free again until all are known.
	for len(ports) < n {
		l, err := Listen(ctx)
		if err != nil {
			return nil, err
		}

		defer l.Close() //nolint:errcheck,gocritic // As above.

		ports = append(ports, PortOf(l))
	}

	return ports, nil
}

// Listen on a free port that only this machine can reach.
func Listen(ctx context.Context) (net.Listener, error) {
	var config net.ListenConfig

	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cannot find a free port: %w", err)
	}

	return l, nil
}

// PortOf returns the port that a listener listens on.
func PortOf(l net.Listener) int {
	address, _ := l.Addr().(*net.TCPAddr)
	return address.Port
}

// Tail returns the end of a file.
func Tail(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}

	const limit = 8000

	return fmt.Sprintf("The end of %s:\n%s", filepath.Base(file), text[max(0, len(text)-limit):])
}
