package serve

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
)

// Names of the services that probes of Kubernetes ask for.
const (
	// ready is whether Crossplane can call the function: it listens, its certificates are valid, and it doesn't shut down. This is
	// the name of the whole server.
	ready = ""

	// alive is whether the process answers at all. It has a name of its own, since a restart doesn't mend certificates.
	alive = "liveness"
)

// Limits of the clients that ask for health without TLS. A probe is one short call.
const (
	maxProbes    = 4 // at once on a connection
	maxProbeSize = 4 << 10
)

// A prober tells the health of the server. certified reports whether its certificates are valid now. They may expire, so a client that
// watches isn't told of them: only a client that asks.
type prober struct {
	*health.Server

	certified func(context.Context) bool
}

func newHealth(certified func(context.Context) bool) prober {
	p := prober{Server: health.NewServer(), certified: certified}
	p.SetServingStatus(alive, healthv1.HealthCheckResponse_SERVING)

	return p
}

// Check returns the status of a service.
func (p prober) Check(ctx context.Context, req *healthv1.HealthCheckRequest) (*healthv1.HealthCheckResponse, error) {
	if req.GetService() == ready && !p.certified(ctx) {
		return &healthv1.HealthCheckResponse{Status: healthv1.HealthCheckResponse_NOT_SERVING}, nil
	}

	return p.Server.Check(ctx, req)
}

// serveHealth serves the health of the server, and nothing else, until stop is called. The kubelet has no certificate, so there is
// no TLS. Without an address, it serves nothing.
func (c *Command) serveHealth(ctx context.Context, p prober) (stop func(), err error) {
	if c.HealthAddress == "" {
		return func() {}, nil
	}

	lis, err := listenPlain(ctx, "health", c.HealthAddress)
	if err != nil {
		return nil, err
	}

	srv := grpc.NewServer(grpc.ConnectionTimeout(handshakeTimeout), grpc.MaxConcurrentStreams(maxProbes),
		grpc.MaxRecvMsgSize(maxProbeSize), grpc.MaxHeaderListSize(maxProbeSize))
	healthv1.RegisterHealthServer(srv, p)

	go func() { _ = srv.Serve(lis) }() // Stop ends it.

	return srv.Stop, nil
}
