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

// requirement returns a validation on labels by a rule of the tagPolicy, e.g. that there must be a label tags.example.org/owner. It is for
// objects of the kind, or for all objects if the kind is empty. The condition is the condition of objects to admit. The message says why
// the API server refuses all others.
func requirement(kind, condition, message string) dict {
	if kind != "" {
		condition = "variables.kind != " + quote(kind) + " || " + condition
	}

	return dict{"expression": condition, "message": message}
}

// unlessBefore returns the condition that the keys after the request fulfil the condition, on all profiles. It admits an object whose keys
// didn't fulfil it before the request.
func (p *policy) unlessBefore(condition func(c *profileChecker, keys string) string) string {
	isFulfilledBy := func(keys string) string {
		return p.forAllProfiles(func(c *profileChecker) string { return condition(c, keys) })
	}

	return isFulfilledBy("variables.keys") + " || oldObject != null && !(" + isFulfilledBy("variables.oldKeys") + ")"
}

// A tagSource is a source with labels that can become the tag of a rule's key, such as owner.
type tagSource struct {
	*v1beta1.Source

	// kind is the kind of the one object that the source reads, such as the Namespace that the input names. It is empty if the source
	// reads no object or several.
	kind string

	// label is the name of a label that can become the tag, such as tags.example.org/owner or spec.labels[owner].
	label string
}

// addRequirements adds the requirements of the tagPolicy's rules. It adds notes on rules without requirements.
func (p *policy) addRequirements(composite v1beta1.ResourceKind) error {
	if p.TagPolicy == nil {
		return errors.New("--required: the input has no tagPolicy: write one with the tags that it requires")
	}

	for i := range p.TagPolicy.Rules {
		rule := &p.TagPolicy.Rules[i]
		if reason := p.requireRule(rule, composite); reason != "" {
			p.Notes = append(p.Notes, fmt.Sprintf("%s (key %q): %s", p.Where("tagPolicy.rules[%d]", i), rule.Key, reason))
		}
	}

	if len(p.Requirements) == 0 {
		return errors.Errorf("--required: there is nothing that objects of the kinds to check must have: %s", strings.Join(p.Notes, "; "))
	}

	return nil
}

// requireRule adds the requirements of the rule, or returns the reason why it doesn't add all. It adds them if:
//
//   - the rule is for all resources, and
//   - only objects of one kind can give the tag, and the policy checks this kind.
func (p *policy) requireRule(rule *v1beta1.TagRule, composite v1beta1.ResourceKind) (reason string) {
	if len(rule.Resources) > 0 {
		return "the rule is for some resources only"
	}

	var sources []tagSource

	for i := range p.Sources {
		if s, ok := p.tagSourceOf(&p.Sources[i], rule.Key, composite); ok {
			sources = append(sources, s)
		}
	}

	if len(sources) == 0 {
		// No source gives the tag owner, so each label that becomes Owner breaks the rule on owner.
		p.Requirements = append(p.Requirements, p.requireSpelling(rule.Key, ""))
		return "no source gives the tag, so only other spellings of the key are refused"
	}

	kind := sources[0].kind

	switch {
	case slices.ContainsFunc(sources, func(s tagSource) bool { return s.kind != kind }) || kind == "":
		return "not only objects of one kind can give the tag"
	case !slices.Contains(p.Kinds, kind):
		return fmt.Sprintf("%s gives the tag, which no --match names", strings.TrimPrefix(kind, "/"))
	}

	if rule.IsRequired() {
		p.Requirements = append(p.Requirements, p.requireTag(rule.Key, sources))
	}

	p.Requirements = append(p.Requirements, p.requireSpelling(rule.Key, kind))

	if len(rule.Allowed()) > 0 {
		p.Requirements = append(p.Requirements, p.requireAllowed(rule, kind))
	}

	return ""
}

// tagSourceOf returns the source with a label that can become the tag of the key. It returns false if none can.
func (p *policy) tagSourceOf(s *v1beta1.Source, key string, composite v1beta1.ResourceKind) (out tagSource, ok bool) {
	out.Source = s

	// If a source reads several objects, each of them can give the tag, so none of them must.
	readsOneObject := s.Resource == nil || s.Resource.Name != nil || s.Pick == v1beta1.PickOne
	if kinds := resolve.KindsRead(s, composite); len(kinds) == 1 && readsOneObject {
		out.kind, _ = parseKind(kinds[0].APIVersion, kinds[0].Kind) // There are no objects of an invalid kind.
	}

	for _, candidate := range p.candidateKeys(s, key) {
		if s.Prefix != "" && len(content.IsLabelKey(strings.ToLower(s.Prefix+candidate))) > 0 {
			continue // No label or annotation can have this key.
		}

		label, ok := resolve.LabelOf(p.CloudTags, s, candidate)
		if ok && slices.ContainsFunc(p.Checkers, func(c *profileChecker) bool { return c.becomesTag(label, key) }) {
			out.label = s.Prefix + candidate
			if s.Prefix == "" {
				out.label = fmt.Sprintf("%s[%s]", s.FromFieldPath, candidate)
			}

			return out, true
		}
	}

	return out, false
}

// candidateKeys returns keys of the source's labels that may become a tag of the key: owner and plexsphere:owner for the tag
// plexsphere:owner.
func (p *policy) candidateKeys(s *v1beta1.Source, key string) []string {
	named := resolve.NamedKeys(s)
	if s.IsHop() {
		return named // The source reads no labels, so it has at most those that it names.
	}

	out := []string{strings.TrimPrefix(key, p.KeyPrefix), key}
	if s.KeyForm == v1beta1.KeyFormTag {
		out = []string{key, p.KeyPrefix + key}
	}

	// A key format can make the tag's key of a different key: with _ → -, cost_center becomes cost-center.
	return append(out, named...)
}

// becomesTag reports whether the label becomes a tag of the key, if the profile admits the label's value.
func (c *profileChecker) becomesTag(l tags.Label, key string) bool {
	tag, reason := c.tagger.Judge(l)

	return c.KeySet(c.tagger.TagKeys(key)...).Has(tag.Key) && isAdmittedKey(reason)
}

// forAllProfiles returns the conditions for all profiles, joined with &&.
func (p *policy) forAllProfiles(condition func(c *profileChecker) string) string {
	return strings.Join(slices.Compact(words.Map(p.Checkers, condition)), " && ")
}

// requireTag returns the requirement of a tag: objects of the sources' kind must have a label for the tag on all profiles. An object that
// had no such label before the request needs none.
func (p *policy) requireTag(key string, sources []tagSource) dict {
	hasLabel := func(c *profileChecker, keys string) string { return keys + ".exists(l, " + c.hasTagKey(key) + ")" }

	label := strings.Join(words.Distinct(words.Map(sources, func(s tagSource) string { return s.label })), " or ")
	if sources[0].Prefix != "" {
		label = "a label or annotation " + label
	}

	return requirement(sources[0].kind, p.unlessBefore(hasLabel), fmt.Sprintf("There must be %s: tagPolicy requires the tag %q", label, key))
}

// requireSpelling returns the requirement of the rule's spelling: if a label becomes the tag Owner, another label must become owner, the
// rule's key. It is for objects of the kind, or for all objects if the kind is empty. An object that was misspelled before the request
// may stay so.
func (p *policy) requireSpelling(key, kind string) dict {
	isSpelled := func(c *profileChecker, keys string) string {
		anySpelling := fmt.Sprintf("[%s].exists(tag, %s)", c.TagKey, matchesIgnoringCase("tag", c.tagger.TagKeys(key)))
		return fmt.Sprintf("(!%[1]s.exists(l, %[2]s) || %[1]s.exists(l, %[3]s))", keys, anySpelling, c.hasTagKey(key))
	}

	return requirement(kind, p.unlessBefore(isSpelled), fmt.Sprintf("A tag must be %q as tagPolicy spells it, in upper and lower case", key))
}

// requireAllowed returns the requirement of a value that the rule allows, on all profiles. It is for objects of the kind, and for labels
// and annotations that become the rule's tag. The request must add or change these.
func (p *policy) requireAllowed(rule *v1beta1.TagRule, kind string) dict {
	isAllowed := p.forAllProfiles(func(c *profileChecker) string {
		return fmt.Sprintf("variables.changed.all(l, !(%s) || %s)", c.hasTagKey(rule.Key), matches(c.TagValue, allowedPattern(rule)))
	})

	return requirement(kind, isAllowed, fmt.Sprintf("The value of the tag %q is not one that tagPolicy allows: %s", rule.Key, strings.Join(rule.Allowed(), ", ")))
}

// allowedPattern returns a regular expression of the values that the rule allows. The rule must have values or matches.
func allowedPattern(rule *v1beta1.TagRule) string {
	if rule.Values == nil {
		return rule.Matches.Whole()
	}

	patterns := words.Map(rule.Values, func(v profile.Pattern) string { return strings.ReplaceAll(regexp.QuoteMeta(v.String()), `\*`, ".*") })

	return "(?s)^(" + strings.Join(patterns, "|") + ")$"
}

// hasTagKey returns the condition that the label l becomes a tag of the key. The key is a label's or a tag's: owner or acme:owner.
func (c *profileChecker) hasTagKey(key string) string {
	tagKey, keys := c.TagKey, c.tagger.TagKeys(key)
	if c.IgnoresCase() {
		// Only prefixes and replacements can have characters beyond ASCII. The policy refuses other such keys.
		_, replacements, _ := c.keyFormat.Parts()
		texts := slices.AppendSeq([]string{c.keyPrefixes}, maps.Values(replacements))
		tagKey = applyFormat(tagKey, strings.Join(texts, ""), lowercaseFormat)
		keys = words.Map(keys, c.Fold)
	}

	return tagKey + " in " + sortedCELList(keys)
}

// keyExpressions returns the expressions of the qualified key and of the tag key of the label with the key k.
func (p *policy) keyExpressions(o readOptions) (qualifiedKey, tagKey string) {
	qualifiedKey, tagKey = o.Key(), o.Key()

	switch prefix := quote(p.KeyPrefix); {
	case p.KeyPrefix == "":
	case o.Form == v1beta1.KeyFormTag:
		qualifiedKey = fmt.Sprintf("(%[1]s.startsWith(%[2]s) ? %[1]s.substring(%[3]d) : %[1]s)", tagKey, prefix, utf8.RuneCountInString(p.KeyPrefix))
	default:
		tagKey = prefix + " + " + qualifiedKey
	}

	return qualifiedKey, tagKey
}
