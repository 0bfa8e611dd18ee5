package live

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

	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
)

// How often, and for how long, something is waited for. It takes seconds, but on a
// machine that is busy with other tests it may take much longer.
const (
	pollInterval = 100 * time.Millisecond
	pollTimeout  = 2 * time.Minute
)

// A program that is run in the folder of a cluster. It is killed with the context, or
// with the process that has started it: there is nothing to be saved.
type program struct {
	name   string
	binary string
	args   []string
	env    []string
}

// logFile is where the program writes to.
func (p program) logFile(dir string) string { return filepath.Join(dir, p.name+".log") }

func (p program) command(ctx context.Context, dir string) (*exec.Cmd, *os.File, error) {
	log, err := os.Create(p.logFile(dir))
	if err != nil {
		return nil, nil, err
	}

	cmd := exec.CommandContext(ctx, p.binary, p.args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stdout = log
	cmd.Stderr = log
	cmd.SysProcAttr = withParent()

	return cmd, log, nil
}

// run the program until it has ended.
func (p program) run(ctx context.Context, dir string) error {
	cmd, log, err := p.command(ctx, dir)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // It is the program's.

	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s has failed: %w\n%s", p.name, err, tail(log.Name()))
	}

	return nil
}

// start the program, and wait until it is ready. It ends with the function that is
// returned, or with the context.
func (p program) start(ctx context.Context, dir string, ready func(context.Context) error) (func(), error) {
	ctx, cancel := context.WithCancel(ctx)

	cmd, log, err := p.command(ctx, dir)
	if err != nil {
		cancel()
		return nil, err
	}
	defer log.Close() //nolint:errcheck // It is the program's.

	if err := cmd.Start(); err != nil {
		cancel()
		return nil, err
	}

	exited := make(chan struct{})
	stop := func() { cancel(); <-exited }

	var ended error

	go func() {
		defer close(exited)

		ended = cmd.Wait()
	}()

	var last error

	err = wait.PollUntilContextTimeout(ctx, pollInterval, pollTimeout, true, func(ctx context.Context) (bool, error) {
		select {
		case <-exited:
			return false, fmt.Errorf("%w: %w", errEnded, ended)
		default:
			last = ready(ctx)
			return last == nil, nil
		}
	})
	if err != nil {
		stop()
		return nil, fmt.Errorf("%s isn't ready: %w, %w\n%s", p.name, err, last, tail(log.Name()))
	}

	return stop, nil
}

// errEnded says that a program has ended that should run.
var errEnded = errors.New("it has ended")

// listening starts something that listens on free ports. A port that is free now may be
// taken by the time it listens, so that it ends. Then others are tried.
func listening(ctx context.Context, ports int, start func(ports []int) (func(), error)) (func(), error) {
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

		if !errors.Is(err, errEnded) {
			break
		}
	}

	return nil, errors.Join(errs...)
}

func freePorts(ctx context.Context, n int) ([]int, error) {
	var ports []int

	// They differ, since none is free again until all are known.
	for len(ports) < n {
		l, err := scenario.Listen(ctx)
		if err != nil {
			return nil, err
		}

		defer l.Close() //nolint:errcheck,gocritic // As above.

		ports = append(ports, portOf(l))
	}

	return ports, nil
}

func portOf(l net.Listener) int {
	address, _ := l.Addr().(*net.TCPAddr)
	return address.Port
}

// tail is the end of a file.
func tail(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}

	const most = 8000

	return fmt.Sprintf("The end of %s:\n%s", filepath.Base(file), text[max(0, len(text)-most):])
}
