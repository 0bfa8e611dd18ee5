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

	// Env has variables NAME=VALUE, which the server gets beside the variables of this process.
	Env []string
}

// Build the program of a package below the root of the checkout into a folder, as a release
// is built.
func Build(ctx context.Context, root, pkg, dir, name string) (Binary, error) {
	b := Binary{Name: name, Path: filepath.Join(dir, name)}

	build := exec.CommandContext(ctx, "go", "build", "-tags=grpcnotrace", "-trimpath", "-ldflags=-s -w", "-o", b.Path, pkg)
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

// Serve starts a function as users do, but for the size of messages and free ports. Its log
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
			Env:     append([]string{fmt.Sprintf("MAX_SEND_MESSAGE_SIZE=%d", maxMegabytes)}, b.Env...), // Not all have a flag for it.
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

// usage of the server's process.
func (s *Server) usage() (process.Usage, error) { return process.UsageOf(s.pid) }
