// Package policy writes ValidatingAdmissionPolicies. By these, the API server refuses labels and annotations that can't become
// cloud tags, such as a value that is too long for Hetzner Cloud. With --resources, it refuses managed resources whose tags break
// the tagPolicy of the input. The conditions of policies are CEL, and stand here as texts: an "expression" or a "condition" is
// such a text.
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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Command prints a policy and its binding, or with Resources a policy and a binding for each tag field.
type Command struct {
	Composition string
	Step        string

	RequiredResources []string

	Resources bool
	CRDs      []string

	Provider []string
	Match    []string
	Required bool
	Action   []string // ValidatingAdmissionPolicyBinding.spec.validationActions, or none for the default.
	Selector map[string]string
	Name     string

	Prefix       []string
	KeyPrefix    *string
	ReservedKey  []string
	ReservedTags map[string]int
	ProfileRules profile.Rules

	// input is the input that the flags make, or nil with a Composition. matched has the kinds of Match.
	input   *v1beta1.CloudTags
	matched matchedKinds
}

// Cobra returns the command line of the command.
func (c *Command) Cobra() *cobra.Command {
	out := &cobra.Command{
		Use:     "policy",
		Short:   "Print a ValidatingAdmissionPolicy that refuses labels and annotations which could not become tags.",
		Args:    cobra.NoArgs,
		PreRunE: func(*cobra.Command, []string) error { return c.Validate() },
		RunE:    func(*cobra.Command, []string) error { return c.Run() },
	}

	f := out.Flags()
	f.StringVar(&c.Composition, "composition", "", "YAML `FILE` with a Composition. The input of its step replaces --prefix and the flags below it. Without --match it also says which kinds to check. - is standard input.")
	f.StringVar(&c.Step, "step", "", "`NAME` of the pipeline step of the Composition. Needed only if the input of several steps is one of this function.")
	f.StringSliceVar(&c.RequiredResources, "required-resources", nil, "`PATH` of a file or folder with the object that holds the standard which the input extends. Can be repeated.")
	f.BoolVar(&c.Resources, "resources", false, "Instead, judge managed resources themselves by the input's tagPolicy, whoever makes them: one policy for all kinds of the built-in index whose tag fields are alike. --match and --provider say of which kinds.")
	f.StringSliceVar(&c.CRDs, "crds", nil, "`PATH` of a file or folder of the custom resource definitions of a cluster, e.g. of kubectl get crds -o json: --resources writes policies for their kinds only. Can be repeated. - is standard input.")
	f.StringSliceVar(&c.Provider, "provider", nil, "`NAME` of the provider whose tag profile labels must obey. Can be repeated. By default the one that the input names by value.")
	f.StringArrayVar(&c.Match, "match", nil, "apiVersion/`KIND` of objects whose labels and annotations to check, in all versions, e.g. v1/Namespace. Can be repeated. "+
		"A plural that isn't the usual one of a built-in kind can follow: platform.example.org/v1/Zone=zones.")
	f.BoolVar(&c.Required, "required", false, "Also refuse objects without a label or annotation for a tag that the input's tagPolicy requires of all resources, and values of it that aren't allowed, if nothing else can give the tag.")
	f.Func("action", "`ACTION` on an object that breaks the policy: Deny, Warn or Audit. Can be repeated. With --resources or --required, the default follows the enforcement of the tagPolicy: Deny for Error, Warn and Audit for Warn. Otherwise it is Deny.", c.addAction)
	f.StringToStringVar(&c.Selector, "selector", nil, "Label (`KEY=VALUE`) that objects to check have, e.g. tier=gold, before a change or after it. Can be repeated. By default all objects are checked.")
	f.StringVar(&c.Name, "name", "", "`NAME` of the policy and its binding. By default cloud-tags, followed by the name of the Composition.")
	f.StringArrayVar(&c.Prefix, "prefix", nil, "`PREFIX` of the labels and annotations to check, e.g. tags.example.org/. Can be repeated.")
	f.Func("key-prefix", "`PREFIX` of tag keys (plexsphere: by default).", command.Optional(&c.KeyPrefix))
	f.StringArrayVar(&c.ReservedKey, "reserved-key", nil, "`KEY` that is reserved, or the beginning of reserved keys and a *, e.g. entigo:*. Can be repeated.")
	f.StringToIntVar(&c.ReservedTags, "reserved-tags", nil, "Tag slots to leave free by tag profile (`PROFILE=COUNT`), e.g. aws=3.")
	command.Choice(f, &c.ProfileRules, "profile-rules", "", "Whose rules to apply where they differ: the contract's, or those of the clouds' own APIs.", profile.Contract, profile.Cloud)
	out.MarkFlagsMutuallyExclusive("resources", "required")

	return out
}

const header = `# Made by function-cloud-tags policy. Make it again when the input of the function
# changes, or the function.
`

// settings are the name of a policy, and the actions and the selector of its binding.
type settings struct {
	Name     string
	Actions  []string
	Selector map[string]string // Labels of objects.
}

// A policy has all facts from which its manifests are written.
type policy struct {
	*v1beta1.CloudTags
	settings

	matchedKinds

	// Readings are the ways in which sources read labels of objects. Prefixes and Maps are theirs, each once.
	Readings     []*reading
	Prefixes     []string
	Maps         []*fieldMap
	Profiles     []*guard
	Requirements []requirement

	// Notes name the sources and rules that the policy doesn't check, each with the reason. left names the kinds without a
	// policy.
	Notes, left []string

	// schemas of the kinds of the cluster, or nil without --crds.
	schemas map[schema.GroupVersionKind]object.Node

	// inputLabels are the labels of the input itself, such as the values of a source of type Value. The transformer
	// has no labels of its own. It judges these as trusted labels.
	inputLabels []tags.Label
	transformer *tags.Transformer
}

// Validate returns an error if flags don't fit together, or if a flag has a value that can't be meant.
func (c *Command) Validate() (err error) {
	flags := c.inputFlags()

	switch {
	case len(c.CRDs) > 0 && !c.Resources:
		return errors.New("--crds needs --resources: it has the kinds for which --resources writes policies")
	case c.Composition != "" && len(flags) > 0:
		return errors.New("--prefix, --key-prefix, --reserved-key, --reserved-tags and --profile-rules say what the input of the --composition does: give either")
	case c.Composition == "":
		err = c.validateFlags(flags)
	}

	if err != nil {
		return err
	}

	if c.matched, err = parseMatch(c.Match); err != nil {
		return err
	}

	return cmp.Or(checkProviders(c.Provider), c.checkSelector(), checkName(cmp.Or(c.Name, "x")),
		manifest.CheckStdin(slices.Concat([]string{c.Composition}, c.RequiredResources, c.CRDs)))
}

// validateFlags validates the flags of a command without a Composition, and makes an input of the fields that they set.
func (c *Command) validateFlags(fields map[string]any) (err error) {
	switch {
	case c.Step != "":
		return errors.New("--step needs --composition, which has the step")
	case len(c.RequiredResources) > 0:
		return errors.New("--required-resources needs --composition, whose input extends a standard in one of the objects")
	case c.Resources:
		return errors.New("--resources needs --composition, which has the tagPolicy to judge by")
	case c.Required:
		return errors.New("--required needs --composition, which has the tagPolicy")
	case len(c.Prefix) == 0:
		return errors.New("nothing says which labels and annotations to check: give --prefix or --composition")
	case len(c.Match) == 0:
		return errors.New("nothing says which kinds to check: give --match, e.g. --match v1/Namespace")
	case len(c.Provider) == 0:
		return errNoProvider
	}

	fields["apiVersion"], fields["kind"] = v1beta1.APIVersion, v1beta1.Kind
	fields["providerTags"] = v1beta1.ProviderTagsNone // --reserved-tags says how many slots to leave free.

	if c.input, err = v1beta1.DecodeObject(fields); err != nil {
		return errors.Wrap(err, "invalid flags")
	}

	return checkPrefixes(c.Prefix)
}

// Run the command.
func (c *Command) Run() error { return c.write(os.Stdin, os.Stdout) }

// write is Run with other files for standard input and output.
func (c *Command) write(in io.Reader, out io.Writer) error {
	text, err := c.text(&manifest.Reader{Stdin: in})
	if err != nil {
		return errors.Wrap(err, "cannot make a policy")
	}

	_, err = io.WriteString(out, text)

	return errors.Wrap(err, "cannot write the policy")
}

// text returns the manifests of the policy and of its binding.
func (c *Command) text(r *manifest.Reader) (string, error) {
	p := &policy{settings: settings{Actions: c.Action, Selector: c.Selector}, matchedKinds: c.matched}

	s, err := c.step(r)
	if err != nil {
		return "", err
	}

	profiles, err := c.profiles(p, s.Input)
	if err != nil {
		return "", err
	}

	p.Name = cmp.Or(c.Name, strings.TrimSuffix("cloud-tags-"+s.Composition, "-"))
	if err := checkName(p.Name); err != nil {
		return "", err
	}

	p.use(s.Input)

	if len(p.Actions) == 0 {
		p.Actions = c.defaultActions(s.Input.TagPolicy)
	}

	if !c.Resources {
		return c.labelPolicy(p, s, profiles)
	}

	if err := p.readDefinitions(r, c.CRDs); err != nil {
		return "", err
	}

	return p.resourcePolicies(s, profiles)
}

// use sets the input of the policy, with its labels and its transformer.
func (p *policy) use(in *v1beta1.CloudTags) {
	p.CloudTags = in
	p.inputLabels = labelsOfInput(in)
	p.transformer = tags.NewTransformer(nil, in.Formats())
	p.transformer.Reserve(in.ReservedKeys, in.KeyPrefix, nil)
}

// labelPolicy returns the manifests of the policy on labels and annotations, and of its binding. An example is in
// testdata/TestPrinted.yaml.
func (c *Command) labelPolicy(p *policy, s *manifest.Step, profiles []*profile.Profile) (string, error) {
	p.read(s)

	if len(p.Readings) == 0 {
		return "", errors.Errorf("no source reads labels of an object of the kinds to check, so there is nothing to check: %s", strings.Join(p.Notes, "; "))
	}

	if err := checkPrefixes(p.Prefixes); err != nil {
		return "", err
	}

	p.Profiles = words.Map(profiles, p.newGuard)

	if c.Required {
		if err := p.require(s.Composite); err != nil {
			return "", err
		}
	}

	return p.print(p.validating(p.spec())...)
}

// checkPrefixes returns an error if no key can begin with one of the prefixes, such as a/b/c.
func checkPrefixes(prefixes []string) error {
	for _, prefix := range prefixes {
		// Keys of annotations may have capitals in the prefix.
		key := strings.ToLower(prefix) + "x"
		if len(content.IsLabelKey(key)) > 0 && len(content.IsLabelKey(key+"/x")) > 0 {
			return errors.Errorf("the prefix %q can't begin the key of a label or annotation: these have letters, digits and - _ . and at most one /", prefix)
		}
	}

	return nil
}

// step returns the Composition's step, or one with the input of the flags.
func (c *Command) step(r *manifest.Reader) (*manifest.Step, error) {
	if c.Composition == "" {
		return &manifest.Step{Input: c.input}, nil
	}

	s, err := r.Step(c.Composition, c.Step, c.RequiredResources...)
	if err != nil {
		return nil, err
	}

	_, err = kindOf(s.Composite.APIVersion, s.Composite.Kind)

	return s, errors.Wrapf(err, "cannot read %s: spec.compositeTypeRef", c.Composition)
}

// actions of the API server on an object that breaks a policy.
var actions = []string{"Deny", "Warn", "Audit"}

// addAction adds the value of the flag --action, such as Deny,Audit. Each action is added once.
func (c *Command) addAction(value string) error {
	for action := range strings.SplitSeq(value, ",") {
		if !slices.Contains(actions, action) {
			return errors.Errorf("%smust be one of %s", words.DidYouMean(action, actions), strings.Join(actions, ", "))
		}

		c.Action = add(c.Action, action)
	}

	if slices.Contains(c.Action, "Deny") && slices.Contains(c.Action, "Warn") {
		return errors.New("the API server takes either Deny or Warn: leave one out")
	}

	return nil
}

// defaultActions returns the actions of a policy without --action. They follow the enforcement of the tagPolicy if the policy judges by it.
func (c *Command) defaultActions(rules *v1beta1.TagPolicy) []string {
	if (c.Resources || c.Required) && rules != nil && rules.Enforcement == v1beta1.PolicyEnforcementWarn {
		return []string{"Warn", "Audit"}
	}

	return []string{"Deny"}
}

// inputFlags returns the fields of an input, such as keyPrefix, as far as flags set them.
func (c *Command) inputFlags() map[string]any {
	var sources []map[string]any
	for _, prefix := range c.Prefix {
		sources = append(sources, map[string]any{"type": v1beta1.SourceTypeCompositeMetadata, "prefix": prefix})
	}

	fields := map[string]any{"sources": sources, "keyPrefix": c.KeyPrefix, "reservedKeys": c.ReservedKey, "reservedTags": c.ReservedTags, "profileRules": c.ProfileRules}
	maps.DeleteFunc(fields, func(_ string, v any) bool { return reflect.ValueOf(v).IsZero() })

	return fields
}

// errNoProvider is the error if nothing names a tag profile.
var errNoProvider = errors.New("nothing says whose tag profile to obey: give --provider, e.g. --provider aws, or name a provider by value in the input")

// checkProviders returns an error if the name of a provider is nearly the name of a profile, such as asw.
func checkProviders(providers []string) error {
	for _, provider := range providers {
		if nearest, ok := words.Nearest(provider, profile.Names()); ok && !profile.Has(provider) {
			return errors.Errorf("there is no tag profile %q: did you mean %s? Profiles are %s; for any other provider give %s", provider, nearest, strings.Join(profile.Names(), ", "), profile.Generic)
		}
	}

	return nil
}

// checkName returns an error if the API server refuses the name.
func checkName(name string) error {
	if why := content.IsDNS1123Subdomain(name); len(why) > 0 {
		return errors.Errorf("--name %q: %s", name, why[0])
	}

	return nil
}

// profiles returns the tag profiles of the named providers, each once. It adds a note on each provider without a profile of its own.
func (c *Command) profiles(p *policy, in *v1beta1.CloudTags) ([]*profile.Profile, error) {
	providers := c.Provider
	if p := in.ProviderValue(); len(providers) == 0 && p != "" && !c.Resources {
		providers = []string{p}
	}

	if len(providers) == 0 && !c.Resources {
		return nil, errNoProvider
	}

	if err := checkProviders(providers); err != nil {
		return nil, err
	}

	var out []*profile.Profile

	for _, provider := range providers {
		if !profile.Has(provider) {
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

// labelsOfInput returns the labels of the input itself: of sources of type Value or Expression. Their values are unknown.
func labelsOfInput(in *v1beta1.CloudTags) []tags.Label {
	var out []tags.Label

	for i := range in.Sources {
		s := &in.Sources[i]

		for _, key := range resolve.Own(s) {
			if l, ok := resolve.LabelOf(in, s, key); ok {
				l.Trusted = true // A trusted label could take its place.
				out = append(out, l)
			}
		}
	}

	return out
}

// NotOfInput returns the condition that no label of the input itself has the key k, such as ` && !(k in ['zone'])`.
func (p *policy) NotOfInput(r *reading) string {
	if len(p.inputLabels) == 0 {
		return ""
	}

	_, tag := p.keysOf(r)
	keys := words.Map(p.inputLabels, func(l tags.Label) string { return l.TagKey })

	return fmt.Sprintf(" && !(%s in %s)", tag, quoteAll(words.Distinct(keys)))
}

// Where returns the places of keys for messages, such as "under tags.example.org/ and in spec.labels".
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

// A dict is a manifest, or an object in it.
type dict = map[string]any

// validating returns the ValidatingAdmissionPolicy with the spec, and its binding. The binding selects an object if the
// object has the labels of the selector before the request or after it.
func (s *settings) validating(spec dict) []dict {
	binding := dict{"policyName": s.Name, "validationActions": s.Actions}
	if len(s.Selector) > 0 {
		binding["matchResources"] = dict{"objectSelector": dict{"matchLabels": s.Selector}}
	}

	made := func(kind string, spec dict) dict {
		return dict{"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": dict{"name": s.Name}, "spec": spec}
	}

	return []dict{made("ValidatingAdmissionPolicy", spec), made("ValidatingAdmissionPolicyBinding", binding)}
}

// print returns the manifests as YAML, below notes on the sources, rules and kinds that are not checked.
func (p *policy) print(manifests ...dict) (string, error) {
	notes := ""
	if all := slices.Concat(p.Notes, p.left); len(all) > 0 {
		notes = "#\n# It doesn't check:\n# - " + strings.Join(all, "\n# - ") + "\n"
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
