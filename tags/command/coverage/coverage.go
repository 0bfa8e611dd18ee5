// Package coverage counts tagged resources of a cluster, resources with missing tags, and resources whose tags
// in the cloud differ from the desired ones.
package coverage

import (
	"fmt"
	"io"
	"os"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/coverage"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// A Command counts the tags of resources, as kubectl or a render prints them.
type Command struct {
	Files []string `arg:"" help:"Files or folders of resources, as kubectl get managed -A -o json or yaml prints them, or a render. - is standard input."`

	By          string   `default:"provider" enum:"provider,kind,namespace,composite" help:"What to count by: provider, kind, namespace or composite."`
	Key         []string `sep:"none" help:"Key of a tag, or of a label, that resources must have. Can be repeated. By default all keys are counted that any resource or the cloud has." placeholder:"KEY"`
	KeyPrefix   *string  `help:"Prefix of the keys of labels (plexsphere: by default). A Composition says its own." placeholder:"PREFIX"`
	Composition string   `help:"Composition whose step says where tags are, which keys count, and which its tagPolicy requires." placeholder:"FILE"`
	Step        string   `help:"Name of the step, if the Composition has several of this function." placeholder:"NAME"`

	RequiredResources []string `help:"File or folder with the object that holds the standard which the step's input extends. Can be repeated." placeholder:"PATH"`

	Output string `default:"table" enum:"table,html,json,yaml,csv" help:"Format of the output: table, html, json, yaml or csv. json, yaml and csv have whole lists." short:"o"`
	Strict bool   `help:"Exit with status 2 if any resource lacks a key of --key, or breaks the step's tagPolicy, or if no resource can have tags."`

	// terminal that is written to. That of Run is standard output.
	terminal terminal.Terminal
}

// emptyError is the error of --strict if nothing was counted: nobody has looked at what should be tagged.
type emptyError struct{}

func (emptyError) Error() string { return "there is nothing to count: no resource can have tags" }

// ExitCode of the process.
func (emptyError) ExitCode() int { return 2 }

// brokenError is the error of --strict: how many resources are incomplete.
type brokenError int

func (e brokenError) Error() string {
	return fmt.Sprintf("resources without all required tags: %d", int(e))
}

// ExitCode of the process.
func (e brokenError) ExitCode() int { return 2 }

// Validate that the command is told what fits together.
func (c *Command) Validate() error {
	switch {
	case c.Composition == "" && (c.Step != "" || len(c.RequiredResources) > 0):
		return errors.New("--step and --required-resources go with --composition")
	case c.Composition != "" && c.KeyPrefix != nil:
		return errors.New("--key-prefix is what the input of the --composition says: give either")
	case slices.Contains(c.Key, ""):
		return errors.New("--key must not be empty")
	case c.Strict && len(c.Key) == 0 && c.Composition == "":
		return errors.New("--strict goes with --key or --composition, which say what is required")
	default:
		return manifest.CheckStdin(slices.Concat([]string{c.Composition}, c.RequiredResources, c.Files))
	}
}

// Run the command.
func (c *Command) Run() error {
	c.terminal = terminal.Of(os.Stdout)

	return c.cover(os.Stdin, os.Stdout)
}

// cover is Run with other files for standard input and output.
func (c *Command) cover(in io.Reader, out io.Writer) error {
	r := &manifest.Reader{Stdin: in}

	t, err := c.tally(r)
	if err != nil {
		return manifest.OneLine(err)
	}

	if err := r.Stream(c.Files, func(o *structpb.Struct) { t.Add(object.Tree(o)) }); err != nil {
		return err
	}

	rep := t.Report()

	write := map[string]func(io.Writer) error{
		"json": rep.WriteJSON, "yaml": rep.WriteYAML, "csv": rep.WriteCSV,
		"table": func(out io.Writer) error { return c.writeTable(out, rep) }, "html": func(out io.Writer) error { return c.writeHTML(out, rep) },
	}[c.Output]
	if err := write(out); err != nil {
		return errors.Wrap(err, "cannot write coverage")
	}

	switch {
	case c.Strict && rep.Total.Taggable == 0:
		return emptyError{}
	case c.Strict && rep.Total.Incomplete > 0:
		return brokenError(rep.Total.Incomplete)
	default:
		return nil
	}
}

// tally returns what counts resources as the command says.
func (c *Command) tally(r *manifest.Reader) (*coverage.Tally, error) {
	o := coverage.Options{By: []string{c.By}, Input: &v1beta1.CloudTags{KeyPrefix: tags.CloudTagPrefix, ProfileRules: profile.Contract}, Keys: c.Key}
	if c.Output == "html" {
		o.By = divisions
	}

	if c.KeyPrefix != nil {
		o.Input.KeyPrefix = *c.KeyPrefix
	}

	if c.Composition == "" {
		return coverage.New(o), nil
	}

	required, err := r.Objects(c.RequiredResources...)
	if err != nil {
		return nil, err
	}

	step, err := r.Step(c.Composition, c.Step, required...)
	if err != nil {
		return nil, err
	}

	o.Input = step.Input
	o.CompositeGroup = schema.FromAPIVersionAndKind(step.Composite.APIVersion, step.Composite.Kind).Group

	t := coverage.New(o)
	if c.Strict && !t.Requires() {
		return nil, errors.Errorf("cannot tell what --strict requires: step %s has no tagPolicy, and there is no --key", step.Name)
	}

	return t, nil
}
