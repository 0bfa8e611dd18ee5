// Package program runs the commands of the examples.
package program

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Main runs the command. Its context ends with an interruption. If the command fails, the process ends with status 1.
func Main(c *cobra.Command) {
	c.SilenceErrors, c.SilenceUsage = true, true
	c.Flags().SortFlags = false // They are in the order of their use.

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := c.ExecuteContext(ctx)

	stop()

	if err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "%s: %v\n", c.Name(), err)
		os.Exit(1)
	}
}
