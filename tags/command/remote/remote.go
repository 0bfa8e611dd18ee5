// Package remote calls composition functions that listen elsewhere, without TLS.
package remote

import (
	"cmp"
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/proto/v1beta1"

	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A Function with these annotations listens somewhere. crossplane composition render connects to it there. It runs the package
// of other Functions in Docker.
const (
	AnnotationRuntime = "render.crossplane.io/runtime"
	AnnotationTarget  = "render.crossplane.io/runtime-development-target"
	RuntimeListens    = "Development"
	defaultTarget     = "localhost:9443"
)

// acceptTimeout is the time in which a function must accept a connection: somebody may have started it just now.
const acceptTimeout = 3 * time.Second

// Targets returns the addresses of a file's Functions, by name. A Function that would run in Docker has none.
func Targets(file string) (map[string]string, error) {
	objects, err := new(manifest.Reader).Objects(file)
	if err != nil {
		return nil, err
	}

	targets := make(map[string]string)

	for _, o := range objects {
		function := object.FromStruct(o)
		annotations := object.Annotations(function)

		if object.Kind(function) == "Function" && annotations.Field(AnnotationRuntime).Text() == RuntimeListens {
			targets[object.Name(function)] = cmp.Or(annotations.Field(AnnotationTarget).Text(), defaultTarget)
		}
	}

	return targets, nil
}

// A Client calls a function that listens elsewhere.
type Client struct{ conn *grpc.ClientConn }

// Connect returns a Client of the function at the target, such as localhost:9443. The connection begins with the first call.
func Connect(target string) (*Client, error) {
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, errors.Wrapf(err, "cannot connect to %s", target)
	}

	return &Client{conn: conn}, nil
}

// Close closes the connection.
func (c *Client) Close() { _ = c.conn.Close() } // It fails only if it is closed already.

// Listens reports whether the function accepts a connection within three seconds.
func (c *Client) Listens(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, acceptTimeout)
	defer cancel()

	for {
		c.conn.Connect()

		state := c.conn.GetState()
		if state == connectivity.Ready || !c.conn.WaitForStateChange(ctx, state) {
			return state == connectivity.Ready
		}
	}
}

// RunFunction calls the function as Crossplane does. If the function doesn't know v1 of the protocol, it gets the same message
// by v1beta1.
func (c *Client) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := &fnv1.RunFunctionResponse{}

	err := c.conn.Invoke(ctx, fnv1.FunctionRunnerService_RunFunction_FullMethodName, req, rsp)
	if status.Code(err) == codes.Unimplemented {
		err = c.conn.Invoke(ctx, v1beta1.FunctionRunnerService_RunFunction_FullMethodName, req, rsp)
	}

	return rsp, err
}
