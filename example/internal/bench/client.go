package bench

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest/load"
)

// A Client is one of the ways to call a function.
type Client string

// The clients.
const (
	// Decoding encodes requests and decodes responses, as Crossplane does.
	Decoding Client = "decoding"

	// Raw sends bytes that were encoded before, and decodes nothing: only the server and the way to it
	// take time.
	Raw Client = "raw"
)

// A Shape is what a load is like.
type Shape struct {
	State     load.State `json:"state"`
	Resources int        `json:"resources"`
	Labels    int        `json:"labels"`

	// Source of the labels.
	Source load.Source `json:"source"`

	// Bytes of the request.
	Bytes int `json:"bytes"`
}

// A Load is what servers are measured with.
type Load struct {
	Shape

	request *fnv1.RunFunctionRequest
	wire    []byte
}

// NewLoad returns a load of the shape, whose resources the server has tagged.
func NewLoad(ctx context.Context, tagger *Server, s Shape) (*Load, error) {
	req, err := load.Request(s.State, s.Source, s.Resources, s.Labels, func(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		return tagger.run(ctx, req)
	})
	if err != nil {
		return nil, err
	}

	wire, err := proto.Marshal(req)
	s.Bytes = len(wire)

	return &Load{Shape: s, request: req, wire: wire}, err
}

// check returns an error unless the server answers the load as a healthy function does.
func (l *Load) check(ctx context.Context, s *Server) error {
	rsp, err := s.run(ctx, l.request)
	if err != nil {
		return err
	}

	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			err = errors.Join(err, fmt.Errorf("%s has failed: %s", s.Name, r.GetMessage()))
		}
	}

	if n := len(rsp.GetDesired().GetResources()); n != l.Resources {
		err = errors.Join(err, fmt.Errorf("%s has returned %d resources, not %d", s.Name, n, l.Resources))
	}

	return err
}

func (s *Server) run(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return fnv1.NewFunctionRunnerServiceClient(s.conn).RunFunction(ctx, req)
}

// call a server with a load once.
func (c Client) call(ctx context.Context, s *Server, l *Load) error {
	if c == Decoding {
		_, err := s.run(ctx, l.request)
		return err
	}

	return s.conn.Invoke(ctx, fnv1.FunctionRunnerService_RunFunction_FullMethodName, l.wire, nil, grpc.ForceCodecV2(rawCodec{}))
}

// rawCodec sends bytes as they are, and drops what comes.
type rawCodec struct{}

// Name returns protobuf, since the bytes are encoded messages.
func (rawCodec) Name() string { return "proto" }

// Marshal returns the bytes.
func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	b, ok := v.([]byte)
	if !ok {
		return nil, fmt.Errorf("cannot send %T: only bytes", v)
	}

	return mem.BufferSlice{mem.SliceBuffer(b)}, nil
}

// Unmarshal drops the bytes.
func (rawCodec) Unmarshal(mem.BufferSlice, any) error { return nil }
