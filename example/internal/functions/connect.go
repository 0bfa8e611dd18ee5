package functions

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/proto/v1beta1"

	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
)

// How a Function says that it listens somewhere, to which crossplane composition render connects instead of
// running its package in Docker.
const (
	AnnotationRuntime = "render.crossplane.io/runtime"
	AnnotationTarget  = "render.crossplane.io/runtime-development-target"
	RuntimeListens    = "Development"
	defaultTarget     = "localhost:9443"
)

// How long a function may take to accept a connection: it may have been started just now.
const acceptTimeout = 3 * time.Second

// Targets are where the Functions of a file listen, by name. Those that the command line tool would run in
// Docker listen nowhere: they have no target.
func Targets(file string) (map[string]string, error) {
	objects, err := new(manifest.Reader).Objects(file)
	if err != nil {
		return nil, err
	}

	targets := make(map[string]string)

	for _, o := range objects {
		metadata := o.GetFields()["metadata"].GetStructValue()
		annotations := metadata.GetFields()["annotations"].GetStructValue()

		if o.GetFields()["kind"].GetStringValue() != "Function" || text(annotations, AnnotationRuntime) != RuntimeListens {
			continue
		}

		targets[text(metadata, "name")] = defaultTarget
		if target := text(annotations, AnnotationTarget); target != "" {
			targets[text(metadata, "name")] = target
		}
	}

	return targets, nil
}

func text(s *structpb.Struct, field string) string { return s.GetFields()[field].GetStringValue() }

// Connect to a function that serves at the target without TLS, until the function
// that is returned is called.
func Connect(target string) (f Function, disconnect func(), err error) {
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, nil, fmt.Errorf("cannot connect to %s: %w", target, err)
	}

	return client{conn: conn}, func() { _ = conn.Close() }, nil
}

// ConnectCalled connects to those of the called functions that don't run here, which have to listen at their
// targets by now, and adds them to others, until the function that is returned is called.
func ConnectCalled(ctx context.Context, root string, called []string, targets map[string]string, others map[string]Function) (disconnect func(), err error) {
	var connections []func()

	disconnect = func() {
		for _, d := range connections {
			d()
		}
	}

	for _, name := range called {
		if runsHere(name) || others[name] != nil {
			continue
		}

		f, d, err := Connect(targets[name])
		if err != nil {
			disconnect()
			return nil, err
		}

		connections = append(connections, d)
		others[name] = f

		if !listens(ctx, f.(client).conn) { //nolint:forcetypeassert // Connect returns no other.
			disconnect()
			return nil, fmt.Errorf("%s doesn't listen at %s: start it there, such as\n  %s", name, targets[name], startOf(root, name, targets[name]))
		}
	}

	return disconnect, nil
}

// runsHere is true for a function that Start starts.
func runsHere(name string) bool { return name == CloudTags || name == TestResources }

// listens is true if a connection is accepted.
func listens(ctx context.Context, conn *grpc.ClientConn) bool {
	ctx, cancel := context.WithTimeout(ctx, acceptTimeout)
	defer cancel()

	conn.Connect()

	for state := conn.GetState(); state != connectivity.Ready; state = conn.GetState() {
		if !conn.WaitForStateChange(ctx, state) {
			return false
		}

		conn.Connect()
	}

	return true
}

// A client calls a function as Crossplane does: one that doesn't know v1 of the protocol by v1beta1, which
// has the same messages.
type client struct{ conn *grpc.ClientConn }

// RunFunction calls the function.
func (c client) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp, err := fnv1.NewFunctionRunnerServiceClient(c.conn).RunFunction(ctx, req)
	if status.Code(err) != codes.Unimplemented {
		return rsp, err
	}

	beta := &v1beta1.RunFunctionRequest{}
	if err := convert(req, beta); err != nil {
		return nil, err
	}

	answer, err := v1beta1.NewFunctionRunnerServiceClient(c.conn).RunFunction(ctx, beta)
	if err != nil {
		return nil, err
	}

	rsp = &fnv1.RunFunctionResponse{}

	return rsp, convert(answer, rsp)
}

// convert a message into one of the other version of the protocol.
func convert(from, to proto.Message) error {
	bytes, err := proto.Marshal(from)
	if err != nil {
		return err
	}

	return proto.Unmarshal(bytes, to)
}
