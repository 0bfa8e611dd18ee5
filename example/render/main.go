// Command render shows what the function makes of an example scenario.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/program"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/command/remote"
)

// Engines that render.
const (
	builtIn    = "built-in"
	crossplane = "crossplane"
)

type cli struct {
	Scenario  string
	Functions string
	Engine    string
	Update    bool
	Verbose   bool
}

func main() {
	c, code := &cli{Engine: builtIn}, 0

	p := &cobra.Command{
		Use:   "render [SCENARIO]",
		Short: "Renders an example scenario with the function of this checkout. Needs nothing but Go.",
		Long: `Renders an example scenario with the function of this checkout. Needs nothing but Go.

SCENARIO is the name of a scenario, which is a folder in example/, or any folder with xr.yaml and composition.yaml. Without one,
scenarios are listed.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(p *cobra.Command, args []string) (err error) {
			c.Scenario = strings.Join(args, "")
			code, err = c.run(p.Context())

			if p.Context().Err() != nil {
				return context.Cause(p.Context())
			}

			return err
		},
	}

	f := p.Flags()
	f.StringVar(&c.Functions, "functions", "", "`FILE` of Functions that says where those listen which don't run here, as crossplane composition render reads it. By default it is functions.yaml of the folder, if there is one.")
	command.Choice(p, &c.Engine, "engine", "", "What renders: the model of Crossplane that is built in, or the real crossplane composition render, which the first time takes minutes to build.", builtIn, crossplane)
	f.BoolVar(&c.Update, "update", false, "Make what is rendered the expected output of the scenario, or of all scenarios.")
	f.BoolVarP(&c.Verbose, "verbose", "v", false, "Print what the function logs. It is printed anyway if a rendering fails.")

	program.Main(p)
	os.Exit(code)
}

// run returns the exit code.
func (c *cli) run(ctx context.Context) (int, error) {
	root, err := scenario.Root()
	if err != nil {
		return 0, err
	}

	if c.Scenario != "" {
		s, err := scenario.Find(root, c.Scenario)
		if err != nil {
			return 0, err
		}

		return c.render(ctx, root, []scenario.Scenario{s})
	}

	if c.Update {
		scenarios, err := scenario.List(root)
		if err != nil {
			return 0, err
		}

		return c.render(ctx, root, scenarios)
	}

	topics, err := scenario.Topics(root)
	if err != nil {
		return 0, err
	}

	_, _ = fmt.Fprint(os.Stdout, list(topics))

	return 0, nil
}

func (c *cli) render(ctx context.Context, root string, scenarios []scenario.Scenario) (int, error) {
	// Checks that take no time come first: nobody waits for an error.
	others := make(map[string]functions.Function)

	var disconnects []func()

	defer func() {
		for _, disconnect := range disconnects {
			disconnect()
		}
	}()

	for _, s := range scenarios {
		disconnect, err := c.prepare(ctx, root, s, others)
		if err != nil {
			return 0, err
		}

		disconnects = append(disconnects, disconnect)
	}

	_, _ = fmt.Fprintln(os.Stderr, "building the function of this checkout …")

	running, err := functions.Start(ctx, root)
	if err != nil {
		return 0, err
	}
	defer running.Stop()

	maps.Copy(others, running.Functions)

	code, err := c.renderEach(ctx, root, others, scenarios)

	switch {
	case c.Verbose:
		_, _ = fmt.Fprint(os.Stderr, running.Log())
	case code != 0 || err != nil:
		_, _ = fmt.Fprintln(os.Stderr, running.LastLog())
	}

	return code, err
}

// prepare checks the folder, and connects to the functions of the pipeline that run elsewhere. A call of disconnect
// ends the connections.
func (c *cli) prepare(ctx context.Context, root string, s scenario.Scenario, others map[string]functions.Function) (disconnect func(), err error) {
	if err := s.CheckNeeded(); err != nil {
		return nil, err
	}

	unread, err := s.Unread()
	if err != nil {
		return nil, err
	}

	if len(unread) > 0 {
		_, _ = fmt.Fprintf(os.Stderr, "not read: %s. example/README.md says which files are.\n", strings.Join(unread, ", "))
	}

	called, err := s.Called()
	if err != nil {
		return nil, err
	}

	file, targets := c.Functions, map[string]string(nil)
	if file == "" {
		file = s.Functions()
	}

	if _, err := os.Stat(file); err == nil || c.Functions != "" {
		if targets, err = remote.Targets(file); err != nil {
			return nil, err
		}
	}

	if err := functions.CheckCalled(root, file, called, targets); err != nil {
		return nil, err
	}

	return functions.ConnectCalled(ctx, root, called, targets, others)
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

	if needed || c.Engine == crossplane {
		return scenario.NewCrossplane(ctx, root)
	}

	return scenario.BuiltIn{}, nil
}

// list the scenarios by topic, a line each.
func list(topics []scenario.Topic) string {
	var out strings.Builder

	_, _ = fmt.Fprintln(&out, "Scenarios, by what they show. Start with those that say so:")

	t := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)

	for _, topic := range topics {
		_, _ = fmt.Fprintf(t, "\n%s\n", topic.Name)

		for _, r := range topic.Rows {
			_, _ = fmt.Fprintf(t, "  %s\t%s\n", r.Scenario, r.Shows)
		}
	}

	_ = t.Flush()

	return out.String()
}
