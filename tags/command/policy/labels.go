package policy

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// namedExpression returns a variable or a match condition of a policy.
func namedExpression(name, expression string) dict {
	return dict{"name": name, "expression": expression}
}

// constraints returns the constraints of requests to judge. The match policy Equivalent matches all versions of a kind. They all have the
// same labels.
func (p *policy) constraints() dict {
	return dict{"matchPolicy": "Equivalent", "resourceRules": words.Map(p.APIResources(), func(r schema.GroupResource) dict {
		if r.Resource == "" {
			return resourceRule([]string{r.Group}, "*/*")
		}

		return resourceRule([]string{r.Group}, r.Resource, r.Resource+"/*") // Some subresources can change labels, too.
	})}
}

// resourceRule returns a rule that matches requests to create or update the resources in the API groups.
func resourceRule(groups []string, resources ...string) dict {
	return dict{"apiGroups": groups, "apiVersions": []string{"*"}, "operations": []string{"CREATE", "UPDATE"}, "resources": resources}
}

// matchConditions returns the conditions under which the policy judges a request: its object is of a kind to check, and the request
// changes labels.
func (p *policy) matchConditions() []dict {
	changes := []string{"oldObject == null", "object.metadata.?labels != oldObject.metadata.?labels", "object.metadata.?annotations != oldObject.metadata.?annotations"}
	changes = append(changes, words.Map(p.FieldMaps, func(path object.Path) string { return valueAt("object", path) + " != " + valueAt("oldObject", path) })...)

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
	for i, path := range p.FieldMaps {
		out = append(out,
			namedExpression(fmt.Sprintf("map%d", i), let("m", valueAt("object", path), mapOrEmpty)),
			namedExpression(fmt.Sprintf("oldMap%d", i), "oldObject == null ? {} : "+let("m", valueAt("oldObject", path), mapOrEmpty)))
	}

	out = append(out,
		namedExpression("count", p.sumOfMaps(func(m labelMap) string { return p.keyCount(m.reading, m.New, m.NewLabels) })),
		namedExpression("oldCount", p.sumOfMaps(func(m labelMap) string { return p.keyCount(m.reading, m.Old, m.OldLabels) })),
		namedExpression("changed", p.sumOfMaps(labelMap.changedLabels)))

	if len(p.Requirements) > 0 {
		out = append(out,
			namedExpression("keys", p.sumOfMaps(func(m labelMap) string { return m.keyList(m.New) })),
			namedExpression("oldKeys", p.sumOfMaps(func(m labelMap) string { return m.keyList(m.Old) })))
	}

	if illegible := p.illegibleMessages(); illegible != "" {
		out = append(out, namedExpression("illegible", illegible))
	}

	return append(out, words.Map(p.Checkers, func(c *profileChecker) dict { return namedExpression(c.Name, c.skipMessages()) })...)
}

// sumOfMaps returns the expressions for all maps of labels, joined with +. It leaves out empty expressions.
func (p *policy) sumOfMaps(expression func(m labelMap) string) string {
	return joinNonEmpty(words.Map(p.labelMaps, expression), " +\n")
}

// keyCount returns the expression of the number of keys in the map of labels. Keys of labels in the input itself don't count. Keys that the
// map others has, too, don't count either: the label owner and the annotation owner make one tag. others is empty if there is no such map.
func (p *policy) keyCount(r *reading, labels, others string) string {
	counts := r.ReadsKey(labels)

	if len(p.inputLabels) > 0 {
		keys := words.Map(p.inputLabels, func(l tags.Label) string { return l.TagKey })
		counts += fmt.Sprintf(" && !(%s in %s)", r.tagKey, sortedCELList(words.Distinct(keys)))
	}

	return fmt.Sprintf("%s.filter(k, %s%s).size()", labels, counts, surround(" && !(k in ", others, ")"))
}

// changedLabels returns the expression of the legible labels that the request adds or changes. The policy judges no other labels, since an
// object can be older than the policy.
func (m labelMap) changedLabels() string {
	value := m.New + "[k]"

	return fmt.Sprintf("%s.filter(k, %s%s)\n  .map(k, {'name': %s, 'key': %s, 'tag': %s, 'value': %s, 'form': '%s', 'trusted': %s ? 'yes' : 'no'})",
		m.New, m.isChanged(), surround(" && ", m.IsLegible(value), ""), m.LabelName, m.qualifiedKey, m.tagKey, m.Text(value), m.Form, m.IsTrusted())
}

// isChanged returns the condition that the request adds the label with the key k, or changes its value.
func (m labelMap) isChanged() string {
	return fmt.Sprintf("%s && !(k in %s && %[2]s[k] == %s[k])", m.ReadsKey(m.New), m.Old, m.New)
}

// keyList returns the expression of the keys in the map of labels, e.g. [{'key': 'owner', 'tag': 'acme:owner', 'form': 'Qualified'}].
// Requirements look for the keys of required tags in this list.
func (r *reading) keyList(labels string) string {
	return fmt.Sprintf("%s.filter(k, %s).map(k, {'key': %s, 'tag': %s, 'form': '%s'})", labels, r.ReadsKey(labels), r.qualifiedKey, r.tagKey, r.Form)
}

// illegibleMessages returns the expression of messages on values that CEL can't read, such as "spec.labels is no map". It is empty if
// CEL can read all values.
func (p *policy) illegibleMessages() string {
	labels := p.sumOfMaps(func(m labelMap) string {
		value := m.New + "[k]"

		legible := m.IsLegible(value)
		if legible == "" {
			return ""
		}

		subject := m.LabelName
		if m.Prefix != "" {
			subject += " + ' = ' + " + quotedInMessage(value)
		}

		return fmt.Sprintf("%s.filter(k, %s)\n  .map(k, %s ? '' : %s + %s)", m.New, m.isChanged(), legible, subject, quote(illegibleMessages[m.encoding]))
	})

	if labels == "" {
		return "" // There are no FieldMaps, since numbers in these are illegible with encoding Plain.
	}

	lists := []string{labels}

	for _, path := range p.FieldMaps {
		lists = append(lists, fmt.Sprintf("[type(%[1]s) == map || %[1]s == null || oldObject != null && %[1]s == %s ? '' : %s + ' is no map']",
			valueAt("object", path), valueAt("oldObject", path), quote(path.String())))
	}

	return "(\n" + strings.Join(lists, " +\n") + ").filter(m, m != '')"
}

// validations returns the validations of the policy. If an object had too many keys before the request, it may keep as many.
func (p *policy) validations() (out []dict) {
	// In messages, the places of keys are "under tags.example.org/ and in spec.labels".
	prefixes, paths := strings.Join(p.Prefixes, ", "), strings.Join(words.Map(p.FieldMaps, object.Path.String), ", ")
	places := joinNonEmpty([]string{surround("under ", prefixes, ""), surround("in ", paths, "")}, " and ")

	for _, c := range p.Checkers {
		slots, capMessage := c.Slots()
		out = append(out, dict{
			"expression":        fmt.Sprintf("variables.count <= %d || variables.count <= variables.oldCount", slots),
			"message":           fmt.Sprintf("Too many keys %s to %s", places, capMessage),
			"messageExpression": "string(variables.count) + " + quote(fmt.Sprintf(" keys %s cannot all %s", places, capMessage)),
		})
	}

	if p.illegibleMessages() != "" {
		out = append(out, validationOf("illegible", fmt.Sprintf("Values %s must be of the encoding that the input says.", places)))
	}

	out = append(out, p.Requirements...)

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
