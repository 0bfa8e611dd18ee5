package serve

import (
	"context"
	"runtime/debug"
	"slices"
	"time"

	"google.golang.org/grpc"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/proto/v1beta1"
)

// idle is how long there has been no call when memory is given back.
const idle = time.Minute

// functionCalls are the methods that need memory. Others are called all the time: a kubelet probes every few seconds.
var functionCalls = []string{fnv1.FunctionRunnerService_RunFunction_FullMethodName, v1beta1.FunctionRunnerService_RunFunction_FullMethodName}

// freeing returns an interceptor that calls free once there has been no call of the function for the idle
// time.
func freeing(idle time.Duration, free func()) grpc.UnaryServerInterceptor {
	timer := time.AfterFunc(idle, free)

	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		if slices.Contains(functionCalls, info.FullMethod) {
			defer timer.Reset(idle)
		}

		return handler(ctx, req)
	}
}

// free gives memory back to the system. Pools drop the buffers of a burst of large calls only when garbage has been
// collected twice, which takes Go minutes without calls.
func free() {
	debug.FreeOSMemory()
	debug.FreeOSMemory()
}
