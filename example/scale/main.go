// Command scale runs many composite resources in a live cluster, and says what that costs.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
	"github.com/plexsphere/function-cloud-tags/example/internal/tool"
)

const description = `Runs many XRs in a cluster of etcd, an API server and Crossplane, as it is by default, on this
machine. Says how long it takes until all that they are composed of is tagged, what that costs, and what
happens when something changes then. Fails if a resource was ever stored without its tags.

There are no providers: the command writes what a provider does to the config of its account, which counts the
resources that are made with it.

The tools are built of their source the first time, which takes minutes. Needs Linux.`

type cli struct {
	XRs       int          `default:"1000"            help:"How many XRs."                                                                                     name:"xrs"`
	Resources int          `default:"5"               help:"How many resources each XR is composed of."`
	Source    source       `default:"composite-field" enum:"composite-field,provider-config,required-resource" help:"Where labels come from: composite-field: a field of each XR; provider-config: the provider config of all resources; required-resource: an object that nobody else writes."`
	Release   live.Release `default:"crossplane"      enum:"crossplane-v1,crossplane-v2.2,crossplane"          help:"Which release of Crossplane: crossplane-v1, crossplane-v2.2, or crossplane, the newest."`

	Settled time.Duration `default:"1m"  help:"How long to look on when nothing changes any more."`
	Quiet   time.Duration `default:"10s" help:"How long nothing is written before something counts as done."`
	JSON    bool          `help:"Print JSON rather than tables. Times are seconds, and sizes are bytes."`
}

// Validate what is not an enumeration.
func (c *cli) Validate() error {
	if c.XRs < 1 || c.Resources < 1 {
		return fmt.Errorf("must be at least 1: got %d XRs of %d resources", c.XRs, c.Resources)
	}

	return nil
}

func main() {
	c := &cli{}
	kong.Parse(c, kong.Name("scale"), kong.Description(description))

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := c.print(ctx)

	stop()

	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func (c *cli) print(ctx context.Context) error {
	r, err := c.run(ctx)
	if err != nil {
		return err
	}

	if c.JSON {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")

		return e.Encode(r)
	}

	return r.table(os.Stdout)
}

// progressf says on standard error what is done, since it takes minutes.
func progressf(format string, a ...any) { _, _ = fmt.Fprintf(os.Stderr, format+" …\n", a...) }

func (c *cli) run(ctx context.Context) (*report, error) {
	root, err := scenario.Root()
	if err != nil {
		return nil, err
	}

	version, err := tool.Version(ctx, root, string(c.Release))
	if err != nil {
		return nil, err
	}

	progressf("starting a cluster with Crossplane %s", version)

	cluster, err := live.Start(ctx, root, c.Release)
	if err != nil {
		return nil, err
	}
	defer cluster.Stop()

	s := &session{cli: c, Cluster: cluster, report: report{
		Crossplane: version, Source: c.Source, XRs: c.XRs, Resources: c.Resources,
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Processors: runtime.NumCPU(), Time: time.Now().UTC().Truncate(time.Second),
	}}

	err = s.run(ctx)

	return &s.report, err
}
