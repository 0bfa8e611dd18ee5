package serve

import (
	"context"
	"log/slog"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// sizes logs each request that gRPC refuses because of its size, and calls tooLarge for it. gRPC does so before any
// interceptor is called.
type sizes struct {
	log      *slog.Logger
	tooLarge func()
}

// TagRPC returns ctx as it is.
func (sizes) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// TagConn returns ctx as it is.
func (sizes) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn does nothing.
func (sizes) HandleConn(context.Context, stats.ConnStats) {}

// HandleRPC looks at the end of a call: the function itself never answers with this code.
func (s sizes) HandleRPC(_ context.Context, of stats.RPCStats) {
	if end, ok := of.(*stats.End); ok && status.Code(end.Error) == codes.ResourceExhausted {
		s.log.Warn("Refused a request because of its size: see --max-recv-message-size", "error", end.Error)
		s.tooLarge()
	}
}
