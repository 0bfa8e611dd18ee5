// Command render shows what the function makes of an example scenario, by the real
// crossplane composition render.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
)

type cli struct {
	Scenario string `arg:"" help:"The scenario to render: a folder in example/. Without one, they are listed." optional:""`
	Tools    bool   `help:"Only build the tools into the cache: Crossplane v2 and v1, the command line tool, and the API server and etcd that tests run them with." xor:"mode"`
	Update   bool   `help:"Make what is rendered the expected output of the scenario, or of all scenarios." xor:"mode"`
	Verbose  bool   `help:"Print what the function logs. It is printed anyway if a rendering fails." short:"v"`
}

func main() {
	c := &cli{}
	kong.Parse(c, kong.Name("render"), kong.Description("Renders an example scenario by the real crossplane composition render, with the function of this checkout. Needs nothing but Go."))

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := c.run(ctx)

	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}

	stop()

	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "render:", err)
		code = 1
	}

	os.Exit(code)
}

// run returns the exit code of crossplane.
func (c *cli) run(ctx context.Context) (int, error) {
	root, err := scenario.Root()
	if err != nil {
		return 0, err
	}

	if c.Tools {
		if _, err := scenario.BuildTools(ctx, root); err != nil {
			return 0, err
		}

		_, err := live.BuildTools(ctx, root)

		return 0, err
	}

	all, err := scenario.List(root)
	if err != nil {
		return 0, err
	}

	var chosen []scenario.Scenario

	for _, s := range all {
		if s.Name == c.Scenario || c.Update && c.Scenario == "" {
			chosen = append(chosen, s)
		}
	}

	switch {
	case len(chosen) > 0:
		return c.render(ctx, root, chosen)
	case c.Scenario == "":
		_, _ = fmt.Fprint(os.Stdout, list(all))
		return 0, nil
	default:
		return 0, fmt.Errorf("there is no scenario %q, but:\n%s", c.Scenario, strings.TrimSpace(list(all)))
	}
}

func (c *cli) render(ctx context.Context, root string, scenarios []scenario.Scenario) (int, error) {
	for _, s := range scenarios {
		if err := s.Check(); err != nil {
			return 0, err
		}
	}

	var (
		buffer bytes.Buffer
		log    io.Writer = &buffer
	)

	if c.Verbose {
		log = os.Stderr
	}

	renderer, err := scenario.Start(ctx, root, log)
	if err != nil {
		_, _ = buffer.WriteTo(os.Stderr)
		return 0, err
	}

	code, err := c.renderEach(ctx, renderer, scenarios)

	// Only now does nobody write to the buffer any more.
	renderer.Stop()

	if code != 0 || err != nil {
		_, _ = buffer.WriteTo(os.Stderr)
	}

	return code, err
}

func (c *cli) renderEach(ctx context.Context, renderer *scenario.Renderer, scenarios []scenario.Scenario) (int, error) {
	for _, s := range scenarios {
		r, err := renderer.Render(ctx, s)
		if err != nil {
			return 0, err
		}

		if c.Update {
			if err := s.Update(r.Outcome()); err != nil {
				return 0, err
			}

			continue
		}

		_, _ = os.Stdout.Write(r.Stdout)
		_, _ = os.Stderr.Write(r.Stderr)

		if r.ExitCode != 0 {
			return r.ExitCode, nil
		}
	}

	return 0, nil
}

// list the scenarios, each with what it shows.
func list(scenarios []scenario.Scenario) string {
	var out strings.Builder

	t := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)

	for _, s := range scenarios {
		_, _ = fmt.Fprintf(t, "%s\t%s\n", s.Name, s.Summary())
	}

	_ = t.Flush()

	return out.String()
}
