package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
)

// A generator makes a policy of an input.
type generator struct {
	in       *v1beta1.CloudTags
	prefix   string // Of tag keys.
	profiles []*tags.Profile
	kinds    []kind
	readings []*reading
}

const (
	// shown is how many characters of a value messages have. A message of 5 KiB or more
	// is not shown at all.
	shown = 64

	// plainJSON are the JSON texts that the policy can decode.
	plainJSON = `^("[^"\\\x00-\x1f]*"|true|false|0|-?[1-9][0-9]*)$`
)

// policy returns the policy.
func (g *generator) policy() admissionv1.ValidatingAdmissionPolicySpec {
	fail, equivalent := admissionv1.Fail, admissionv1.Equivalent

	spec := admissionv1.ValidatingAdmissionPolicySpec{
		FailurePolicy:    &fail,
		MatchConstraints: &admissionv1.MatchResources{MatchPolicy: &equivalent, ResourceRules: g.rules()},
		MatchConditions: []admissionv1.MatchCondition{
			{Name: "kinds", Expression: fmt.Sprintf("request.kind.group + '/' + request.kind.kind in %s", quoteAll(slices.Sorted(slices.Values(mapped(g.kinds, kind.String)))))},
			{Name: "metadata-changes", Expression: "oldObject == null || object.metadata.?labels != oldObject.metadata.?labels || object.metadata.?annotations != oldObject.metadata.?annotations"},
		},
		Variables: g.variables(),
	}

	for _, p := range g.profiles {
		spec.Validations = append(spec.Validations, g.of(p).count())
	}

	if slices.ContainsFunc(g.readings, func(r *reading) bool { return r.json }) {
		spec.Variables = append(spec.Variables, admissionv1.Variable{Name: "undecodable", Expression: g.undecodable()})
		spec.Validations = append(spec.Validations, listValidation("undecodable",
			fmt.Sprintf("Values under %s must be JSON strings without escapes, whole numbers or booleans.", g.prefixes())))
	}

	for _, p := range g.profiles {
		spec.Variables = append(spec.Variables, admissionv1.Variable{Name: p.Name, Expression: g.of(p).refused()})
		spec.Validations = append(spec.Validations, listValidation(p.Name,
			fmt.Sprintf("Labels and annotations under %s must be fit to be %s tags.", g.prefixes(), p.Name)))
	}

	return spec
}

// rules match the kinds in all versions, since labels are the same in all. They match
// subresources, since some of these take changes to labels, too.
func (g *generator) rules() []admissionv1.NamedRuleWithOperations {
	out := []admissionv1.NamedRuleWithOperations{}

	for _, k := range g.kinds {
		resources := []string{k.plural, k.plural + "/*"}

		// A condition tells the kinds, which is safer than to guess a plural.
		if slices.ContainsFunc(g.kinds, func(o kind) bool { return o.Group == k.Group && o.plural == "" }) {
			resources = []string{"*/*"}
		}

		if !slices.ContainsFunc(out, func(o admissionv1.NamedRuleWithOperations) bool {
			return o.APIGroups[0] == k.Group && slices.Equal(o.Resources, resources)
		}) {
			out = append(out, admissionv1.NamedRuleWithOperations{RuleWithOperations: admissionv1.RuleWithOperations{
				Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
				Rule:       admissionv1.Rule{APIGroups: []string{k.Group}, APIVersions: []string{"*"}, Resources: resources},
			}})
		}
	}

	return out
}

// prefixes of labels and annotations, for messages.
func (g *generator) prefixes() string {
	out := []string{}

	for _, r := range g.readings {
		if !slices.Contains(out, r.prefix) {
			out = append(out, r.prefix)
		}
	}

	return strings.Join(out, ", ")
}

// variables for all profiles.
func (g *generator) variables() []admissionv1.Variable {
	out := []admissionv1.Variable{}

	if g.tellsKinds() {
		out = append(out, admissionv1.Variable{Name: "kind", Expression: "request.kind.group + '/' + request.kind.kind"})
	}

	return append(out,
		admissionv1.Variable{Name: "labels", Expression: "object.metadata.?labels.orValue({})"},
		admissionv1.Variable{Name: "annotations", Expression: "object.metadata.?annotations.orValue({})"},
		admissionv1.Variable{Name: "oldLabels", Expression: "oldObject == null ? {} : oldObject.metadata.?labels.orValue({})"},
		admissionv1.Variable{Name: "oldAnnotations", Expression: "oldObject == null ? {} : oldObject.metadata.?annotations.orValue({})"},
		admissionv1.Variable{Name: "count", Expression: g.count("variables.labels", "variables.annotations")},
		admissionv1.Variable{Name: "oldCount", Expression: g.count("variables.oldLabels", "variables.oldAnnotations")},
		admissionv1.Variable{Name: "changed", Expression: g.changed()},
	)
}

// tellsKinds is true if not all kinds are treated alike.
func (g *generator) tellsKinds() bool {
	return slices.ContainsFunc(g.readings, func(r *reading) bool {
		return len(r.kinds) < len(g.kinds) || strings.HasPrefix(r.trust(), "(")
	})
}

// tellsTrust is true if not all labels are equally trusted.
func (g *generator) tellsTrust() bool {
	return slices.ContainsFunc(g.readings, func(r *reading) bool {
		return r.trust() != g.readings[0].trust() || strings.HasPrefix(r.trust(), "(")
	})
}

// tellsForms is true if not all keys are in one form.
func (g *generator) tellsForms() bool {
	return slices.ContainsFunc(g.readings, func(r *reading) bool { return r.form != g.readings[0].form })
}

// count the keys. One that is both a label's and an annotation's makes one tag.
func (g *generator) count(labels, annotations string) string {
	out := make([]string, 0, 2*len(g.readings))

	for _, r := range g.readings {
		out = append(out,
			fmt.Sprintf("%s.filter(k, %s).size()", labels, r.reads(len(g.kinds))),
			fmt.Sprintf("%s.filter(k, %s && !(k in %s)).size()", annotations, r.reads(len(g.kinds)), labels))
	}

	return strings.Join(out, " +\n")
}

// eachChanged returns the expression of a list with the supplied expression of each
// label or annotation k that the request adds or changes: an object that was bad
// before there was a policy must be free to change otherwise.
func (g *generator) eachChanged(r *reading, expression func(what, values string) string) []string {
	out := make([]string, 0, 2)

	for _, of := range []struct{ what, now, old string }{
		{"label", "variables.labels", "variables.oldLabels"},
		{"annotation", "variables.annotations", "variables.oldAnnotations"},
	} {
		out = append(out, fmt.Sprintf("%[1]s.filter(k, %[3]s && !(k in %[2]s && %[2]s[k] == %[1]s[k]))\n  .map(k, %[4]s)",
			of.now, of.old, r.reads(len(g.kinds)), expression(of.what, of.now)))
	}

	return out
}

// changed returns the expression of a list of labels and annotations, each a map of
// strings.
func (g *generator) changed() string {
	out := []string{}

	for _, r := range g.readings {
		out = append(out, g.eachChanged(r, func(what, values string) string {
			key, tag := r.key(), r.key()
			if g.prefix != "" {
				tag = quote(g.prefix) + " + " + key
			}

			// Tag keys are what sources have. Their qualified keys have no prefix.
			if r.form == v1beta1.KeyFormTag {
				tag = key
				if g.prefix != "" {
					key = fmt.Sprintf("(%[1]s.startsWith(%[2]s) ? %[1]s.substring(%[3]d) : %[1]s)", tag, quote(g.prefix), utf8.RuneCountInString(g.prefix))
				}
			}

			value := "string(" + values + "[k])"
			if r.json {
				value = fmt.Sprintf("(%[1]s.matches('^\".*\"$') ? %[1]s.substring(1, %[1]s.size() - 1) : %[1]s)", value)
			}

			fields := []string{
				fmt.Sprintf("'name': '%s ' + k", what),
				"'key': " + key,
				"'tag': " + tag,
				"'value': " + value,
			}

			if g.tellsForms() {
				fields = append(fields, fmt.Sprintf("'form': '%s'", r.form))
			}

			if g.tellsTrust() {
				fields = append(fields, "'trusted': "+r.trust())
			}

			return "{" + strings.Join(fields, ", ") + "}"
		})...)
	}

	return strings.Join(out, " +\n")
}

// undecodable returns the expression of a list of messages.
func (g *generator) undecodable() string {
	out := []string{}

	for _, r := range g.readings {
		if !r.json {
			continue
		}

		out = append(out, g.eachChanged(r, func(what, values string) string {
			return fmt.Sprintf("%[1]s[k].matches(%[2]s) ? '' : '%[3]s ' + k + ' = ' + %[4]s + ' is no JSON string without escapes, whole number or boolean'",
				values, quote(plainJSON), what, shorten(values+"[k]"))
		})...)
	}

	return "(" + strings.Join(out, " +\n") + ")\n.filter(m, m != '')"
}

// shorten returns the expression of what messages show of a value.
func shorten(expression string) string {
	return fmt.Sprintf("strings.quote(%[1]s.size() > %[2]d ? %[1]s.substring(0, %[2]d) + '…' : %[1]s)", expression, shown)
}

// listValidation refuses an object if the list of messages in the supplied variable
// has any, of which the first three are named.
func listValidation(variable, message string) admissionv1.Validation {
	list := "variables." + variable

	return admissionv1.Validation{
		Expression: list + ".size() == 0",
		Message:    message,
		MessageExpression: fmt.Sprintf("%[1]s.size() <= 3 ? %[1]s.join('; ') :\n[%[1]s[0], %[1]s[1], %[1]s[2]].join('; ') + '; and ' + string(%[1]s.size() - 3) + ' more'",
			list),
	}
}
