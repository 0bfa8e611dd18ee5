package migrate

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/report"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// A maker makes the bases of resources. It applies no patches.
type maker struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
}

// RunFunction desires the base of each resource.
func (maker) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, 0)
	rsp.Desired = &fnv1.State{Resources: make(map[string]*fnv1.Resource)}

	for _, v := range req.GetInput().GetFields()["resources"].GetListValue().GetValues() {
		r := v.GetStructValue().GetFields()
		rsp.Desired.Resources[r["name"].GetStringValue()] = &fnv1.Resource{Resource: r["base"].GetStructValue()}
	}

	return rsp, nil
}

// tag stands for this function. It tags all resources with env, and does what their region says. Its records of labels are those
// of the function's own stages.
func tag(ctx context.Context, req *fnv1.RunFunctionRequest, trace *stamp.Trace) (*fnv1.RunFunctionResponse, error) {
	in, err := (&v1beta1.Decoder{}).Decode(ctx, req.GetInput(), v1beta1.HashOf(req.GetInput()))
	if err != nil {
		return nil, err
	}

	required := require.New(req)

	set, err := resolve.Resolve(ctx, in, req, required, nil)
	if err != nil {
		return nil, err
	}

	stamper := stamp.New(&stamp.Request{Input: in, Set: &set, Observed: req.GetObserved(), Required: required, Options: stamp.Options{Trace: trace, AlreadyStamped: true}})

	targets, err := stamper.Targets(ctx, req.GetDesired().GetResources())
	if err != nil {
		return nil, err
	}

	if _, err := stamper.Stamp(ctx, targets); err != nil {
		return nil, err
	}

	rsp := response.To(req, 0)
	response.ConditionTrue(rsp, report.ConditionType, report.ReasonAllPropagated)

	for name, r := range rsp.GetDesired().GetResources() {
		provider := r.GetResource().GetFields()["spec"].GetStructValue().GetFields()["forProvider"].GetStructValue().GetFields()

		switch provider["region"].GetStringValue() {
		case "spoil":
			provider["region"] = structpb.NewStringValue("spoiled")
		case "lose":
			delete(rsp.GetDesired().GetResources(), name)
		case "fail":
			response.Fatal(rsp, io.ErrUnexpectedEOF)
		}

		if provider["tags"] == nil {
			provider["tags"] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{}})
		}

		if provider["tags"].GetStructValue().Fields["env"] = structpb.NewStringValue("prod"); provider["region"].GetStringValue() == "skip" {
			delete(provider["tags"].GetStructValue().GetFields(), "env")
		}
	}

	return rsp, nil
}

// serve serves the maker until the test ends, and returns its address.
func serve(t *testing.T) string {
	t.Helper()

	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	srv := grpc.NewServer()
	fnv1.RegisterFunctionRunnerServiceServer(srv, maker{})

	go func() { _ = srv.Serve(l) }() // It ends when it is stopped.

	t.Cleanup(srv.Stop)

	return l.Addr().String()
}

// TestPrinted runs the command lines of testdata/cases.yaml. A human has read the golden file: the output, and the files that were
// written.
func TestPrinted(t *testing.T) {
	target := serve(t)

	tagstest.CommandLines(t, func(t *testing.T, line *tagstest.CommandLine, in io.Reader, out io.Writer) error {
		t.Helper()
		t.Chdir(t.TempDir())

		for name, text := range line.Files {
			line.Files[name] = strings.ReplaceAll(text, "TARGET", target)
		}

		tagstest.WriteFiles(t, line.Files)

		c := &Command{Function: tag, Reader: manifest.Reader{Stdin: in}}
		if err := tagstest.ParseArgs(c, line.Args); err != nil {
			return err
		}

		migrated := c.Migrate(t.Context(), out, out)

		text := tagstest.ReadFile(t, "composition.yaml")

		if string(text) != line.Files["composition.yaml"] {
			_, _ = fmt.Fprintf(out, "written:\n%s", text)
		}

		return migrated
	})
}

// TestLarge proves that migrate reads no more of a file than other commands read of a document.
func TestLarge(t *testing.T) {
	for name, tc := range map[string]struct{ reason, text, want string }{
		"Largest":  {reason: "64 MB are more than any Composition has.", text: strings.Repeat("#", manifest.MaxDocument-1) + "\n", want: "<nil>"},
		"TooLarge": {reason: "A file that never ends would take all memory.", text: strings.Repeat("#", manifest.MaxDocument) + "\n", want: "cannot read -: it is larger than 64 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Command{Paths: []string{manifest.Stdin}, Reader: manifest.Reader{Stdin: strings.NewReader(tc.text)}}
			if err := c.Migrate(t.Context(), io.Discard, io.Discard); fmt.Sprint(err) != tc.want {
				t.Errorf("\n%s\nMigrate(...): want %s, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

// TestPrintError proves that migrate returns the error of its output.
func TestPrintError(t *testing.T) {
	t.Chdir(t.TempDir())
	tagstest.WriteFiles(t, map[string]string{"a.yaml": "a: b\n"})

	c := &Command{Paths: []string{"a.yaml"}}
	if err := c.Migrate(t.Context(), tagstest.BrokenPipe{}, io.Discard); err == nil || err.Error() != "the pipe is broken" {
		t.Errorf("Migrate(...): want the error of the output, got %v", err)
	}
}
