package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
)

// A generator makes a policy of an input.
type generator struct {
	in          *v1beta1.CloudTags
	composition string
	prefix      string // Of tag keys.
	profiles    []*tags.Profile
	kinds       []kind
	readings    []*reading
}

const (
	// shown is how many characters of a value, and named how many labels messages
	// have. A message of 5 KiB or more is not shown at all.
	shown, named = 64, 3

	// ascii is what CEL puts in lower case. Kubernetes admits no other keys.
	ascii = `^[\x00-\x7f]*$`

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
			{Name: "kinds", Expression: fmt.Sprintf("request.kind.group + '/' + request.kind.kind in %s", quoteAll(g.kindNames()))},
			{Name: "metadata-changes", Expression: "oldObject == null || object.metadata.?labels != oldObject.metadata.?labels || object.metadata.?annotations != oldObject.metadata.?annotations"},
		},
		Variables: g.variables(),
	}

	for _, p := range g.profiles {
		spec.Validations = append(spec.Validations, g.countValidation(p))
	}

	if slices.ContainsFunc(g.readings, func(r *reading) bool { return r.json }) {
		spec.Variables = append(spec.Variables, admissionv1.Variable{Name: "undecodable", Expression: g.undecodable()})
		spec.Validations = append(spec.Validations, listValidation("undecodable",
			fmt.Sprintf("Values under %s must be JSON strings without escapes, whole numbers or booleans.", g.prefixes())))
	}

	for _, p := range g.profiles {
		spec.Variables = append(spec.Variables, admissionv1.Variable{Name: p.Name, Expression: g.refused(p)})
		spec.Validations = append(spec.Validations, listValidation(p.Name,
			fmt.Sprintf("Labels and annotations under %s must be fit to be %s tags.", g.prefixes(), p.Name)))
	}

	return spec
}

// rules match the kinds in all versions, since labels are the same in all. They match
// subresources, since some of these take changes to labels, too.
func (g *generator) rules() []admissionv1.NamedRuleWithOperations {
	out := []admissionv1.NamedRuleWithOperations{}
	whole := make(map[string]bool)

	for _, k := range g.kinds {
		whole[k.group] = whole[k.group] || k.plural == ""
	}

	for _, k := range g.kinds {
		resources := []string{k.plural, k.plural + "/*"}
		if whole[k.group] {
			// A condition tells the kinds, which is safer than to guess a plural.
			resources = []string{"*/*"}
		}

		rule := admissionv1.NamedRuleWithOperations{RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
			Rule:       admissionv1.Rule{APIGroups: []string{k.group}, APIVersions: []string{"*"}, Resources: resources},
		}}

		if !slices.ContainsFunc(out, func(o admissionv1.NamedRuleWithOperations) bool {
			return o.APIGroups[0] == k.group && slices.Equal(o.Resources, resources)
		}) {
			out = append(out, rule)
		}
	}

	return out
}

func (g *generator) kindNames() []string {
	out := make([]string, len(g.kinds))
	for i, k := range g.kinds {
		out[i] = k.String()
	}

	slices.Sort(out)

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
		all, trusted := r.kinds()
		return len(all) < len(g.kinds) || len(trusted) > 0 && len(trusted) < len(all)
	})
}

// tells is true if the supplied property of readings differs among them.
func tells[T comparable](g *generator, property func(r *reading) T) bool {
	return slices.ContainsFunc(g.readings, func(r *reading) bool { return property(r) != property(g.readings[0]) })
}

// trust is 'yes' or 'no', or the expression of which it is.
func (r *reading) trust() string {
	switch all, trusted := r.kinds(); len(trusted) {
	case 0:
		return "'no'"
	case len(all):
		return "'yes'"
	default:
		return fmt.Sprintf("(variables.kind in %s ? 'yes' : 'no')", quoteAll(trusted))
	}
}

// tellsTrust is true if not all labels are equally trusted.
func (g *generator) tellsTrust() bool {
	return tells(g, (*reading).trust) || strings.HasPrefix(g.readings[0].trust(), "(")
}

func (g *generator) tellsForms() bool {
	return tells(g, func(r *reading) v1beta1.KeyForm { return r.form })
}

// reads is the condition that the label or annotation k is read.
func (g *generator) reads(r *reading) string {
	out := []string{}

	if all, _ := r.kinds(); len(all) < len(g.kinds) {
		out = append(out, fmt.Sprintf("variables.kind in %s", quoteAll(all)))
	}

	out = append(out, fmt.Sprintf("k.startsWith(%s)", quote(r.prefix)))

	if r.include != nil {
		out = append(out, anyOf(append(matchesAny(r.key(), r.include), "false")...))
	}

	if len(r.except) > 0 {
		out = append(out, "!("+anyOf(matchesAny(r.key(), r.except)...)+")")
	}

	return strings.Join(out, " && ")
}

// key is the qualified key of the label or annotation k, or the key of a tag.
func (r *reading) key() string {
	return fmt.Sprintf("k.substring(%d)", utf8.RuneCountInString(r.prefix))
}

// count the keys. One that is both a label's and an annotation's makes one tag.
func (g *generator) count(labels, annotations string) string {
	out := make([]string, 0, 2*len(g.readings))

	for _, r := range g.readings {
		out = append(out,
			fmt.Sprintf("%s.filter(k, %s).size()", labels, g.reads(r)),
			fmt.Sprintf("%s.filter(k, %s && !(k in %s)).size()", annotations, g.reads(r), labels))
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
			of.now, of.old, g.reads(r), expression(of.what, of.now)))
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

// A rule is a condition, and what a label that meets it breaks.
type rule struct {
	condition string
	reason    tags.SkipReason
	limit     string
}

// refused returns the expression of a list of messages, one for each label or
// annotation that the supplied profile skips. The first rule that it breaks is named,
// in the order of the transformer's.
func (g *generator) refused(p *tags.Profile) string {
	tag := g.tag(p)
	local := tag != "l.tag"

	if local {
		tag = "tag"
	}

	chain := strings.Builder{}

	for _, r := range g.profileRules(p, tag) {
		if r.condition != "" {
			fmt.Fprintf(&chain, "  %s ?\n    %s :\n", r.condition, quote(fmt.Sprintf("%s (%s)", r.reason, r.limit)))
		}
	}

	body := fmt.Sprintf("[\n%s  ''\n].map(rule, rule == '' ? '' : l.name + ' = ' + %s + ' cannot be the %s tag ' + %s + ': ' + rule)[0]",
		chain.String(), shorten("l.value"), p.Name, tag)

	// Only a comprehension can name what an expression comes to.
	if local {
		body = fmt.Sprintf("[%s].map(tag,\n%s\n)[0]", g.tag(p), indent(body))
	}

	return "variables.changed.map(l,\n" + indent(body) + "\n).filter(m, m != '')"
}

func indent(lines string) string { return "  " + strings.ReplaceAll(lines, "\n", "\n  ") }

// format of the supplied profile's keys.
func (g *generator) format(p *tags.Profile) tags.Format {
	if f, ok := g.in.Formats()[p.Name]; ok {
		return f
	}

	return p.Format
}

// tag returns the expression of the tag key of the label l.
func (g *generator) tag(p *tags.Profile) string {
	_, replace, lower := g.format(p).Parts()
	return g.formatted(p, replace, lower)
}

func (g *generator) formatted(p *tags.Profile, replace map[string]string, lower bool) string {
	prefix, _, _ := g.format(p).Parts()
	unformatted, fixed := "l.tag", g.prefix

	if forms := g.tellsForms(); prefix != nil && (forms || g.readings[0].form != v1beta1.KeyFormTag) {
		unformatted, fixed = fmt.Sprintf("(%s + l.key)", quote(*prefix)), *prefix+g.prefix

		if forms {
			unformatted = fmt.Sprintf("(l.form == '%s' ? l.tag : %s + l.key)", v1beta1.KeyFormTag, quote(*prefix))
		}
	}

	return formatted(unformatted, fixed, replace, lower)
}

// profileRules are those by which the transformer skips labels, in the same order.
// The supplied expression is that of the tag key.
func (g *generator) profileRules(p *tags.Profile, tag string) []rule {
	tooLong := []string{}

	if c := longer("l.value", p.Value); c != "" {
		tooLong = append(tooLong, c)
	}

	if c := longer(fmt.Sprintf("(%s + ':' + l.value)", tag), p.Entry); c != "" {
		tooLong = append(tooLong, c)
	}

	keys := []string{tag + " == ''"}
	if p.KeyClass.Name != "" {
		keys = append(keys, "!"+matches(tag, p.KeyClass.Pattern()))
	}

	if _, _, lower := g.format(p).Parts(); lower || folds(p) {
		keys = append(keys, "!"+matches("l.key", ascii))
	}

	values := ""
	if p.ValueClass.Name != "" {
		values = "!" + matches("l.value", p.ValueClass.Pattern())
	}

	return []rule{
		{g.providers(p, tag), tags.ReservedKey, "only Crossplane's providers set it"},
		{g.reserved(p, tag), tags.ReservedKey, p.Limit(tags.ReservedKey)},
		{reservedPrefix(p, tag), tags.ReservedPrefix, p.Limit(tags.ReservedPrefix)},
		{longer(tag, p.Key), tags.KeyTooLong, p.Limit(tags.KeyTooLong)},
		{strings.Join(tooLong, " || "), tags.ValueTooLong, p.Limit(tags.ValueTooLong)},
		{strings.Join(keys, " || "), tags.KeyCharacterClass, cmp.Or(p.Limit(tags.KeyCharacterClass), "not empty")},
		{values, tags.ValueCharacterClass, p.Limit(tags.ValueCharacterClass)},
	}
}

// folds is true if tags whose keys differ only in case are one.
func folds(p *tags.Profile) bool { return p.FoldKeys || p.FoldEntries }

// folded returns the expression of the tag key as reserved keys are compared: in lower
// case. The supplied expression is that of the tag key.
func (g *generator) folded(p *tags.Profile, tag string) string {
	prefix, replace, lower := g.format(p).Parts()
	if lower {
		return tag
	}

	// What is not ASCII comes from here.
	fixed := g.prefix + strings.Join(slices.Sorted(maps.Values(replace)), "")
	if prefix != nil {
		fixed += *prefix
	}

	return formatted(tag, fixed, nil, true)
}

// providers is the condition that the tag key is one that providers set.
func (g *generator) providers(p *tags.Profile, tag string) string {
	return g.folded(p, tag) + " in " + quoteAll(tags.ProvidersKeys())
}

// reserved is the condition that the label claims a reserved key and may not.
func (g *generator) reserved(p *tags.Profile, tag string) string {
	if len(g.in.ReservedKeys) == 0 || !g.tellsTrust() && g.readings[0].trust() == "'yes'" {
		return ""
	}

	// By expression, so that none is looked at twice.
	patterns := map[string][]string{}
	add := func(expression string, more []string) { patterns[expression] = append(patterns[expression], more...) }

	// Otherwise what the format makes of a label's key tells all that the key itself does.
	if _, replace, _ := g.format(p).Parts(); strings.ContainsFunc(strings.Join(slices.Collect(maps.Keys(replace)), ""), unicode.IsLetter) {
		for _, key := range g.in.ReservedKeys {
			add(formatted("l.key", "", nil, true), []string{strings.ToLower(key)})
			add(formatted("l.tag", g.prefix, nil, true), []string{strings.ToLower(key)})
		}
	}

	add(g.folded(p, tag), tags.ReservedTagKeys(g.format(p), g.in.ReservedKeys, g.prefix))

	conditions := []string{}
	for _, expression := range slices.Sorted(maps.Keys(patterns)) {
		conditions = append(conditions, matchesAny(expression, patterns[expression])...)
	}

	if g.tellsTrust() {
		return "l.trusted == 'no' && " + anyOf(conditions...)
	}

	return anyOf(conditions...)
}

// reservedPrefix is the condition that the label has a prefix that the provider keeps
// to itself.
func reservedPrefix(p *tags.Profile, tag string) string {
	if len(p.Reserved) == 0 {
		return ""
	}

	of := func(expression string) string {
		out := matches(expression, "(?i)^("+strings.Join(quoteMeta(p.Reserved), "|")+")")
		if len(p.Unreserved) > 0 {
			out = fmt.Sprintf("!(%s in %s) && %s", expression, quoteAll(p.Unreserved), out)
		}

		return out
	}

	return of("l.key") + " || " + of(tag)
}

// countValidation refuses an object with more keys than a resource may have tags. One
// that had more before may have as many.
func (g *generator) countValidation(p *tags.Profile) admissionv1.Validation {
	reserved, own := int(g.in.ReservedTags[p.Name]), 0
	if g.in.ProviderTags != v1beta1.ProviderTagsNone {
		own = len(field.ProviderTags(p.Name))
	}

	limit := max(p.MaxTags-reserved-own, 0)
	less := ""

	if reserved > 0 {
		less += fmt.Sprintf(", less %d reserved", reserved)
	}

	if own > 0 {
		less += fmt.Sprintf(", less %d of the provider", own)
	}

	if less != "" {
		less = fmt.Sprintf(": %d%s", p.MaxTags, less)
	}

	why := fmt.Sprintf("%s (at most %d tags on a resource%s)", tags.CountCap, limit, less)

	return admissionv1.Validation{
		Expression:        fmt.Sprintf("variables.count <= %d || variables.count <= variables.oldCount", limit),
		Message:           fmt.Sprintf("Too many keys under %s to be %s tags: %s", g.prefixes(), p.Name, why),
		MessageExpression: fmt.Sprintf("string(variables.count) + %s", quote(fmt.Sprintf(" keys under %s cannot all be %s tags: %s", g.prefixes(), p.Name, why))),
	}
}

// listValidation refuses an object if the list of messages in the supplied variable
// has any.
func listValidation(variable, message string) admissionv1.Validation {
	list := "variables." + variable
	first := make([]string, named)

	for i := range first {
		first[i] = fmt.Sprintf("%s[%d]", list, i)
	}

	return admissionv1.Validation{
		Expression: list + ".size() == 0",
		Message:    message,
		MessageExpression: fmt.Sprintf("%[1]s.size() <= %[2]d ? %[1]s.join('; ') :\n[%[3]s].join('; ') + '; and ' + string(%[1]s.size() - %[2]d) + ' more'",
			list, named, strings.Join(first, ", ")),
	}
}
