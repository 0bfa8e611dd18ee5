// Package explain shows which labels become which tags, and which are skipped and
// why, before any cloud is asked.
package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
)

// A Command explains a file of labels, or all sources of a composite resource's
// labels.
type Command struct {
	File string `arg:"" help:"YAML or JSON file with a map of labels, or with any object that has one at --field-path. - is standard input, here and for all other files." optional:""`

	FieldPath    string     `help:"Field path of the map of labels in the file, e.g. spec.labels." placeholder:"PATH"`
	Provider     []string   `help:"Provider whose tag profile to apply. Can be repeated. By default all profiles are shown side by side." placeholder:"NAME"`
	ProfileRules tags.Rules `default:"Contract" enum:"Contract,Cloud" help:"Whose rules to apply where they differ: the contract's, or those of the clouds' own APIs (Contract or Cloud). A Composition says so itself."`
	Output       string     `default:"table" enum:"table,json,yaml" help:"Format of the output: table, json or yaml." short:"o"`
	Strict       bool       `help:"Exit with status 2 if any label is skipped."`

	Composition       string   `help:"Composition whose step says where labels come from, instead of a file." placeholder:"FILE"`
	XR                string   `help:"Composite resource of the Composition." name:"xr" placeholder:"FILE"`
	RequiredResources []string `help:"File or folder of objects that the step requires. Can be repeated." placeholder:"PATH"`
	Context           string   `help:"YAML or JSON file with the pipeline's context: a map of context key to value." placeholder:"FILE"`
	Step              string   `help:"Name of the step, if the Composition has several of this function." placeholder:"NAME"`
}

// skippedError is the error of --strict.
type skippedError int

func (e skippedError) Error() string { return fmt.Sprintf("labels skipped: %d", int(e)) }

// ExitCode of the process.
func (e skippedError) ExitCode() int { return 2 }

// Validate that the command is told what to explain.
func (c *Command) Validate() error {
	stdin := 0

	for _, path := range append([]string{c.File, c.Composition, c.XR, c.Context}, c.RequiredResources...) {
		if path == manifest.Stdin {
			stdin++
		}
	}

	switch {
	case (c.File == "") == (c.Composition == ""):
		return errors.New("give either a file of labels or --composition")
	case (c.Composition == "") != (c.XR == ""):
		return errors.New("--composition and --xr go together")
	case c.Composition == "" && (len(c.RequiredResources) > 0 || c.Step != "" || c.Context != ""):
		return errors.New("--required-resources, --context and --step go with --composition")
	case c.Composition != "" && c.FieldPath != "":
		return errors.New("--field-path goes with a file of labels")
	case stdin > 1:
		return errors.New("standard input can be read once: give - for one file only")
	default:
		return nil
	}
}

// Run the command.
func (c *Command) Run(ctx context.Context) error {
	t := terminal{}

	if fd := int(os.Stdout.Fd()); term.IsTerminal(fd) {
		t.color = os.Getenv("NO_COLOR") == ""

		// A width that can't be told is none.
		if width, _, err := term.GetSize(fd); err == nil {
			t.width = width
		}
	}

	return c.run(ctx, os.Stdin, os.Stdout, t)
}

// Explain writes what Run does to the supplied writer, which is no terminal.
func (c *Command) Explain(ctx context.Context, in io.Reader, out io.Writer) error {
	return c.run(ctx, in, out, terminal{})
}

func (c *Command) run(ctx context.Context, in io.Reader, out io.Writer, t terminal) error {
	read := c.labels
	if c.Composition != "" {
		read = c.hierarchy
	}

	e, err := read(ctx, &manifest.Reader{Stdin: in})
	if err != nil {
		return manifest.OneLine(err)
	}

	text, err := e.in(c.Output, t)
	if err == nil {
		_, err = io.WriteString(out, text)
	}

	if err != nil {
		return errors.Wrap(err, "cannot write explanation")
	}

	skipped := 0
	for _, x := range e.providers {
		skipped += len(x.Skipped)
	}

	if c.Strict && skipped > 0 {
		return skippedError(skipped)
	}

	return nil
}

// in is the explanation in the supplied format: a table for the supplied terminal, JSON or
// YAML.
func (e *explained) in(format string, t terminal) (string, error) {
	if format == "table" {
		return e.table(t), nil
	}

	for _, x := range e.providers {
		x.Notes = append(x.Notes, e.notes...)
	}

	if format == "yaml" {
		y, err := yaml.Marshal(e.providers)
		return string(y), err
	}

	j, err := json.MarshalIndent(e.providers, "", "  ")

	return string(j) + "\n", err
}
