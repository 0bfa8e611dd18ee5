package policy

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
)

// ascii is what CEL puts in lower case. Kubernetes admits no other keys.
const ascii = `^[\x00-\x7f]*$`

// A profile is what a generator makes rules of: a tag profile, and the format of keys
// that the input has for it, or else its own.
type profile struct {
	*generator
	*tags.Profile

	keys     tags.Format
	prefixed *string // What keys get instead of the key prefix, if they do.
	format   format

	// tag is the expression of the tag key of the label l, and made what it is made by:
	// the same, unless it is worth a name.
	tag, made string
}

// of returns the supplied profile as the input has it.
func (g *generator) of(p *tags.Profile) *profile {
	out := &profile{generator: g, Profile: p, keys: p.Format}

	if f, ok := g.in.Formats()[p.Name]; ok {
		out.keys = f
	}

	out.prefixed, out.format.replace, out.format.lower = out.keys.Parts()

	unformatted, fixed := "l.tag", g.prefix

	if forms := g.tellsForms(); out.prefixed != nil && (forms || g.readings[0].form != v1beta1.KeyFormTag) {
		prefix := quote(*out.prefixed)
		unformatted, fixed = fmt.Sprintf("(%s + l.key)", prefix), *out.prefixed+g.prefix

		if forms {
			unformatted = fmt.Sprintf("(l.form == '%s' ? l.tag : %s + l.key)", v1beta1.KeyFormTag, prefix)
		}
	}

	out.made = out.format.of(unformatted, fixed)

	if out.tag = out.made; out.tag != "l.tag" {
		out.tag = "tag"
	}

	return out
}

// refused returns the expression of a list of messages, one for each label or
// annotation that the profile skips. The first rule that it breaks is named, in the
// order of the transformer's.
func (p *profile) refused() string {
	chain := strings.Builder{}

	for _, r := range p.rules() {
		if r.condition != "" {
			fmt.Fprintf(&chain, "  %s ?\n    %s :\n", r.condition, quote(fmt.Sprintf("%s (%s)", r.reason, r.limit)))
		}
	}

	body := fmt.Sprintf("[\n%s  ''\n].map(rule, rule == '' ? '' : l.name + ' = ' + %s + ' cannot be the %s tag ' + %s + ': ' + rule)[0]",
		chain.String(), shorten("l.value"), p.Name, p.tag)

	// Only a comprehension can name what an expression comes to.
	if p.tag != p.made {
		body = fmt.Sprintf("[%s].map(tag,\n%s\n)[0]", p.made, indent(body))
	}

	return "variables.changed.map(l,\n" + indent(body) + "\n).filter(m, m != '')"
}

func indent(lines string) string { return "  " + strings.ReplaceAll(lines, "\n", "\n  ") }

// A rule is a condition, and what a label that meets it breaks.
type rule struct {
	condition string
	reason    tags.SkipReason
	limit     string
}

// rules by which the transformer skips labels, in the same order.
func (p *profile) rules() []rule {
	foreign := ""
	if p.format.lower || p.FoldKeys || p.FoldEntries {
		foreign = "!" + matches("l.key", ascii)
	}

	return []rule{
		{p.folded() + " in " + quoteAll(tags.ProvidersKeys()), tags.ReservedKey, "only Crossplane's providers set it"},
		{p.reserved(), tags.ReservedKey, p.Limit(tags.ReservedKey)},
		{p.reservedPrefix(), tags.ReservedPrefix, p.Limit(tags.ReservedPrefix)},
		{longer(p.tag, p.Key), tags.KeyTooLong, p.Limit(tags.KeyTooLong)},
		{or(longer("l.value", p.Value), longer(fmt.Sprintf("(%s + ':' + l.value)", p.tag), p.Entry)), tags.ValueTooLong, p.Limit(tags.ValueTooLong)},
		{or(p.tag+" == ''", outside(p.tag, p.KeyClass), foreign), tags.KeyCharacterClass, cmp.Or(p.Limit(tags.KeyCharacterClass), "not empty")},
		{outside("l.value", p.ValueClass), tags.ValueCharacterClass, p.Limit(tags.ValueCharacterClass)},
	}
}

// folded returns the expression of the tag key as reserved keys are compared: in lower
// case.
func (p *profile) folded() string {
	// What is not ASCII comes from here.
	fixed := p.prefix + strings.Join(slices.Sorted(maps.Values(p.format.replace)), "")
	if p.prefixed != nil {
		fixed += *p.prefixed
	}

	if p.format.lower {
		return replaced(p.tag, folds(strings.ToLower(fixed)))
	}

	return folded(p.tag, fixed)
}

// reserved is the condition that the label claims a reserved key and may not.
func (p *profile) reserved() string {
	if len(p.in.ReservedKeys) == 0 || !p.tellsTrust() && p.readings[0].trust() == "'yes'" {
		return ""
	}

	// By expression, so that none is looked at twice.
	patterns := map[string][]string{p.folded(): tags.ReservedTagKeys(p.keys, p.in.ReservedKeys, p.prefix)}

	// Otherwise what the format makes of a label's key tells all that the key itself does.
	if strings.ContainsFunc(strings.Join(sortedKeys(p.format.replace), ""), unicode.IsLetter) {
		for _, expression := range []string{folded("l.key", ""), folded("l.tag", p.prefix)} {
			for _, key := range p.in.ReservedKeys {
				patterns[expression] = append(patterns[expression], tags.FoldKey(key))
			}
		}
	}

	conditions := []string{}
	for _, expression := range sortedKeys(patterns) {
		conditions = append(conditions, matchesAny(expression, patterns[expression])...)
	}

	if p.tellsTrust() {
		return "l.trusted == 'no' && " + anyOf(conditions...)
	}

	return anyOf(conditions...)
}

// reservedPrefix is the condition that the label has a prefix that the provider keeps
// to itself.
func (p *profile) reservedPrefix() string {
	if len(p.Reserved) == 0 {
		return ""
	}

	of := func(expression string) string {
		out := matches(expression, "(?i)^("+strings.Join(mapped(p.Reserved, regexp.QuoteMeta), "|")+")")
		if len(p.Unreserved) > 0 {
			out = fmt.Sprintf("!(%s in %s) && %s", expression, quoteAll(p.Unreserved), out)
		}

		return out
	}

	return of("l.key") + " || " + of(p.tag)
}

// count refuses an object with more keys than a resource may have tags. One that had more
// before may have as many.
func (p *profile) count() admissionv1.Validation {
	limit, less := p.MaxTags, ""

	if n := int(p.in.ReservedTags[p.Name]); n > 0 {
		limit -= n
		less += fmt.Sprintf(", less %d reserved", n)
	}

	if n := len(field.ProviderTags(p.Name)); n > 0 && p.in.ProviderTags != v1beta1.ProviderTagsNone {
		limit -= n
		less += fmt.Sprintf(", less %d of the provider", n)
	}

	if less != "" {
		less = fmt.Sprintf(": %d%s", p.MaxTags, less)
	}

	limit = max(limit, 0)
	why := fmt.Sprintf("be %s tags: %s (at most %d tags on a resource%s)", p.Name, tags.CountCap, limit, less)

	return admissionv1.Validation{
		Expression:        fmt.Sprintf("variables.count <= %d || variables.count <= variables.oldCount", limit),
		Message:           fmt.Sprintf("Too many keys under %s to %s", p.prefixes(), why),
		MessageExpression: fmt.Sprintf("string(variables.count) + %s", quote(fmt.Sprintf(" keys under %s cannot all %s", p.prefixes(), why))),
	}
}
