package policy

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// namedExpression returns a variable or a match condition of a policy.
func namedExpression(name string, expression celText) dict {
	return dict{"name": name, "expression": expression}
}

// constraints returns the part of the policy that selects requests by resource, such as deployments of the group apps. The match policy
// Equivalent selects all versions of a kind, since labels are the same in each version.
func (p *policy) constraints() dict {
	return dict{"matchPolicy": "Equivalent", "resourceRules": words.Map(p.APIResources(), func(r schema.GroupResource) dict {
		if r.Resource == "" {
			return resourceRule([]string{r.Group}, "*/*")
		}

		return resourceRule([]string{r.Group}, r.Resource, r.Resource+"/*") // Some subresources can change labels, too.
	})}
}

// resourceRule returns a rule that selects requests to create or update the resources in the API groups.
func resourceRule(groups []string, resources ...string) dict {
	return dict{"apiGroups": groups, "apiVersions": []string{"*"}, "operations": []string{"CREATE", "UPDATE"}, "resources": resources}
}

// matchConditions returns the conditions under which the policy judges a request: its object is of a kind to check, and the request
// changes labels, annotations or a map such as spec.labels.
func (p *policy) matchConditions() []dict {
	changes := []celCondition{"oldObject == null", "object.metadata.?labels != oldObject.metadata.?labels", "object.metadata.?annotations != oldObject.metadata.?annotations"}
	changes = append(changes, words.Map(p.FieldMaps, func(f object.Path) celCondition { return valueAt("object", f) + " != " + valueAt("oldObject", f) })...)

	return []dict{
		namedExpression("kinds", "request.kind.group + '/' + request.kind.kind in "+sortedCELList(p.Kinds)),
		namedExpression("labels-change", anyOf(changes...)),
	}
}

// variables returns the variables of the policy. A variable whose name begins with old is about the object before the request. To see the
// variables of an example, read testdata/TestPrinted.yaml.
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

	// count is the number of keys, and oldCount the number before the request. changed is the list of labels that the request adds or
	// changes.
	out = append(out,
		namedExpression("count", p.addUp(func(m labelMap) celText { return p.keyCount(m.reading, m.New, m.AlreadyCounted) })),
		namedExpression("oldCount", p.addUp(func(m labelMap) celText { return p.keyCount(m.reading, m.Old, m.OldAlreadyCounted) })),
		namedExpression("changed", p.addUp(labelMap.changedLabels)))

	if len(p.Requirements) > 0 {
		out = append(out,
			namedExpression("keys", p.addUp(func(m labelMap) celText { return m.keyList(m.New) })),
			namedExpression("oldKeys", p.addUp(func(m labelMap) celText { return m.keyList(m.Old) })))
	}

	// illegible has the messages on values that CEL can't read.
	if illegible := p.illegibleMessages(); illegible != "" {
		out = append(out, namedExpression("illegible", illegible))
	}

	// A variable such as aws has the messages on labels that can't be tags of AWS.
	return append(out, words.Map(p.Checkers, func(c *profileChecker) dict { return namedExpression(c.Name, c.skipMessages()) })...)
}

// addUp returns the expressions of all labelMaps, such as labels and annotations, joined with +. In CEL, + adds numbers, and joins lists.
// Empty expressions are left out.
func (p *policy) addUp(expressionOf func(m labelMap) celText) celText {
	return joinNonEmpty(words.Map(p.labelMaps, expressionOf), " +\n")
}

// keyCount returns the expression of the number of labels in the map, such as variables.annotations, that the reading r finds. Labels
// with these keys don't count:
//
//   - keys of labels in the function's input, which have tag slots of their own: see the method Slots
//   - keys in the map alreadyCounted, such as variables.labels: the annotation owner and the label owner make one tag
func (p *policy) keyCount(r *reading, keyMap, alreadyCounted celText) celText {
	isCounted := r.ReadsKey(keyMap)

	if len(p.inputLabels) > 0 {
		inputKeys := words.Map(p.inputLabels, func(l tags.Label) string { return l.TagKey })
		isCounted = allOf(isCounted, fmt.Sprintf("!(%s in %s)", r.celTagKey, sortedCELList(words.Distinct(inputKeys))))
	}

	// Without alreadyCounted, its condition is empty, and allOf leaves it out.
	return fmt.Sprintf("%s.filter(k, %s).size()", keyMap, allOf(isCounted, not(surround("k in ", alreadyCounted, ""))))
}

// changedLabels returns the expression of the list of labels that the request adds or changes. Other labels may be older than the policy,
// so it doesn't judge them. Values that CEL can't read are left out. A label is, for example, {'name': 'label tags.example.org/owner',
// 'key': 'owner', 'tag': 'acme:owner', 'value': 'me', 'form': 'Qualified', 'trusted': 'no'}.
func (m labelMap) changedLabels() celText {
	value := m.New + "[k]"
	filter := allOf(m.isChanged(), m.IsLegible(value))

	return fmt.Sprintf("%s.filter(k, %s)\n  .map(k, {'name': %s, 'key': %s, 'tag': %s, 'value': %s, 'form': '%s', 'trusted': %s ? 'yes' : 'no'})",
		m.New, filter, m.celLabelName, m.celQualifiedKey, m.celTagKey, m.Text(value), m.Form, m.IsTrusted())
}

// isChanged returns the condition that the request adds the label with the key k, or changes its value.
func (m labelMap) isChanged() celCondition {
	return fmt.Sprintf("%[1]s && !(k in %[2]s && %[2]s[k] == %[3]s[k])", m.ReadsKey(m.New), m.Old, m.New)
}

// keyList returns the expression of the list of labels in the map without their values, such as [{'key': 'owner', 'tag': 'acme:owner',
// 'form': 'Qualified'}]. Requirements look for the tags of rules in this list.
func (r *reading) keyList(labels celText) celText {
	return fmt.Sprintf("%s.filter(k, %s).map(k, {'key': %s, 'tag': %s, 'form': '%s'})", labels, r.ReadsKey(labels), r.celQualifiedKey, r.celTagKey, r.Form)
}

// illegibleMessages returns the expression of a list of messages on values that CEL can't read, such as "spec.labels is no map". It is
// empty if CEL can read all values.
func (p *policy) illegibleMessages() celText {
	lists := slices.Concat(words.Map(p.labelMaps, labelMap.illegibleValues), words.Map(p.FieldMaps, illegibleField))

	return surround("(\n", joinNonEmpty(lists, " +\n"), ").filter(m, m != '')")
}

// illegibleValues returns the expression of a list with an item for each changed label of the map. The item is a message if CEL can't read
// the value, and else an empty text. There is no expression if CEL can read all values.
func (m labelMap) illegibleValues() celText {
	value := m.New + "[k]"

	legible := m.IsLegible(value)
	if legible == "" {
		return "" // CEL can read all values.
	}

	// Labels and annotations have a prefix, and are strings, so messages quote their values. A field such as spec.labels may have other
	// values.
	subject := m.celLabelName
	if m.Prefix != "" {
		subject += " + ' = ' + " + quotedInMessage(value)
	}

	return fmt.Sprintf("%s.filter(k, %s)\n  .map(k, %s ? '' : %s + %s)", m.New, m.isChanged(), legible, subject, quote(whyIllegible[m.encoding]))
}

// illegibleField returns the expression of a list with one item for the field at the path, such as spec.labels: a message, or an
// empty text if the field is a map, is missing, or is the same as before the request.
func illegibleField(path object.Path) celText {
	isFine := fmt.Sprintf("type(%[1]s) == map || %[1]s == null || oldObject != null && %[1]s == %[2]s", valueAt("object", path), valueAt("oldObject", path))
	return fmt.Sprintf("[%s ? '' : %s + ' is no map']", isFine, quote(path.String()))
}

// validations returns the validations of the policy. An object that had too many keys before the request may keep as many.
func (p *policy) validations() (out []dict) {
	// The places of keys in messages are, for example, "under tags.example.org/ and in spec.labels".
	prefixes, paths := strings.Join(p.Prefixes, ", "), strings.Join(words.Map(p.FieldMaps, object.Path.String), ", ")
	places := joinNonEmpty([]string{surround("under ", prefixes, ""), surround("in ", paths, "")}, " and ")

	for _, c := range p.Checkers {
		slots, limitText := c.Slots() // Such as 47, and "aws tags: count-cap (at most 47 tags on a resource)".
		out = append(out, dict{
			"expression":        fmt.Sprintf("variables.count <= %d || variables.count <= variables.oldCount", slots),
			"message":           fmt.Sprintf("Too many keys %s to be %s", places, limitText),
			"messageExpression": "string(variables.count) + " + quote(fmt.Sprintf(" keys %s cannot all be %s", places, limitText)),
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

// validationOf returns a validation on the variable, which is a list of messages. The validation refuses an object if there are messages.
// The API server shows the first three and the number of the others. If it can't evaluate messageExpression, it shows message instead.
func validationOf(variable, message string) dict {
	return dict{
		"expression": "variables." + variable + ".size() == 0",
		"message":    message,
		"messageExpression": strings.ReplaceAll(`LIST.size() <= 3 ? LIST.join('; ') :
[LIST[0], LIST[1], LIST[2]].join('; ') + '; and ' + string(LIST.size() - 3) + ' more'`, "LIST", "variables."+variable),
	}
}
