package tagstest

import (
	"errors"

	"github.com/alecthomas/kong"
)

// TB is what tests and property tests have in common.
type TB interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// ParseArgs parses the command line args to command, which isn't run. It fails the
// test if the process would end.
func ParseArgs(tb TB, command any, args []string) error {
	tb.Helper()

	k, err := kong.New(command, kong.Exit(func(code int) { tb.Fatalf("the command line exited with %d", code) }))
	if err != nil {
		tb.Fatal(err)
	}

	_, err = k.Parse(args)

	return err
}

// A BrokenPipe can't be read from or written to.
type BrokenPipe struct{}

var errBrokenPipe = errors.New("the pipe is broken")

// Read implements io.Reader.
func (BrokenPipe) Read([]byte) (int, error) { return 0, errBrokenPipe }

// Write implements io.Writer.
func (BrokenPipe) Write([]byte) (int, error) { return 0, errBrokenPipe }

// ExitCode of a process that ends with err, as kong learns it.
func ExitCode(err error) int {
	if e, ok := errors.AsType[interface {
		error
		ExitCode() int
	}](err); ok {
		return e.ExitCode()
	}

	return 1
}
