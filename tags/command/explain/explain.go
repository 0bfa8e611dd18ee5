// Package explain shows the tag of each label, or why the label is skipped, before any cloud is asked. It runs the
// function, and prints the records of labels. So its tests stand beside the function, in fn_test.go.
package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/command/cluster"
	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Command explains a file of labels, or all sources of a composite resource's labels. Its fields are the arguments
// and flags, which --help describes.
type Command struct {
	File string

	// Type and Name of an object in the cluster, which is explained instead of a file.
	Type, Name string

	// Kubectl has the flags of kubectl, which reads the cluster.
	Kubectl cluster.Flags

	FieldPath    string
	Provider     []string
	All          bool
	ProfileRules profile.Rules
	Keys         bool
	Output       string
	Strict       bool

	Composition       string
	XR                string
	XRD               string
	RequiredResources []string
	PipelineContext   string
	Rendered          string
	Request           string
	Step              string

	// Function to run.
	Function Runner

	// Terminal to write to. Run sets it to standard output.
	Terminal terminal.Terminal
}

// Cobra returns the command line of the command.
func (c *Command) Cobra() *cobra.Command {
	out := &cobra.Command{
		Use:   "explain [TYPE NAME | TYPE/NAME | FILE]",
		Short: "Show which labels become which tags, and which are skipped and why.",
		Example: "storage shop -n team-a\n" +
			"--composition composition.yaml --xr xr.yaml --strict\n" +
			"--provider aws --provider gcp --field-path spec.labels xr.yaml",
		Annotations: map[string]string{command.ExitCodes: "0 done, 1 failed, 2 --strict finds something"},
		Long: `Show which labels become which tags, and which are skipped and why.

TYPE and NAME are those of a composite resource, a claim or a composed resource in the
cluster. kubectl reads the cluster, with its own flags, such as -n and --context: kubectl
options lists them. Nothing is written, and no Secret is read.

FILE has a map of labels in YAML or JSON, or any object that has one at --field-path.
- is standard input, here and for all other files.`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 2:
				c.Type, c.Name = args[0], args[1]
			case len(args) == 1 && isTypeAndName(args[0]):
				c.Type, c.Name, _ = strings.Cut(args[0], "/")
			case len(args) == 1:
				c.File = args[0]
			}

			return cobra.MaximumNArgs(2)(cmd, args)
		},
		PreRunE: func(*cobra.Command, []string) error { return c.Validate() },
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.Run(cmd.Context()) },
	}

	c.Output = "table"

	f := out.Flags()
	f.StringVar(&c.FieldPath, "field-path", "", "Field `PATH` of the map of labels in the file, e.g. spec.labels.")
	f.StringSliceVar(&c.Provider, "provider", nil, "`NAME` of the provider whose tag profile to apply. Can be repeated. By default the profiles of a Composition's bases are shown side by side, or all.")
	f.BoolVar(&c.All, "all", false, "Show all profiles, not only those of the clouds that the bases of the Composition are of.")
	command.Choice(out, &c.ProfileRules, "profile-rules", "", "Whose rules to apply where they differ: the contract's, or those of the clouds' own APIs. "+
		"By default the contract's, with a mark at tags that the APIs are known to refuse. Replaces the setting of the Composition's step.", profile.Contract, profile.Cloud)
	f.BoolVar(&c.Keys, "keys", false, "Show only the tag key of each label, for each cloud.")
	command.Choice(out, &c.Output, "output", "o", "Format of the output. csv goes with --keys.", "table", "json", "yaml", "csv")
	f.BoolVar(&c.Strict, "strict", false, "Exit with status 2 if any label is skipped or its tag refused by the cloud, the tags of labels break a rule of tagPolicy, "+
		"the step stands before those that make resources, or a provider is misspelled.")
	f.StringVar(&c.Composition, "composition", "", "`FILE` with the Composition whose step says where labels come from, instead of a file of labels.")
	f.StringVar(&c.XR, "xr", "", "`FILE` with a composite resource of the Composition. Of several Compositions in the file, it chooses its own by kind, compositionRef and compositionSelector. "+
		"Without it, the schema in the file of --xrd makes an example.")
	f.StringVar(&c.XRD, "xrd", "", "`FILE` with the CompositeResourceDefinition of the composite resource, or the CustomResourceDefinition that Crossplane makes of it. "+
		"Its defaults apply, as they do in the cluster. A composite resource that is read from the cluster has them.")
	f.StringSliceVar(&c.RequiredResources, "required-resources", nil, "`PATH` of a file or folder of objects that the step requires. Can be repeated.")
	f.StringVar(&c.PipelineContext, "pipeline-context", "", "YAML or JSON `FILE` with the pipeline's context: a map of context key to value.")
	f.StringVar(&c.Rendered, "rendered", "", "`FILE` with the output of crossplane composition render for the composite resource. Each composed resource in it is explained, with the tags that it has.")
	f.StringVar(&c.Request, "request", "", "`FILE` with a recorded RunFunctionRequest in JSON, alone or as the pipeline inspector records it. The function is run over it.")
	f.StringVar(&c.Step, "step", "", "`NAME` of the step, if the Composition or what is recorded has several of this function.")
	c.Kubectl.AddTo(f)
	out.MarkFlagsMutuallyExclusive("provider", "all")
	c.complete(out)

	return out
}

// complete tells shells how the command line may go on: with types and names as kubectl completes them, with the names of tag profiles, and with
// files.
func (c *Command) complete(out *cobra.Command) {
	extensions := []string{"yaml", "yml", "json"}

	out.ValidArgsFunction = func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 1 || len(args) == 1 && strings.Contains(args[0], "/") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}

		found, directive := c.Kubectl.Complete(cmd.Context(), args, word)
		if len(found) == 0 && len(args) == 0 {
			return extensions, cobra.ShellCompDirectiveFilterFileExt
		}

		return found, directive
	}

	_ = out.RegisterFlagCompletionFunc("provider", cobra.FixedCompletions(profile.Names(), cobra.ShellCompDirectiveNoFileComp)) // There is such a flag.

	for _, file := range []string{"composition", "xr", "xrd", "pipeline-context", "rendered", "request"} {
		_ = out.MarkFlagFilename(file, extensions...) // As above.
	}
}

// typeAndName matches the type and the name of an object, as kubectl takes them: bucket.s3.aws.upbound.io/logs.
var typeAndName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9.-]*/[a-z0-9][a-z0-9.:-]*$`)

// isTypeAndName reports whether the argument is the type and the name of an object, and not a file that exists.
func isTypeAndName(arg string) bool {
	_, err := os.Stat(arg)

	return err != nil && typeAndName.MatchString(arg)
}

// A strictError is the error of --strict.
type strictError struct{ faults, skipped, refused, broken, fails int }

func (e strictError) Error() string {
	type count struct {
		title string
		n     int
	}

	counts := []count{{"mistakes in the step", e.faults}, {"labels skipped", e.skipped}, {"labels whose tags the cloud refuses", e.refused}, {"rules of tagPolicy broken", e.broken}, {"failures of the function", e.fails}}

	return strings.Join(words.MapIf(counts, func(c count) (string, bool) { return fmt.Sprintf("%s: %d", c.title, c.n), c.n > 0 }), ", ")
}

// Validate returns an error if there is nothing to explain, or if flags don't go together.
func (c *Command) Validate() error {
	switch {
	case c.Type != "" && (c.Composition != "" || c.XR != "" || c.XRD != "" || c.Rendered != "" || c.Request != "" || c.FieldPath != "" || c.Keys || c.All || len(c.Provider) > 0):
		return errors.New("TYPE and NAME go with --step, --required-resources, --pipeline-context, --profile-rules, --output and --strict alone: the cluster has all else")
	case c.Type == "" && c.Kubectl.Given() == "--context":
		return errors.New("--context is kubectl's, and goes with TYPE and NAME: the file with the pipeline's context is --pipeline-context")
	case c.Type == "" && c.Kubectl.Given() != "":
		return c.Kubectl.CheckUnused("goes with TYPE and NAME")
	case c.Type != "" && c.Output != "csv":
		return manifest.CheckStdin(append([]string{c.PipelineContext}, c.RequiredResources...))
	case c.Request != "" && (c.File != "" || c.Composition != "" || c.XR != "" || c.Keys || len(c.Provider) > 0 || c.ProfileRules != ""):
		return errors.New("--request goes with --step alone: it has all that a run of the function needs")
	case c.Request == "" && (c.File == "") == (c.Composition == ""):
		return errors.New("give one of a file of labels, --composition and --request")
	case c.Composition == "" && c.XR != "" || c.Composition != "" && c.XR == "" && (c.XRD == "" || c.Rendered != ""):
		return errors.New("--composition and --xr go together: without --xr and --rendered, --xrd makes an example")
	case c.Composition == "" && (len(c.RequiredResources) > 0 || c.Step != "" && c.Request == "" || c.PipelineContext != "" || c.Rendered != "" || c.XRD != ""):
		return errors.New("--xrd, --required-resources, --pipeline-context, --rendered and --step go with --composition")
	case c.Rendered != "" && len(c.Provider) > 0:
		return errors.New("--provider goes without --rendered: resources have the tag profiles of their providers")
	case c.Keys && c.Rendered != "":
		return errors.New("--keys goes without --rendered: it is about labels")
	case c.Output == "csv" && !c.Keys:
		return errors.New("--output csv goes with --keys")
	case c.Composition != "" && c.FieldPath != "":
		return errors.New("--field-path goes with a file of labels")
	default:
		return manifest.CheckStdin(append([]string{c.File, c.Composition, c.XR, c.XRD, c.PipelineContext, c.Rendered, c.Request}, c.RequiredResources...))
	}
}

// Run explains the labels on standard output.
func (c *Command) Run(ctx context.Context) error {
	c.Terminal = terminal.Of(os.Stdout)

	return c.Explain(ctx, os.Stdin, os.Stdout)
}

// Explain does the same as Run, with other files for standard input and output.
func (c *Command) Explain(ctx context.Context, in io.Reader, out io.Writer) error {
	read := c.labels

	switch {
	case c.Type != "":
		read = c.asked
	case c.Request != "":
		read = c.recorded
	case c.Rendered != "":
		read = c.rendered
	case c.Composition != "":
		read = c.clouds
	}

	a, err := read(ctx, &manifest.Reader{Stdin: in})
	if err != nil {
		return manifest.OneLine(err)
	}

	if x, ok := a.(*comparison); ok && c.Keys {
		a = keys{x}
	}

	if err := c.write(out, a); err != nil {
		return errors.Wrap(err, "cannot write explanation")
	}

	if found := a.found(); c.Strict && found != (strictError{}) {
		return command.WithExitCode(command.StrictCode, found)
	}

	return nil
}

// write writes the answer in the format of --output. csv is for keys, as Validate has checked.
func (c *Command) write(out io.Writer, a answer) error {
	var text []byte

	switch c.Output {
	case "table":
		text = []byte(a.table(c.Terminal))
	case "csv":
		text = []byte(a.(keys).csv()) //nolint:forcetypeassert // See above.
	case "yaml":
		text, _ = yaml.Marshal(a.values()) // Strings and lists of them can't fail.
	default:
		j := json.NewEncoder(out)
		j.SetIndent("", "  ")

		return j.Encode(a.values())
	}

	_, err := out.Write(text)

	return err
}

// An answer is the output of the command: a comparison, the keys of labels, or rendered resources.
type answer interface {
	// table returns the answer for a terminal.
	table(on terminal.Terminal) string

	// values returns the answer for JSON and YAML.
	values() any

	// found counts the failures under --strict.
	found() strictError
}
