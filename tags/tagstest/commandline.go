package tagstest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plexsphere/function-cloud-tags/tags/command"
)

// A CommandLine is a case of a test of a command.
type CommandLine struct {
	Name   string   `json:"name"`
	Reason string   `json:"reason"`
	Args   []string `json:"args"`
	Stdin  string   `json:"stdin"`

	// Files that the command reads, by name, and Input the fields of the input of a Composition's step. The test
	// names the Composition.
	Files map[string]string `json:"files"`
	Input string            `json:"input"`

	// Cluster that kubectl reaches. The golden file has the requests to it.
	Cluster *Cluster `json:"cluster"`

	// Color and Width of the terminal.
	Color bool `json:"color"`
	Width int  `json:"width"`
}

// CommandLines runs the command lines of testdata/cases.yaml. The output of the command, and its error, are in the
// golden file of the test.
func CommandLines(t *testing.T, run func(t *testing.T, line *CommandLine, in io.Reader, out io.Writer) error) {
	t.Helper()

	var lines []CommandLine

	ReadYAML(t, "testdata/cases.yaml", &lines)

	g := NewGolden(t)

	for i := range lines {
		line := &lines[i]

		t.Run(line.Name, func(t *testing.T) {
			if line.Cluster != nil {
				line.Cluster.Serve(t)
			}

			out := &strings.Builder{}
			err := run(t, line, strings.NewReader(line.Stdin), out)

			got := strings.Split(out.String(), "\n")
			if err != nil {
				got = append(got, fmt.Sprintf("error with exit code %d: %v", command.ExitCode(err), err))
			}

			g.Check(t, line.Reason, append(got, line.Cluster.Requests()...))
		})
	}
}

// Composition returns a Composition for composite resources of the kind. Its first step calls another function, and
// its second step calls this function with the fields of input.
func Composition(name, apiVersion, kind, input string) string {
	return fmt.Sprintf(`
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: %s}
spec:
  compositeTypeRef: {apiVersion: %s, kind: %s}
  mode: Pipeline
  pipeline:
  - step: make-resources
    functionRef: {name: function-other}
    input: {apiVersion: other.example.org/v1, kind: Resources}
  - step: tags
    functionRef: {name: function-cloud-tags}
    input: {apiVersion: cloudtags.fn.plexsphere.com/v1beta1, kind: CloudTags, %s}
`, name, apiVersion, kind, input)
}

// WriteFiles writes the texts, by the paths of the files, which are below the working directory or absolute.
func WriteFiles(t *testing.T, texts map[string]string) {
	t.Helper()

	for path, text := range texts {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
