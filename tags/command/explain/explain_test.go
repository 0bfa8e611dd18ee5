package explain

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// A commandCase is a command line and what it reads.
type commandCase struct {
	Name   string   `json:"name"`
	Reason string   `json:"reason"`
	Args   []string `json:"args"`
	Stdin  string   `json:"stdin"`

	// Files that the command reads, by name. If there is an Input, c is a Composition of
	// which one step has it, and x a composite resource, unless they are among the files.
	// Without any the command reads those of the package.
	Files map[string]string `json:"files"`
	Input string            `json:"input"`

	Color bool `json:"color"`
	Width int  `json:"width"`
}

// TestExplain runs the command lines of testdata/cases.yaml.
func TestExplain(t *testing.T) {
	var cases []commandCase

	tagstest.ReadYAML(t, "testdata/cases.yaml", &cases)

	g := tagstest.NewGolden(t)

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			if tc.Input != "" || tc.Files != nil {
				t.Chdir(t.TempDir())
				tc.write(t)
			}

			out := &strings.Builder{}
			err := run(t, tc.Args, strings.NewReader(tc.Stdin), out, terminal.Terminal{Color: tc.Color, Width: tc.Width})

			got := strings.Split(out.String(), "\n")
			if err != nil {
				got = append(got, fmt.Sprintf("error with exit code %d: %v", tagstest.ExitCode(err), err))
			}

			g.Check(t, tc.Reason, got)
		})
	}
}

// write the files of the case.
func (tc *commandCase) write(t *testing.T) {
	t.Helper()

	files := map[string]string{
		"c": `
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: x}
spec:
  compositeTypeRef: {apiVersion: example.org/v1, kind: XR}
  pipeline:
  - step: tags
    input: {apiVersion: cloudtags.fn.plexsphere.com/v1beta1, kind: CloudTags, ` + tc.Input + `}
`,
		"x": `
apiVersion: example.org/v1
kind: XR
metadata: {namespace: team-a, name: a, annotations: {tags.example.org/note: note}}
spec:
  labels: {env: prod}
  tags: {env: prod}
  provider: gcp
`,
	}

	maps.Copy(files, tc.Files)

	for name, text := range files {
		if err := os.WriteFile(filepath.Clean(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// run the command with the arguments.
func run(t *testing.T, args []string, in io.Reader, out io.Writer, on terminal.Terminal) error {
	t.Helper()

	c := &Command{terminal: on}

	if err := tagstest.ParseArgs(t, c, args); err != nil {
		return err
	}

	return c.Explain(t.Context(), in, out)
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
