package policy

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// named returns a variable or a condition of a policy.
func named(name, expression string) dict { return dict{"name": name, "expression": expression} }

// spec returns the spec of the policy on labels and annotations.
func (p *policy) spec() dict {
	return dict{
		"failurePolicy": "Fail",
		// Kinds match in all versions, since labels are the same in all.
		"matchConstraints": dict{"matchPolicy": "Equivalent", "resourceRules": words.Map(p.APIResources(), admissionRule)},
		"matchConditions":  p.conditions(),
		"variables":        p.variables(),
		"validations":      p.validations(),
	}
}

// admissionRule returns a rule that matches the resource and its subresources, since some subresources take changes to labels, too.
func admissionRule(r schema.GroupResource) dict {
	resources := []string{"*/*"}
	if r.Resource != "" {
		resources = []string{r.Resource, r.Resource + "/*"}
	}

	return dict{"apiGroups": []string{r.Group}, "apiVersions": []string{"*"}, "operations": []string{"CREATE", "UPDATE"}, "resources": resources}
}

// conditions returns the conditions of a request that the policy judges.
func (p *policy) conditions() []dict {
	changes := []string{"oldObject == null", "object.metadata.?labels != oldObject.metadata.?labels", "object.metadata.?annotations != oldObject.metadata.?annotations"}
	changes = append(changes, words.Map(p.Maps, func(m *fieldMap) string { return m.At("object") + " != " + m.At("oldObject") })...)

	return []dict{
		named("kinds", "request.kind.group + '/' + request.kind.kind in "+quoteAll(p.Kinds)),
		named("labels-change", or(changes...)),
	}
}

// variables returns the variables of the policy. A name that begins with old is about the object before the request.
func (p *policy) variables() []dict {
	out := []dict{
		named("kind", "request.kind.group + '/' + request.kind.kind"),
		named("labels", "object.metadata.?labels.orValue({})"),
		named("annotations", "object.metadata.?annotations.orValue({})"),
		named("oldLabels", "oldObject == null ? {} : oldObject.metadata.?labels.orValue({})"),
		named("oldAnnotations", "oldObject == null ? {} : oldObject.metadata.?annotations.orValue({})"),
	}

	for _, m := range p.Maps { // A value that is no map counts as an empty map.
		out = append(out,
			named(fmt.Sprintf("map%d", m.Number), fmt.Sprintf("[%s].map(m, type(m) == map ? m : {})[0]", m.At("object"))),
			named(fmt.Sprintf("oldMap%d", m.Number), fmt.Sprintf("oldObject == null ? {} : [%s].map(m, type(m) == map ? m : {})[0]", m.At("oldObject"))))
	}

	out = append(out,
		named("count", p.sum(func(r *reading, in place) string { return p.counted(r, in.Now, in.Also) })),
		named("oldCount", p.sum(func(r *reading, in place) string { return p.counted(r, in.Old, in.AlsoOld) })),
		named("changed", p.sum(p.changed)))

	if len(p.Requirements) > 0 {
		out = append(out,
			named("keys", p.sum(func(r *reading, in place) string { return p.keysRead(r, in.Now) })),
			named("oldKeys", p.sum(func(r *reading, in place) string { return p.keysRead(r, in.Old) })))
	}

	if p.hasIllegible() {
		out = append(out, named("illegible", p.illegible()))
	}

	return append(out, words.Map(p.Profiles, func(g *guard) dict { return named(g.Name, g.skipped()) })...)
}

// sum returns the sum of the expressions for each place of the policy's readings. It leaves out empty expressions.
func (p *policy) sum(expression func(*reading, place) string) string {
	var out []string

	for _, r := range p.Readings {
		for _, in := range r.Places() {
			if e := expression(r, in); e != "" {
				out = append(out, e)
			}
		}
	}

	return strings.Join(out, " +\n")
}

// counted returns the expression of the number of keys in a map of labels. A key of the other map doesn't count here: a label owner and
// an annotation owner make one tag.
func (p *policy) counted(r *reading, labels, other string) string {
	if other != "" {
		other = fmt.Sprintf(" && !(k in %s)", other)
	}

	return fmt.Sprintf("%s.filter(k, %s%s%s).size()", labels, r.Reads(labels), p.NotOfInput(r), other)
}

// changed returns the expression of the legible labels that the request adds or changes. Other labels don't count: an object can be
// older than the policy, and must be free to change otherwise.
func (p *policy) changed(r *reading, in place) string {
	value := in.Now + "[k]"

	legible := r.Legible(value)
	if legible != "" {
		legible = " && " + legible
	}

	return fmt.Sprintf("%s.filter(k, %s%s)\n  .map(k, {'name': %s, %s, 'value': %s, 'form': '%s', 'trusted': %s ? 'yes' : 'no'})",
		in.Now, changes(r, in), legible, in.Name, p.KeyFields(r), r.Text(value), r.Form, r.Trusted())
}

// changes returns the condition that the request adds or changes the key k.
func changes(r *reading, in place) string {
	return fmt.Sprintf("%s && !(k in %s && %[2]s[k] == %s[k])", r.Reads(in.Now), in.Old, in.Now)
}

// keysRead returns the expression of the keys in a map of labels, e.g. [{'key': 'owner', 'tag': 'acme:owner', 'form': 'Qualified'}]. Rules
// that require tags look for their keys there.
func (p *policy) keysRead(r *reading, labels string) string {
	return fmt.Sprintf("%s.filter(k, %s).map(k, {%s, 'form': '%s'})", labels, r.Reads(labels), p.KeyFields(r), r.Form)
}

// hasIllegible reports whether CEL can't read all values, such as numbers in a map of labels with encoding Plain.
func (p *policy) hasIllegible() bool {
	return p.sum(func(r *reading, _ place) string { return r.Legible("") }) != ""
}

// illegible returns the expression of messages, one for each value that the policy can't read.
func (p *policy) illegible() string {
	out := p.sum(func(r *reading, in place) string {
		legible := r.Legible(in.Now + "[k]")
		if legible == "" {
			return ""
		}

		name := in.Name
		if r.Map == nil {
			name += " + ' = ' + " + shown(in.Now+"[k]")
		}

		return fmt.Sprintf("%s.filter(k, %s)\n  .map(k, %s ? '' : %s + %s)", in.Now, changes(r, in), legible, name, quote(r.Illegible()))
	})

	lists := []string{out}

	for _, m := range p.Maps {
		now, old := m.At("object"), m.At("oldObject")
		lists = append(lists, fmt.Sprintf("[type(%[1]s) == map || %[1]s == null || oldObject != null && %[1]s == %s ? '' : %s + ' is no map']", now, old, quote(m.Path())))
	}

	return "(\n" + strings.Join(lists, " +\n") + ").filter(m, m != '')"
}

// skipped returns the expression of messages, one for each label that the profile skips. A message has the first check that the label
// doesn't pass, in the transformer's order. Comprehensions give names to results, such as tag: CEL has no other way.
func (p *guard) skipped() string {
	out := &strings.Builder{}
	fmt.Fprintf(out, "variables.changed.map(l, [%s].map(tag, [%s].map(value,\n  [\n", p.TagKey, p.TagValue)
	fmt.Fprintf(out, "    %s ?\n      \"reserved-key (only Crossplane's providers set it)\" :\n", folded("tag", tags.ProvidersKeys()))

	for _, r := range p.Checks() {
		if r.Condition != "" {
			fmt.Fprintf(out, "    %s ?\n      %s :\n", r.Condition, quote(fmt.Sprintf("%s (%s)", r.Reason, p.Limit(r.Reason))))
		}
	}

	fmt.Fprintf(out, "    ''\n  ].map(rule, rule == '' ? '' : l.name + ' = ' + %s + ' cannot be the %s tag ' + tag + ': ' + rule)[0])[0])[0]\n).filter(m, m != '')", shown("l.value"), p.Name)

	return out.String()
}

// validations returns the validations of the policy. An object that had too many keys before may have as many.
func (p *policy) validations() (out []dict) {
	where := p.Where()

	for _, g := range p.Profiles {
		out = append(out, dict{
			"expression":        fmt.Sprintf("variables.count <= %d || variables.count <= variables.oldCount", g.Slots()),
			"message":           fmt.Sprintf("Too many keys %s to %s", where, g.Cap()),
			"messageExpression": "string(variables.count) + " + quote(fmt.Sprintf(" keys %s cannot all %s", where, g.Cap())),
		})
	}

	if p.hasIllegible() {
		out = append(out, noMessages("illegible", fmt.Sprintf("Values %s must be of the encoding that the input says.", where)))
	}

	out = append(out, words.Map(p.Requirements, func(r requirement) dict { return dict{"expression": r.Condition, "message": r.Message} })...)

	return append(out, words.Map(p.Profiles, func(g *guard) dict {
		return noMessages(g.Name, fmt.Sprintf("Labels %s must be fit to be %s tags.", where, g.Name))
	})...)
}

// noMessages returns a validation that refuses an object if the variable has messages. It shows the first three.
func noMessages(variable, message string) dict {
	list := "variables." + variable

	return dict{
		"expression": list + ".size() == 0",
		"message":    message,
		"messageExpression": strings.ReplaceAll(`OF.size() <= 3 ? OF.join('; ') :
[OF[0], OF[1], OF[2]].join('; ') + '; and ' + string(OF.size() - 3) + ' more'`, "OF", list),
	}
}
