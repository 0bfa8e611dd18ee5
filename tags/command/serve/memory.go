package serve

import (
	"context"
	"runtime/debug"
	"time"

	"google.golang.org/grpc"
)

// idle is how long there has been no call when memory is given back.
const idle = time.Minute

// freeing returns an interceptor that calls the supplied function once there has been no call for
// the supplied time.
func freeing(idle time.Duration, free func()) grpc.UnaryServerInterceptor {
	timer := time.AfterFunc(idle, free)

	return func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		defer timer.Reset(idle)
		return handler(ctx, req)
	}
}

// free gives memory back to the system. What pools keep of a burst of large calls they drop
// when garbage has been collected twice, which takes Go minutes if there is nothing to do.
func free() {
	debug.FreeOSMemory()
	debug.FreeOSMemory()
}
