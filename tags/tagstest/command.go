package tagstest

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/plexsphere/function-cloud-tags/tags/command"
)

// ParseArgs parses the command line args as the program does, but doesn't run the command.
func ParseArgs(line interface{ Cobra() *cobra.Command }, args []string) error {
	c := line.Cobra()
	c.RunE = func(*cobra.Command, []string) error { return nil }

	return command.Execute(context.Background(), command.Program("function-cloud-tags", "", c), c.Name(), slices.Concat([]string{c.Name()}, args))
}

// A BrokenPipe can't be read from or written to.
type BrokenPipe struct{}

var errBrokenPipe = errors.New("the pipe is broken")

// Read implements io.Reader.
func (BrokenPipe) Read([]byte) (int, error) { return 0, errBrokenPipe }

// Write implements io.Writer.
func (BrokenPipe) Write([]byte) (int, error) { return 0, errBrokenPipe }
