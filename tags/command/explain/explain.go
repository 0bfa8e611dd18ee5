// Package explain shows which labels become which tags, and which are skipped and
// why, before any cloud is asked.
package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

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

	// terminal that is written to. That of Run is standard output.
	terminal terminal
}

// skippedError is the error of --strict.
type skippedError int

func (e skippedError) Error() string { return fmt.Sprintf("labels skipped: %d", int(e)) }

// ExitCode of the process.
func (e skippedError) ExitCode() int { return 2 }

// Validate that the command is told what to explain.
func (c *Command) Validate() error {
	files := append([]string{c.File, c.Composition, c.XR, c.Context}, c.RequiredResources...)
	afterStdin := files[slices.Index(files, manifest.Stdin)+1:]

	switch {
	case (c.File == "") == (c.Composition == ""):
		return errors.New("give either a file of labels or --composition")
	case (c.Composition == "") != (c.XR == ""):
		return errors.New("--composition and --xr go together")
	case c.Composition == "" && (len(c.RequiredResources) > 0 || c.Step != "" || c.Context != ""):
		return errors.New("--required-resources, --context and --step go with --composition")
	case c.Composition != "" && c.FieldPath != "":
		return errors.New("--field-path goes with a file of labels")
	case slices.Contains(afterStdin, manifest.Stdin):
		return errors.New("standard input can be read once: give - for one file only")
	default:
		return nil
	}
}

// Run the command.
func (c *Command) Run(ctx context.Context) error {
	fd := int(os.Stdout.Fd())
	c.terminal.color = term.IsTerminal(fd) && os.Getenv("NO_COLOR") == ""
	c.terminal.width, _, _ = term.GetSize(fd) // None if it can't be told.

	return c.Explain(ctx, os.Stdin, os.Stdout)
}

// Explain writes what Run does to the supplied writer.
func (c *Command) Explain(ctx context.Context, in io.Reader, out io.Writer) error {
	read := c.labels
	if c.Composition != "" {
		read = c.hierarchy
	}

	e, err := read(ctx, &manifest.Reader{Stdin: in})
	if err != nil {
		return manifest.OneLine(err)
	}

	if err := c.write(out, e); err != nil {
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

// write what is explained in the format of the output.
func (c *Command) write(out io.Writer, e *explained) error {
	if c.Output == "table" {
		_, err := io.WriteString(out, e.table(c.terminal))
		return err
	}

	for _, x := range e.providers {
		x.Notes = append(x.Notes, e.notes...)
	}

	if c.Output == "yaml" {
		y, _ := yaml.Marshal(e.providers) // Strings and lists of them can't fail.
		_, err := out.Write(y)

		return err
	}

	j := json.NewEncoder(out)
	j.SetIndent("", "  ")

	return j.Encode(e.providers)
}
