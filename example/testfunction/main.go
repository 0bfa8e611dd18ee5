// Command testfunction serves the composition function that makes the composed
// resources of the example scenarios. See its package for what it does.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/testfunction"
)

type cli struct {
	// Like those of all functions, the default address is reachable from a
	// container, because crossplane composition render runs Crossplane in one
	// unless told otherwise.
	Address string `default:":9444" help:"Address to listen on for gRPC connections."`
}

// Run serves the test function until it is interrupted.
func (c *cli) Run() error {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()

	var config net.ListenConfig

	l, err := config.Listen(ctx, "tcp", c.Address)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", c.Address, err)
	}

	_, _ = fmt.Fprintln(os.Stderr, "The test function listens on", l.Addr())

	defer functions.Serve(testfunction.Function{}, l)()

	<-ctx.Done()

	return nil
}

func main() {
	ctx := kong.Parse(&cli{}, kong.Name("testfunction"), kong.Description("Serves the function that makes the composed resources of the examples. It is for examples and tests only."))
	ctx.FatalIfErrorf(ctx.Run())
}
