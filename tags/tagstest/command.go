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

// ParseArgs parses the supplied command line to the supplied command, which isn't run. It fails the
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

// ExitCode of a process that ends with the supplied error, as kong learns it.
func ExitCode(err error) int {
	if e, ok := errors.AsType[interface {
		error
		ExitCode() int
	}](err); ok {
		return e.ExitCode()
	}

	return 1
}
