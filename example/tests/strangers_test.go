package tests

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/example/internal/process"
)

// A served function has a port for each of its services. Calls need the client's certificate.
type served struct {
	calls, metrics, health string

	client *tls.Config
	pid    int
}

// strangers open connections to a port of the function, each in its own way, and keep them until ctx is done.
var strangers = []struct {
	name, reason string
	come         func(s *served, ctx context.Context) error
}{
	{name: "Scrapers", reason: "Who asks for metrics, and never reads them, should be cut.", come: (*served).scrapeUnread},
	{name: "Idle", reason: "A connection of Crossplane that does nothing should hold no large buffers.", come: (*served).idle},
	{name: "Silent", reason: "Who never ends a TLS handshake should be cut after 10 s.", come: (*served).neverShakeHands},
	{name: "Probers", reason: "Connections without a probe should keep no probe from an answer.", come: (*served).probeNothing},
}

// TestStrangers has 2,000 strangers of each kind, in the end all at once. The function has less memory than the limit of
// package/deploy, and answers calls and probes. Nothing else should run meanwhile, since times are measured.
func TestStrangers(t *testing.T) { //nolint:paralleltest // As the comment says.
	asked(t)

	const (
		each   = 2000
		memory = 256 << 20
		call   = 200 * time.Millisecond // the median of many
		probe  = time.Second            // of two in a row, as package/deploy has it, the faster one
	)

	s := serveCertified(t)
	ctx, leave := context.WithCancel(t.Context())

	var all sync.WaitGroup
	defer all.Wait()
	defer leave()

	for _, kind := range strangers {
		t.Run(kind.name, func(*testing.T) {
			for range each {
				all.Go(func() {
					if err := kind.come(s, ctx); err != nil && ctx.Err() == nil {
						t.Errorf("%s: %s: %v", kind.name, kind.reason, err)
					}
				})
			}

			var calls, probes []time.Duration

			for range 21 {
				calls, probes = append(calls, timed(t, s.call)), append(probes, timed(t, s.probe)) //nolint:contextcheck // They outlive no subtest.

				time.Sleep(100 * time.Millisecond)
			}

			slices.Sort(calls)

			slowest := time.Duration(0)
			for i := range len(probes) - 1 {
				slowest = max(slowest, min(probes[i], probes[i+1]))
			}

			used, err := process.UsageOf(s.pid)
			if err != nil || used.Peak > memory || calls[len(calls)/2] > call || slowest > probe {
				t.Errorf("%s\nwant calls in %s, one of two probes in %s, and %d MB", kind.reason, call, probe, memory>>20)
			}

			t.Logf("%s: calls took %s, probes %s, and the function %d MB, %v", kind.name, calls[len(calls)/2], probes, used.Peak>>20, err)
		})
	}
}

// serveCertified serves the function as package/deploy does, with a certificate that the client has, too.
func serveCertified(t *testing.T) *served {
	t.Helper()

	root, _ := all(t)
	dir := t.TempDir()

	authority, err := live.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}

	certificate, err := authority.Certify(dir)
	if err != nil {
		t.Fatal(err)
	}

	p, err := functions.Program(t.Context(), root, dir)
	if err != nil {
		t.Fatal(err)
	}

	s := &served{client: &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: []string{http2.NextProtoTLS},
		ServerName: "localhost", RootCAs: x509.NewCertPool(), Certificates: []tls.Certificate{certificate},
	}}
	s.client.RootCAs.AddCert(authority.Certificate)

	p.Env, p.Started = []string{"GOMEMLIMIT=200MiB"}, func(started *os.Process) { s.pid = started.Pid }

	stop, err := process.Listening(t.Context(), 3, func(ports []int) (func(), error) {
		at := func(i int) string { return fmt.Sprintf("127.0.0.1:%d", ports[i]) }
		s.calls, s.metrics, s.health = at(0), at(1), at(2)
		p.Args = []string{"serve", "--address=" + s.calls, "--metrics-address=" + s.metrics, "--health-address=" + s.health, "--tls-certs-dir=" + dir}

		return p.Start(t.Context(), s.probe)
	})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(stop)

	return s
}

// timed returns how long something takes.
func timed(t *testing.T, do func(context.Context) error) time.Duration {
	t.Helper()

	began := time.Now()
	if err := do(t.Context()); err != nil {
		t.Error(err)
	}

	return time.Since(began)
}

// call the function on a new connection.
func (s *served) call(ctx context.Context) error {
	conn, err := grpc.NewClient(s.calls, grpc.WithTransportCredentials(credentials.NewTLS(s.client)))
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // The call is over.

	_, err = fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(ctx, &fnv1.RunFunctionRequest{})

	return err
}

// probe asks whether the function is ready, as the kubelet does.
func (s *served) probe(ctx context.Context) error { return live.Probe(ctx, s.health, "") }

// scrapeUnread asks for metrics until the connection is cut.
func (s *served) scrapeUnread(ctx context.Context) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.metrics)
	if err != nil {
		return err
	}

	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()

	scrapes := bytes.Repeat([]byte("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"), 100)
	for err == nil {
		_, err = conn.Write(scrapes)
	}

	return conn.Close()
}

// idle greets the function as a client of gRPC, and says no more.
func (s *served) idle(ctx context.Context) error {
	conn, err := (&tls.Dialer{Config: s.client}).DialContext(ctx, "tcp", s.calls)
	if err != nil {
		return err
	}

	_, err = io.WriteString(conn, http2.ClientPreface)
	err = errors.Join(err, http2.NewFramer(conn, conn).WriteSettings())

	<-ctx.Done()

	return errors.Join(err, conn.Close())
}

// neverShakeHands waits until the connection is cut.
func (s *served) neverShakeHands(ctx context.Context) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.calls)
	if err != nil {
		return err
	}

	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()

	_ = conn.SetReadDeadline(time.Now().Add(15 * time.Second))
	_, err = io.Copy(io.Discard, conn)

	return errors.Join(err, conn.Close())
}

// probeNothing keeps a connection until it is cut.
func (s *served) probeNothing(ctx context.Context) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.health)
	if err != nil {
		return err
	}

	<-ctx.Done()

	return conn.Close()
}
