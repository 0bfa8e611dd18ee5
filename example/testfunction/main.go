// Command testfunction serves the composition function that makes the composed
// resources of the example scenarios. See its package for what it does.
package main

import (
	"context"
	"fmt"
	"net"
	"os"

	"github.com/spf13/cobra"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/program"
	"github.com/plexsphere/function-cloud-tags/example/internal/testfunction"
)

// serve the test function until it is interrupted.
func serve(ctx context.Context, address string) error {
	var config net.ListenConfig

	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", address, err)
	}

	_, _ = fmt.Fprintln(os.Stderr, "The test function listens on", l.Addr())

	defer functions.Serve(testfunction.Function{}, l)()

	<-ctx.Done()

	return nil
}

func main() {
	c := &cobra.Command{
		Use:   "testfunction",
		Short: "Serves the function that makes the composed resources of the examples. It is for examples and tests only.",
		Args:  cobra.NoArgs,
	}

	// As for all functions, the default address is reachable from a container: crossplane composition render runs Crossplane in one
	// by default.
	address := c.Flags().String("address", ":9444", "Address to listen on for gRPC connections.")
	c.RunE = func(c *cobra.Command, _ []string) error { return serve(c.Context(), *address) }

	program.Main(c)
}
