package policy

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A named expression is a variable or a condition of a policy.
func named(name, expression string) dict { return dict{"name": name, "expression": expression} }

// labels returns the spec of the policy that judges labels and annotations.
func (p *policy) labels() dict {
	return dict{
		"failurePolicy": "Fail",
		// Kinds match in all versions, since labels are the same in all.
		"matchConstraints": dict{"matchPolicy": "Equivalent", "resourceRules": words.Map(p.Resources(), resourceRules)},
		"matchConditions":  p.conditions(),
		"variables":        p.variables(),
		"validations":      p.validations(),
	}
}

// resourceRules match the resource and its subresources, since some of these take changes to labels, too.
func resourceRules(r schema.GroupResource) dict {
	resources := []string{"*/*"}
	if r.Resource != "" {
		resources = []string{r.Resource, r.Resource + "/*"}
	}

	return dict{"apiGroups": []string{r.Group}, "apiVersions": []string{"*"}, "operations": []string{"CREATE", "UPDATE"}, "resources": resources}
}

// conditions that a request is judged on.
func (p *policy) conditions() []dict {
	changes := []string{"oldObject == null", "object.metadata.?labels != oldObject.metadata.?labels", "object.metadata.?annotations != oldObject.metadata.?annotations"}
	for _, m := range p.Maps {
		changes = append(changes, m.At("object")+" != "+m.At("oldObject"))
	}

	return []dict{
		named("kinds", "request.kind.group + '/' + request.kind.kind in "+quoteAll(p.Kinds)),
		named("labels-change", or(changes...)),
	}
}

// variables of the policy. A name that begins with old is of what the object was.
func (p *policy) variables() []dict {
	out := []dict{
		named("kind", "request.kind.group + '/' + request.kind.kind"),
		named("labels", "object.metadata.?labels.orValue({})"),
		named("annotations", "object.metadata.?annotations.orValue({})"),
		named("oldLabels", "oldObject == null ? {} : oldObject.metadata.?labels.orValue({})"),
		named("oldAnnotations", "oldObject == null ? {} : oldObject.metadata.?annotations.orValue({})"),
	}

	for _, m := range p.Maps { // An empty map stands for anything else.
		out = append(out,
			named(fmt.Sprintf("map%d", m.Number), fmt.Sprintf("[%s].map(m, type(m) == map ? m : {})[0]", m.At("object"))),
			named(fmt.Sprintf("oldMap%d", m.Number), fmt.Sprintf("oldObject == null ? {} : [%s].map(m, type(m) == map ? m : {})[0]", m.At("oldObject"))))
	}

	out = append(out,
		named("count", p.sum(func(r *reading, l place) string { return p.counted(r, l.Now, l.Also) })),
		named("oldCount", p.sum(func(r *reading, l place) string { return p.counted(r, l.Old, l.AlsoOld) })),
		named("changed", p.sum(p.changed)))

	if len(p.Required) > 0 {
		out = append(out,
			named("keys", p.sum(func(r *reading, l place) string { return p.keysRead(r, l.Now) })),
			named("oldKeys", p.sum(func(r *reading, l place) string { return p.keysRead(r, l.Old) })))
	}

	if p.isIllegible() {
		out = append(out, named("illegible", p.illegible()))
	}

	for _, g := range p.Profiles {
		out = append(out, named(g.Name, g.skipped()))
	}

	return out
}

// sum of the expressions for each place of the policy's readings, but empty ones.
func (p *policy) sum(of func(*reading, place) string) string {
	var out []string

	for _, r := range p.Readings {
		for _, l := range r.Places() {
			if e := of(r, l); e != "" {
				out = append(out, e)
			}
		}
	}

	return strings.Join(out, " +\n")
}

// counted is the number of keys in a map. A key that is also in the other map makes one tag, which counts there.
func (p *policy) counted(r *reading, of, other string) string {
	if other != "" {
		other = fmt.Sprintf(" && !(k in %s)", other)
	}

	return fmt.Sprintf("%s.filter(k, %s%s%s).size()", of, r.Reads(of), p.NotOwn(r), other)
}

// changed are the legible labels that the request adds or changes: an object that was bad before there was a policy must
// be free to change otherwise.
func (p *policy) changed(r *reading, l place) string {
	value := l.Now + "[k]"

	legible := r.Legible(value)
	if legible != "" {
		legible = " && " + legible
	}

	return fmt.Sprintf("%s.filter(k, %s%s)\n  .map(k, {'name': %s, %s, 'value': %s, 'form': '%s', 'trusted': %s ? 'yes' : 'no'})",
		l.Now, changes(r, l), legible, l.Name, p.Entry(r), r.Text(value), r.Form, r.Trusted())
}

// changes is the condition that the request adds or changes the key k.
func changes(r *reading, l place) string {
	return fmt.Sprintf("%s && !(k in %s && %[2]s[k] == %s[k])", r.Reads(l.Now), l.Old, l.Now)
}

// keysRead are the keys in a map that tags are required of.
func (p *policy) keysRead(r *reading, of string) string {
	return fmt.Sprintf("%s.filter(k, %s).map(k, {%s, 'form': '%s'})", of, r.Reads(of), p.Entry(r), r.Form)
}

// isIllegible is true if there can be values that the policy can't read.
func (p *policy) isIllegible() bool {
	return p.sum(func(r *reading, _ place) string { return r.Legible("") }) != ""
}

// illegible are messages, one for each value that the policy can't read.
func (p *policy) illegible() string {
	out := p.sum(func(r *reading, l place) string {
		legible := r.Legible(l.Now + "[k]")
		if legible == "" {
			return ""
		}

		name := l.Name
		if r.Map == nil {
			name += " + ' = ' + " + shown(l.Now+"[k]")
		}

		return fmt.Sprintf("%s.filter(k, %s)\n  .map(k, %s ? '' : %s + %s)", l.Now, changes(r, l), legible, name, quote(r.Illegible()))
	})

	lists := []string{out}

	for _, m := range p.Maps {
		now, old := m.At("object"), m.At("oldObject")
		lists = append(lists, fmt.Sprintf("[type(%[1]s) == map || %[1]s == null || oldObject != null && %[1]s == %s ? '' : %s + ' is no map']", now, old, quote(m.Path())))
	}

	return "(\n" + strings.Join(lists, " +\n") + ").filter(m, m != '')"
}

// skipped are messages, one for each label that the profile skips, with the first rule that it breaks, in the order of
// the transformer's. Only a comprehension can name what an expression comes to.
func (p *guard) skipped() string {
	out := &strings.Builder{}
	fmt.Fprintf(out, "variables.changed.map(l, [%s].map(tag, [%s].map(value,\n  [\n", p.Made, p.Formatted)
	fmt.Fprintf(out, "    %s ?\n      \"reserved-key (only Crossplane's providers set it)\" :\n", folded("tag", tags.ProvidersKeys()))

	for _, r := range p.Rules() {
		if r.Condition != "" {
			fmt.Fprintf(out, "    %s ?\n      %s :\n", r.Condition, quote(fmt.Sprintf("%s (%s)", r.Reason, p.Limit(r.Reason))))
		}
	}

	fmt.Fprintf(out, "    ''\n  ].map(rule, rule == '' ? '' : l.name + ' = ' + %s + ' cannot be the %s tag ' + tag + ': ' + rule)[0])[0])[0]\n).filter(m, m != '')", shown("l.value"), p.Name)

	return out.String()
}

// validations of the policy. An object that had too many keys before may have as many.
func (p *policy) validations() (out []dict) {
	where := p.Where()

	for _, g := range p.Profiles {
		out = append(out, dict{
			"expression":        fmt.Sprintf("variables.count <= %d || variables.count <= variables.oldCount", g.Slots()),
			"message":           fmt.Sprintf("Too many keys %s to %s", where, g.Cap()),
			"messageExpression": "string(variables.count) + " + quote(fmt.Sprintf(" keys %s cannot all %s", where, g.Cap())),
		})
	}

	if p.isIllegible() {
		out = append(out, none("illegible", fmt.Sprintf("Values %s must be of the encoding that the input says.", where)))
	}

	for _, r := range p.Required {
		out = append(out, dict{"expression": r.Condition, "message": r.Message})
	}

	for _, g := range p.Profiles {
		out = append(out, none(g.Name, fmt.Sprintf("Labels %s must be fit to be %s tags.", where, g.Name)))
	}

	return out
}

// none refuses an object if the list of messages in the variable has any, and shows the first three.
func none(variable, message string) dict {
	of := "variables." + variable

	return dict{
		"expression": of + ".size() == 0",
		"message":    message,
		"messageExpression": strings.ReplaceAll(`OF.size() <= 3 ? OF.join('; ') :
[OF[0], OF[1], OF[2]].join('; ') + '; and ' + string(OF.size() - 3) + ' more'`, "OF", of),
	}
}
