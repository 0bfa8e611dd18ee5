// Package awspolicy turns tag policies of AWS Organizations into tag policies of the function's input. Its facts are from the
// chapters "Tag policy syntax and examples" and "Enforce tagging consistency" of the user guide of AWS Organizations.
package awspolicy

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Command prints the tagPolicy of the function's input that is equal to a tag policy of AWS Organizations. Its fields
// are the arguments and flags, which --help describes.
type Command struct {
	File        string
	Enforcement v1beta1.PolicyEnforcement
}

// Cobra returns the command line of the command.
func (c *Command) Cobra() *cobra.Command {
	out := &cobra.Command{
		Use:     "import FILE",
		Example: "policy.json\n-",
		Short:   "Print the tagPolicy of the function's input that says what a tag policy of AWS Organizations says.",
		Long: `Print the tagPolicy of the function's input that says what a tag policy of AWS Organizations says.

The file is the effective tag policy of an AWS account, as JSON: what aws organizations describe-effective-policy
prints, or the policy in it. - is standard input.`,
		Args: func(cmd *cobra.Command, args []string) error {
			c.File = strings.Join(args, " ")
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(*cobra.Command, []string) error { return c.run(os.Stdin, os.Stdout) },
	}

	c.Enforcement = v1beta1.PolicyEnforcementWarn
	command.Choice(out, &c.Enforcement, "enforcement", "", "Enforcement of the rules. Warn has all that AWS reports or refuses, and Error only what AWS refuses.",
		v1beta1.PolicyEnforcementWarn, v1beta1.PolicyEnforcementError)

	return out
}

const header = `# Made by function-cloud-tags policy import. Paste it into the input of the function.
#
# What AWS does otherwise:
# - To AWS, a key behind the keyPrefix of the input is another key. Here it is the key of the rule, too.
# - AWS refuses a key that is spelled in another way also beside the right one.
# - AWS also reports resources that are not in enforced_for.
# - ALL_SUPPORTED and * are the types of a service that AWS supports. Here they are all kinds of the service.
`

// A rule of the input, and the part of the policy that it is made of, such as tags.owner, for enforced_for.
type rule struct {
	v1beta1.TagRule

	part string
}

// An importer turns a policy into rules, and notes the parts that no rule can say.
type importer struct {
	enforcement v1beta1.PolicyEnforcement
	policies    []keyPolicy
	rules       []rule
	notes       []string
}

func (c *Command) run(in io.Reader, out io.Writer) error {
	text, err := c.text(in)
	if err != nil {
		return errors.Wrapf(err, "cannot import %s", c.File)
	}

	_, err = io.WriteString(out, text)

	return errors.Wrap(err, "cannot write the policy")
}

// text returns the tagPolicy in YAML. Comments name the parts of the policy that it lacks.
func (c *Command) text(in io.Reader) (string, error) {
	i := &importer{enforcement: c.Enforcement}

	if err := i.read(&manifest.Reader{Stdin: in}, c.File); err != nil {
		return "", err
	}

	for _, e := range i.policies {
		i.add(e)
	}

	if len(i.rules) == 0 {
		return "", errors.Errorf("it says nothing that a tagPolicy can say: %s", cmp.Or(strings.Join(i.notes, "; "), "its tags are empty"))
	}

	// The function must take the rules.
	_, err := v1beta1.DecodeObject(map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": v1beta1.Kind,
		"tagPolicy": v1beta1.TagPolicy{Enforcement: i.enforcement, Rules: words.Map(i.rules, func(r rule) v1beta1.TagRule { return r.TagRule })},
	})

	return i.yaml(), errors.Wrap(err, "a tagPolicy can't have these rules")
}

// notef adds a note.
func (i *importer) notef(format string, args ...any) {
	i.notes = append(i.notes, fmt.Sprintf(format, args...))
}

// add adds the rules of the entry: one for spellings and values, and one for a required tag.
func (i *importer) add(e keyPolicy) {
	path := "tags." + words.Name(e.name)
	values := i.resources(path+".enforced_for", e.enforced)
	required := i.resources(path+".report_required_tag_for", e.required)
	r := rule{TagRule: v1beta1.TagRule{Key: e.key, Resources: values}, part: path + ", for enforced_for"}

	r.Values, r.Matches = i.admitted(path+".tag_value", e.values)

	if i.enforcement == v1beta1.PolicyEnforcementError {
		if len(e.required) > 0 {
			i.notef("%s.report_required_tag_for: AWS reports which tags are missing, and refuses nothing", path)
			required = nil
		}

		if len(e.enforced) == 0 {
			i.notef("%s: AWS reports other values and spellings, and refuses none without enforced_for", path)
			return
		}
	}

	if len(e.enforced) == 0 {
		r.Resources, r.part = ofAWS(), path+", which AWS only reports"
	}

	if len(required) > 0 && reflect.DeepEqual(r.Resources, required) {
		r.part += " and report_required_tag_for"
		required = nil
	} else {
		r.Required = new(bool)
	}

	if len(r.Resources) > 0 {
		i.rules = append(i.rules, r)
	}

	if len(required) > 0 {
		i.rules = append(i.rules, rule{TagRule: v1beta1.TagRule{Key: e.key, Resources: required}, part: path + ", for report_required_tag_for"})
	}
}

// admitted returns the admitted values as patterns. It returns a regular expression instead if no value is admitted, or if the empty
// string is one: no pattern says so. If the expression is too long for a rule, it admits all values, and notes this.
func (i *importer) admitted(path string, values []string) ([]profile.Pattern, expression.Regexp) {
	var whole expression.Regexp

	if values == nil || len(values) > 0 && !slices.Contains(values, "") {
		patterns := words.Map(values, func(v string) profile.Pattern { return profile.Pattern(v) })
		return append([]profile.Pattern(nil), patterns...), whole
	}

	texts := words.Map(values, func(v string) string { return strings.ReplaceAll(regexp.QuoteMeta(v), `\*`, `(?s:.*)`) })
	if len(texts) == 0 {
		texts = []string{`[^\x00-\x{10FFFF}]`} // It matches no text: one character, but none of all characters.
	}

	if err := whole.UnmarshalText([]byte("^(" + strings.Join(texts, "|") + ")$")); err != nil {
		i.notef("%s: a rule can have the empty value only in a regular expression, and that of all values is too long: %v", path, err)
	}

	return nil, whole
}

// yaml returns the tagPolicy in YAML. Comments have the notes, and the part of the policy for each rule.
func (i *importer) yaml() string {
	out := &strings.Builder{}
	out.WriteString(header)

	if len(i.notes) > 0 {
		out.WriteString("#\n# Not imported:\n# - " + strings.Join(i.notes, "\n# - ") + "\n")
	}

	fmt.Fprintf(out, "tagPolicy:\n  enforcement: %s\n  rules:\n", i.enforcement)

	for _, r := range i.rules {
		y, _ := yaml.Marshal([]v1beta1.TagRule{r.TagRule}) // Nothing in it can fail.
		lines := strings.TrimSuffix(string(y), "\n")
		fmt.Fprintf(out, "  # %s\n  %s\n", r.part, strings.ReplaceAll(lines, "\n", "\n  "))
	}

	return out.String()
}
