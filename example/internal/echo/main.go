// Command echo serves a function that returns the desired state as it came: the least that
// a function does that is made of the SDK, with the flags of its template.
package main

import (
	"context"

	"github.com/alecthomas/kong"

	"github.com/crossplane/function-sdk-go"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"
)

type cli struct {
	Address            string `default:":9443" help:"Address at which to listen for gRPC connections."`
	Insecure           bool   `help:"Run without mTLS."`
	MaxRecvMessageSize int    `default:"4"     help:"Greatest size of received messages in MB."`
	MetricsAddress     string `default:":8080" help:"Address at which to serve Prometheus metrics."`
}

type echo struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
}

// RunFunction returns the desired state.
func (echo) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return response.To(req, response.DefaultTTL), nil
}

func main() {
	c := &cli{}
	k := kong.Parse(c)
	k.FatalIfErrorf(function.Serve(echo{},
		function.Listen("tcp", c.Address),
		function.Insecure(c.Insecure),
		function.MaxRecvMessageSize(c.MaxRecvMessageSize*1024*1024),
		function.WithMetricsServer(c.MetricsAddress)))
}
