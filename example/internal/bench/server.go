// Package bench measures functions that are served as processes of their own: how long they
// take, and what CPU time and memory they need.
package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/example/internal/process"
)

// maxMegabytes is how large messages may be: as large as some thousand resources.
const maxMegabytes = 256

// A Binary is the program of a function that has the flags of the SDK's template.
type Binary struct {
	Name string
	Path string

	// Env is what its environment has more than that of this process: NAME=VALUE.
	Env []string
}

// Build the program of a package below the root of the checkout into a folder, as a release
// is built.
func Build(ctx context.Context, root, pkg, dir, name string) (Binary, error) {
	b := Binary{Name: name, Path: filepath.Join(dir, name)}

	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", b.Path, pkg)
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")

	if out, err := build.CombinedOutput(); err != nil {
		return b, fmt.Errorf("cannot build %s: %w\n%s", name, err, out)
	}

	return b, nil
}

// A Server is a process that serves a function.
type Server struct {
	Name string

	// Took is how long it took until it had answered a first call.
	Took time.Duration

	pid     int
	program process.Program
	conn    *grpc.ClientConn
	stop    func()
}

// Serve a function as users do, but for the size of messages and free ports. What it logs
// goes to a file in the folder.
func (b Binary) Serve(ctx context.Context, dir string) (*Server, error) {
	s := &Server{Name: b.Name}

	stop, err := process.Listening(ctx, 2, func(ports []int) (func(), error) {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[0]))
		metrics := net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[1]))

		var started time.Time

		s.program = process.Program{
			Name:    b.Name,
			Binary:  b.Path,
			Args:    []string{"--insecure", "--address", address, "--metrics-address", metrics, "--max-recv-message-size", strconv.Itoa(maxMegabytes)},
			Env:     b.Env,
			Dir:     dir,
			Started: func(p *os.Process) { s.pid, started = p.Pid, time.Now() },
		}

		return s.program.Start(ctx, func(ctx context.Context) error {
			if err := s.connect(ctx, address); err != nil {
				return err
			}

			s.Took = time.Since(started)

			return nil
		})
	})
	if err != nil {
		return nil, err
	}

	s.stop = stop

	return s, nil
}

// connect to the server once it listens, and wait for its answer to a first call.
func (s *Server) connect(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()

	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err == nil {
			_ = conn.Close()
			break
		}

		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Millisecond):
		}
	}

	conn, err := grpc.NewClient(address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMegabytes<<20)))
	if err != nil {
		return fmt.Errorf("cannot connect to %s: %w", address, err)
	}

	if _, err := fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(ctx, &fnv1.RunFunctionRequest{}); err != nil {
		return errors.Join(err, conn.Close())
	}

	s.conn = conn

	return nil
}

// Stop the server.
func (s *Server) Stop() {
	_ = s.conn.Close()
	s.stop()
}

// forget what the server has logged, which may be much.
func (s *Server) forget() error { return os.Truncate(s.program.LogFile(), 0) }

// tick is the unit of times of processes. It is the same on all architectures of Linux.
const tick = 10 * time.Millisecond

// cpu is the time that the server has run on CPUs.
func (s *Server) cpu() (time.Duration, error) {
	text, err := os.ReadFile(s.file("stat"))
	if err != nil {
		return 0, fmt.Errorf("cannot measure CPU time, which needs Linux: %w", err)
	}

	// The name of the program comes second, in brackets, and may have spaces. The times in
	// user and kernel mode come 14th and 15th.
	_, rest, _ := strings.Cut(string(text), ") ")
	total := time.Duration(0)

	for _, f := range strings.Fields(rest)[11:13] {
		n, err := strconv.Atoi(f)
		if err != nil {
			return 0, fmt.Errorf("cannot read %s: %w", s.file("stat"), err)
		}

		total += time.Duration(n) * tick
	}

	return total, nil
}

// memory that the server has, in bytes: what is resident, and what was at its peak.
func (s *Server) memory() (resident, peak int, _ error) {
	text, err := os.ReadFile(s.file("status"))
	if err != nil {
		return 0, 0, fmt.Errorf("cannot measure memory, which needs Linux: %w", err)
	}

	for line := range strings.Lines(string(text)) {
		var kB int

		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kB); n == 1 {
			resident = kB * 1024
		} else if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kB); n == 1 {
			peak = kB * 1024
		}
	}

	return resident, peak, nil
}

func (s *Server) file(name string) string {
	return filepath.Join(string(filepath.Separator), "proc", strconv.Itoa(s.pid), name)
}
