// Package explain shows which labels become which tags, and which are skipped and
// why, before any cloud is asked.
package explain

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/term"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
)

// A Command explains a file of labels, or all sources of a composite resource's
// labels.
type Command struct {
	File string `arg:"" help:"YAML or JSON file with a map of labels, or with any object that has one at --field-path. - is standard input." optional:""`

	FieldPath    string     `help:"Field path of the map of labels in the file, e.g. spec.labels." placeholder:"PATH"`
	Provider     []string   `help:"Provider whose tag profile to apply. Can be repeated. By default all profiles are shown side by side." placeholder:"NAME"`
	ProfileRules tags.Rules `default:"Contract" enum:"Contract,Cloud" help:"Whose rules to apply where they differ: the contract's, or those of the clouds' own APIs (Contract or Cloud). A Composition says so itself."`
	Output       string     `default:"table" enum:"table,json,yaml" help:"Format of the output: table, json or yaml." short:"o"`
	Strict       bool       `help:"Exit with status 2 if any label is skipped."`

	Composition       string   `help:"Composition whose step says where labels come from, instead of a file." placeholder:"FILE"`
	XR                string   `help:"Composite resource of the Composition." name:"xr" placeholder:"FILE"`
	RequiredResources []string `help:"File or folder of objects that the step requires. Can be repeated." placeholder:"PATH"`
	Step              string   `help:"Name of the step, if the Composition has several of this function." placeholder:"NAME"`
}

// An Explanation is what becomes of a set of labels under one tag profile.
type Explanation struct {
	Provider string              `json:"provider"`
	Tags     map[string]string   `json:"tags"`
	Skipped  []tags.SkippedLabel `json:"skipped"`

	// Sources of the tags by key, if there are several.
	Sources map[string]Origin `json:"sources,omitempty"`

	// limit that a reason to skip labels is about.
	limit func(r tags.SkipReason) string

	// keys of tags and reasons to skip labels, by qualified key.
	keys    map[string]string
	reasons map[string]tags.SkipReason
}

// explained labels are rows of a table, and providers are columns.
type explained struct {
	rows      []row
	providers []Explanation

	// hierarchy is true if it is known where labels came from.
	hierarchy bool
}

// A row is one label, and where it came from.
type row struct {
	label  tags.Label
	origin Origin

	// claim is true if the label was refused because it claims a reserved key.
	claim bool
}

// explain what becomes of labels under the profiles of the supplied providers, or of
// all if there are none.
func (c *Command) explain(t *tags.Transformer, rules tags.Rules, providers []string) *explained {
	if len(providers) == 0 {
		providers = tags.ProfileNames()
	}

	e := &explained{}

	for _, provider := range providers {
		p := rules.ProfileOf(provider, "")
		admitted, skipped := t.Single(p)
		x := Explanation{
			Provider: p.Name,
			Tags:     make(map[string]string, len(admitted)),
			Skipped:  skipped,
			limit:    p.Limit,
			keys:     make(map[string]string, len(admitted)),
			reasons:  make(map[string]tags.SkipReason, len(skipped)),
		}

		for _, tag := range admitted {
			x.Tags[tag.Key] = tag.Value
			x.keys[tag.QualifiedKey] = tag.Key
		}

		for _, s := range skipped {
			x.reasons[s.QualifiedKey] = s.Reason
		}

		e.providers = append(e.providers, x)
	}

	return e
}

// skippedError is the error of --strict.
type skippedError int

func (e skippedError) Error() string { return fmt.Sprintf("labels skipped: %d", int(e)) }

// ExitCode of the process.
func (e skippedError) ExitCode() int { return 2 }

// Validate that the command is told what to explain.
func (c *Command) Validate() error {
	switch {
	case (c.File == "") == (c.Composition == ""):
		return errors.New("give either a file of labels or --composition")
	case (c.Composition == "") != (c.XR == ""):
		return errors.New("--composition and --xr go together")
	case c.Composition == "" && (len(c.RequiredResources) > 0 || c.Step != ""):
		return errors.New("--required-resources and --step go with --composition")
	case c.Composition != "" && c.FieldPath != "":
		return errors.New("--field-path goes with a file of labels")
	default:
		return nil
	}
}

// Run the command.
func (c *Command) Run() error {
	return c.run(os.Stdin, os.Stdout, term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == "")
}

func (c *Command) run(in io.Reader, out io.Writer, color bool) error {
	e, err := c.explained(in)
	if err != nil {
		return errors.New(oneLine(err))
	}

	if err := c.print(out, color, e); err != nil {
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

func (c *Command) explained(in io.Reader) (*explained, error) {
	if c.Composition != "" {
		return c.hierarchy()
	}

	set, err := c.labels(in)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read labels from %s", c.File)
	}

	labels := set.Labels(tags.CloudTagPrefix)
	e := c.explain(tags.NewTransformer(labels, nil), c.ProfileRules, c.Provider)

	for _, l := range labels {
		e.rows = append(e.rows, row{label: l})
	}

	return e, nil
}

// labels reads the map of labels.
func (c *Command) labels(in io.Reader) (tags.PropagatingLabelSet, error) {
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return nil, cause(err)
		}
		defer f.Close() //nolint:errcheck // It is only read.

		in = f
	}

	text, err := io.ReadAll(in)
	if err != nil {
		return nil, cause(err)
	}

	j, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, err
	}

	v := &structpb.Value{}
	if err := protojson.Unmarshal(j, v); err != nil {
		return nil, err
	}

	where := "labels"

	if c.FieldPath != "" {
		where = c.FieldPath

		if v, err = structpath.Get(v.GetStructValue(), c.FieldPath); err != nil {
			return nil, err
		}

		if v == nil {
			return nil, errors.Errorf("there is no field %s", c.FieldPath)
		}
	}

	return structpath.StringMap(v, where)
}

func (c *Command) print(out io.Writer, color bool, e *explained) error {
	if c.Output == "table" {
		_, err := io.WriteString(out, e.table(color))
		return err
	}

	j, err := json.MarshalIndent(e.providers, "", "  ")
	if err != nil {
		return err
	}

	if c.Output == "yaml" {
		if j, err = yaml.JSONToYAML(j); err != nil {
			return err
		}
	}

	_, err = fmt.Fprintln(out, strings.TrimSpace(string(j)))

	return err
}

// cause of the supplied error without the name of the file, which we say ourselves.
func cause(err error) error {
	if pe := (&fs.PathError{}); errors.As(err, &pe) {
		return pe.Err
	}

	return err
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
