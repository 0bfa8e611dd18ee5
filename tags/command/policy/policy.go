// Package policy makes a ValidatingAdmissionPolicy of tag profiles, so that the API
// server refuses labels and annotations that could not become cloud tags.
package policy

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Command prints a policy and its binding.
type Command struct {
	Composition string
	Step        string

	RequiredResources []string

	Resources bool
	Mutate    bool

	Provider []string
	Match    []string
	Required bool
	Action   string
	Selector map[string]string
	Name     string

	Prefix       []string
	KeyPrefix    *string
	ReservedKey  []string
	ReservedTags map[string]int
	ProfileRules profile.Rules
}

// Cobra returns the command line of the command.
func (c *Command) Cobra() *cobra.Command {
	out := &cobra.Command{
		Use:   "policy",
		Short: "Print a ValidatingAdmissionPolicy that refuses labels and annotations which could not become tags.",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return c.Run() },
	}

	c.Action = "Deny"

	f := out.Flags()
	f.StringVar(&c.Composition, "composition", "", "YAML `FILE` with a Composition. The input of its step replaces --prefix and the flags below it. Without --match it also says which kinds to check. - is standard input.")
	f.StringVar(&c.Step, "step", "", "`NAME` of the pipeline step of the Composition. Needed only if the input of several steps is one of this function.")
	f.StringSliceVar(&c.RequiredResources, "required-resources", nil, "`PATH` of a file or folder with the object that holds the standard which the input extends. Can be repeated.")
	f.BoolVar(&c.Resources, "resources", false, "Instead, judge managed resources themselves by the input's tagPolicy, whoever makes them: one policy for all kinds of the built-in index whose tag fields are alike. --match and --provider say of which kinds.")
	f.BoolVar(&c.Mutate, "mutate", false, "Instead, add tags to managed resources themselves, whoever makes them: those of the input's labels that admission knows, which are values of the input, and labels and annotations of the resource and of its namespace. Needs Kubernetes 1.35.")
	f.StringSliceVar(&c.Provider, "provider", nil, "`NAME` of the provider whose tag profile labels must obey. Can be repeated. By default the one that the input names by value.")
	f.StringArrayVar(&c.Match, "match", nil, "apiVersion/`KIND` of objects whose labels and annotations to check, in all versions, e.g. v1/Namespace. Can be repeated. "+
		"A plural that isn't the usual one of a built-in kind can follow: platform.example.org/v1/Zone=zones.")
	f.BoolVar(&c.Required, "required", false, "Also refuse objects without a label or annotation for a tag that the input's tagPolicy requires of all resources, and values of it that aren't allowed, if nothing else can give the tag.")
	command.Choice(f, &c.Action, "action", "", "What to do about an object that breaks the policy.", "Deny", "Warn")
	f.StringToStringVar(&c.Selector, "selector", nil, "Label (`KEY=VALUE`) that objects to check have, e.g. tier=gold, before a change or after it. Can be repeated. By default all objects are checked.")
	f.StringVar(&c.Name, "name", "", "`NAME` of the policy and its binding. By default cloud-tags, followed by the name of the Composition.")
	f.StringArrayVar(&c.Prefix, "prefix", nil, "`PREFIX` of the labels and annotations to check, e.g. tags.example.org/. Can be repeated.")
	f.Func("key-prefix", "`PREFIX` of tag keys (plexsphere: by default).", command.Optional(&c.KeyPrefix))
	f.StringArrayVar(&c.ReservedKey, "reserved-key", nil, "`KEY` that is reserved, or the beginning of reserved keys and a *, e.g. entigo:*. Can be repeated.")
	f.StringToIntVar(&c.ReservedTags, "reserved-tags", nil, "Tag slots to leave free by tag profile (`PROFILE=COUNT`), e.g. aws=3.")
	command.Choice(f, &c.ProfileRules, "profile-rules", "", "Whose rules to apply where they differ: the contract's, or those of the clouds' own APIs.", profile.Contract, profile.Cloud)
	out.MarkFlagsMutuallyExclusive("resources", "required", "mutate")

	return out
}

const header = `# Made by function-cloud-tags policy. Make it again when the input of the function
# changes, or the function.
`

// settings of a policy that the flags say.
type settings struct {
	Name, Action string
	Selector     map[string]string // Labels of objects.
}

// A policy has what its manifests are made of.
type policy struct {
	*v1beta1.CloudTags
	settings

	Kinds    []string
	Readings []*reading
	Prefixes []string    // Of what is read, each once.
	Maps     []*fieldMap // That are read, each once.
	Profiles []*guard
	Required []required

	// Notes say what isn't checked, and why, and left says so of kinds.
	Notes, left []string

	plurals map[string]string // Of kinds, if they are given.

	// own are labels of the input itself. The transformer has none of them, and judges them as if they were trusted.
	own         []tags.Label
	transformer *tags.Transformer
}

// Run the command.
func (c *Command) Run() error { return c.run(os.Stdin, os.Stdout) }

func (c *Command) run(in io.Reader, out io.Writer) error {
	text, err := c.text(in)
	if err != nil {
		return errors.Wrap(err, "cannot make a policy")
	}

	_, err = io.WriteString(out, text)

	return errors.Wrap(err, "cannot write the policy")
}

// text returns the manifests of the policy that the flags ask for, and of its binding.
func (c *Command) text(in io.Reader) (string, error) {
	p := &policy{settings: settings{Action: c.Action, Selector: c.Selector}, plurals: make(map[string]string)}
	if err := p.match(c.Match); err != nil {
		return "", err
	}

	s, err := c.step(in)
	if err != nil {
		return "", err
	}

	profiles, err := c.profiles(p, s.Input)
	if err != nil {
		return "", err
	}

	if err := c.checkSelector(); err != nil {
		return "", err
	}

	p.Name = cmp.Or(c.Name, strings.TrimSuffix("cloud-tags-"+s.Composition, "-"))
	if why := content.IsDNS1123Subdomain(p.Name); len(why) > 0 {
		return "", errors.Errorf("--name %q: %s", p.Name, why[0])
	}

	p.use(s.Input)

	switch {
	case c.Resources:
		return p.resources(s, profiles)
	case c.Mutate:
		return p.mutate(s, profiles)
	default:
		return c.labels(p, s, profiles)
	}
}

// use the input.
func (p *policy) use(in *v1beta1.CloudTags) {
	p.CloudTags = in
	p.own = ownLabels(in)
	p.transformer = tags.NewTransformer(nil, in.Formats())
	p.transformer.Reserve(in.ReservedKeys, in.KeyPrefix, nil)
}

// labels returns the manifests of the policy that judges labels and annotations, and of its binding.
func (c *Command) labels(p *policy, s *manifest.Step, profiles []*profile.Profile) (string, error) {
	p.read(s)

	if len(p.Kinds) == 0 && c.Composition == "" {
		return "", errors.New("no --match says which kinds to check")
	}

	if len(p.Readings) == 0 {
		return "", errors.Errorf("no source reads labels of an object of the kinds to check, so there is nothing to check: %s", strings.Join(p.Notes, "; "))
	}

	for _, prefix := range p.Prefixes {
		// Keys of annotations may have capitals in the prefix.
		key := strings.ToLower(prefix) + "x"
		if len(content.IsLabelKey(key)) > 0 && len(content.IsLabelKey(key+"/x")) > 0 {
			return "", errors.Errorf("the prefix %q can't begin the key of a label or annotation: these have letters, digits and - _ . and at most one /", prefix)
		}
	}

	for _, of := range profiles {
		p.Profiles = append(p.Profiles, p.guardOf(of))
	}

	if c.Required {
		if err := p.require(s.Composite); err != nil {
			return "", err
		}
	}

	return p.print("check", p.validating(p.labels())...)
}

// step returns the Composition's step, or one whose input has the fields that the flags set.
func (c *Command) step(in io.Reader) (*manifest.Step, error) {
	flags := c.inputFlags()

	switch {
	case c.Composition != "" && len(flags) > 0:
		return nil, errors.New("--prefix, --key-prefix, --reserved-key, --reserved-tags and --profile-rules say what the input of the --composition does: give either")
	case c.Composition != "":
		s, err := c.compositionStep(&manifest.Reader{Stdin: in})
		if err != nil {
			return nil, err
		}

		_, err = kindOf(s.Composite.APIVersion, s.Composite.Kind)

		return s, errors.Wrapf(err, "cannot read %s: spec.compositeTypeRef", c.Composition)
	case c.Step != "":
		return nil, errors.New("--step is one of a --composition")
	case len(c.RequiredResources) > 0:
		return nil, errors.New("--required-resources have the standard that the input of a --composition extends")
	case c.isBare():
		return nil, errors.New("--resources and --mutate write what the input of a --composition says")
	case c.Required:
		return nil, errors.New("--required is what the tagPolicy of a --composition requires")
	case len(c.Prefix) == 0:
		return nil, errors.New("no --prefix and no --composition says which labels and annotations to check")
	default:
		flags["apiVersion"], flags["kind"] = v1beta1.APIVersion, v1beta1.Kind
		flags["providerTags"] = v1beta1.ProviderTagsNone // --reserved-tags says how many slots to leave free.

		in, err := v1beta1.DecodeObject(flags)

		return &manifest.Step{Input: in}, errors.Wrap(err, "invalid flags")
	}
}

// compositionStep returns the Composition's step.
func (c *Command) compositionStep(r *manifest.Reader) (*manifest.Step, error) {
	if err := manifest.CheckStdin(append([]string{c.Composition}, c.RequiredResources...)); err != nil {
		return nil, err
	}

	required, err := r.Objects(c.RequiredResources...)
	if err != nil {
		return nil, err
	}

	return r.Step(c.Composition, c.Step, required...)
}

// inputFlags returns the fields of an input that flags set.
func (c *Command) inputFlags() map[string]any {
	var sources []map[string]any
	for _, prefix := range c.Prefix {
		sources = append(sources, map[string]any{"type": v1beta1.SourceTypeCompositeMetadata, "prefix": prefix})
	}

	fields := map[string]any{"sources": sources, "keyPrefix": c.KeyPrefix, "reservedKeys": c.ReservedKey, "reservedTags": c.ReservedTags, "profileRules": c.ProfileRules}
	maps.DeleteFunc(fields, func(_ string, v any) bool { return reflect.ValueOf(v).IsZero() })

	return fields
}

// isBare is true if the policies are for managed resources themselves.
func (c *Command) isBare() bool { return c.Resources || c.Mutate }

// profiles that are named, each once: those that labels must obey. It adds a note on each provider that has none of its own.
func (c *Command) profiles(p *policy, in *v1beta1.CloudTags) ([]*profile.Profile, error) {
	providers := c.Provider
	if p := in.ProviderValue(); len(providers) == 0 && p != "" && !c.isBare() {
		providers = []string{p}
	}

	if len(providers) == 0 && !c.isBare() {
		return nil, errors.New("no --provider says whose tag profile to obey, and the input doesn't name one by value")
	}

	var out []*profile.Profile

	for _, provider := range providers {
		nearest, ok := words.Nearest(provider, profile.Names())

		switch {
		case profile.Has(provider):
		case ok:
			return nil, errors.Errorf("there is no tag profile %q: did you mean %s? Profiles are %s; for any other provider give %s", provider, nearest, strings.Join(profile.Names(), ", "), profile.Generic)
		default:
			p.Notes = append(p.Notes, fmt.Sprintf("the limits of %q, which has no tag profile: those of %s apply", provider, profile.Generic))
		}

		out = add(out, in.ProfileRules.ProfileOf(provider, "", ""))
	}

	return out, nil
}

// checkSelector returns an error if no object can have the labels of the selector.
func (c *Command) checkSelector() error {
	for _, key := range sortedKeys(c.Selector) {
		if why := slices.Concat(content.IsLabelKey(key), content.IsLabelValue(c.Selector[key])); len(why) > 0 {
			return errors.Errorf("--selector %s=%s: %s", key, c.Selector[key], why[0])
		}
	}

	return nil
}

// ownLabels returns the labels that the input itself has, whatever their values are.
func ownLabels(in *v1beta1.CloudTags) []tags.Label {
	var out []tags.Label

	for i := range in.Sources {
		s := &in.Sources[i]

		for _, key := range slices.Concat(sortedKeys(s.Values), sortedKeys(s.Expressions)) {
			if l := labelOf(s, key, in.KeyPrefix); includes(s.Include, l.QualifiedKey) {
				l.Trusted = true // A trusted label could take its place.
				out = append(out, l)
			}
		}
	}

	return out
}

// labelOf returns the label that the source has with the key.
func labelOf(s *v1beta1.Source, key, prefix string) tags.Label {
	l := tags.Label{QualifiedKey: key, TagKey: prefix + key, Trusted: s.Trusted}
	if s.KeyForm == v1beta1.KeyFormTag {
		l.QualifiedKey, l.TagKey, l.Unprefixed = strings.TrimPrefix(key, prefix), key, true
	}

	return l
}

// NotOwn is the condition, behind an &&, that the key k isn't that of a label which the input itself has.
func (p *policy) NotOwn(r *reading) string {
	if len(p.own) == 0 {
		return ""
	}

	_, tag := p.keysOf(r)
	of := words.Map(p.own, func(l tags.Label) string { return l.TagKey })

	return fmt.Sprintf(" && !(%s in %s)", tag, quoteAll(words.Distinct(of)))
}

// Where says in messages where keys are.
func (p *policy) Where() string {
	var out []string

	if len(p.Prefixes) > 0 {
		out = append(out, "under "+strings.Join(p.Prefixes, ", "))
	}

	if len(p.Maps) > 0 {
		out = append(out, "in "+strings.Join(words.Map(p.Maps, (*fieldMap).Path), ", "))
	}

	return strings.Join(out, " and ")
}

// A dict is an object of a manifest, or a part of one.
type dict = map[string]any

// validating returns the ValidatingAdmissionPolicy with the spec, and its binding.
func (s *settings) validating(spec dict) []dict {
	return s.bound("v1", "ValidatingAdmissionPolicy", spec, dict{"policyName": s.Name, "validationActions": []string{s.Action}})
}

// mutating returns the MutatingAdmissionPolicy with the spec, and its binding.
func (s *settings) mutating(spec dict) []dict {
	return s.bound("v1beta1", "MutatingAdmissionPolicy", spec, dict{"policyName": s.Name})
}

// bound returns the policy and its binding, which selects objects that match before the request or after it.
func (s *settings) bound(version, kind string, spec, binding dict) []dict {
	if len(s.Selector) > 0 {
		binding["matchResources"] = dict{"objectSelector": dict{"matchLabels": s.Selector}}
	}

	made := func(kind string, spec dict) dict {
		return dict{"apiVersion": "admissionregistration.k8s.io/" + version, "kind": kind, "metadata": dict{"name": s.Name}, "spec": spec}
	}

	return []dict{made(kind, spec), made(kind+"Binding", binding)}
}

// print returns the manifests as YAML, below what they don't do.
func (p *policy) print(does string, manifests ...dict) (string, error) {
	notes := ""
	if of := slices.Concat(p.Notes, p.left); len(of) > 0 {
		notes = "#\n# It doesn't " + does + ":\n# - " + strings.Join(of, "\n# - ") + "\n"
	}

	docs := make([]string, len(manifests))

	for i, m := range manifests {
		y, err := yaml.Marshal(m)
		if err != nil {
			return "", err
		}

		docs[i] = string(y)
	}

	return header + notes + strings.Join(docs, "---\n"), nil
}
