package coverage

import (
	"fmt"
	"io"
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

	// Input of the only step of a Composition, which is the file composition.
	Input string `json:"input"`

	Color bool `json:"color"`
	Width int  `json:"width"`
}

// TestCoverage runs the command lines of testdata/cases.yaml.
func TestCoverage(t *testing.T) {
	var cases []commandCase

	tagstest.ReadYAML(t, "testdata/cases.yaml", &cases)

	managed, err := filepath.Abs("testdata/managed.yaml")
	if err != nil {
		t.Fatal(err)
	}

	g := tagstest.NewGolden(t)

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			t.Chdir(t.TempDir())

			composition := `
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: x}
spec:
  compositeTypeRef: {apiVersion: platform.example.org/v1, kind: Shop}
  pipeline:
  - step: tags
    input: {apiVersion: cloudtags.fn.plexsphere.com/v1beta1, kind: CloudTags, ` + tc.Input + `}
`

			if err := os.WriteFile("composition", []byte(composition), 0o600); err != nil {
				t.Fatal(err)
			}

			if err := os.Symlink(managed, "managed.yaml"); err != nil {
				t.Fatal(err)
			}

			out := &strings.Builder{}
			err := runOn(t, tc.Args, strings.NewReader(tc.Stdin), out, terminal.Terminal{Color: tc.Color, Width: tc.Width})

			got := strings.Split(out.String(), "\n")
			if err != nil {
				got = append(got, fmt.Sprintf("error with exit code %d: %v", tagstest.ExitCode(err), err))
			}

			g.Check(t, tc.Reason, got)
		})
	}
}

// run the command with the arguments.
func run(t *testing.T, args []string, in io.Reader, out io.Writer) error {
	t.Helper()
	return runOn(t, args, in, out, terminal.Terminal{})
}

// runOn is run on a terminal.
func runOn(t *testing.T, args []string, in io.Reader, out io.Writer, on terminal.Terminal) error {
	t.Helper()

	c := &Command{terminal: on}

	if err := tagstest.ParseArgs(t, c, args); err != nil {
		return err
	}

	return c.cover(in, out)
}

// TestREADME tests that the README shows what the command prints.
func TestREADME(t *testing.T) {
	b, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}

	const command = "go run . coverage --key cost-center --key env tags/command/coverage/testdata/managed.yaml"

	_, after, _ := strings.Cut(string(b), command+"\n```\n\n```text\n")
	text, _, ok := strings.Cut(after, "```\n")

	t.Chdir("../../..")

	out := &strings.Builder{}
	if err := run(t, strings.Fields(command)[4:], nil, out); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(out.String(), text); diff != "" || !ok {
		t.Errorf("\nThe README should show what this prints: %s\n-want, +got:\n%s", command, diff)
	}
}

func TestBrokenPipes(t *testing.T) {
	err := run(t, []string{"-"}, tagstest.BrokenPipe{}, io.Discard)
	if diff := cmp.Diff("cannot read -: the pipe is broken", fmt.Sprint(err)); diff != "" {
		t.Errorf("\nStandard input that can't be read is a failure.\nrun(...): -want error, +got error:\n%s", diff)
	}

	for _, output := range []string{"table", "json", "yaml", "csv"} {
		err := run(t, []string{"--strict", "--key", "env", "-o", output, "testdata/managed.yaml"}, nil, tagstest.BrokenPipe{})
		if diff := cmp.Diff("cannot write coverage: the pipe is broken", fmt.Sprint(err)); diff != "" {
			t.Errorf("\nStandard output that can't be written is a failure, also if tags are missing.\nrun(...) to %s: -want error, +got error:\n%s", output, diff)
		}
	}
}
