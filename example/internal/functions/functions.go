// Package functions has the composition functions that scenarios and clusters use: the
// function of this repository, as a process, and the test function.
package functions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/grpc"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/example/internal/process"
	"github.com/plexsphere/function-cloud-tags/example/internal/testfunction"
	"github.com/plexsphere/function-cloud-tags/tags/command/remote"
	"github.com/plexsphere/function-cloud-tags/tags/command/serve"
)

// Names of the functions that Compositions can use.
const (
	CloudTags     = "function-cloud-tags"
	TestResources = "function-test-resources"
)

// A Function that pipelines call.
type Function interface {
	RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)
}

// A Func is a Function.
type Func func(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)

// RunFunction calls the Func.
func (f Func) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return f(ctx, req)
}

// Program is the function of this repository, with arguments, in the folder. The module in root has it. Go keeps the executable of go run in its
// cache, so that only the first call after a change builds anything.
func Program(ctx context.Context, root, dir string, args ...string) (process.Program, error) {
	p := process.Program{Name: CloudTags, Args: args, Dir: dir}

	for range 2 { // After a change, the first go run removes its executable, and the second has the one in the cache.
		run := exec.CommandContext(ctx, "go", "run", "-exec", "echo", ".") // It prints the path of the executable, and runs nothing.
		run.Dir = root

		out, err := run.Output()
		if exit := (&exec.ExitError{}); errors.As(err, &exit) {
			err = fmt.Errorf("%w\n%s", err, exit.Stderr)
		}

		if err != nil {
			return p, fmt.Errorf("cannot build the function: %w", err)
		}

		p.Binary = strings.TrimSpace(string(out))
		if _, err := os.Stat(p.Binary); err == nil {
			return p, nil
		}
	}

	return p, fmt.Errorf("cannot build the function: Go doesn't keep %s in its cache", p.Binary)
}

// Running functions, by name.
type Running struct {
	Functions map[string]Function

	program process.Program
	metrics string // Where it serves them.
	stop    []func()
}

// Start starts the functions. The function of this repository runs until they are stopped, or the context
// is done.
func Start(ctx context.Context, root string) (*Running, error) {
	dir, err := os.MkdirTemp("", "functions-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a temporary folder: %w", err)
	}

	r := &Running{stop: []func(){func() { _ = os.RemoveAll(dir) }}}
	if err := r.start(ctx, root, dir); err != nil {
		r.Stop()
		return nil, err
	}

	return r, nil
}

func (r *Running) start(ctx context.Context, root, dir string) error {
	socket := filepath.Join(dir, "function.sock")

	p, err := Program(ctx, root, dir)
	if err != nil {
		return err
	}

	stop, err := process.Listening(ctx, 1, func(ports []int) (func(), error) {
		r.metrics = fmt.Sprintf("127.0.0.1:%d", ports[0])
		p.Args = []string{"serve", "--insecure", "--network", "unix", "--address", socket, "--metrics-address", r.metrics}

		return p.Start(ctx, func(ctx context.Context) error {
			conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
			if err != nil {
				return err
			}

			return conn.Close()
		})
	})
	if err != nil {
		return err
	}

	r.program = p
	r.stop = append(r.stop, stop)

	f, err := remote.Connect("unix:" + socket)
	if err != nil {
		return err
	}

	r.stop = append(r.stop, f.Close)
	r.Functions = map[string]Function{CloudTags: f, TestResources: testfunction.Function{}}

	return nil
}

// Metrics that the function of this repository serves.
func (r *Running) Metrics(ctx context.Context) (string, error) {
	return process.Get(ctx, http.DefaultClient, "http://"+r.metrics+"/metrics")
}

// Log is what the function of this repository has logged.
func (r *Running) Log() string {
	text, err := os.ReadFile(r.program.LogFile())
	if err != nil {
		return err.Error()
	}

	return string(text)
}

// maxLog is the number of lines that LastLog returns. The log of all scenarios has thousands.
const maxLog = 20

// LastLog returns the last lines of Log.
func (r *Running) LastLog() string { return lastLines(r.Log(), maxLog) }

// lastLines returns the last n lines of the text.
func lastLines(text string, n int) string {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")

	return strings.Join(lines[max(0, len(lines)-n):], "")
}

// Explain returns what the program of this repository explains.
func (r *Running) Explain(ctx context.Context, in io.Reader, args ...string) (string, error) {
	explain := exec.CommandContext(ctx, r.program.Binary, append([]string{"explain"}, args...)...)
	explain.Stdin = in
	out, err := explain.CombinedOutput()

	return string(out), err
}

// Stop the functions, and remove what they have left.
func (r *Running) Stop() {
	for _, stop := range slices.Backward(r.stop) {
		stop()
	}
}

// Serve a function on a listener, to any version of Crossplane, until the function that is returned
// is called.
func Serve(f Function, l net.Listener) (stop func()) {
	srv := grpc.NewServer()
	serve.Register(srv, server{Function: f})

	ended := make(chan struct{})

	go func() {
		defer close(ended)

		_ = srv.Serve(l) // It ends when it is stopped.
	}()

	return func() { srv.Stop(); <-ended }
}

type server struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
	Function
}

// RunFunction calls the Function.
func (s server) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return s.Function.RunFunction(ctx, req)
}
