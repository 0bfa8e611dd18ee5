// Package policy writes ValidatingAdmissionPolicies. With such a policy, the API server refuses labels and annotations that can't become
// cloud tags, such as a value that is too long for Hetzner Cloud. With --resources, it refuses managed resources whose tags break
// the tagPolicy of the input.
//
// In this package, an expression is a text in CEL, the language of such policies, and a condition is an expression that is true or false.
// The API server evaluates them for each request.
package policy

import (
	"cmp"
	"context"
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
	"github.com/plexsphere/function-cloud-tags/tags/command/cluster"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Command prints a policy and its binding, or with Resources a policy and a binding for each tag field. Its fields are the arguments
// and flags, which --help describes.
type Command struct {
	Composition string
	Step        string

	RequiredResources []string

	Resources bool

	// CRDs are the files of --crds. InCluster says that the flag is given without one, so that kubectl reads the cluster.
	CRDs      []string
	InCluster bool
	Kubectl   cluster.Flags

	Provider []string
	Match    []string
	Required bool
	Action   []string // Deny, Warn or Audit, or none for the default.
	Selector map[string]string
	Name     string

	Prefix       []string
	KeyPrefix    *string
	ReservedKey  []string
	ReservedTags map[string]int
	ProfileRules profile.Rules

	// input is made of flags such as --prefix, or nil with a Composition. Validate sets input, kinds and plurals.
	input *v1beta1.CloudTags

	// kinds and plurals come from --match: see parseMatch.
	kinds   []string
	plurals map[string]string
}

// Cobra returns the command line of the command.
func (c *Command) Cobra() *cobra.Command {
	out := &cobra.Command{
		Use:     "policy",
		Example: "--composition composition.yaml --provider aws\n--composition composition.yaml --resources --crds",
		Short:   "Print a ValidatingAdmissionPolicy that refuses labels which could not become tags, or, with --resources, managed resources without the tags of tagPolicy.",
		Args:    c.takeArgs,
		PreRunE: func(*cobra.Command, []string) error { return c.Validate() },
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.write(cmd.Context(), os.Stdin, os.Stdout) },
	}

	f := out.Flags()
	f.StringVar(&c.Composition, "composition", "", "YAML `FILE` with a Composition. The input of its step replaces --prefix, --key-prefix, --reserved-key, --reserved-tags and --profile-rules. Without --match it also says which kinds to check. - is standard input.")
	f.StringVar(&c.Step, "step", "", "`NAME` of the pipeline step of the Composition. Needed only if several steps have an input of this function.")
	f.StringSliceVar(&c.RequiredResources, "required-resources", nil, "`PATH` of a file or folder with the object that has the standard. The input of the Composition extends this standard. Can be repeated.")
	f.BoolVar(&c.Resources, "resources", false, "Instead of labels, judge the tags of managed resources, by the tagPolicy of the input. Kinds of the built-in index with the same tag field share a policy. --match and --provider choose kinds.")
	f.StringSliceVar(&c.CRDs, "crds", nil, "`PATH` of a file or folder with the custom resource definitions of a cluster, e.g. the output of kubectl get crds -o json. --resources then writes policies for their kinds only. Can be repeated. - is standard input. Without a path, kubectl reads the cluster, with its own flags, such as --context.")
	f.Lookup("crds").NoOptDefVal = inCluster
	f.StringSliceVar(&c.Provider, "provider", nil, "`NAME` of the provider whose tag profile labels must obey. Can be repeated. The default is the provider in the input, or else the clouds of the bases that the Composition has in its text.")
	f.StringArrayVar(&c.Match, "match", nil, "apiVersion/`KIND` of objects to check, in all versions, e.g. v1/Namespace. Can be repeated. The plural of a custom resource can follow: platform.example.org/v1/Zone=zones.")
	f.BoolVar(&c.Required, "required", false, "Also check tags that the input's tagPolicy requires of all resources. Objects without a label or annotation for such a tag are refused, and so are values that tagPolicy doesn't allow. A tag that objects of several kinds can give isn't checked, since any one of the objects may have it.")
	f.Func("action", "`ACTION` on an object that breaks the policy: Deny, Warn or Audit. Can be repeated. The default is Deny. If the tagPolicy has the enforcement Warn, --resources and --required make it Warn,Audit.", c.addAction)
	f.StringToStringVar(&c.Selector, "selector", nil, "Label (`KEY=VALUE`) of objects to check, e.g. tier=gold. Can be repeated. An object is checked if it has all of the labels before or after a change. By default all objects are checked.")
	f.StringVar(&c.Name, "name", "", "`NAME` of the policy and its binding. The default is cloud-tags, followed by the name of the Composition.")
	f.StringArrayVar(&c.Prefix, "prefix", nil, "`PREFIX` of the labels and annotations to check, e.g. tags.example.org/. Can be repeated.")
	f.Func("key-prefix", "`PREFIX` of tag keys (plexsphere: by default).", command.Optional(&c.KeyPrefix))
	f.StringArrayVar(&c.ReservedKey, "reserved-key", nil, "Reserved `KEY`, or the beginning of reserved keys and a *, e.g. entigo:*. Can be repeated.")
	f.StringToIntVar(&c.ReservedTags, "reserved-tags", nil, "Number of tag slots to leave free in a tag profile (`PROFILE=COUNT`), e.g. aws=3.")
	command.Choice(out, &c.ProfileRules, "profile-rules", "", "Whose rules to apply where they differ: the contract's, or those of the clouds' own APIs.", profile.Contract, profile.Cloud)
	out.MarkFlagsMutuallyExclusive("resources", "required")
	c.Kubectl.AddTo(f)

	return out
}

// inCluster is the value of --crds without a path. No path has it.
const inCluster = "\x00"

// takeArgs takes the arguments for paths of --crds: the flag may have none, so that --crds PATH is a flag and an argument.
func (c *Command) takeArgs(cmd *cobra.Command, args []string) error {
	given := len(c.CRDs)
	c.CRDs = slices.DeleteFunc(c.CRDs, func(path string) bool { return path == inCluster })

	if given == 0 {
		return cobra.NoArgs(cmd, args)
	}

	for _, arg := range args {
		c.CRDs = append(c.CRDs, strings.Split(arg, ",")...)
	}

	c.InCluster = len(c.CRDs) == 0

	return nil
}

// header begins the manifests, with the command line that makes them.
const header = `# Made by %s
# Make it again when the input of the function changes, or the function.
`

// A policy has what its manifests are made of.
type policy struct {
	*v1beta1.CloudTags

	// Kinds are the kinds to check, such as apps/Deployment, each once.
	Kinds []string

	// plurals has the plurals that --match gives kinds, such as zones for platform.example.org/Zone.
	plurals map[string]string

	// commandLine makes the policy again.
	commandLine string

	// Name is the name of the policy on labels, or the beginning of the names of policies on managed resources.
	Name string

	// Actions are the actions of all bindings, such as Deny.
	Actions []string

	// Selector has the labels of the objects to check, or none for all objects.
	Selector map[string]string

	// labelMaps are the maps in which the policy checks labels: the Kubernetes labels and annotations of objects, and fields such as
	// spec.labels. addReadings fills labelMaps, Prefixes and FieldMaps.
	labelMaps []labelMap

	// Prefixes are the prefixes of the Kubernetes labels and annotations to check, such as tags.example.org/.
	Prefixes []string

	// FieldMaps are the paths of the fields, such as spec.labels. In CEL, variables.map0 is the field at FieldMaps[0].
	FieldMaps []object.Path

	// Checkers has one checker for each tag profile.
	Checkers []*profileChecker

	// Requirements has the validations of --required, in the order of the tagPolicy's rules.
	Requirements []dict

	// Unchecked names sources, rules and kinds that the policy doesn't check, with the reasons. The manifests have each text after "It doesn't
	// check:".
	Unchecked []string

	// schemas has the schema of each kind of the cluster, or is nil without --crds.
	schemas map[schema.GroupVersionKind]object.Node

	// inputLabels are the labels that are written in the input itself, in sources of type Value or Expression. Only their keys are set here.
	// Each takes a tag slot: see Slots.
	inputLabels []tags.Label

	// transformer makes a tagger for each profile: see profileChecker.
	transformer *tags.Transformer
}

// defaultName begins the policy's name if there is no --name. The name of the Composition follows.
const defaultName = "cloud-tags"

// Validate returns an error if flags don't fit together, or if a flag has an invalid value.
func (c *Command) Validate() (err error) {
	if err := c.makeInput(); err != nil {
		return err
	}

	if c.kinds, c.plurals, err = parseMatch(c.Match); err != nil {
		return err
	}

	return cmp.Or(firstError(c.Provider, checkProvider), firstError(sortedKeys(c.Selector), c.checkSelector), checkName(cmp.Or(c.Name, defaultName)),
		manifest.CheckStdin(slices.Concat([]string{c.Composition}, c.RequiredResources, c.CRDs)))
}

// makeInput makes the input from flags: --key-prefix sets the field keyPrefix. With --composition, it makes no input. It returns an error
// if flags don't fit together.
func (c *Command) makeInput() (err error) {
	var sources []map[string]any
	for _, prefix := range c.Prefix {
		sources = append(sources, map[string]any{"type": v1beta1.SourceTypeCompositeMetadata, "prefix": prefix})
	}

	fields := map[string]any{"sources": sources, "keyPrefix": c.KeyPrefix, "reservedKeys": c.ReservedKey, "reservedTags": c.ReservedTags, "profileRules": c.ProfileRules}

	// A flag that isn't given sets no field. KeyPrefix is a pointer, so --key-prefix= sets the field, too.
	maps.DeleteFunc(fields, func(_ string, value any) bool { return reflect.ValueOf(value).IsZero() })

	if err := c.checkCombination(fields); err != nil || c.Composition != "" {
		return err
	}

	fields["apiVersion"], fields["kind"] = v1beta1.APIVersion, v1beta1.Kind
	fields["providerTags"] = v1beta1.ProviderTagsNone // Only the number in --reserved-tags stays free.

	if c.input, err = v1beta1.DecodeObject(fields); err != nil {
		return errors.Wrap(err, "invalid flags")
	}

	return firstError(c.Prefix, checkPrefix)
}

// checkCombination returns an error if flags don't fit together. inputFields are the fields of the input that flags set.
func (c *Command) checkCombination(inputFields map[string]any) error {
	switch {
	case !c.InCluster && c.Kubectl.Given() != "":
		return c.Kubectl.CheckUnused("goes with --crds without a path")
	case (c.InCluster || len(c.CRDs) > 0) && !c.Resources:
		return errors.New("--crds needs --resources, which writes policies for the kinds in --crds")
	case c.Composition != "" && len(inputFields) > 0:
		return errors.New("--composition has an input, which takes the place of --prefix, --key-prefix, --reserved-key, --reserved-tags and --profile-rules: leave these out")
	case c.Composition != "":
		return nil // The other errors are about flags without a Composition.
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

	return nil
}

// firstError checks each of the texts, and returns the first error.
func firstError(texts []string, check func(text string) error) error {
	return cmp.Or(words.Map(texts, check)...)
}

// write prints the manifests to out. For the file -, it reads from in.
func (c *Command) write(ctx context.Context, in io.Reader, out io.Writer) error {
	text, err := c.manifests(ctx, &manifest.Reader{Stdin: in})
	if err != nil {
		return errors.Wrap(err, "cannot make a policy")
	}

	_, err = io.WriteString(out, text)

	return errors.Wrap(err, "cannot write the policy")
}

// manifests returns the manifests of the policies and of their bindings as YAML.
func (c *Command) manifests(ctx context.Context, r *manifest.Reader) (string, error) {
	s, err := c.step(r) //nolint:contextcheck // It reads files.
	if err != nil {
		return "", err
	}

	p := newPolicy(s.Input)
	p.Kinds, p.plurals, p.Selector, p.commandLine = c.kinds, c.plurals, c.Selector, c.commandLine()

	// Without --resources and --required, the policy doesn't judge by the tagPolicy, so the tagPolicy's enforcement doesn't count.
	judgesByTagPolicy := p.TagPolicy != nil && (c.Resources || c.Required)

	switch {
	case len(c.Action) > 0:
		p.Actions = c.Action
	case judgesByTagPolicy && p.TagPolicy.Enforcement == v1beta1.PolicyEnforcementWarn:
		p.Actions = []string{"Warn", "Audit"}
	default:
		p.Actions = []string{"Deny"}
	}

	profiles, err := c.profiles(p, s)
	if err != nil {
		return "", err
	}

	p.Name = cmp.Or(c.Name, joinNonEmpty([]string{defaultName, s.Composition}, "-"))
	if err := checkName(p.Name); err != nil {
		return "", err
	}

	if !c.Resources {
		return c.labelPolicy(p, s, profiles)
	}

	if c.InCluster || len(c.CRDs) > 0 {
		if err := p.readSchemas(c.CRDs, func(use func(manifest.Definition)) error { return c.Kubectl.Definitions(ctx, r, c.CRDs, use) }); err != nil {
			return "", err
		}
	}

	return p.resourcePolicies(s, profiles)
}

// newPolicy returns a policy with the input, and with the labels that are written in the input.
func newPolicy(in *v1beta1.CloudTags) *policy {
	p := &policy{CloudTags: in, transformer: (&resolve.LabelSet{}).Transformer(in)} // Without labels: taggers judge them one by one.

	for i := range in.Sources {
		s := &in.Sources[i]

		for _, key := range resolve.InputKeys(s) {
			if l, ok := resolve.LabelOf(in, s, key); ok {
				// Each label counts as trusted, so that Slots leaves a slot free for it even if its key is reserved.
				l.Trusted = true
				p.inputLabels = append(p.inputLabels, l)
			}
		}
	}

	return p
}

// labelPolicy returns the policy on labels and annotations, and its binding, as YAML. testdata/TestPrinted.yaml has examples.
func (c *Command) labelPolicy(p *policy, s *manifest.Step, profiles []*profile.Profile) (string, error) {
	p.addReadings(s)

	if len(p.labelMaps) == 0 {
		return "", errors.Errorf("no source reads labels of an object of the kinds to check, so there is nothing to check: %s", strings.Join(p.Unchecked, "; "))
	}

	// addReadings has added the prefixes of the input's sources.
	if err := firstError(p.Prefixes, checkPrefix); err != nil {
		return "", err
	}

	p.Checkers = words.Map(profiles, p.newChecker)

	if c.Required {
		if err := p.addRequirements(s.Composite); err != nil {
			return "", err
		}
	}

	asks := surround("#\n# The API server asks it about more objects than it checks:\n# - ", strings.Join(p.unknownPlurals(), "\n# - "), "\n")

	return p.toYAML(asks, p.policyAndBinding(p.Name, p.constraints(), p.matchConditions(), p.variables(), p.validations())), nil
}

// checkPrefix returns an error for a prefix such as a/b/c, with which no key of a label or annotation can begin. A prefix may stop in the
// middle of a key's domain, such as tags.exa, or in the middle of its name, such as tags.example.org/team-.
func checkPrefix(prefix string) error {
	// These are the shortest keys with the prefix. A name has at most 63 characters, so a long prefix can only begin a domain, as in
	// tags.exax/x.
	if isAnnotationKey(prefix+"x") || isAnnotationKey(prefix+"x/x") {
		return nil
	}

	return errors.Errorf("the prefix %q can't begin the key of a label or annotation: these have letters, digits and - _ . and at most one /", prefix)
}

// step returns the Composition's step. Without a Composition, it returns a step with the input that the flags make.
func (c *Command) step(r *manifest.Reader) (*manifest.Step, error) {
	if c.Composition == "" {
		return &manifest.Step{Input: c.input}, nil
	}

	s, err := r.Step(c.Composition, c.Step, c.RequiredResources...)
	if err != nil {
		return nil, err
	}

	_, err = parseKind(s.Composite.APIVersion, s.Composite.Kind)

	return s, errors.Wrapf(err, "cannot read %s: spec.compositeTypeRef", c.Composition)
}

// actions has the values of --action.
var actions = []string{"Deny", "Warn", "Audit"}

// addAction adds the value of the flag --action, such as Deny,Audit. Each action is added once.
func (c *Command) addAction(value string) error {
	for action := range strings.SplitSeq(value, ",") {
		if !slices.Contains(actions, action) {
			// DidYouMean ends in a space.
			return errors.Errorf("%smust be one of %s", words.DidYouMean(action, actions), strings.Join(actions, ", "))
		}

		c.Action = appendUnique(c.Action, action)
	}

	if slices.Contains(c.Action, "Deny") && slices.Contains(c.Action, "Warn") {
		return errors.New("the API server takes either Deny or Warn: leave one out")
	}

	return nil
}

// errNoProvider says that neither a flag nor the input names a provider.
var errNoProvider = errors.New("nothing says whose tag profile to obey: give --provider, e.g. --provider aws, or name a provider by value in the input")

// checkProvider returns an error if the provider's name probably means the name of a tag profile, as asw and amazon mean aws.
func checkProvider(provider string) error {
	if meant := profile.Meant(provider); meant != "" {
		return errors.Errorf("there is no tag profile %q: did you mean %s? Profiles are %s; for any other provider give %s", provider, meant, strings.Join(profile.Names(), ", "), profile.Generic)
	}

	return nil
}

// checkName returns an error if the API server refuses the name.
func checkName(name string) error {
	if faults := content.IsDNS1123Subdomain(name); len(faults) > 0 {
		return errors.Errorf("--name %q: %s", name, faults[0])
	}

	return nil
}

// profiles returns the tag profiles to which p is limited, each once:
//
//   - with --provider, the profiles of these providers
//   - with --resources alone, none: the policies are for all providers
//   - without either flag, the profile of the provider that the input names, or else the profiles of the clouds that the bases of the
//     Composition are of
//
// A provider without a profile, such as example, gets the profile Generic, and Unchecked of p says so.
func (c *Command) profiles(p *policy, s *manifest.Step) ([]*profile.Profile, error) {
	providers, inputProvider := c.Provider, p.ProviderValue()

	switch {
	case len(providers) > 0 || c.Resources: // The provider of the input doesn't count, but may be misspelled.
	case inputProvider != "":
		providers = []string{inputProvider}
	default:
		if providers = field.ProfilesOf(s.Bases); len(providers) == 0 {
			return nil, errNoProvider
		}

		p.Unchecked = append(p.Unchecked, fmt.Sprintf("the limits of other clouds than %s: these are the clouds of the bases that the Composition has in its text (--provider names others)", strings.Join(providers, " and ")))
	}

	if err := firstError(slices.Concat(providers, []string{inputProvider}), checkProvider); err != nil {
		return nil, err
	}

	return words.Distinct(words.Map(providers, func(provider string) *profile.Profile {
		if !profile.Has(provider) {
			p.Unchecked = append(p.Unchecked, fmt.Sprintf("the limits of %q, which has no tag profile: those of %s apply", provider, profile.Generic))
		}

		return p.ProfileRules.ProfileOf(provider, "", "") // Only profiles of single services, such as S3, need an API group and a kind.
	})), nil
}

// checkSelector returns an error if the label of --selector with this key has an invalid key or value.
func (c *Command) checkSelector(key string) error {
	value := c.Selector[key]
	if faults := slices.Concat(content.IsLabelKey(key), content.IsLabelValue(value)); len(faults) > 0 {
		return errors.Errorf("--selector %s=%s: %s", key, value, faults[0])
	}

	return nil
}

// A dict is a manifest, or an object in a manifest.
type dict = map[string]any

// policyAndBinding returns the ValidatingAdmissionPolicy with the name, and its binding. The binding selects an object if the
// object has the labels of the selector before the request or after it.
func (p *policy) policyAndBinding(name string, constraints dict, conditions, variables, validations []dict) []dict {
	binding := dict{"policyName": name, "validationActions": p.Actions}
	if len(p.Selector) > 0 {
		binding["matchResources"] = dict{"objectSelector": dict{"matchLabels": p.Selector}}
	}

	manifestOf := func(kind string, spec dict) dict {
		return dict{"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": dict{"name": name}, "spec": spec}
	}

	return []dict{
		manifestOf("ValidatingAdmissionPolicy", dict{
			"failurePolicy": "Fail", "matchConstraints": constraints, "matchConditions": conditions, "variables": variables, "validations": validations,
		}),
		manifestOf("ValidatingAdmissionPolicyBinding", binding),
	}
}

// toYAML returns the manifests as YAML. Comments at the top have the command line, name the sources, rules and kinds that are not checked, and
// end with the comment.
func (p *policy) toYAML(comment string, manifests []dict) string {
	// Empty if Unchecked is.
	notes := surround("#\n# It doesn't check:\n# - ", strings.Join(p.Unchecked, "\n# - "), "\n")
	docs := words.Map(manifests, func(m dict) string {
		y, _ := yaml.Marshal(m) // Nothing in it can fail.
		return string(y)
	})

	return fmt.Sprintf(header, p.commandLine) + notes + comment + strings.Join(docs, "---\n")
}
