package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A tagFieldRule is a rule of the tag policy, for the managed resources with the field.
type tagFieldRule struct {
	*v1beta1.TagRule

	Number int // The position in tagPolicy.rules.

	// selected selects the objects that the rule is for.
	selected selector

	field *tagField
}

// resourcePolicies returns policies on managed resources by the input's tag policy, one for each tag field.
func (p *policy) resourcePolicies(s *manifest.Step, profiles []*profile.Profile) (string, error) {
	if p.TagPolicy == nil {
		return "", errors.New("--resources: the input has no tagPolicy: write one with the rules to judge by")
	}

	fields, err := p.tagFields(s, profiles)
	if err != nil {
		return "", err
	}

	fields = slices.DeleteFunc(fields, func(f *tagField) bool { return len(f.Rules) == 0 })
	if len(fields) == 0 {
		return "", errors.New("--resources: no rule of tagPolicy is for a kind that has a tag field: change resources of the rules, or --match, --provider and --crds")
	}

	var out []dict
	for _, f := range fields {
		out = append(out, f.validating(f.spec())...)
	}

	return p.print(out...)
}

// spec returns the spec of the policy that judges the tags in the field. An update may break a rule in the same way as the object
// before it, unless the policy didn't judge the object then.
func (f *tagField) spec() dict {
	unjudged := []string{"oldObject == null"}

	for _, condition := range []string{f.Managed("oldObject"), f.Selected.Selects("oldObject"), selector{f.Selector}.Selects("oldObject")} {
		if condition != "" {
			unjudged = append(unjudged, "!("+condition+")")
		}
	}

	// The variable judged has the object after the request, and before it if the policy judged it, each with its tags. rule0 has the
	// breaches of the first rule, for each of these.
	variables := []dict{named("judged", fmt.Sprintf("(%s ? [object] : [object, oldObject]).map(o, {'object': dyn(o), 'tags': dyn(\n  %s)})", or(unjudged...), indented(f.Tags("o"))))}

	var validations []dict

	for _, r := range f.Rules {
		name := fmt.Sprintf("rule%d", r.Number)
		variables = append(variables, named(name, "variables.judged.map(o, [o.tags].map(t,\n  "+indented(r.Breach())+")[0])"))
		validations = append(validations, dict{
			"expression":        fmt.Sprintf("variables.%[1]s[0].all(m, variables.%[1]s.size() > 1 && m in variables.%[1]s[1])", name),
			"message":           fmt.Sprintf("Tags break the rule of tagPolicy on %q", r.Key),
			"messageExpression": fmt.Sprintf("variables.%s[0].join('; ')", name),
		})
	}

	return dict{
		"failurePolicy":    "Fail",
		"matchConstraints": f.constraints(),
		"matchConditions":  f.conditions(),
		"variables":        variables,
		"validations":      validations,
	}
}

// constraints returns constraints that match the field's kinds, and more: the index has no plurals. Versions of a kind can have different
// fields, so each request is judged in its own version.
func (f *tagField) constraints() dict {
	return dict{"matchPolicy": "Exact", "resourceRules": []dict{{
		"apiGroups": words.Distinct(words.Map(f.kinds, func(k schema.GroupVersionKind) string { return k.Group })), "apiVersions": []string{"*"}, "operations": []string{"CREATE", "UPDATE"}, "resources": []string{"*"},
	}}}
}

// conditions returns the conditions of a request that the policy judges. Its object:
//
//   - is of a kind with the field,
//   - is changed in the cloud by its controller, and
//   - is selected by the input.
func (f *tagField) conditions() []dict {
	all := []dict{named("kinds", f.KindsIn()), named("changes", f.Managed("object")), named("selected", f.Selected.Selects("object"))}

	return slices.DeleteFunc(all, func(d dict) bool { return d["expression"] == "" })
}

// indented returns the expression with all lines but the first further to the right.
func indented(expression string) string { return strings.ReplaceAll(expression, "\n", "\n  ") }

// keys returns the keys that the rule's tag can have, such as owner and acme:owner.
func (r tagFieldRule) keys() []string { return r.field.Guard.transformed.TagKeys(r.Key) }

// Breach returns the expression, in lines, of a list of messages: the breaches of the rule by the tags t of the object o. It is empty if
// the tags keep the rule.
func (r tagFieldRule) Breach() string {
	g, out := r.field.Guard, ""
	hasKey := g.has("e.key", r.keys())

	if len(r.Allowed()) > 0 {
		out = fmt.Sprintf("t.filter(e, %s && !%s)\n  .map(e, 'the tag ' + strings.quote(e.key) + ' has the value ' + %s + %s) +\n",
			hasKey, matches("e.value", allowedPattern(r.TagRule)), shown("e.value"), quote(", which tagPolicy doesn't allow: "+strings.Join(r.Allowed(), ", ")))
	}

	made, _ := g.transformed.Judge(tags.Label{QualifiedKey: r.Key, TagKey: g.policy.KeyPrefix + r.Key})
	name := strings.Join(words.Map(words.Distinct([]string{made.Key, r.Key}), strconv.Quote), " or ")

	spelled := fmt.Sprintf("t.filter(e, %s)\n  .map(e, 'the tag ' + strings.quote(e.key) + %s)", folded("e.key", r.keys()), quote(" must be spelled "+name+", as tagPolicy has it"))
	if r.IsRequired() {
		spelled = fmt.Sprintf("[%s]\n  .map(m, m.size() > 0 ? m : [%s])[0]", spelled, quote(fmt.Sprintf("tagPolicy requires the tag %s in %s", name, r.field.Path)))
	}

	out += fmt.Sprintf("(t.exists(e, %s) ? [] : %s)", hasKey, spelled)
	if selected := r.selected.Selects("o.object"); selected != "" {
		out = fmt.Sprintf("!(%s) ? [] :\n%s", selected, out)
	}

	return out
}
