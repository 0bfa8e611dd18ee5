package policy

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// allKinds is the kind of requirements on objects of all kinds.
const allKinds = ""

// requirementOf returns the validation that objects of the kind fulfil the condition, e.g. that they have a label tags.example.org/owner.
// The message says why the API server refuses an object.
func requirementOf(kind string, condition celCondition, message string) dict {
	if kind != allKinds {
		condition = "variables.kind != " + quote(kind) + " || " + condition
	}

	return dict{"expression": condition, "message": message}
}

// unlessBrokenBefore returns a condition that is true in two cases:
//
//   - the given condition is true for all profiles
//   - it was false for the object before the request: an object that lacked a label owner may still lack it
//
// labels is the expression of the list of the object's labels: variables.keys, or variables.oldKeys before the request (see keyList).
func (p *policy) unlessBrokenBefore(condition func(c *profileChecker, labels celText) celCondition) celCondition {
	isFulfilledBy := func(labels celText) celCondition {
		return p.forAllProfiles(func(c *profileChecker) celCondition { return condition(c, labels) })
	}

	return isFulfilledBy("variables.keys") + " || oldObject != null && !(" + isFulfilledBy("variables.oldKeys") + ")"
}

// A tagSource is a source with a label that can become the tag of a rule.
type tagSource struct {
	*v1beta1.Source

	// kind is the kind of the object that the source reads, such as /Namespace. It is empty if the source doesn't read exactly one object.
	kind string

	// label is the name of a label that can become the tag, such as tags.example.org/owner or spec.labels[owner].
	label string
}

// addRequirements adds the requirements of the tagPolicy's rules. It adds to Unchecked the rules that the policy doesn't check, or not in
// full.
func (p *policy) addRequirements(composite v1beta1.ResourceKind) error {
	if p.TagPolicy == nil {
		return errors.New("--required: the input has no tagPolicy: write one with the tags that it requires")
	}

	for i := range p.TagPolicy.Rules {
		rule := &p.TagPolicy.Rules[i]
		if reason := p.addRequirementsOf(rule, composite); reason != "" {
			p.Unchecked = append(p.Unchecked, fmt.Sprintf("%s (key %q): %s", p.Where("tagPolicy.rules[%d]", i), rule.Key, reason))
		}
	}

	if len(p.Requirements) == 0 {
		return errors.Errorf("--required: there is nothing that objects of the kinds to check must have: %s", strings.Join(p.Unchecked, "; "))
	}

	return nil
}

// addRequirementsOf adds the requirements of the rule, or returns the reason why it doesn't add all of them. It adds all if:
//
//   - the rule is for all resources, and
//   - all sources that can give the tag read one object of the same kind, and
//   - the policy checks this kind.
func (p *policy) addRequirementsOf(rule *v1beta1.TagRule, composite v1beta1.ResourceKind) (reason string) {
	if len(rule.Resources) > 0 {
		return "the rule is for some resources only"
	}

	sources := words.MapIf(p.Sources, func(s v1beta1.Source) (tagSource, bool) { return p.tagSourceOf(&s, rule.Key, composite) })
	if len(sources) == 0 {
		// No source gives cost-center, but a source may give Cost-Center, which breaks the rule on cost-center.
		p.Requirements = append(p.Requirements, p.spellingRequirement(rule.Key, allKinds))
		return "no source gives the tag, so only other spellings of the key are refused"
	}

	kind := sources[0].kind
	hasOtherKind := slices.ContainsFunc(sources, func(s tagSource) bool { return s.kind != kind })

	switch {
	case kind == "" || hasOtherKind: // kind is empty if several Namespaces can give it, for example.
		return "not only objects of one kind can give the tag"
	case !slices.Contains(p.Kinds, kind):
		return fmt.Sprintf("%s gives the tag, which no --match names", kindTitle(kind))
	}

	if rule.IsRequired() {
		p.Requirements = append(p.Requirements, p.labelRequirement(rule.Key, sources))
	}

	p.Requirements = append(p.Requirements, p.spellingRequirement(rule.Key, kind))

	if len(rule.Allowed()) > 0 {
		p.Requirements = append(p.Requirements, p.valueRequirement(rule, kind))
	}

	return ""
}

// tagSourceOf returns the source s with its first label that can become the tag of the rule, or false if s can have no such label.
func (p *policy) tagSourceOf(s *v1beta1.Source, ruleKey string, composite v1beta1.ResourceKind) (out tagSource, ok bool) {
	out.Source = s

	// With several objects, one with the label is enough, so the policy can't require the label of each. Without s.Resource, s reads the XR.
	readsOneObject := s.Resource == nil || s.Resource.Name != nil || s.Pick == v1beta1.PickOne
	kinds := resolve.KindsRead(s, composite)

	if readsOneObject && len(kinds) == 1 {
		out.kind, _ = parseKind(kinds[0].APIVersion, kinds[0].Kind) // Empty for an invalid kind, such as v1/Namespaces.
	}

	for _, key := range p.candidateKeys(s, ruleKey) {
		canExist := s.Prefix == "" || isAnnotationKey(s.Prefix+key) // A candidate can have a colon: tags.example.org/plexsphere:owner is no key.
		label, isIncluded := resolve.LabelOf(p.CloudTags, s, key)
		becomesTag := func(c *profileChecker) bool { return c.becomesTag(label, ruleKey) }

		if canExist && isIncluded && slices.ContainsFunc(p.Checkers, becomesTag) {
			out.label = s.Prefix + key
			if s.Prefix == "" {
				out.label = fmt.Sprintf("%s[%s]", s.FromFieldPath, key)
			}

			return out, true
		}
	}

	return out, false
}

// isAnnotationKey reports whether an annotation can have the key. An annotation's key is as a label's key, but may have capitals before
// the slash.
func isAnnotationKey(key string) bool { return len(content.IsLabelKey(strings.ToLower(key))) == 0 }

// candidateKeys returns keys of labels of the source that may become the tag of the rule. All keys that the source names are candidates,
// since a key format can change a key: with _ → -, the label cost_center becomes the tag cost-center.
func (p *policy) candidateKeys(s *v1beta1.Source, ruleKey string) []string {
	named := resolve.NamedKeys(s)

	switch {
	case s.ReadsNoLabels():
		return named // The source has only labels that its values or expressions give.
	case s.KeyForm == v1beta1.KeyFormTag: // A label's key is the whole tag key. A rule on owner is for the tags owner and plexsphere:owner.
		return append([]string{ruleKey, p.KeyPrefix + ruleKey}, named...)
	default: // The function adds the prefix to a label's key. A rule on plexsphere:owner is for the labels owner and plexsphere:owner.
		return append([]string{strings.TrimPrefix(ruleKey, p.KeyPrefix), ruleKey}, named...)
	}
}

// becomesTag reports whether a label with the key of l can become a tag of the rule. The value of l doesn't count.
func (c *profileChecker) becomesTag(l tags.Label, ruleKey string) bool {
	tag, skipReason := c.tagger.Judge(l)

	return isAdmittedKey(skipReason) && c.KeySet(c.tagger.TagKeys(ruleKey)...).Has(tag.Key)
}

// forAllProfiles returns the conditions of all profiles, joined with &&. Profiles in a row with the same condition share it.
func (p *policy) forAllProfiles(condition func(c *profileChecker) celCondition) celCondition {
	return strings.Join(slices.Compact(words.Map(p.Checkers, condition)), " && ")
}

// labelRequirement returns the requirement that objects of the sources' kind have a label for the tag of the rule. An object that had no
// such label before the request needs none.
func (p *policy) labelRequirement(ruleKey string, sources []tagSource) dict {
	hasLabel := func(c *profileChecker, labels string) string { return labels + ".exists(l, " + c.hasKey(ruleKey) + ")" }

	names := strings.Join(words.Distinct(words.Map(sources, func(s tagSource) string { return s.label })), " or ")
	if sources[0].Prefix != "" { // The first name is one such as tags.example.org/owner, and not spec.labels[owner].
		names = "a label or annotation " + names
	}

	return requirementOf(sources[0].kind, p.unlessBrokenBefore(hasLabel), fmt.Sprintf("There must be %s: tagPolicy requires the tag %q", names, ruleKey))
}

// spellingRequirement returns the requirement that the tag's key is in the same case as the rule's key. A label that becomes the tag
// Owner breaks the rule on owner, unless another label becomes owner. An object that was misspelled before the request may stay misspelled.
func (p *policy) spellingRequirement(ruleKey, kind string) dict {
	isSpelled := func(c *profileChecker, labels celText) celCondition {
		// In CEL, [x].exists(tag, …) gives x the name tag.
		hasKeyInAnyCase := fmt.Sprintf("[%s].exists(tag, %s)", c.CELTagKey, matchesIgnoringCase("tag", c.tagger.TagKeys(ruleKey)))
		return fmt.Sprintf("(!%[1]s.exists(l, %[2]s) || %[1]s.exists(l, %[3]s))", labels, hasKeyInAnyCase, c.hasKey(ruleKey))
	}

	return requirementOf(kind, p.unlessBrokenBefore(isSpelled), fmt.Sprintf("A tag must be %q as tagPolicy spells it, in upper and lower case", ruleKey))
}

// valueRequirement returns the requirement that labels have allowed values. It judges labels that become the rule's tag, if the request
// adds or changes them.
func (p *policy) valueRequirement(rule *v1beta1.TagRule, kind string) dict {
	isAllowed := p.forAllProfiles(func(c *profileChecker) celCondition {
		return fmt.Sprintf("variables.changed.all(l, !(%s) || %s)", c.hasKey(rule.Key), matches(c.CELTagValue, allowedPattern(rule)))
	})

	return requirementOf(kind, isAllowed, fmt.Sprintf("The value of the tag %q is not one that tagPolicy allows: %s", rule.Key, strings.Join(rule.Allowed(), ", ")))
}

// allowedPattern returns a regular expression of the values that the rule allows, such as (?s)^(100|3.*)$ for 100 and 3*. The rule must
// have values or matches.
func allowedPattern(rule *v1beta1.TagRule) string {
	if rule.Values == nil {
		return rule.Matches.Whole()
	}

	patterns := words.Map(rule.Values, func(v profile.Pattern) string { return strings.ReplaceAll(regexp.QuoteMeta(v.String()), `\*`, ".*") })

	return "(?s)^(" + strings.Join(patterns, "|") + ")$"
}

// hasKey returns the condition that the label l becomes a tag of the rule with the key, such as l.tag in ['owner', 'plexsphere:owner'].
func (c *profileChecker) hasKey(ruleKey string) celCondition {
	if !c.IgnoresCase() {
		return c.CELTagKey + " in " + sortedCELList(c.tagger.TagKeys(ruleKey))
	}

	// The key can have capitals such as É from a prefix or a replacement of the format, but not from a label: skipMessages refuses É in keys
	// of labels.
	_, replacements, _ := c.keyFormat.Parts()
	mayContain := c.prefixCharacters + strings.Join(slices.Collect(maps.Values(replacements)), "")

	return applyFormat(c.CELTagKey, mayContain, lowercaseFormat) + " in " + sortedCELList(words.Map(c.tagger.TagKeys(ruleKey), c.Fold))
}

// keyExpressions returns the expressions of the two keys of the label k. With the key prefix acme:, they are:
//
//   - the qualified key, without the prefix: string(k). With keyForm Tag, k may begin with acme:, which is left out
//   - the tag key, with the prefix: 'acme:' + string(k). With keyForm Tag, it is string(k)
func (p *policy) keyExpressions(o readOptions) (qualifiedKey, tagKey celText) {
	key, prefix := o.Key(), quote(p.KeyPrefix)

	switch {
	case p.KeyPrefix == "":
		return key, key
	case o.Form == v1beta1.KeyFormTag:
		return fmt.Sprintf("(%[1]s.startsWith(%[2]s) ? %[1]s.substring(%[3]d) : %[1]s)", key, prefix, utf8.RuneCountInString(p.KeyPrefix)), key
	default:
		return key, prefix + " + " + key
	}
}
