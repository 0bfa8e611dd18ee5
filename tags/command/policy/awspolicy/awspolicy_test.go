package awspolicy

import (
	"io"
	"strings"
	"testing"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestPrinted runs the command lines of testdata/cases.yaml. A human has read their output.
func TestPrinted(t *testing.T) {
	tagstest.CommandLines(t, func(t *testing.T, line *tagstest.CommandLine, in io.Reader, out io.Writer) error {
		t.Helper()
		t.Chdir(t.TempDir())
		tagstest.WriteFiles(t, line.Files)

		c := &Command{}
		if err := tagstest.ParseArgs(c, line.Args); err != nil {
			t.Fatal(err)
		}

		return c.run(in, out)
	})
}

func TestWriteError(t *testing.T) {
	c := &Command{}
	if err := tagstest.ParseArgs(c, []string{"-"}); err != nil {
		t.Fatal(err)
	}

	err := c.run(strings.NewReader(`{"tags": {"a": {}}}`), tagstest.BrokenPipe{})
	if err == nil || err.Error() != "cannot write the policy: the pipe is broken" {
		t.Errorf("an error of the output should be said, but it is: %v", err)
	}
}
