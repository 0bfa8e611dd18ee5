// Package coverage counts tagged resources of a cluster, resources with missing tags, and resources whose tags
// in the cloud differ from the desired ones.
package coverage

import (
	"context"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/command/cluster"
	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/coverage"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// A Command counts the tags of resources that kubectl or a render has printed. Its fields are the arguments and flags,
// which --help describes.
type Command struct {
	// Files to read. Without any, the cluster is read.
	Files []string

	// Kubectl has the flags of kubectl, which reads the cluster.
	Kubectl cluster.Flags

	By          string
	Key         []string
	KeyPrefix   *string
	Composition string
	Step        string

	RequiredResources []string

	Output string
	Strict bool

	// terminal shows the output. Run sets it to standard output.
	terminal terminal.Terminal

	// now returns the time of the page.
	now func() time.Time
}

// Cobra returns the command line of the command.
func (c *Command) Cobra() *cobra.Command {
	out := &cobra.Command{
		Use:         "coverage [FILE...]",
		Example:     "--context prod --key cost-center\n--key cost-center --key env --output html managed.yaml",
		Annotations: map[string]string{command.ExitCodes: "0 done, 1 failed, 2 resources lack tags under --strict"},
		Short:       "Count tagged resources, resources with missing tags, and resources whose tags in the cloud differ from the desired ones.",
		Long: `Count tagged resources, resources with missing tags, and resources whose tags in the cloud
differ from the desired ones.

Files and folders have resources as kubectl get managed -A -o json or yaml prints them, or
what was rendered. - is standard input. Without any, kubectl reads the cluster, with its own
flags, such as -n and --context: kubectl options lists them. Nothing is written.`,
		Args:    command.Paths(&c.Files, 0),
		PreRunE: func(*cobra.Command, []string) error { return c.Validate() },
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.Run(cmd.Context()) },
	}

	c.By, c.Output = "provider", "table"

	f := out.Flags()
	command.Choice(out, &c.By, "by", "", "What to count by.", divisions...)
	f.StringArrayVar(&c.Key, "key", nil, "`KEY` of a tag, or of a label, that resources must have. Can be repeated. By default all keys are counted that any resource or the cloud has.")
	f.Func("key-prefix", "`PREFIX` of the keys of labels (plexsphere: by default). A Composition says its own.", command.Optional(&c.KeyPrefix))
	f.StringVar(&c.Composition, "composition", "", "`FILE` with the Composition whose step says where tags are, which keys count, and which its tagPolicy requires.")
	f.StringVar(&c.Step, "step", "", "`NAME` of the step, if the Composition has several of this function.")
	f.StringSliceVar(&c.RequiredResources, "required-resources", nil, "`PATH` of a file or folder with the object that holds the standard which the step's input extends. Can be repeated.")
	command.Choice(out, &c.Output, "output", "o", "Format of the output. json, yaml and csv have whole lists.", "table", "html", "json", "yaml", "csv")
	f.BoolVar(&c.Strict, "strict", false, "Exit with status 2 if any resource lacks a key of --key, or breaks the step's tagPolicy, or if no resource can have tags.")
	c.Kubectl.AddTo(f)

	return out
}

// Validate returns an error if the flags contradict each other.
func (c *Command) Validate() error {
	switch {
	case c.Composition == "" && (c.Step != "" || len(c.RequiredResources) > 0):
		return errors.New("--step and --required-resources go with --composition")
	case c.Composition != "" && c.KeyPrefix != nil:
		return errors.New("--key-prefix is what the input of the --composition says: give either")
	case slices.Contains(c.Key, ""):
		return errors.New("--key must not be empty: name a tag key, or the key of a label")
	case c.Strict && len(c.Key) == 0 && c.Composition == "":
		return errors.New("--strict goes with --key or --composition, which say what is required")
	case len(c.Files) > 0 && c.Kubectl.Given() != "":
		return c.Kubectl.CheckUnused("goes without files")
	default:
		return manifest.CheckStdin(slices.Concat([]string{c.Composition}, c.RequiredResources, c.Files))
	}
}

// Run prints the counts on standard output.
func (c *Command) Run(ctx context.Context) error {
	c.terminal, c.now = terminal.Of(os.Stdout), time.Now

	return c.cover(ctx, os.Stdin, os.Stdout)
}

// cover is Run with other files for standard input and output.
func (c *Command) cover(ctx context.Context, in io.Reader, out io.Writer) error {
	r := &manifest.Reader{Stdin: in}

	t, input, err := c.tally(r) //nolint:contextcheck // It reads files.
	if err != nil {
		return manifest.OneLine(err)
	}

	read := func(add func(*structpb.Struct)) error { return r.Stream(c.Files, add) }
	if len(c.Files) == 0 {
		read = func(add func(*structpb.Struct)) error { return c.fromCluster(ctx, input, add) }
	}

	bar := terminal.Progress(os.Stderr, -1, "objects")
	err = read(func(o *structpb.Struct) {
		t.Add(object.FromStruct(o))

		_ = bar.Add(1) // Nobody misses a bar that can't be written.
	})
	_ = bar.Finish() // As above.

	if err != nil {
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
		return command.WithExitCode(command.StrictCode, errors.New("there is nothing to count: no resource can have tags; give the output of kubectl get managed -A -o json"))
	case c.Strict && rep.Total.Incomplete > 0:
		return command.WithExitCode(command.StrictCode, errors.Errorf("resources without all required tags: %d", rep.Total.Incomplete))
	default:
		return nil
	}
}

// categoryManaged is the category of all kinds of Crossplane's providers.
const categoryManaged = "managed"

// fromCluster calls add for each object of the cluster whose kind may have tags: managed resources, resources of other controllers that the
// index knows, and those that an entry of tagFields names.
func (c *Command) fromCluster(ctx context.Context, in *v1beta1.CloudTags, add func(*structpb.Struct)) error {
	return c.Kubectl.Open(ctx, func(ctx context.Context, from *cluster.Cluster) error {
		kinds, err := from.Kinds(ctx)
		if err != nil {
			return err
		}

		for _, k := range kinds {
			_, isOfFamily := field.FamilyOf(k.GroupKind())
			isKnown := isOfFamily && k.Group != "" && !field.IsSettings(k.Kind) // Kinds such as Pod are nothing in a cloud.
			isNamed := slices.ContainsFunc(in.TagFields, func(f v1beta1.TagField) bool {
				return f.APIVersion.Matches(k.GroupVersion().String()) && f.Kind.Matches(k.Kind)
			})
			mayBeTagged := slices.Contains(k.Categories, categoryManaged) || isKnown || isNamed

			if !mayBeTagged || !k.Preferred || !k.Listed || !k.Namespaced && c.Kubectl.Namespace != "" {
				continue
			}

			if err := from.List(ctx, k.GroupVersionKind, c.Kubectl.Namespace, nil, add); err != nil {
				return err
			}
		}

		return nil
	})
}

// tally returns the Tally that the flags ask for, and the input that it counts by.
func (c *Command) tally(r *manifest.Reader) (*coverage.Tally, *v1beta1.CloudTags, error) {
	o := coverage.Options{By: []string{c.By}, Input: &v1beta1.CloudTags{KeyPrefix: tags.CloudTagPrefix, ProfileRules: profile.Contract}, Keys: c.Key}
	if c.Output == "html" {
		o.By = divisions
	}

	if c.KeyPrefix != nil {
		o.Input.KeyPrefix = *c.KeyPrefix
	}

	if c.Composition == "" {
		return coverage.New(o), o.Input, nil
	}

	step, err := r.Step(c.Composition, c.Step, c.RequiredResources...)
	if err != nil {
		return nil, nil, err
	}

	o.Input = step.Input
	o.CompositeGroup = schema.FromAPIVersionAndKind(step.Composite.APIVersion, step.Composite.Kind).Group

	t := coverage.New(o)
	if c.Strict && !t.CanBeIncomplete() {
		return nil, nil, errors.Errorf("cannot tell what --strict requires: step %s has no tagPolicy, so give --key", step.Name)
	}

	return t, o.Input, nil
}
