package bench

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/example/internal/attacks"
	"github.com/plexsphere/function-cloud-tags/tags/require"
)

// Sizes of what an attack makes long, in bytes. Crossplane and functions refuse requests of more than 4 MiB.
var Sizes = []int{1e6, 4e6}

// limits has a row per size of a request: an attack with a request of at most so many bytes may cost so much. Each size is a
// little more than one of Sizes. The memory is in bytes, without the memory of an idle server.
var limits = []struct {
	bytes, memory int
	cpuSeconds    float64
}{
	{bytes: 1.2e6, memory: 100e6, cpuSeconds: 1},
	{bytes: 5e6, memory: 300e6, cpuSeconds: 2},
}

// A Bound is the cost of an attack for a server that has just started.
type Bound struct {
	Server string `json:"server"`
	Attack string `json:"attack"`

	// Bytes of the request, and of the response.
	Bytes    int `json:"bytes"`
	Response int `json:"response"`

	// Memory is the server's peak during the call, in bytes, without the memory that it had before. CPUSeconds is the CPU
	// time of the call.
	Memory     int     `json:"memory"`
	CPUSeconds float64 `json:"cpuSeconds"`

	// Fatal is the message of the fatal result, if there is one.
	Fatal string `json:"fatal,omitempty"`
}

// Over says what the attack takes too much of, or is empty.
func (b *Bound) Over() string {
	for _, l := range limits {
		switch {
		case b.Bytes > l.bytes:
			continue
		case b.Memory > l.memory:
			return fmt.Sprintf("takes more than %d MB", l.memory/1e6)
		case b.CPUSeconds > l.cpuSeconds:
			return fmt.Sprintf("takes more than %g s", l.cpuSeconds)
		default:
			return ""
		}
	}

	return "has a request of a size without limits"
}

// An Attack is a request that is sent to servers.
type Attack struct {
	name    string
	request *fnv1.RunFunctionRequest

	// Bytes of the request.
	Bytes int
}

// maxCalls is how often Crossplane calls a function for one run at most, with what it has asked for.
const maxCalls = 6

// NewAttack returns the attack with something of size bytes, and with all objects that the server asks for. The server's
// answers do not matter.
func NewAttack(ctx context.Context, s *Server, attack *attacks.Attack, size int) *Attack {
	req, objects := attack.Request(size)

	for range maxCalls - 1 {
		rsp, err := s.answer(ctx, req)
		if err != nil || rsp.GetRequirements() == nil {
			break
		}

		require.Answer(req, rsp.GetRequirements(), objects)
	}

	return &Attack{name: attack.Name, request: req, Bytes: proto.Size(req)}
}

// answer returns the server's answer. Crossplane would refuse a large one, but it is measured, too.
func (s *Server) answer(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	const maxBytes = 1 << 30

	return fnv1.NewFunctionRunnerServiceClient(s.conn).RunFunction(ctx, req, grpc.MaxCallRecvMsgSize(maxBytes), grpc.MaxCallSendMsgSize(maxBytes))
}

// Limits measures a server that has just started with one attack.
func Limits(ctx context.Context, s *Server, a *Attack) (Bound, error) {
	b := Bound{Server: s.Name, Attack: a.name, Bytes: a.Bytes}

	before, err := s.usage()
	if err != nil {
		return b, err
	}

	rsp, err := s.answer(ctx, a.request)
	if err != nil {
		b.Fatal = err.Error()
	}

	after, err := s.usage()
	if err != nil {
		return b, err
	}

	b.Response, b.Memory, b.CPUSeconds = proto.Size(rsp), after.Peak-before.Resident, (after.CPU - before.CPU).Seconds()

	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			b.Fatal = r.GetMessage()
		}
	}

	return b, nil
}
