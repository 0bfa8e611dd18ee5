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

// A tagFieldRule is a rule of the tagPolicy that applies to managed resources with the tag field.
type tagFieldRule struct {
	*v1beta1.TagRule

	Number int // The index of the rule in tagPolicy.rules.

	// selector selects the objects that the rule is for.
	selector selector

	field *tagField
}

// resourcePolicies returns policies on managed resources by the input's tagPolicy as YAML. There is one policy for each tag field.
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
		out = append(out, f.policyAndBinding(f.spec())...)
	}

	return p.toYAML(out...)
}

// spec returns the spec of the policy that judges the tags in the field. If the policy judged the object before an update, the update may
// break a rule in the same way again.
func (f *tagField) spec() dict {
	unjudgedBefore := []string{"oldObject == null"}

	bindingSelector := selector{f.Selector}
	for _, condition := range []string{f.ChangesCloud("oldObject"), f.InputSelector.Selects("oldObject"), bindingSelector.Selects("oldObject")} {
		if condition != "" {
			unjudgedBefore = append(unjudgedBefore, "!("+condition+")")
		}
	}

	// The variable judged is a list of objects with their tags: first the new object, then the old one if the policy judged it. The
	// variable rule0 has a list of messages for each of these: how its tags break the first rule.
	judged := fmt.Sprintf("(%s ? [object] : [object, oldObject]).map(o, {'object': dyn(o), 'tags': dyn(\n  %s)})", anyOf(unjudgedBefore...), indented(f.Tags("o")))
	variables := []dict{namedExpression("judged", judged)}

	var validations []dict

	for _, r := range f.Rules {
		name := fmt.Sprintf("rule%d", r.Number)
		variables = append(variables, namedExpression(name, "variables.judged.map(o, "+let("t", "o.tags", "\n  "+indented(r.BreachMessages()))+")"))
		validations = append(validations, dict{
			"expression":        fmt.Sprintf("variables.%[1]s[0].all(m, variables.%[1]s.size() > 1 && m in variables.%[1]s[1])", name),
			"message":           fmt.Sprintf("Tags break the rule of tagPolicy on %q", r.Key),
			"messageExpression": fmt.Sprintf("variables.%s[0].join('; ')", name),
		})
	}

	return dict{
		"failurePolicy":    "Fail",
		"matchConstraints": f.matchConstraints(),
		"matchConditions":  f.matchConditions(),
		"variables":        variables,
		"validations":      validations,
	}
}

// matchConstraints returns constraints that match all resources in the API groups of the field's kinds, since the plurals of the kinds are
// unknown. matchConditions leave out other kinds. The match policy is Exact, since versions of a kind can have different fields.
func (f *tagField) matchConstraints() dict {
	groups := words.Distinct(words.Map(f.kinds, func(k schema.GroupVersionKind) string { return k.Group }))

	return dict{"matchPolicy": "Exact", "resourceRules": []dict{{
		"apiGroups": groups, "apiVersions": []string{"*"}, "operations": []string{"CREATE", "UPDATE"}, "resources": []string{"*"},
	}}}
}

// matchConditions returns the conditions under which the policy judges a request. The object of the request:
//
//   - is of a kind with the field,
//   - is changed in the cloud by its controller, and
//   - is selected by the input.
func (f *tagField) matchConditions() []dict {
	all := []dict{
		namedExpression("kinds", f.IsOfKinds()),
		namedExpression("changes", f.ChangesCloud("object")),
		namedExpression("selected", f.InputSelector.Selects("object")),
	}

	return slices.DeleteFunc(all, func(d dict) bool { return d["expression"] == "" })
}

// indented returns the expression with two more spaces at the beginning of each line but the first.
func indented(expression string) string { return strings.ReplaceAll(expression, "\n", "\n  ") }

// tagKeys returns the keys that the rule's tag can have, such as owner and acme:owner.
func (r tagFieldRule) tagKeys() []string { return r.field.Checker.tagger.TagKeys(r.Key) }

// BreachMessages returns the expression of a list of messages, one for each breach of the rule. In the expression, o.object is the object,
// and t has its tags. The list has these messages:
//
//   - for each tag of the rule's key with a value that the rule doesn't allow
//   - if no tag has the rule's key, for each tag whose key differs from it in case only
//   - if there is neither, and the rule requires the tag
func (r tagFieldRule) BreachMessages() string {
	c := r.field.Checker
	hasKey := c.isOneOf("e.key", r.tagKeys())

	out := ""
	if len(r.Allowed()) > 0 {
		isAllowed := matches("e.value", allowedPattern(r.TagRule))
		out = fmt.Sprintf("t.filter(e, %s && !%s)\n  .map(e, 'the tag ' + strings.quote(e.key) + ' has the value ' + %s + %s) +\n",
			hasKey, isAllowed, quotedInMessage("e.value"), quote(", which tagPolicy doesn't allow: "+strings.Join(r.Allowed(), ", ")))
	}

	tag, _ := c.tagger.Judge(tags.Label{QualifiedKey: r.Key, TagKey: c.policy.KeyPrefix + r.Key})
	keys := strings.Join(words.Map(words.Distinct([]string{tag.Key, r.Key}), strconv.Quote), " or ")

	withoutKey := fmt.Sprintf("t.filter(e, %s)\n  .map(e, 'the tag ' + strings.quote(e.key) + %s)",
		matchesIgnoringCase("e.key", r.tagKeys()), quote(" must be spelled "+keys+", as tagPolicy has it"))
	if r.IsRequired() {
		withoutKey = fmt.Sprintf("[%s]\n  .map(m, m.size() > 0 ? m : [%s])[0]",
			withoutKey, quote(fmt.Sprintf("tagPolicy requires the tag %s in %s", keys, r.field.Path)))
	}

	out += fmt.Sprintf("(t.exists(e, %s) ? [] : %s)", hasKey, withoutKey)
	if isSelected := r.selector.Selects("o.object"); isSelected != "" {
		out = fmt.Sprintf("!(%s) ? [] :\n%s", isSelected, out)
	}

	return out
}
