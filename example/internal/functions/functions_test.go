package functions_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/proto/v1beta1"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/process"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
	"github.com/plexsphere/function-cloud-tags/example/internal/testfunction"
	"github.com/plexsphere/function-cloud-tags/tags/command/remote"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// TestServeBeta calls the test function as Crossplane before v1.17 and its command line tool do.
func TestServeBeta(t *testing.T) {
	t.Parallel()

	l := listen(t)
	t.Cleanup(functions.Serve(testfunction.Function{}, l))

	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = conn.Close() })

	rsp, err := v1beta1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), &v1beta1.RunFunctionRequest{
		Input: tagstest.MustStructJSON(`{"apiVersion": "testfunction.example.org/v1", "kind": "Resources", "resources": [{"name": "bucket", "base": {"kind": "Bucket"}}]}`),
	})
	if err != nil {
		t.Fatal(err)
	}

	want := map[string]*v1beta1.Resource{"bucket": {Resource: tagstest.MustStructJSON(`{"kind": "Bucket"}`), Ready: v1beta1.Ready_READY_TRUE}}
	if diff := cmp.Diff(want, rsp.GetDesired().GetResources(), protocmp.Transform()); diff != "" {
		t.Errorf("RunFunction(...): -want desired resources, +got:\n%s", diff)
	}
}

// TestProgram builds the program of the function once for all folders, and runs it.
func TestProgram(t *testing.T) {
	t.Parallel()

	root, err := scenario.Root()
	if err != nil {
		t.Fatal(err)
	}

	var binaries []string

	for range 2 {
		p, err := functions.Program(t.Context(), root, t.TempDir(), "--version")
		if err == nil {
			err = p.Run(t.Context())
		}

		if err != nil {
			t.Fatal(err)
		}

		binaries = append(binaries, p.Binary)
	}

	if binaries[0] != binaries[1] {
		t.Errorf("the program should be built once for all folders, and not as %s", strings.Join(binaries, " and "))
	}
}

// TestConnectCalled calls functions that listen elsewhere, of which one knows v1beta1 of the protocol only, as
// functions of before Crossplane v1.17 do.
func TestConnectCalled(t *testing.T) {
	t.Parallel()

	l := listen(t)
	t.Cleanup(functions.Serve(testfunction.Function{}, l))

	old := listen(t)
	srv := grpc.NewServer()
	v1beta1.RegisterFunctionRunnerServiceServer(srv, betaFunction{})

	go func() { _ = srv.Serve(old) }() // It ends when it is stopped.

	t.Cleanup(srv.Stop)

	called := []string{functions.CloudTags, "new", "old", "new"}
	targets := map[string]string{"new": l.Addr().String(), "old": old.Addr().String(), functions.CloudTags: "localhost:1", "not-called": "localhost:1"}
	others := make(map[string]functions.Function)

	disconnect, err := functions.ConnectCalled(t.Context(), t.TempDir(), called, targets, others)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(disconnect)

	for _, name := range []string{"new", "old"} {
		rsp, err := others[name].RunFunction(t.Context(), &fnv1.RunFunctionRequest{
			Input: tagstest.MustStructJSON(`{"apiVersion": "testfunction.example.org/v1", "kind": "Resources", "resources": [{"name": "bucket", "base": {"kind": "Bucket"}}]}`),
		})
		if err != nil {
			t.Fatalf("%s: RunFunction(...): %v", name, err)
		}

		want := map[string]*fnv1.Resource{"bucket": {Resource: tagstest.MustStructJSON(`{"kind": "Bucket"}`), Ready: fnv1.Ready_READY_TRUE}}
		if diff := cmp.Diff(want, rsp.GetDesired().GetResources(), protocmp.Transform()); diff != "" {
			t.Errorf("%s: RunFunction(...): -want desired resources, +got:\n%s", name, diff)
		}
	}

	if got := slices.Sorted(maps.Keys(others)); !slices.Equal(got, []string{"new", "old"}) {
		t.Errorf("\nFunctions that run here or aren't called need not listen.\nConnectCalled(...): want new and old, got %q", got)
	}
}

// betaFunction is the test function, for v1beta1 of the protocol.
type betaFunction struct {
	v1beta1.UnimplementedFunctionRunnerServiceServer
}

func (betaFunction) RunFunction(context.Context, *v1beta1.RunFunctionRequest) (*v1beta1.RunFunctionResponse, error) {
	return &v1beta1.RunFunctionResponse{Desired: &v1beta1.State{Resources: map[string]*v1beta1.Resource{
		"bucket": {Resource: tagstest.MustStructJSON(`{"kind": "Bucket"}`), Ready: v1beta1.Ready_READY_TRUE},
	}}}, nil
}

func TestConnectCalledNotListening(t *testing.T) {
	t.Parallel()

	l := listen(t)
	target := l.Addr().String()

	if err := l.Close(); err != nil {
		t.Fatal(err)
	}

	_, err := functions.ConnectCalled(t.Context(), t.TempDir(), []string{"function-a"}, map[string]string{"function-a": target}, make(map[string]functions.Function))
	if want := "function-a doesn't listen at " + target; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("ConnectCalled(...): want an error that says %q, got %v", want, err)
	}
}

func TestCheckCalled(t *testing.T) {
	t.Parallel()

	root := t.TempDir()
	pin(t, root)

	if err := functions.CheckCalled(root, "functions.yaml", []string{functions.TestResources, "function-a", functions.CloudTags}, map[string]string{"function-a": "localhost:9443"}); err != nil {
		t.Errorf("CheckCalled(...): want no error if all functions run or listen, got %v", err)
	}

	err := functions.CheckCalled(root, "functions.yaml", []string{"function-b", "function-c"}, map[string]string{"function-a": "localhost:9445", "function-d": "localhost:9447"})
	for _, want := range []string{"function-b@latest --insecure --address localhost:9446", "function-c@latest --insecure --address localhost:9448"} {
		if got := fmt.Sprint(err); !strings.Contains(got, want) {
			t.Errorf("CheckCalled(...): want the next ports that no other function has, as in %q, got %s", want, got)
		}
	}

	err = functions.CheckCalled(root, "functions.yaml", []string{"function-pinned", functions.CloudTags, "function-a"}, nil)
	if err == nil {
		t.Fatal("CheckCalled(...): want an error")
	}

	for _, want := range []string{
		"calls function-pinned and function-a: only function-cloud-tags and function-test-resources run here",
		`"$(.ci/tool function-pinned)" --insecure --address localhost:9445`,
		"go run github.com/crossplane-contrib/function-a@latest --insecure --address localhost:9446",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("CheckCalled(...): want an error that says %q, got %v", want, err)
		}
	}

	// The pipeline runs with the file that the message says to write.
	file := filepath.Join(t.TempDir(), "functions.yaml")
	_, documents, _ := strings.Cut(err.Error(), "render again:\n")

	if err := os.WriteFile(file, []byte(documents), 0o600); err != nil {
		t.Fatal(err)
	}

	got, err := remote.Targets(file)
	if diff := cmp.Diff(map[string]string{"function-pinned": "localhost:9445", "function-a": "localhost:9446"}, got); err != nil || diff != "" {
		t.Errorf("Targets(...): %v, -want, +got:\n%s", err, diff)
	}
}

// pin the function function-pinned in the module.
func pin(t *testing.T, root string) {
	t.Helper()

	dir := filepath.Join(root, ".ci", "tools", "function-pinned")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("require (\n\texample.org/function-pinned-not v0.1.0\n\texample.org/function-pinned v0.2.0 // indirect\n)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestPinnedFails proves that a failure of a function names the version of .ci/tool, since a Composition can be for a newer one.
func TestPinnedFails(t *testing.T) {
	t.Parallel()

	root := t.TempDir()
	pin(t, root)

	for _, tc := range []struct {
		reason, name string
		fails        functions.Func
		want         string
	}{
		{"A fatal result is how functions refuse an input.", "function-pinned", func(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
			return &fnv1.RunFunctionResponse{Results: []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_WARNING, Message: "slow"}, {Severity: fnv1.Severity_SEVERITY_FATAL, Message: "unknown name"}}}, nil
		}, "slow; unknown name\n(.ci/tool builds function-pinned v0.2.0. If the Composition is for another release, start that one:\n  go run github.com/crossplane-contrib/function-pinned@VERSION --insecure --address TARGET)"},
		{"An error is, too.", "function-pinned", func(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
			return nil, status.Error(codes.Internal, "broken")
		}, "rpc error: code = Internal desc = broken\n(.ci/tool builds function-pinned v0.2.0. If the Composition is for another release, start that one:\n  go run github.com/crossplane-contrib/function-pinned@VERSION --insecure --address TARGET)"},
		{"Nobody knows the version of another function.", "function-other", func(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
			return &fnv1.RunFunctionResponse{Results: []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL, Message: "unknown name"}}}, nil
		}, "unknown name"},
	} {
		l := listen(t)
		t.Cleanup(functions.Serve(tc.fails, l))

		others := make(map[string]functions.Function)

		disconnect, err := functions.ConnectCalled(t.Context(), root, []string{tc.name}, map[string]string{tc.name: l.Addr().String()}, others)
		if err != nil {
			t.Fatal(err)
		}

		t.Cleanup(disconnect)

		rsp, err := others[tc.name].RunFunction(t.Context(), &fnv1.RunFunctionRequest{})

		messages := words.Map(rsp.GetResults(), (*fnv1.Result).GetMessage)
		if err != nil {
			messages = append(messages, err.Error())
		}

		if diff := cmp.Diff(strings.ReplaceAll(tc.want, "TARGET", l.Addr().String()), strings.Join(messages, "; ")); diff != "" {
			t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
		}
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()

	file := filepath.Join(t.TempDir(), "functions.yaml")
	if err := os.WriteFile(file, []byte(`
{kind: Function, metadata: {name: docker}}
---
{kind: Function, metadata: {name: elsewhere, annotations: {render.crossplane.io/runtime: Docker, render.crossplane.io/runtime-development-target: "localhost:1"}}}
---
{kind: Function, metadata: {name: default, annotations: {render.crossplane.io/runtime: Development}}}
---
{kind: Function, metadata: {name: named, annotations: {render.crossplane.io/runtime: Development, render.crossplane.io/runtime-development-target: "localhost:2"}}}
---
{kind: Provider, metadata: {name: provider, annotations: {render.crossplane.io/runtime: Development}}}
`), 0o600); err != nil {
		t.Fatal(err)
	}

	got, err := remote.Targets(file)
	if diff := cmp.Diff(map[string]string{"default": "localhost:9443", "named": "localhost:2"}, got); err != nil || diff != "" {
		t.Errorf("Targets(...): %v, -want, +got:\n%s", err, diff)
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()

	l, err := process.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	return l
}
