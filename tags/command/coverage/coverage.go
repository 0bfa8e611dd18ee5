// Package coverage counts which resources of a cluster have tags, which lack some, and of which
// the cloud has others than those that are desired.
package coverage

import (
	"fmt"
	"io"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// A Command counts the tags of resources, as kubectl or a render prints them.
type Command struct {
	Files []string `arg:"" help:"Files or folders of resources, as kubectl get managed -A -o json or yaml prints them, or a render. - is standard input."`

	By          string   `default:"provider" enum:"provider,kind,namespace,composite" help:"What to count by: provider, kind, namespace or composite."`
	Key         []string `sep:"none" help:"Key of a tag that resources must have. Can be repeated. By default all keys are counted that any resource has." placeholder:"KEY"`
	Composition string   `help:"Composition whose step says where tags are, which keys count, and which its tagPolicy requires." placeholder:"FILE"`
	Step        string   `help:"Name of the step, if the Composition has several of this function." placeholder:"NAME"`
	Output      string   `default:"table" enum:"table,json,yaml,csv" help:"Format of the output: table, json, yaml or csv. All but the table have whole lists." short:"o"`
	Strict      bool     `help:"Exit with status 2 if any resource lacks a key of --key, or breaks the step's tagPolicy."`

	// terminal that is written to. That of Run is standard output.
	terminal terminal.Terminal
}

// memory is above how many bytes garbage is collected more often.
const memory = 150 << 20

// brokenError is the error of --strict: how many resources are incomplete.
type brokenError int

func (e brokenError) Error() string {
	return fmt.Sprintf("resources without all required tags: %d", int(e))
}

// ExitCode of the process.
func (e brokenError) ExitCode() int { return 2 }

// Validate that the command is told what fits together.
func (c *Command) Validate() error {
	files := append([]string{c.Composition}, c.Files...)
	afterStdin := files[slices.Index(files, manifest.Stdin)+1:]

	switch {
	case c.Step != "" && c.Composition == "":
		return errors.New("--step goes with --composition")
	case slices.Contains(c.Key, ""):
		return errors.New("--key must not be empty")
	case c.Strict && len(c.Key) == 0 && c.Composition == "":
		return errors.New("--strict goes with --key or --composition, which say what is required")
	case slices.Contains(files, manifest.Stdin) && slices.Contains(afterStdin, manifest.Stdin):
		return errors.New("standard input can be read once: give - for one file only")
	default:
		return nil
	}
}

// Run the command.
func (c *Command) Run() error {
	c.terminal = terminal.Of(os.Stdout)

	// Most of what is read is dropped at once, and little of it is there at a time, so that to
	// collect it less often saves a fifth of the time.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(memory)

	return c.cover(os.Stdin, os.Stdout)
}

// cover writes what Run does to the supplied writer.
func (c *Command) cover(in io.Reader, out io.Writer) error {
	r := &manifest.Reader{Stdin: in}

	t, err := c.tally(r)
	if err != nil {
		return manifest.OneLine(err)
	}

	if err := r.Stream(c.Files, func(o *structpb.Struct) error {
		t.add(object.Tree(o))
		return nil
	}); err != nil {
		return err
	}

	rep := t.report()

	write := map[string]func(io.Writer, *report) error{"json": writeJSON, "yaml": writeYAML, "csv": writeCSV, "table": c.writeTable}[c.Output]
	if err := write(out, rep); err != nil {
		return errors.Wrap(err, "cannot write coverage")
	}

	if c.Strict && rep.Total.Incomplete > 0 {
		return brokenError(rep.Total.Incomplete)
	}

	return nil
}

// tally returns what counts resources as the command says.
func (c *Command) tally(r *manifest.Reader) (*tally, error) {
	t := newTally(c.By)
	in := &v1beta1.CloudTags{ProfileRules: tags.Contract}
	group := ""

	if c.Composition != "" {
		step, err := r.Step(c.Composition, c.Step)
		if err != nil {
			return nil, err
		}

		in = step.Input
		group = schema.FromAPIVersionAndKind(step.Composite.APIVersion, step.Composite.Kind).Group
		t.addPolicy(in.TagPolicy)

		if c.Strict && len(c.Key) == 0 && !slices.ContainsFunc(t.rules, func(r rule) bool { return r.required }) {
			return nil, errors.Errorf("cannot tell what --strict requires: step %s has no tagPolicy that requires a key, and there is no --key", step.Name)
		}
	}

	switch {
	case len(c.Key) > 0:
		t.required = true
		t.keys = unique(c.Key)
	case in.TagPolicy != nil:
		t.policed = true
		t.keys = unique(t.ruleKeys())
	default:
		t.keys = namedKeys(in.Sources)
	}

	s := &stamp.Stamper{
		Input:          in,
		CompositeGroup: group,
		Transformer:    (&resolve.Set{}).Transformer(in),
		Fields: func(field.Schemas) field.Locator {
			return field.Chain{field.NewRules(in.TagFields), known{}, field.ByProfile{}}
		},
		Schemas: field.Schemas{Of: func(schema.GroupVersionKind) object.Node { return object.Node{} }},
	}

	t.census = s.Census(t.keys)

	return t, nil
}

// known locates the tag fields that the built-in index has, whether they have to be asked for or
// not.
type known struct{}

// Locate the tag field of the supplied kind.
func (known) Locate(k field.Kind) (field.Field, bool) {
	if f, ok := field.BuiltIn().Known(k.GroupVersionKind); ok {
		return f, true
	}

	return field.BuiltIn().Locate(k)
}

// namedKeys are the keys of labels that the supplied sources name. What else they have only
// composite resources say.
func namedKeys(sources []v1beta1.Source) []string {
	var keys []string

	for i := range sources {
		s := &sources[i]
		keys = slices.AppendSeq(keys, maps.Keys(s.Values))
		keys = slices.AppendSeq(keys, maps.Keys(s.Expressions))

		if s.Include != nil {
			keys = append(keys, s.Include.Keys...)
		}
	}

	keys = slices.DeleteFunc(keys, func(key string) bool { return strings.Contains(key, "*") })
	slices.Sort(keys)

	return slices.Compact(keys)
}

// unique returns the supplied keys without those that came before.
func unique(keys []string) []string {
	var out []string

	for _, key := range keys {
		if !slices.Contains(out, key) {
			out = append(out, key)
		}
	}

	return out
}
