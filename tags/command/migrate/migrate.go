// Package migrate moves Compositions over to this function. It replaces patches of tags, and steps of
// function-tag-manager, by a step of this function that gives the same tags.
package migrate

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/command/explain"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Command migrates Compositions. It prints the new files, or writes them. It also says what it changes, what it leaves, and why.
//
// The new step gives the same tags as the old patches and steps, to each resource that isn't only observed, if the tags are strings that
// the cloud admits. A patch stays if migrate can't be sure. As a proof, migrate renders the old and the new Composition
// for given composite resources. Other functions of the pipeline have to listen somewhere.
//
// Its fields are the arguments and flags, which --help describes.
type Command struct {
	// Paths of files and folders.
	Paths []string

	XR                []string
	Functions         string
	ObservedResources []string
	RequiredResources []string
	Context           string
	Accept            []string
	NoEmptyValues     bool
	Write             bool

	// Function is this function.
	Function explain.Runner

	// Reader reads the files.
	Reader manifest.Reader
}

// Cobra returns the command line of the command.
func (c *Command) Cobra() *cobra.Command {
	out := &cobra.Command{
		Use:     "migrate PATH...",
		Example: "composition.yaml\n--xr xr.yaml --functions functions.yaml --write composition.yaml",
		Short:   "Move Compositions over: write a step of this function in place of patches of tags and of function-tag-manager.",
		Long: `Move Compositions over: write a step of this function in place of patches of tags and of function-tag-manager.

What can't be moved stays as it is, and is named with the reason. With --xr, the tags that the old and the
new Composition give are compared. A PATH is a file, or a folder whose YAML files with Compositions are moved.
- is standard input.`,
		Args:    command.Paths(&c.Paths, 1),
		PreRunE: func(*cobra.Command, []string) error { return c.Validate() },
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.Run(cmd.Context()) },
	}

	f := out.Flags()
	f.StringSliceVar(&c.XR, "xr", nil, "`FILE` with composite resources, for each of which the tags of the old and the new Composition are compared. Can be repeated.")
	f.StringVar(&c.Functions, "functions", "", "`FILE` with Functions that says where those listen that the pipeline calls, as crossplane composition render reads it.")
	f.StringSliceVar(&c.ObservedResources, "observed-resources", nil, "`PATH` of a file or folder of composed resources that exist already. Can be repeated.")
	f.StringSliceVar(&c.RequiredResources, "required-resources", nil, "`PATH` of a file or folder of objects that functions require. Can be repeated.")
	f.StringVar(&c.Context, "context", "", "YAML or JSON `FILE` with the context that the pipeline begins with: a map of context key to value.")
	f.StringArrayVar(&c.Accept, "accept", nil, "Difference that is meant, as `RESOURCE/KEY`: the name that the resource has in the pipeline, and the key of the tag. A * stands for any. Can be repeated.")
	f.BoolVar(&c.NoEmptyValues, "no-empty-values", false, "Say that patches read no empty value. Several patches of a tag with MergeObjects are then moved, too: an empty tag counts as none for these, and as a tag here.")
	f.BoolVar(&c.Write, "write", false, "Write the files, unless there is a difference that --accept doesn't name. Without it, the new files are printed.")

	return out
}

// Validate returns an error if the flags contradict each other: files must be compared before they are written.
func (c *Command) Validate() error {
	switch {
	case c.Write && len(c.XR) == 0:
		return errors.New("--write goes with --xr, which has composite resources whose tags are compared before anything is written")
	case len(c.XR) == 0 && (c.Functions != "" || c.Context != "" || len(c.ObservedResources)+len(c.RequiredResources)+len(c.Accept) > 0):
		return errors.New("--functions, --observed-resources, --required-resources, --context and --accept go with --xr")
	case c.Write && slices.Contains(c.Paths, manifest.Stdin):
		return errors.New("--write goes with files: standard input can't be written")
	}

	for _, a := range c.Accept {
		if !strings.Contains(a, "/") {
			return errors.Errorf("--accept %s: write RESOURCE/KEY", a)
		}
	}

	return manifest.CheckStdin(slices.Concat(c.Paths, c.XR, c.ObservedResources, c.RequiredResources, []string{c.Functions, c.Context}))
}

// Run migrates the Compositions, and prints the new files on standard output.
func (c *Command) Run(ctx context.Context) error {
	return manifest.OneLine(c.Migrate(ctx, os.Stdout, os.Stderr))
}

// Migrate does the same as Run, with other writers: the new files go to out, and all else to say.
func (c *Command) Migrate(ctx context.Context, out, say io.Writer) error {
	cl, err := c.cluster()
	if err != nil {
		return err
	}

	files, err := manifest.YAMLFiles(c.Paths)
	if err != nil {
		return err
	}

	all, differs := []migrated(nil), 0

	for _, path := range files {
		isNamed := slices.Contains(c.Paths, path) // Other files of a folder may be anything.

		f, old, err := c.read(path)

		switch {
		case err != nil && isNamed:
			return errors.Wrapf(manifest.OneLine(err), "cannot read %s", path)
		case err != nil:
			_, _ = fmt.Fprintf(say, "%s: left: %v\n", path, manifest.OneLine(err))
			continue
		}

		compositions := f.migrate()

		switch {
		case len(compositions) == 0 && !isNamed:
			continue
		case len(compositions) == 0:
			_, _ = fmt.Fprintf(say, "%s: left: it has no Composition\n", path)
		}

		all = append(all, migrated{path: path, text: f.text()})

		for _, comp := range compositions {
			comp.say(say, path)

			n, err := c.differences(ctx, cl, comp, old, f.text(), say)
			if err != nil {
				return err
			}

			differs += n
		}
	}

	if len(all) == 0 {
		_, _ = fmt.Fprintf(say, "no file has a Composition: %s\n", words.Names(c.Paths))
	}

	if differs > 0 {
		err = errors.Errorf("%s: see above; --accept RESOURCE/KEY accepts one", words.Count(differs, "difference", "differences"))
		if c.Write {
			return err
		}
	}

	return errors.Join(c.write(all, out), err)
}

// differences returns how many tags become others with the new text of a file, in which the Composition has changed steps or none.
func (c *Command) differences(ctx context.Context, cl *cluster, comp *composition, before, after string, say io.Writer) (int, error) {
	if comp.last < 0 { // No step is changed.
		return 0, nil
	}

	compared, differs, err := cl.compare(ctx, comp, before, after, say)

	switch {
	case err != nil:
		return 0, errors.Wrapf(err, "cannot compare what becomes of Composition %s", words.Name(comp.name))
	case c.Write && compared == 0:
		return 0, errors.Errorf("no --xr is of the kind that Composition %s is for, so nothing is written: give one of its composite resources", words.Name(comp.name))
	default:
		return differs, nil
	}
}

// read returns the file at the path, and its text.
func (c *Command) read(path string) (*file, string, error) {
	text, err := c.Reader.Text(path)
	if err != nil {
		return nil, "", err
	}

	f, err := parse(text)
	if err == nil {
		f.noEmptyValues = c.NoEmptyValues
	}

	return f, string(text), err
}

// A migrated file has a new text.
type migrated struct{ path, text string }

// write writes the files, or prints them.
func (c *Command) write(all []migrated, out io.Writer) error {
	for i, f := range all {
		text := f.text

		if !c.Write {
			if i > 0 && !strings.HasPrefix(text, "---") {
				text = "---\n" + text
			}

			if _, err := io.WriteString(out, text); err != nil {
				return err
			}

			continue
		}

		if err := os.WriteFile(f.path, []byte(text), 0o600); err != nil { // The file keeps its own mode.
			return errors.Wrapf(manifest.OneLine(err), "cannot write %s", f.path)
		}
	}

	return nil
}

// say prints the notes on the Composition.
func (c *composition) say(out io.Writer, path string) {
	_, _ = fmt.Fprintf(out, "%s: Composition %s\n", path, words.Name(c.name))

	for _, note := range c.notes {
		_, _ = fmt.Fprintf(out, "  %s\n", note)
	}
}
