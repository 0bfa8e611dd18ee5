package live

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
)

// Probe asks for the health of a service on a new connection without TLS, as the kubelet does. It returns an error unless the service
// is healthy.
func Probe(ctx context.Context, address, service string) error {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // The probe is over.

	rsp, err := healthv1.NewHealthClient(conn).Check(ctx, &healthv1.HealthCheckRequest{Service: service})
	if err == nil && rsp.GetStatus() != healthv1.HealthCheckResponse_SERVING {
		err = fmt.Errorf("the health of %q is %s", service, rsp.GetStatus())
	}

	return err
}
