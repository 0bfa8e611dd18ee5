package serve

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/proto/v1beta1"
)

// Register the function with the server, in each version of the protocol that there is.
func Register(srv grpc.ServiceRegistrar, fn fnv1.FunctionRunnerServiceServer) {
	fnv1.RegisterFunctionRunnerServiceServer(srv, fn)
	v1beta1.RegisterFunctionRunnerServiceServer(srv, beta{fn: fn})
}

// beta serves a function to Crossplane before v1.17, which knows v1beta1 of the protocol
// only. Its messages are those of v1.
type beta struct {
	v1beta1.UnimplementedFunctionRunnerServiceServer

	fn fnv1.FunctionRunnerServiceServer
}

// RunFunction runs the function.
func (b beta) RunFunction(ctx context.Context, req *v1beta1.RunFunctionRequest) (*v1beta1.RunFunctionResponse, error) {
	in, out := &fnv1.RunFunctionRequest{}, &v1beta1.RunFunctionResponse{}

	if err := convert(req, in); err != nil {
		return nil, errors.Wrap(err, "cannot read a v1beta1 request as one of v1")
	}

	rsp, err := b.fn.RunFunction(ctx, in)
	if err != nil {
		return nil, err
	}

	return out, errors.Wrap(convert(rsp, out), "cannot write a v1 response as one of v1beta1")
}

// convert a message to another whose fields are encoded alike.
func convert(from, to proto.Message) error {
	b, err := proto.Marshal(from)
	if err != nil {
		return err
	}

	return proto.Unmarshal(b, to)
}
