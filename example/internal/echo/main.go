// Command echo serves a function that returns the desired state as it came. No function that is made of the SDK, with
// the flags of its template, can do less.
package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/crossplane/function-sdk-go"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/plexsphere/function-cloud-tags/example/internal/program"
)

type echo struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
}

// RunFunction returns the desired state.
func (echo) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return response.To(req, response.DefaultTTL), nil
}

func main() {
	c := &cobra.Command{Use: "echo", Short: "Serves a function that returns the desired state as it came.", Args: cobra.NoArgs}

	f := c.Flags()
	address := f.String("address", ":9443", "Address at which to listen for gRPC connections.")
	insecure := f.Bool("insecure", false, "Run without mTLS.")
	maxRecvMessageSize := f.Int("max-recv-message-size", 4, "Greatest size of received messages in MB.")
	metricsAddress := f.String("metrics-address", ":8080", "Address at which to serve Prometheus metrics.")

	c.RunE = func(*cobra.Command, []string) error {
		return function.Serve(echo{},
			function.Listen("tcp", *address),
			function.Insecure(*insecure),
			function.MaxRecvMessageSize(*maxRecvMessageSize*1024*1024),
			function.WithMetricsServer(*metricsAddress))
	}

	program.Main(c)
}
