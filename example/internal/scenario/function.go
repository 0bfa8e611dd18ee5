package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	healthgrpc "google.golang.org/grpc/health/grpc_health_v1"
)

// A function is a running process of the function of this repository.
type function struct {
	address string
	cancel  context.CancelFunc

	// exited is closed when the process has ended, for the reason err.
	exited chan struct{}
	err    error
}

// startFunction builds the function in a folder and starts it. It is stopped with
// the context.
func startFunction(ctx context.Context, root, dir string, log io.Writer) (*function, error) {
	binary := filepath.Join(dir, "function-cloud-tags")

	build := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
	build.Dir = root

	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cannot build the function: %w\n%s", err, out)
	}

	// A port that is free now may be taken by the time the function listens.
	var errs []error

	for range 3 {
		f, err := serve(ctx, binary, log)
		if err != nil {
			return nil, fmt.Errorf("cannot start the function: %w", err)
		}

		if err = f.ready(ctx); err == nil {
			return f, nil
		}

		lost := f.hasExited()
		f.stop()

		errs = append(errs, err)
		if !lost {
			break
		}
	}

	return nil, fmt.Errorf("cannot start the function: %w", errors.Join(errs...))
}

func serve(ctx context.Context, binary string, log io.Writer) (*function, error) {
	l, err := Listen(ctx)
	if err != nil {
		return nil, err
	}

	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}

	ctx, cancel := context.WithCancel(ctx)

	cmd := exec.CommandContext(ctx, binary, "serve", "--insecure", "--address", address, "--metrics-address", "")
	cmd.Stdout = log
	cmd.Stderr = log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second

	if err := cmd.Start(); err != nil {
		cancel()
		return nil, err
	}

	f := &function{address: address, cancel: cancel, exited: make(chan struct{})}

	go func() {
		f.err = fmt.Errorf("%s has ended: %w", cmd, cmd.Wait())
		close(f.exited)
	}()

	return f, nil
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

// ready waits until the function serves.
func (f *function) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()

	go func() {
		select {
		case <-f.exited:
			cancel()
		case <-ctx.Done():
		}
	}()

	conn, err := grpc.NewClient(f.address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: 20 * time.Millisecond, Multiplier: 1, MaxDelay: 20 * time.Millisecond}}))
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // Nothing is lost with it.

	rsp, err := healthgrpc.NewHealthClient(conn).Check(ctx, &healthgrpc.HealthCheckRequest{}, grpc.WaitForReady(true))

	switch {
	case f.hasExited():
		return f.err
	case err != nil:
		return fmt.Errorf("it does not answer: %w", err)
	case rsp.GetStatus() != healthgrpc.HealthCheckResponse_SERVING:
		return fmt.Errorf("it says it is %s", rsp.GetStatus())
	default:
		return nil
	}
}

// stop the function, and wait until it has ended.
func (f *function) stop() {
	f.cancel()
	<-f.exited
}

func (f *function) hasExited() bool {
	select {
	case <-f.exited:
		return true
	default:
		return false
	}
}
