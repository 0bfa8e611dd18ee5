// Package policy makes a ValidatingAdmissionPolicy of tag profiles, so that the API
// server refuses labels and annotations that could not become cloud tags.
package policy

import (
	"cmp"
	"io"
	"os"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
)

// A Command prints a policy and its binding.
type Command struct {
	Composition string `help:"YAML file with the Composition whose step's input says what the flags from --prefix on say otherwise, and, unless there is a --match, which kinds the labels are of. - is standard input." placeholder:"FILE"`
	Step        string `help:"Pipeline step of the Composition. Needed only if the input of several steps is one of this function." placeholder:"NAME"`

	Provider []string `help:"Provider whose tag profile labels must obey. Can be repeated. By default the one that the input names by value." placeholder:"NAME"`
	Match    []string `help:"apiVersion/kind of objects whose labels and annotations to check, in all versions, e.g. v1/Namespace. Can be repeated. A plural that isn't the usual one of a built-in kind can follow: platform.example.org/v1/Zone=zones." placeholder:"KIND" sep:"none"`
	Action   string   `default:"Deny" enum:"Deny,Warn" help:"What to do about an object that breaks the policy: Deny or Warn."`
	Name     string   `help:"Name of the policy and its binding. By default cloud-tags, followed by the name of the Composition." placeholder:"NAME"`

	Prefix       []string         `help:"Prefix of the labels and annotations to check, e.g. tags.example.org/. Can be repeated." placeholder:"PREFIX" sep:"none"`
	KeyPrefix    *string          `help:"Prefix of tag keys (plexsphere: by default)." placeholder:"PREFIX"`
	ReservedKey  []string         `help:"Key that must not be claimed, or the beginning of keys and a *, e.g. entigo:*. Can be repeated." placeholder:"KEY" sep:"none"`
	ReservedTags map[string]int32 `help:"Tag slots to leave free by tag profile, e.g. aws=3." placeholder:"PROFILE=COUNT"`
	ProfileRules string           `enum:",Contract,Cloud" default:"" help:"Whose rules to apply where they differ: the contract's, or those of the clouds' own APIs (Contract or Cloud)." placeholder:"RULES"`
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

// text of the policy that the flags ask for, and of its binding.
func (c *Command) text(in io.Reader) (string, error) {
	matches, err := parseKinds(c.Match)
	if err != nil {
		return "", err
	}

	s, err := c.step(in)
	if err != nil {
		return "", err
	}

	g := &generator{in: s.Input, prefix: s.Input.KeyPrefix}

	if g.profiles, err = c.profiles(s.Input); err != nil {
		return "", err
	}

	g.kinds, g.readings = readingsOf(s, matches)

	if len(g.kinds) == 0 && c.Composition == "" {
		return "", errors.New("no --match says which kinds to check")
	}

	if len(g.readings) == 0 {
		return "", errors.New("no source takes labels and annotations by a prefix, so there is nothing to check")
	}

	for _, r := range g.readings {
		if !beginsKey(r.prefix) {
			return "", errors.Errorf("the prefix %q can't begin the key of a label or annotation: these have letters, digits and - _ . and at most one /", r.prefix)
		}
	}

	name := "cloud-tags"
	if s.Composition != "" {
		name += "-" + s.Composition
	}

	name = cmp.Or(c.Name, name)

	if why := validation.IsDNS1123Subdomain(name); len(why) > 0 {
		return "", errors.Errorf("--name %q: %s", name, why[0])
	}

	return c.manifests(name, g.policy())
}

// step that the Composition has, or one that does what the flags say.
func (c *Command) step(in io.Reader) (*manifest.Step, error) {
	flags := len(c.Prefix) > 0 || c.KeyPrefix != nil || len(c.ReservedKey) > 0 || len(c.ReservedTags) > 0 || c.ProfileRules != ""

	switch {
	case c.Composition != "" && flags:
		return nil, errors.New("--prefix, --key-prefix, --reserved-key, --reserved-tags and --profile-rules say what the input of the --composition does: give either")
	case c.Composition != "":
		return c.compositionStep(in)
	case c.Step != "":
		return nil, errors.New("--step is one of a --composition")
	case len(c.Prefix) == 0:
		return nil, errors.New("no --prefix and no --composition says which labels and annotations to check")
	default:
		in, err := c.input()
		return &manifest.Step{Input: in}, errors.Wrap(err, "invalid flags")
	}
}

func (c *Command) compositionStep(in io.Reader) (*manifest.Step, error) {
	s, err := (&manifest.Reader{Stdin: in}).Step(c.Composition, c.Step)
	if err != nil {
		return nil, err
	}

	_, err = newKind(s.Composite.APIVersion, s.Composite.Kind)

	return s, errors.Wrapf(err, "cannot read %s: spec.compositeTypeRef", c.Composition)
}

// input that does what the flags say. It is validated as one of a Composition.
func (c *Command) input() (*v1beta1.CloudTags, error) {
	sources := make([]map[string]any, len(c.Prefix))
	for i, prefix := range c.Prefix {
		sources[i] = map[string]any{"type": v1beta1.SourceTypeCompositeMetadata, "prefix": prefix}
	}

	input := map[string]any{
		"apiVersion": v1beta1.APIVersion,
		"kind":       v1beta1.Kind,
		"sources":    sources,

		// How many slots to leave free, a flag says.
		"providerTags": v1beta1.ProviderTagsNone,
	}

	if c.ReservedKey != nil {
		input["reservedKeys"] = c.ReservedKey
	}

	if c.ReservedTags != nil {
		input["reservedTags"] = c.ReservedTags
	}

	if c.KeyPrefix != nil {
		input["keyPrefix"] = *c.KeyPrefix
	}

	if c.ProfileRules != "" {
		input["profileRules"] = c.ProfileRules
	}

	return v1beta1.DecodeObject(input)
}

// profiles that labels must obey, each once.
func (c *Command) profiles(in *v1beta1.CloudTags) ([]*tags.Profile, error) {
	providers := c.Provider
	if p := in.ProviderValue(); len(providers) == 0 && p != "" {
		providers = []string{p}
	}

	if len(providers) == 0 {
		return nil, errors.New("no --provider says whose tag profile to obey, and the input doesn't name one by value")
	}

	out := make([]*tags.Profile, 0, len(providers))

	for _, provider := range providers {
		if p := in.ProfileRules.ProfileOf(provider, "", ""); !slices.Contains(out, p) {
			out = append(out, p)
		}
	}

	return out, nil
}

// manifests of the supplied policy and of its binding, without anything that the API
// server fills in.
func (c *Command) manifests(name string, policy admissionv1.ValidatingAdmissionPolicySpec) (string, error) {
	out := strings.Builder{}
	out.WriteString("# Made by function-cloud-tags policy. Make it again when the input of the function\n# changes, or the function.\n")

	for i, m := range []map[string]any{
		{"kind": "ValidatingAdmissionPolicy", "spec": policy},
		{"kind": "ValidatingAdmissionPolicyBinding", "spec": admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName:        name,
			ValidationActions: []admissionv1.ValidationAction{admissionv1.ValidationAction(c.Action)},
		}},
	} {
		m["apiVersion"] = admissionv1.SchemeGroupVersion.String()
		m["metadata"] = map[string]string{"name": name}

		y, err := yaml.Marshal(m)
		if err != nil {
			return "", err
		}

		if i > 0 {
			out.WriteString("---\n")
		}

		out.Write(y)
	}

	return out.String(), nil
}

// beginsKey is true if the supplied prefix can begin the key of a label or annotation.
// The case of annotations' keys is free.
func beginsKey(prefix string) bool {
	return slices.ContainsFunc([]string{"x", "x/x"}, func(rest string) bool {
		return len(validation.IsQualifiedName(strings.ToLower(prefix)+rest)) == 0
	})
}
