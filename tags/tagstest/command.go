package tagstest

import (
	"errors"

	"github.com/spf13/cobra"
)

// TB is what tests and property tests have in common.
type TB interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// ParseArgs parses the command line args to command, which isn't run.
func ParseArgs(command interface{ Cobra() *cobra.Command }, args []string) error {
	c := command.Cobra()
	c.SilenceErrors, c.SilenceUsage = true, true
	c.RunE = func(*cobra.Command, []string) error { return nil }
	c.SetArgs(args)

	return c.Execute()
}

// A BrokenPipe can't be read from or written to.
type BrokenPipe struct{}

var errBrokenPipe = errors.New("the pipe is broken")

// Read implements io.Reader.
func (BrokenPipe) Read([]byte) (int, error) { return 0, errBrokenPipe }

// Write implements io.Writer.
func (BrokenPipe) Write([]byte) (int, error) { return 0, errBrokenPipe }
