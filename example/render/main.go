// Command render shows what the function makes of an example scenario.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
)

type cli struct {
	Scenario string `arg:"" help:"The scenario to render: a folder in example/. Without one, they are listed." optional:""`
	Engine   string `default:"built-in" enum:"built-in,crossplane" help:"What renders: the model of Crossplane that is built in, or the real crossplane composition render, which the first time takes minutes to build."`
	Update   bool   `help:"Make what is rendered the expected output of the scenario, or of all scenarios."`
	Verbose  bool   `help:"Print what the function logs. It is printed anyway if a rendering fails." short:"v"`
}

func main() {
	c := &cli{}
	kong.Parse(c, kong.Name("render"), kong.Description("Renders an example scenario with the function of this checkout. Needs nothing but Go."))

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

// run returns the exit code.
func (c *cli) run(ctx context.Context) (int, error) {
	root, err := scenario.Root()
	if err != nil {
		return 0, err
	}

	all, err := scenario.List(root)
	if err != nil {
		return 0, err
	}

	topics, err := scenario.Topics(root)
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
		_, _ = fmt.Fprint(os.Stdout, list(topics))
		return 0, nil
	default:
		return 0, fmt.Errorf("there is no scenario %q: go run ./example/render lists them", c.Scenario)
	}
}

func (c *cli) render(ctx context.Context, root string, scenarios []scenario.Scenario) (int, error) {
	for _, s := range scenarios {
		if err := s.Check(); err != nil {
			return 0, err
		}
	}

	running, err := functions.Start(ctx, root)
	if err != nil {
		return 0, err
	}
	defer running.Stop()

	code, err := c.renderEach(ctx, root, running.Functions, scenarios)

	if c.Verbose || code != 0 || err != nil {
		_, _ = fmt.Fprint(os.Stderr, running.Log())
	}

	return code, err
}

func (c *cli) renderEach(ctx context.Context, root string, all map[string]functions.Function, scenarios []scenario.Scenario) (int, error) {
	for _, s := range scenarios {
		engine, err := c.engine(ctx, root, s)
		if err != nil {
			return 0, err
		}

		outcome, err := engine.Render(ctx, s, all)

		switch {
		case err != nil:
			return 0, err
		case c.Update:
			if err := s.Update(outcome); err != nil {
				return 0, err
			}
		case outcome.Failed:
			_, _ = fmt.Fprint(os.Stderr, outcome.Text)
			return 1, nil
		default:
			_, _ = fmt.Fprint(os.Stdout, outcome.Text)
		}
	}

	return 0, nil
}

// engine that renders a scenario.
func (c *cli) engine(ctx context.Context, root string, s scenario.Scenario) (scenario.Engine, error) {
	needed, err := s.NeedsCrossplane()
	if err != nil {
		return nil, err
	}

	if needed || c.Engine == "crossplane" {
		return scenario.NewCrossplane(ctx, root)
	}

	return scenario.BuiltIn{}, nil
}

// list the scenarios by topic, a line each.
func list(topics []scenario.Topic) string {
	var out strings.Builder

	_, _ = fmt.Fprintln(&out, "What becomes of …")

	t := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)

	for _, topic := range topics {
		_, _ = fmt.Fprintf(t, "\n%s\n", topic.Name)

		for _, r := range topic.Rows {
			_, _ = fmt.Fprintf(t, "  %s\t%s\n", r.Scenario, r.Question)
		}
	}

	_ = t.Flush()

	return out.String()
}
