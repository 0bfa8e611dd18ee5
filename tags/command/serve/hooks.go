package serve

import (
	"context"
	"log/slog"
	"path"
	"runtime/debug"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// idle is the time without a call after which the server gives memory back.
const idle = time.Minute

// freeing returns an interceptor that calls free after the idle time without a call of the function, in any version of the protocol.
// Other methods need little memory, and are called all the time: a kubelet probes every few seconds.
func freeing(idle time.Duration, free func()) grpc.UnaryServerInterceptor {
	timer := time.AfterFunc(idle, free)

	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		if path.Base(info.FullMethod) == "RunFunction" {
			defer timer.Reset(idle)
		}

		return handler(ctx, req)
	}
}

// free gives memory back to the system. Pools drop the buffers of large calls only after two garbage collections. Without
// calls, Go takes minutes for these.
func free() {
	debug.FreeOSMemory()
	debug.FreeOSMemory()
}

// sizes logs each request that gRPC refuses because of its size, and calls tooLarge. gRPC calls no interceptor for such a
// request.
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

// HandleRPC sees the end of a call. Only gRPC answers with this code, and never the function.
func (s sizes) HandleRPC(_ context.Context, event stats.RPCStats) {
	if end, ok := event.(*stats.End); ok && status.Code(end.Error) == codes.ResourceExhausted {
		s.log.Warn("Refused a request because of its size: see --max-recv-message-size", "error", end.Error)
		s.tooLarge()
	}
}

// ending ends streams once ctx is done. Their clients watch the health of the function, or list its services. Such a stream
// could go on for ever, and the server would wait for its end.
func ending(ctx context.Context) grpc.StreamServerInterceptor {
	return func(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
		ended := make(chan error, 1)

		go func() { ended <- handle(srv, stream) }()

		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
			return status.Error(codes.Unavailable, "the function stops")
		}
	}
}
