package serve

import (
	"context"

	"google.golang.org/grpc"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/proto/v1beta1"
)

// Register registers the function with the server, in both versions of the protocol. Crossplane before v1.17 knows v1beta1
// only. Its messages are encoded as in v1, so v1 decodes them.
func Register(srv grpc.ServiceRegistrar, fn fnv1.FunctionRunnerServiceServer) {
	fnv1.RegisterFunctionRunnerServiceServer(srv, fn)

	run := func(ctx context.Context, req any) (any, error) {
		return fn.RunFunction(ctx, req.(*fnv1.RunFunctionRequest)) //nolint:forcetypeassert // It is decoded below.
	}

	srv.RegisterService(&grpc.ServiceDesc{
		ServiceName: "apiextensions.fn.proto.v1beta1.FunctionRunnerService",
		HandlerType: (*fnv1.FunctionRunnerServiceServer)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "RunFunction", Handler: func(_ any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
			req := &fnv1.RunFunctionRequest{}
			if err := decode(req); err != nil {
				return nil, err
			}

			if intercept == nil {
				return run(ctx, req)
			}

			return intercept(ctx, req, &grpc.UnaryServerInfo{Server: fn, FullMethod: v1beta1.FunctionRunnerService_RunFunction_FullMethodName}, run)
		}}},
		Metadata: v1beta1.File_v1beta1_run_function_proto.Path(),
	}, fn)
}
