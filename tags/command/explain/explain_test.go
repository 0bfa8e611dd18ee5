package explain

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// composite is the composite resource of most cases.
const composite = `
apiVersion: example.org/v1
kind: XR
metadata: {namespace: team-a, name: a, annotations: {tags.example.org/note: note}}
spec:
  labels: {env: prod}
  tags: {env: prod}
  provider: gcp
`

// TestExplain runs the command lines of testdata/cases.yaml. If one has files or an input, c is a Composition with
// the input, and x a composite resource, unless they are among the files. Others read the files of the package.
func TestExplain(t *testing.T) {
	tagstest.CommandLines(t, func(t *testing.T, line *tagstest.CommandLine, in io.Reader, out io.Writer) error {
		t.Helper()

		if line.Input != "" || line.Files != nil {
			t.Chdir(t.TempDir())
			tagstest.WriteFiles(t, map[string]string{"c": tagstest.Composition("x", "example.org/v1", "XR", line.Input), "x": composite})
			tagstest.WriteFiles(t, line.Files)
		}

		return run(t, line.Args, in, out, terminal.Terminal{Color: line.Color, Width: line.Width})
	})
}

// run the command with the arguments.
func run(t *testing.T, args []string, in io.Reader, out io.Writer, on terminal.Terminal) error {
	t.Helper()

	c := &Command{terminal: on, Function: waits}

	if err := tagstest.ParseArgs(c, args); err != nil {
		return err
	}

	return c.Explain(t.Context(), in, out)
}

// waits is a function that waits for an object and a schema, and fails once it has the object. What the function makes
// of requests, TestExplainAgrees shows.
func waits(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	if len(req.GetRequiredResources()) == 0 {
		return &fnv1.RunFunctionResponse{Requirements: &fnv1.Requirements{
			Resources: map[string]*fnv1.ResourceSelector{
				"a": {ApiVersion: "v1", Kind: "ConfigMap", Match: &fnv1.ResourceSelector_MatchName{MatchName: "a"}},
				"b": {ApiVersion: "v1", Kind: "Namespace", Match: &fnv1.ResourceSelector_MatchLabels{}},
			},
			Schemas: map[string]*fnv1.SchemaSelector{"s": {ApiVersion: "example.org/v1", Kind: "Thing"}},
		}}, nil
	}

	rsp := response.To(req, response.DefaultTTL)
	response.Fatal(rsp, errors.New("it fails"))
	response.ConditionFalse(rsp, "CloudTagsPropagated", "ResolveFailed").WithMessage("it fails")

	return rsp, nil
}

// TestRun writes to a file, which is no terminal.
func TestRun(t *testing.T) {
	t.Chdir(t.TempDir())

	out, err := os.Create("out")
	if err != nil {
		t.Fatal(err)
	}

	defer func(stdout *os.File) { os.Stdout = stdout }(os.Stdout)
	os.Stdout = out

	if err := os.WriteFile("labels.yaml", []byte("a: b\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	if err := (&Command{File: "labels.yaml", Provider: []string{"aws"}, Output: "table"}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}

	got, err := os.ReadFile("out")
	if diff := cmp.Diff("LABEL  VALUE  AWS\na      b      plexsphere:a\n", string(got)); diff != "" || err != nil {
		t.Errorf("\nWhat is no terminal has no colors.\nRun(...): %v, -want, +got:\n%s", err, diff)
	}
}

func TestBrokenPipes(t *testing.T) {
	err := run(t, []string{"-"}, tagstest.BrokenPipe{}, io.Discard, terminal.Terminal{})
	if diff := cmp.Diff("cannot read labels from -: the pipe is broken", fmt.Sprint(err)); diff != "" {
		t.Errorf("\nStandard input that can't be read is a failure.\nrun(...): -want error, +got error:\n%s", diff)
	}

	for _, output := range []string{"table", "json", "yaml"} {
		err := run(t, []string{"--strict", "--provider", "hetzner", "-o", output, "-"}, strings.NewReader("a b: c"), tagstest.BrokenPipe{}, terminal.Terminal{})
		if diff := cmp.Diff("cannot write explanation: the pipe is broken", fmt.Sprint(err)); diff != "" {
			t.Errorf("\nStandard output that can't be written is a failure, also if labels are skipped.\nrun(...) to %s: -want error, +got error:\n%s", output, diff)
		}
	}
}
