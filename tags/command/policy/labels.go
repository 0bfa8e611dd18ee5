package policy

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// namedExpression returns a variable or a match condition of a policy.
func namedExpression(name, expression string) dict {
	return dict{"name": name, "expression": expression}
}

// spec returns the spec of the policy on labels and annotations.
func (p *policy) spec() dict {
	return dict{
		"failurePolicy": "Fail",
		// Equivalent matches all versions of a kind. They all have the same labels.
		"matchConstraints": dict{"matchPolicy": "Equivalent", "resourceRules": words.Map(p.APIResources(), resourceRule)},
		"matchConditions":  p.matchConditions(),
		"variables":        p.variables(),
		"validations":      p.validations(),
	}
}

// resourceRule returns a rule that matches the resource and its subresources. Some subresources can change labels, too.
func resourceRule(r schema.GroupResource) dict {
	resources := []string{"*/*"}
	if r.Resource != "" {
		resources = []string{r.Resource, r.Resource + "/*"}
	}

	return dict{"apiGroups": []string{r.Group}, "apiVersions": []string{"*"}, "operations": []string{"CREATE", "UPDATE"}, "resources": resources}
}

// matchConditions returns the conditions under which the policy judges a request: its object is of a kind to check, and the request
// changes labels.
func (p *policy) matchConditions() []dict {
	changes := []string{"oldObject == null", "object.metadata.?labels != oldObject.metadata.?labels", "object.metadata.?annotations != oldObject.metadata.?annotations"}
	changes = append(changes, words.Map(p.FieldMaps, func(m *fieldMap) string { return m.In("object") + " != " + m.In("oldObject") })...)

	return []dict{
		namedExpression("kinds", "request.kind.group + '/' + request.kind.kind in "+sortedCELList(p.Kinds)),
		namedExpression("labels-change", anyOf(changes...)),
	}
}

// variables returns the variables of the policy. Variables whose names begin with old are about the object before the request.
func (p *policy) variables() []dict {
	out := []dict{
		namedExpression("kind", "request.kind.group + '/' + request.kind.kind"),
		namedExpression("labels", "object.metadata.?labels.orValue({})"),
		namedExpression("annotations", "object.metadata.?annotations.orValue({})"),
		namedExpression("oldLabels", "oldObject == null ? {} : oldObject.metadata.?labels.orValue({})"),
		namedExpression("oldAnnotations", "oldObject == null ? {} : oldObject.metadata.?annotations.orValue({})"),
	}

	const mapOrEmpty = "type(m) == map ? m : {}"
	for _, m := range p.FieldMaps {
		out = append(out,
			namedExpression(fmt.Sprintf("map%d", m.Number), let("m", m.In("object"), mapOrEmpty)),
			namedExpression(fmt.Sprintf("oldMap%d", m.Number), "oldObject == null ? {} : "+let("m", m.In("oldObject"), mapOrEmpty)))
	}

	out = append(out,
		namedExpression("count", p.sumOfMaps(func(r *reading, m labelMap) string { return p.keyCount(r, m.New, m.NewLabels) })),
		namedExpression("oldCount", p.sumOfMaps(func(r *reading, m labelMap) string { return p.keyCount(r, m.Old, m.OldLabels) })),
		namedExpression("changed", p.sumOfMaps(p.changedLabels)))

	if len(p.Requirements) > 0 {
		out = append(out,
			namedExpression("keys", p.sumOfMaps(func(r *reading, m labelMap) string { return p.keyList(r, m.New) })),
			namedExpression("oldKeys", p.sumOfMaps(func(r *reading, m labelMap) string { return p.keyList(r, m.Old) })))
	}

	if p.hasIllegibleValues() {
		out = append(out, namedExpression("illegible", p.illegibleMessages()))
	}

	return append(out, words.Map(p.Checkers, func(c *profileChecker) dict { return namedExpression(c.Name, c.skipMessages()) })...)
}

// sumOfMaps returns the expressions for all maps of labels, joined with +. It leaves out empty expressions.
func (p *policy) sumOfMaps(expression func(*reading, labelMap) string) string {
	var out []string

	for _, r := range p.Readings {
		for _, m := range r.LabelMaps() {
			if e := expression(r, m); e != "" {
				out = append(out, e)
			}
		}
	}

	return strings.Join(out, " +\n")
}

// keyCount returns the expression of the number of keys in the map of labels. Keys that the map others has, too, don't count: the label
// owner and the annotation owner make one tag. others is empty if there is no such map.
func (p *policy) keyCount(r *reading, labels, others string) string {
	notInOthers := ""
	if others != "" {
		notInOthers = fmt.Sprintf(" && !(k in %s)", others)
	}

	return fmt.Sprintf("%s.filter(k, %s%s%s).size()", labels, r.ReadsKey(labels), p.andNotOfInput(r), notInOthers)
}

// changedLabels returns the expression of the legible labels that the request adds or changes. The policy judges no other labels, since an
// object can be older than the policy.
func (p *policy) changedLabels(r *reading, m labelMap) string {
	value := m.New + "[k]"

	andLegible := ""
	if condition := r.IsLegible(value); condition != "" {
		andLegible = " && " + condition
	}

	return fmt.Sprintf("%s.filter(k, %s%s)\n  .map(k, {'name': %s, %s, 'value': %s, 'form': '%s', 'trusted': %s ? 'yes' : 'no'})",
		m.New, isChanged(r, m), andLegible, m.LabelName, p.KeyFields(r), r.Text(value), r.Form, r.IsTrusted())
}

// isChanged returns the condition that the request adds the label with the key k, or changes its value.
func isChanged(r *reading, m labelMap) string {
	return fmt.Sprintf("%s && !(k in %s && %[2]s[k] == %s[k])", r.ReadsKey(m.New), m.Old, m.New)
}

// keyList returns the expression of the keys in the map of labels, e.g. [{'key': 'owner', 'tag': 'acme:owner', 'form': 'Qualified'}].
// Requirements look for the keys of required tags in this list.
func (p *policy) keyList(r *reading, labels string) string {
	return fmt.Sprintf("%s.filter(k, %s).map(k, {%s, 'form': '%s'})", labels, r.ReadsKey(labels), p.KeyFields(r), r.Form)
}

// hasIllegibleValues reports whether there can be values that CEL can't read, such as numbers in a map of labels with encoding Plain.
func (p *policy) hasIllegibleValues() bool {
	return p.sumOfMaps(func(r *reading, _ labelMap) string { return r.IsLegible("") }) != ""
}

// illegibleMessages returns the expression of messages on values that the policy can't read, such as "spec.labels is no map".
func (p *policy) illegibleMessages() string {
	labels := p.sumOfMaps(func(r *reading, m labelMap) string {
		value := m.New + "[k]"

		legible := r.IsLegible(value)
		if legible == "" {
			return ""
		}

		subject := m.LabelName
		if r.FieldMap == nil {
			subject += " + ' = ' + " + quotedInMessage(value)
		}

		return fmt.Sprintf("%s.filter(k, %s)\n  .map(k, %s ? '' : %s + %s)", m.New, isChanged(r, m), legible, subject, quote(r.IllegibleMessage()))
	})

	lists := []string{labels}

	for _, m := range p.FieldMaps {
		lists = append(lists, fmt.Sprintf("[type(%[1]s) == map || %[1]s == null || oldObject != null && %[1]s == %s ? '' : %s + ' is no map']",
			m.In("object"), m.In("oldObject"), quote(m.Path())))
	}

	return "(\n" + strings.Join(lists, " +\n") + ").filter(m, m != '')"
}

// skipMessages returns the expression of messages, one for each label that the profile skips: `label owner = "a/b" cannot be the hetzner tag
// owner: value-character-class (…)`. The first check whose condition holds gives the rule at the end.
func (c *profileChecker) skipMessages() string {
	rules := &strings.Builder{}
	fmt.Fprintf(rules, "    %s ?\n      \"reserved-key (only Crossplane's providers set it)\" :\n", matchesIgnoringCase("tag", tags.ProvidersKeys()))

	for _, check := range c.Checks() {
		if check.Condition != "" {
			fmt.Fprintf(rules, "    %s ?\n      %s :\n", check.Condition, quote(fmt.Sprintf("%s (%s)", check.Reason, c.Limit(check.Reason))))
		}
	}

	message := fmt.Sprintf("rule == '' ? '' : l.name + ' = ' + %s + ' cannot be the %s tag ' + tag + ': ' + rule", quotedInMessage("l.value"), c.Name)
	messageOfLabel := let("tag", c.TagKey, let("value", c.TagValue, "\n  "+let("rule", "\n"+rules.String()+"    ''\n  ", message)))

	return "variables.changed.map(l, " + messageOfLabel + "\n).filter(m, m != '')"
}

// validations returns the validations of the policy. If an object had too many keys before the request, it may keep as many.
func (p *policy) validations() (out []dict) {
	places := p.KeyPlaces()

	for _, c := range p.Checkers {
		out = append(out, dict{
			"expression":        fmt.Sprintf("variables.count <= %d || variables.count <= variables.oldCount", c.Slots()),
			"message":           fmt.Sprintf("Too many keys %s to %s", places, c.CapMessage()),
			"messageExpression": "string(variables.count) + " + quote(fmt.Sprintf(" keys %s cannot all %s", places, c.CapMessage())),
		})
	}

	if p.hasIllegibleValues() {
		out = append(out, validationOf("illegible", fmt.Sprintf("Values %s must be of the encoding that the input says.", places)))
	}

	out = append(out, words.Map(p.Requirements, func(r requirement) dict { return dict{"expression": r.Condition, "message": r.Message} })...)

	return append(out, words.Map(p.Checkers, func(c *profileChecker) dict {
		return validationOf(c.Name, fmt.Sprintf("Labels %s must be fit to be %s tags.", places, c.Name))
	})...)
}

// validationOf returns a validation that refuses an object if the list in the variable has messages. It shows three of them. The API
// server shows message instead if it can't evaluate the list.
func validationOf(variable, message string) dict {
	list := "variables." + variable

	return dict{
		"expression": list + ".size() == 0",
		"message":    message,
		"messageExpression": strings.ReplaceAll(`LIST.size() <= 3 ? LIST.join('; ') :
[LIST[0], LIST[1], LIST[2]].join('; ') + '; and ' + string(LIST.size() - 3) + ' more'`, "LIST", list),
	}
}
