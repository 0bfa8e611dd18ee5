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
	"strings"

	"golang.org/x/term"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
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

// An Explanation is what becomes of a set of labels under one tag profile.
type Explanation struct {
	Provider string              `json:"provider"`
	Tags     map[string]string   `json:"tags"`
	Skipped  []tags.SkippedLabel `json:"skipped"`

	// Sources of the tags by key, if there are several.
	Sources map[string]Origin `json:"sources,omitempty"`

	// Notes on what labels and tags alone don't say.
	Notes []string `json:"notes,omitempty"`

	profile *tags.Profile

	// fates of labels.
	fates map[identity]fate
}

// An identity tells labels apart, which their qualified keys don't: those of a key
// that came with its prefix, and of one that didn't, can be the same.
type identity struct {
	tagKey string
	source int
}

func identify(l tags.Label) identity { return identity{tagKey: l.TagKey, source: l.Source} }

// A fate is the tag key that a label got, or the reason why it was skipped.
type fate struct {
	key    string
	reason tags.SkipReason
}

// explained labels are rows of a table, and providers are columns.
type explained struct {
	rows      []row
	providers []Explanation

	// notes that are on no provider.
	notes []string

	// hierarchy is true if it is known where labels came from.
	hierarchy bool
}

// A row is one label, and where it came from.
type row struct {
	label  tags.Label
	origin Origin
}

// explain what becomes of labels under the profiles of the supplied providers, or of
// all if there are none. The input is nil if there is none.
func explain(t *tags.Transformer, rules tags.Rules, in *v1beta1.CloudTags, providers []string) *explained {
	if len(providers) == 0 {
		providers = tags.ProfileNames()
	}

	e := &explained{}

	for _, provider := range providers {
		p := rules.ProfileOf(provider, "", "")

		i := slices.IndexFunc(e.providers, func(x Explanation) bool { return x.profile == p })
		if i < 0 {
			i = len(e.providers)
			e.providers = append(e.providers, explanation(t, p, in))
		}

		if known := tags.ProfileNames(); !slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, provider) }) {
			x := &e.providers[i]
			x.Notes = append(x.Notes, fmt.Sprintf("%q has no tag profile, so that of %s applies. Known are %s", provider, p.Name, strings.Join(known, ", ")))
		}
	}

	return e
}

// explanation of what becomes of labels under the supplied profile.
func explanation(t *tags.Transformer, p *tags.Profile, in *v1beta1.CloudTags) Explanation {
	kept, refused := t.Transform(p).Fit(slots(p, in))
	x := Explanation{
		Provider: p.Name,
		Tags:     make(map[string]string, len(kept)),
		Skipped:  make([]tags.SkippedLabel, 0, len(refused)),
		profile:  p,
		fates:    make(map[identity]fate, len(kept)+len(refused)),
	}

	for _, tag := range kept {
		x.Tags[tag.Key] = tag.Value
		x.fates[identity{tagKey: tag.TagKey, source: tag.Source}] = fate{key: tag.Key}
	}

	capped, trusted := 0, []string{}

	for _, r := range refused {
		x.Skipped = append(x.Skipped, p.Skip(r.Tag, r.Reason))
		x.fates[identity{tagKey: r.TagKey, source: r.Source}] = fate{reason: r.Reason}

		if r.Reason == tags.CountCap {
			capped++
		}

		if r.Reason == tags.CountCap && r.Trusted {
			trusted = append(trusted, r.QualifiedKey)
		}
	}

	own := len(field.ProviderTags(p.Name))

	switch {
	case in == nil && own > 0 && len(kept) > p.MaxTags-own:
		x.Notes = append(x.Notes, fmt.Sprintf("for kinds whose provider adds its own tags, %d of the %d tags are these, and %d labels more are skipped", own, p.MaxTags, len(kept)-p.MaxTags+own))
	case in != nil && capped > 0:
		x.Notes = append(x.Notes, slotsNote(p, in))
	}

	switch {
	case len(trusted) > 0:
		x.Notes = append(x.Notes, "the function fails: trusted labels have no tag slot: "+strings.Join(trusted, ", "))
	case in != nil && in.LimitPolicy == v1beta1.LimitPolicyApplyStrict && capped > 0:
		x.Notes = append(x.Notes, fmt.Sprintf("the function fails: limitPolicy ApplyStrict, and %d labels have no tag slot", capped))
	}

	return x
}

// slots that a resource without tags has for labels. Resources of some kinds have more,
// but which kinds there are isn't known.
func slots(p *tags.Profile, in *v1beta1.CloudTags) int {
	if in == nil {
		return p.MaxTags
	}

	return p.MaxTags - int(in.ReservedTags[p.Name]) - own(p, in)
}

// own is how many tags providers add themselves to resources of some kinds.
func own(p *tags.Profile, in *v1beta1.CloudTags) int {
	if in.ProviderTags == v1beta1.ProviderTagsNone {
		return 0
	}

	return len(field.ProviderTags(p.Name))
}

// slotsNote says what the slots are that labels don't get.
func slotsNote(p *tags.Profile, in *v1beta1.CloudTags) string {
	note := fmt.Sprintf("%d of the %d tags of a resource are for labels", max(slots(p, in), 0), p.MaxTags)

	if n := in.ReservedTags[p.Name]; n > 0 {
		note += fmt.Sprintf(", since reservedTags keeps %d", n)
	}

	if n := own(p, in); n > 0 {
		note += fmt.Sprintf(", and %d are the provider's own: for kinds whose provider adds its own tags, others have them for labels, too", n)
	}

	return note
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

// A terminal that the table is printed to. One that isn't known has no width.
type terminal struct {
	color bool
	width int
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
	e, err := c.explained(ctx, &manifest.Reader{Stdin: in})
	if err != nil {
		return manifest.OneLine(err)
	}

	if err := c.print(out, t, e); err != nil {
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

func (c *Command) explained(ctx context.Context, r *manifest.Reader) (*explained, error) {
	if c.Composition != "" {
		return c.hierarchy(ctx, r)
	}

	set, err := c.labels(r)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read labels from %s", c.File)
	}

	labels := set.Labels(tags.CloudTagPrefix)
	e := explain(tags.NewTransformer(labels, nil), c.ProfileRules, nil, c.Provider)

	for _, l := range labels {
		e.rows = append(e.rows, row{label: l})
	}

	return e, nil
}

// labels reads the map of labels.
func (c *Command) labels(r *manifest.Reader) (tags.PropagatingLabelSet, error) {
	values, err := r.Values(c.File)
	if err != nil {
		return nil, err
	}

	if c.FieldPath != "" && len(values) > 1 {
		// Others may be objects that have nothing to do with labels.
		values = slices.DeleteFunc(values, func(v *structpb.Value) bool {
			at, err := structpath.Get(v.GetStructValue(), c.FieldPath)
			return err == nil && at == nil
		})

		if len(values) == 0 {
			return nil, errors.Errorf("no object has a field %s", c.FieldPath)
		}
	}

	if len(values) > 1 {
		return nil, errors.Errorf("it has several objects, and one can be explained at a time: %s", names(values))
	}

	v := structpb.NewNullValue()
	if len(values) == 1 {
		v = values[0]
	}

	if c.FieldPath == "" {
		if isNested(v) {
			return nil, errors.Errorf("it is an object, and no map of labels: say with --field-path where the labels are%s", found(v))
		}

		return structpath.StringMap(v, "labels")
	}

	at, err := structpath.Get(v.GetStructValue(), c.FieldPath)
	if err != nil {
		return nil, err
	}

	if at == nil {
		return nil, errors.Errorf("there is no field %s%s", c.FieldPath, found(v))
	}

	return structpath.StringMap(at, c.FieldPath)
}

func (c *Command) print(out io.Writer, t terminal, e *explained) error {
	if c.Output == "table" {
		_, err := io.WriteString(out, e.table(t))
		return err
	}

	for i := range e.providers {
		e.providers[i].Notes = append(e.providers[i].Notes, e.notes...)
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
