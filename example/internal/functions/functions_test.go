package functions_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/crossplane/function-sdk-go/proto/v1beta1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/process"
	"github.com/plexsphere/function-cloud-tags/example/internal/testfunction"
)

// TestServeBeta calls the test function as Crossplane before v1.17 and its command line tool do.
func TestServeBeta(t *testing.T) {
	t.Parallel()

	l, err := process.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(functions.Serve(testfunction.Function{}, l))

	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = conn.Close() })

	rsp, err := v1beta1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), &v1beta1.RunFunctionRequest{
		Input: resource.MustStructJSON(`{"apiVersion": "testfunction.example.org/v1", "kind": "Resources", "resources": [{"name": "bucket", "base": {"kind": "Bucket"}}]}`),
	})
	if err != nil {
		t.Fatal(err)
	}

	want := map[string]*v1beta1.Resource{"bucket": {Resource: resource.MustStructJSON(`{"kind": "Bucket"}`), Ready: v1beta1.Ready_READY_TRUE}}
	if diff := cmp.Diff(want, rsp.GetDesired().GetResources(), protocmp.Transform()); diff != "" {
		t.Errorf("RunFunction(...): -want desired resources, +got:\n%s", diff)
	}
}
