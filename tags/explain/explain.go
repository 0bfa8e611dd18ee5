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

// A Command explains a file of labels.
type Command struct {
	File string `arg:"" help:"YAML or JSON file with a map of labels, or with any object that has one at --field-path. - is standard input."`

	FieldPath    string     `help:"Field path of the map of labels in the file, e.g. spec.labels." placeholder:"PATH"`
	Provider     []string   `help:"Provider whose tag profile to apply. Can be repeated. By default all profiles are shown side by side." placeholder:"NAME"`
	ProfileRules tags.Rules `default:"Contract" enum:"Contract,Cloud" help:"Whose rules to apply where they differ: the contract's, or those of the clouds' own APIs (Contract or Cloud)."`
	Output       string     `default:"table" enum:"table,json,yaml" help:"Format of the output: table, json or yaml." short:"o"`
	Strict       bool       `help:"Exit with status 2 if any label is skipped."`
}

// An Explanation is what becomes of a set of labels under one tag profile.
type Explanation struct {
	Provider string              `json:"provider"`
	Tags     map[string]string   `json:"tags"`
	Skipped  []tags.SkippedLabel `json:"skipped"`

	// limit that a reason to skip labels is about.
	limit func(r tags.SkipReason) string

	// column of the explanation in a table, by qualified key.
	column map[string]cell
}

// explain what becomes of labels under the supplied profile.
func explain(t *tags.Transformer, p *tags.Profile) Explanation {
	admitted, skipped := t.Single(p)
	e := Explanation{
		Provider: p.Name,
		Tags:     make(map[string]string, len(admitted)),
		Skipped:  skipped,
		limit:    p.Limit,
		column:   make(map[string]cell, len(admitted)+len(skipped)),
	}

	for _, tag := range admitted {
		e.Tags[tag.Key] = tag.Value
		e.column[tag.QualifiedKey] = cell{visible(tag.Key), green}
	}

	for _, s := range skipped {
		e.column[s.QualifiedKey] = cell{string(s.Reason), red}
	}

	return e
}

// errSkipped is the error of --strict.
type errSkipped int

func (e errSkipped) Error() string { return fmt.Sprintf("labels skipped: %d", int(e)) }

// ExitCode of the process.
func (e errSkipped) ExitCode() int { return 2 }

// Run the command.
func (c *Command) Run() error {
	return c.run(os.Stdin, os.Stdout, term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == "")
}

func (c *Command) run(in io.Reader, out io.Writer, color bool) error {
	labels, err := c.labels(in)
	if err != nil {
		return errors.New(oneLine(errors.Wrapf(err, "cannot read labels from %s", c.File)))
	}

	providers := c.Provider
	if len(providers) == 0 {
		providers = tags.ProfileNames()
	}

	skipped := 0
	explanations := make([]Explanation, len(providers))
	transformer := tags.NewTransformer(labels.Labels(tags.CloudTagPrefix), nil)

	for i, p := range providers {
		explanations[i] = explain(transformer, c.ProfileRules.ProfileOf(p, ""))
		skipped += len(explanations[i].Skipped)
	}

	if err := c.print(out, color, labels, explanations); err != nil {
		return errors.Wrap(err, "cannot write explanation")
	}

	if c.Strict && skipped > 0 {
		return errSkipped(skipped)
	}

	return nil
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
		return nil, errors.New(oneLine(err))
	}

	v := &structpb.Value{}
	if err := protojson.Unmarshal(j, v); err != nil {
		return nil, errors.New(oneLine(err))
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

func (c *Command) print(out io.Writer, color bool, labels tags.PropagatingLabelSet, explanations []Explanation) error {
	if c.Output == "table" {
		_, err := io.WriteString(out, table(color, labels, explanations))
		return err
	}

	j, err := json.MarshalIndent(explanations, "", "  ")
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
