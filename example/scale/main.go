// Command scale runs many composite resources in a live cluster, and prints their cost.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/example/internal/program"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
	"github.com/plexsphere/function-cloud-tags/example/internal/tool"
	"github.com/plexsphere/function-cloud-tags/tags/command"
)

const description = `Runs many XRs in a cluster of etcd, an API server and Crossplane, as it is by default, on this
machine. Says how long it takes until all that they are composed of is tagged, what that costs, and what
happens when something changes then. Fails if a resource was ever stored without its tags.

There are no providers: the command writes what a provider does to the config of its account, which counts the
resources that are made with it.

The tools are built of their source the first time, which takes minutes. Needs Linux.`

type cli struct {
	XRs       int
	Resources int
	Source    source
	Release   live.Release

	Settled time.Duration
	Quiet   time.Duration
	JSON    bool
}

func main() {
	c := &cli{Source: compositeField, Release: live.V2}

	p := &cobra.Command{Use: "scale", Long: description, Args: cobra.NoArgs, RunE: func(p *cobra.Command, _ []string) error { return c.print(p.Context()) }}

	f := p.Flags()
	f.IntVar(&c.XRs, "xrs", 1000, "How many XRs.")
	f.IntVar(&c.Resources, "resources", 5, "How many resources each XR is composed of.")
	command.Choice(p, &c.Source, "source", "", "Where labels come from: a field of each XR, the provider config of all resources, or an object that nobody else writes.", compositeField, providerConfig, requiredResource)
	command.Choice(p, &c.Release, "release", "", "Which release of Crossplane. The one without a version is the newest.", live.Releases...)
	f.DurationVar(&c.Settled, "settled", time.Minute, "How long to look on when nothing changes any more.")
	f.DurationVar(&c.Quiet, "quiet", 10*time.Second, "How long nothing is written before something counts as done.")
	f.BoolVar(&c.JSON, "json", false, "Print JSON rather than tables. Times are seconds, and sizes are bytes.")

	program.Main(p)
}

func (c *cli) print(ctx context.Context) error {
	if c.XRs < 1 || c.Resources < 1 {
		return fmt.Errorf("must be at least 1: got %d XRs of %d resources", c.XRs, c.Resources)
	}

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

	cluster, err := live.Start(ctx, root, live.Platform{Release: c.Release, Kubernetes: live.Newest})
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
