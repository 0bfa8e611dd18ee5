package bench

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest/load"
)

// A Bound is what a hostile request costs a server that has just started.
type Bound struct {
	Server  string `json:"server"`
	Request string `json:"request"`

	// Bytes of the request, and of the response.
	Bytes    int `json:"bytes"`
	Response int `json:"response"`

	// Peak is the most memory that the server ever has, in bytes, and CPUSeconds the time that
	// it works for the one call.
	Peak       int     `json:"peak"`
	CPUSeconds float64 `json:"cpuSeconds"`

	// Fatal is the message of the fatal result, if there is one.
	Fatal string `json:"fatal,omitempty"`
}

// Limits measures a server that has just started with one hostile request.
func Limits(ctx context.Context, s *Server, h load.Hostile) (Bound, error) {
	wire, err := proto.Marshal(h.Request)
	if err != nil {
		return Bound{}, fmt.Errorf("cannot encode %s: %w", h.Name, err)
	}

	b := Bound{Server: s.Name, Request: h.Name, Bytes: len(wire)}

	before, err := s.usage()
	if err != nil {
		return b, err
	}

	rsp := &fnv1.RunFunctionResponse{}
	most := 1 << 30 // Of a response: it is measured, too.

	if err := s.conn.Invoke(ctx, fnv1.FunctionRunnerService_RunFunction_FullMethodName, h.Request, rsp, grpc.MaxCallRecvMsgSize(most), grpc.MaxCallSendMsgSize(most)); err != nil {
		b.Fatal = err.Error()
	}

	after, err := s.usage()
	if err != nil {
		return b, err
	}

	b.Response, b.Peak, b.CPUSeconds = proto.Size(rsp), after.Peak, (after.CPU - before.CPU).Seconds()

	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			b.Fatal = r.GetMessage()
		}
	}

	return b, nil
}
