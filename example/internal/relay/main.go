// Command relay serves a function that hands the bytes of the desired state on, and decodes nothing. No function can do less.
package main

import (
	"context"
	"fmt"
	"net"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/example/internal/program"
)

// The numbers of the field desired, which has the same type in both messages.
var (
	ofRequest  = (&fnv1.RunFunctionRequest{}).ProtoReflect().Descriptor().Fields().ByName("desired").Number()
	ofResponse = (&fnv1.RunFunctionResponse{}).ProtoReflect().Descriptor().Fields().ByName("desired").Number()
)

// relay returns a response with the desired state of the request. Both are encoded.
func relay(request []byte) (response []byte, _ error) {
	for len(request) > 0 {
		number, _, n := protowire.ConsumeField(request)
		if n < 0 {
			return nil, fmt.Errorf("cannot read the request: %w", protowire.ParseError(n))
		}

		if number == ofRequest {
			_, _, tag := protowire.ConsumeTag(request)
			response = append(protowire.AppendTag(response, ofResponse, protowire.BytesType), request[tag:n]...)
		}

		request = request[n:]
	}

	return response, nil
}

// handle answers a call.
func handle(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) { //nolint:revive // gRPC gives the order.
	var request []byte
	if err := decode(&request); err != nil {
		return nil, err
	}

	return relay(request)
}

// codec hands encoded messages on as they are.
type codec struct{}

// Name returns the name of the codec of encoded messages.
func (codec) Name() string { return "proto" }

// Marshal returns the bytes of v, a []byte.
func (codec) Marshal(v any) (mem.BufferSlice, error) {
	b, _ := v.([]byte)

	return mem.BufferSlice{mem.SliceBuffer(b)}, nil
}

// Unmarshal copies the data to v, a *[]byte.
func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	if b, ok := v.(*[]byte); ok {
		*b = data.Materialize()
	}

	return nil
}

func main() {
	c := &cobra.Command{Use: "relay", Short: "Serves a function that hands the bytes of the desired state on, and decodes nothing.", Args: cobra.NoArgs}

	f := c.Flags()
	address := f.String("address", ":9443", "Address at which to listen for gRPC connections.")
	maxRecvMessageSize := f.Int("max-recv-message-size", 4, "Greatest size of received messages in MB.")

	// The bench gives these flags to each function. This one has neither certificates nor metrics.
	f.Bool("insecure", true, "Run without mTLS.")
	f.String("metrics-address", "", "Not used.")

	c.RunE = func(cmd *cobra.Command, _ []string) error {
		listener, err := new(net.ListenConfig).Listen(cmd.Context(), "tcp", *address)
		if err != nil {
			return err
		}

		s := grpc.NewServer(grpc.ForceServerCodecV2(codec{}), grpc.MaxRecvMsgSize(*maxRecvMessageSize<<20))
		s.RegisterService(&grpc.ServiceDesc{
			ServiceName: fnv1.FunctionRunnerService_ServiceDesc.ServiceName,
			Methods:     []grpc.MethodDesc{{MethodName: fnv1.FunctionRunnerService_ServiceDesc.Methods[0].MethodName, Handler: handle}},
		}, nil)

		return s.Serve(listener)
	}

	program.Main(c)
}
