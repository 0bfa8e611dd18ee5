package serve

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// probe asks for the health of a service on a new connection, as the kubelet does.
func probe(t *testing.T, address, service string) (healthv1.HealthCheckResponse_ServingStatus, error) {
	t.Helper()

	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatalf("cannot connect: %v", err)
	}
	defer conn.Close() //nolint:errcheck // The probe is over.

	rsp, err := healthv1.NewHealthClient(conn).Check(t.Context(), &healthv1.HealthCheckRequest{Service: service}, grpc.WaitForReady(true))

	return rsp.GetStatus(), err
}

// TestHealth proves what probes see without TLS: of a server with valid certificates, of one whose certificates have expired, and
// while a server shuts down.
func TestHealth(t *testing.T) {
	const serving, notServing = healthv1.HealthCheckResponse_SERVING, healthv1.HealthCheckResponse_NOT_SERVING

	dir, address := t.TempDir(), freeAddress(t)
	writeCertificate(t, dir, time.Now().Add(time.Hour))

	f, lis := fake{calls: make(chan struct{})}, listen(t)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)

	go func() {
		served <- (&Command{TLSCertsDir: dir, MaxRecvMessageSize: 4, HealthAddress: address, New: f.make}).serve(ctx, lis, slog.New(slog.DiscardHandler))
	}()

	want := func(reason string, wantReady healthv1.HealthCheckResponse_ServingStatus) {
		t.Helper()

		for service, want := range map[string]healthv1.HealthCheckResponse_ServingStatus{ready: wantReady, alive: serving} {
			if got, err := probe(t, address, service); got != want || err != nil {
				t.Errorf("\n%s\nCheck(%q): want %s, got %s, %v", reason, service, want, got, err)
			}
		}
	}

	want("It listens, and its certificates are valid.", serving)

	if _, err := probe(t, address, "other"); status.Code(err) != codes.NotFound {
		t.Errorf("Check(...): want %s for a service that isn't there, got %v", codes.NotFound, err)
	}

	plain, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close() //nolint:errcheck // It is not used any more.

	if _, err := fnv1.NewFunctionRunnerServiceClient(plain).RunFunction(t.Context(), &fnv1.RunFunctionRequest{}); status.Code(err) != codes.Unimplemented {
		t.Errorf("RunFunction(...): want %s, since nobody calls the function without a certificate, got %v", codes.Unimplemented, err)
	}

	writeCertificate(t, dir, time.Now().Add(-time.Minute))
	want("Nobody can connect to a server whose certificates have expired, and a restart would not help.", notServing)

	writeCertificate(t, dir, time.Now().Add(time.Hour))
	want("Certificates are replaced without a restart.", serving)

	ours := load(t, dir)
	conn := dial(t, lis, ours, &tls.Config{Certificates: ours})

	go func() {
		_, _ = fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), &fnv1.RunFunctionRequest{})
	}()

	<-f.calls
	stop()

	for {
		got, err := probe(t, address, ready)
		if err != nil {
			t.Fatalf("Check(...): want an answer until the last call is answered, got %v", err)
		}

		if got == notServing {
			break
		}
	}

	want("It shuts down, and takes no more calls.", notServing)

	f.calls <- struct{}{}

	if err := <-served; err != nil {
		t.Errorf("serve(...): unexpected error: %v", err)
	}

	if conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address); err == nil {
		_ = conn.Close()

		t.Error("serve(...): want health to be served no longer than the function")
	}
}
