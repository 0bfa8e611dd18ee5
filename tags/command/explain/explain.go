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

	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/target"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Command explains a file of labels, or all sources of a composite resource's
// labels.
type Command struct {
	File string `arg:"" help:"YAML or JSON file with a map of labels, or with any object that has one at --field-path. - is standard input, here and for all other files." optional:""`

	FieldPath    string        `help:"Field path of the map of labels in the file, e.g. spec.labels." placeholder:"PATH"`
	Provider     []string      `help:"Provider whose tag profile to apply. Can be repeated. By default all profiles are shown side by side." placeholder:"NAME"`
	ProfileRules profile.Rules `default:"" enum:",Contract,Cloud" help:"Whose rules to apply where they differ: the contract's, or those of the clouds' own APIs (Contract or Cloud). By default the contract's, and what the APIs are known to refuse is said. A Composition says so itself." placeholder:"RULES"`
	Output       string        `default:"table" enum:"table,json,yaml" help:"Format of the output: table, json or yaml." short:"o"`
	Strict       bool          `help:"Exit with status 2 if any label is skipped or its tag refused by the cloud, or the tags of labels break a rule of tagPolicy."`

	Composition       string   `help:"Composition whose step says where labels come from, instead of a file." placeholder:"FILE"`
	XR                string   `help:"Composite resource of the Composition." name:"xr" placeholder:"FILE"`
	RequiredResources []string `help:"File or folder of objects that the step requires. Can be repeated." placeholder:"PATH"`
	Context           string   `help:"YAML or JSON file with the pipeline's context: a map of context key to value." placeholder:"FILE"`
	Rendered          string   `help:"Output of crossplane composition render for the composite resource. Each composed resource in it is explained, with the tags that it has." placeholder:"FILE"`
	Step              string   `help:"Name of the step, if the Composition has several of this function." placeholder:"NAME"`

	// terminal that is written to. That of Run is standard output.
	terminal terminal.Terminal
}

// strictError is the error of --strict.
type strictError struct{ skipped, refused, broken int }

func (e strictError) Error() string {
	var out []string
	for _, of := range []struct {
		what string
		n    int
	}{{"labels skipped", e.skipped}, {"labels whose tags the cloud refuses", e.refused}, {"rules of tagPolicy broken", e.broken}} {
		if of.n > 0 {
			out = append(out, fmt.Sprintf("%s: %d", of.what, of.n))
		}
	}

	return strings.Join(out, ", ")
}

// ExitCode of the process.
func (e strictError) ExitCode() int { return 2 }

// Validate that the command is told what to explain.
func (c *Command) Validate() error {
	switch {
	case (c.File == "") == (c.Composition == ""):
		return errors.New("give either a file of labels or --composition")
	case (c.Composition == "") != (c.XR == ""):
		return errors.New("--composition and --xr go together")
	case c.Composition == "" && (len(c.RequiredResources) > 0 || c.Step != "" || c.Context != "" || c.Rendered != ""):
		return errors.New("--required-resources, --context, --rendered and --step go with --composition")
	case c.Rendered != "" && len(c.Provider) > 0:
		return errors.New("--provider goes without --rendered: resources have the tag profiles of their providers")
	case c.Composition != "" && c.FieldPath != "":
		return errors.New("--field-path goes with a file of labels")
	default:
		return manifest.CheckStdin(append([]string{c.File, c.Composition, c.XR, c.Context, c.Rendered}, c.RequiredResources...))
	}
}

// Run the command.
func (c *Command) Run(ctx context.Context) error {
	c.terminal = terminal.Of(os.Stdout)

	return c.Explain(ctx, os.Stdin, os.Stdout)
}

// Explain is Run with other files for standard input and output.
func (c *Command) Explain(ctx context.Context, in io.Reader, out io.Writer) error {
	read := c.labels

	switch {
	case c.Rendered != "":
		read = c.rendered
	case c.Composition != "":
		read = c.hierarchy
	}

	e, err := read(ctx, &manifest.Reader{Stdin: in})
	if err != nil {
		return manifest.OneLine(err)
	}

	if err := c.write(out, e); err != nil {
		return errors.Wrap(err, "cannot write explanation")
	}

	if found := e.found(); c.Strict && found != (strictError{}) {
		return found
	}

	return nil
}

// write what is explained in the format of the output.
func (c *Command) write(out io.Writer, e explanation) error {
	if c.Output == "table" {
		_, err := io.WriteString(out, e.table(c.terminal))
		return err
	}

	if c.Output == "yaml" {
		y, _ := yaml.Marshal(e.values()) // Strings and lists of them can't fail.
		_, err := out.Write(y)

		return err
	}

	j := json.NewEncoder(out)
	j.SetIndent("", "  ")

	return j.Encode(e.values())
}

// An explanation is what is written.
type explanation interface {
	// table of it for a terminal.
	table(on terminal.Terminal) string

	// values to encode.
	values() any

	// found is what is a failure under --strict.
	found() strictError
}

// explained labels are rows of a table, and providers are columns.
type explained struct {
	labels    []tags.Label
	providers []*Explanation

	// origins of the labels, or nil if they are those of a file.
	origins map[tags.Label]Origin

	// notes that are on no provider.
	notes []string
}

func (e *explained) values() any {
	for _, x := range e.providers {
		x.Notes = append(x.Notes, e.notes...)
	}

	return e.providers
}

func (e *explained) found() (of strictError) {
	for _, x := range e.providers {
		of.skipped += len(x.Skipped)
		of.refused += x.refused()
		of.broken += len(x.Broken)
	}

	return of
}

// An Explanation is what becomes of a set of labels under one tag profile.
type Explanation struct {
	Provider string              `json:"provider"`
	Tags     map[string]string   `json:"tags"`
	Skipped  []tags.SkippedLabel `json:"skipped"`

	// CloudRefuses are labels of tags that the API of the cloud, or of one of its services, is
	// known to refuse.
	CloudRefuses []Refused `json:"cloudRefuses,omitempty"`

	// Removed are labels whose tags removeTags takes away, and Ignored those whose tags
	// have the value of the cloud because of ignoreTags, if it has them.
	Removed []Ruled `json:"removed,omitempty"`
	Ignored []Ruled `json:"ignored,omitempty"`

	// Broken are the rules of tagPolicy that the tags break.
	Broken []Broken `json:"tagPolicy,omitempty"`

	// Sources of the tags by key, if there are several.
	Sources map[string]Origin `json:"sources,omitempty"`

	// Notes on what labels and tags alone don't say.
	Notes []string `json:"notes,omitempty"`

	profile *profile.Profile

	// meant is true if the input asks for the contract's rules, whose warnings nobody needs then.
	meant bool

	// cells of labels in the column. A label that another one replaced has none.
	cells map[tags.Label]terminal.Cell
}

// An Origin is the source that a label came from, and what it overrode there.
type Origin struct {
	Source    string   `json:"source"`
	Overrides []Origin `json:"overrides,omitempty"`

	// Value that was overridden.
	Value string `json:"value,omitempty"`
}

// addLabels adds the labels of the set, and where they came from. title returns the title of a label's
// source.
func (e *explained) addLabels(set *resolve.Set, title func(tags.Label) string) {
	e.origins = make(map[tags.Label]Origin)

	overridden := make(map[string][]tags.Label)
	for _, o := range set.Overridden {
		overridden[o.TagKey] = append(overridden[o.TagKey], o)
	}

	// add a label that overrode others, the latest last.
	add := func(l tags.Label, others []tags.Label) {
		from := Origin{Source: title(l)}
		for _, o := range slices.Backward(others) {
			from.Overrides = append(from.Overrides, Origin{Source: title(o), Value: o.Value})
		}

		e.labels = append(e.labels, l)
		e.origins[l] = from
	}

	for _, l := range set.Labels {
		others := overridden[l.TagKey]
		add(l, others)

		// The latest trusted label can stand against the one that overrode it.
		for i, o := range slices.Backward(others) {
			if o.Trusted && !l.Trusted {
				add(o, others[:i])
				break
			}
		}
	}

	for _, l := range set.Claims {
		add(l, nil)
	}
}

// explain what becomes of the labels of the set under the tag profiles of the providers, or under all if there
// are no providers.
func (e *explained) explain(set *resolve.Set, in *v1beta1.CloudTags, providers []string) {
	t := set.Transformer(in)
	if len(providers) == 0 {
		providers = profile.Names()
	}

	for _, provider := range providers {
		p := in.ProfileRules.ProfileOf(provider, "", "")

		i := slices.IndexFunc(e.providers, func(x *Explanation) bool { return x.profile == p })
		if i < 0 {
			i = len(e.providers)
			x := e.explanation(set, t.Transform(p), p, in)
			x.addRules(t.Transform(p).Tags, in)
			x.addPolicy(set, t, in)

			e.providers = append(e.providers, x)
		}

		if !profile.Has(provider) {
			e.providers[i].Notes = append(e.providers[i].Notes, unprofiled(target.Unprofiled{Provider: provider}))
		}
	}
}

func (x *Explanation) notef(format string, args ...any) {
	x.Notes = append(x.Notes, fmt.Sprintf(format, args...))
}

// addRules notes which tags the fields of tagFields refuse, though the profile admits them.
func (x *Explanation) addRules(of []tags.Tag, in *v1beta1.CloudTags) {
	for i := range in.TagFields {
		rule := &in.TagFields[i]
		if rule.Provider != "" && in.ProfileRules.ProfileOf(rule.Provider, "", "") != x.profile {
			continue
		}

		f := field.OfRule(rule)
		k := tagset.KindOf(&f, x.profile)
		refused := []string{}

		for j := range of {
			if r, _ := k.Refuses(of[j].Key, of[j].Value); r != "" {
				refused = append(refused, fmt.Sprintf("%s (%s)", of[j].QualifiedKey, r))
			}
		}

		if len(refused) > 0 {
			x.notef("%s: fields of shape %s can't have these labels: %s", in.Where("tagFields[%d]", i), rule.Shape, strings.Join(refused, ", "))
		}
	}
}

// explanation returns which tags the labels become under the profile, and why the others become none.
func (e *explained) explanation(set *resolve.Set, d *tags.Transformed, p *profile.Profile, in *v1beta1.CloudTags) *Explanation {
	free, slots := freeSlots(p, in)
	left, gone, labels := removed(set, d, p)
	kept, refused := left.Fit(free)

	x := &Explanation{
		Provider: p.Name,
		Tags:     make(map[string]string, len(kept)),
		Skipped:  tags.Skips(p.Name, refused),
		Removed:  gone,
		Ignored:  ignored(set, d, p, kept),
		Sources:  make(map[string]Origin),
		profile:  p,
		cells:    make(map[tags.Label]terminal.Cell),
	}

	for _, t := range kept {
		x.Tags[t.Key] = t.Value
		x.cells[t.Label] = terminal.Cell{Text: words.Cell(t.Key), Color: terminal.Green}

		if from, ok := e.origins[t.Label]; ok {
			x.Sources[t.Key] = from
		}
	}

	x.addRefused(kept, in)

	for _, l := range labels {
		x.cells[l] = terminal.Cell{Text: "removed"}
	}

	capped, trusted := 0, []string{}

	for _, r := range refused {
		x.cells[r.Label] = terminal.Cell{Text: string(r.Reason), Color: terminal.Red}

		if r.Reason == profile.CountCap {
			capped++

			if r.Trusted {
				trusted = append(trusted, r.QualifiedKey)
			}
		}
	}

	switch own := len(field.ProviderTags(p.Name)); {
	case e.origins == nil && len(kept) > p.MaxTags-own:
		x.notef("for kinds whose provider adds its own tags, %d of the %d tags are these, and %d labels more are skipped", own, p.MaxTags, len(kept)-p.MaxTags+own)
	case e.origins != nil && capped > 0:
		x.Notes = append(x.Notes, slots)
	}

	switch {
	case len(trusted) > 0:
		x.notef("the function fails: trusted labels have no tag slot: %s", strings.Join(trusted, ", "))
	case capped > 0 && in.LimitPolicy == v1beta1.LimitPolicyApplyStrict:
		x.notef("the function fails: limitPolicy ApplyStrict, and %d labels have no tag slot", capped)
	}

	return x
}

// freeSlots returns how many slots a resource without tags has for labels, and why there are no more. Some kinds have
// more, but the kinds are not known here.
func freeSlots(p *profile.Profile, in *v1beta1.CloudTags) (free int, why string) {
	reserved, own := int(in.ReservedTags[p.Name]), len(field.ProviderTags(p.Name))
	if in.ProviderTags == v1beta1.ProviderTagsNone {
		own = 0
	}

	free = max(p.MaxTags-reserved-own, 0)
	why = fmt.Sprintf("%d of the %d tags of a resource are for labels", free, p.MaxTags)

	if reserved > 0 {
		why += fmt.Sprintf(", since reservedTags keeps %d", reserved)
	}

	if own > 0 {
		why += fmt.Sprintf(", and %d are the provider's own: for kinds whose provider adds its own tags, others have them for labels, too", own)
	}

	return free, why
}
