package policy

import (
	"cmp"
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

// A requirement is a validation on labels for a rule of the tag policy: that there is a label, or that its value is allowed.
type requirement struct {
	// Condition is true of objects to admit. Message says why other objects are refused.
	Condition, Message string
}

// A giver is a source that can give the tag of a key, such as owner. If it reads one object, such as the Namespace that the input
// names, it has the kind of the object. Otherwise it has none.
type giver struct {
	*v1beta1.Source

	kind string

	// keys of the labels that can become the tag.
	keys []string
}

// String returns the name of the label for messages, such as tags.example.org/owner or spec.labels[owner].
func (g giver) String() string {
	if g.Prefix == "" {
		return fmt.Sprintf("%s[%s]", g.FromFieldPath, g.keys[0])
	}

	return g.Prefix + g.keys[0]
}

// require adds validations for rules of the tag policy. It notes the rules for which it adds none: see requireRule.
func (p *policy) require(composite v1beta1.ResourceKind) error {
	if p.TagPolicy == nil {
		return errors.New("--required: the input has no tagPolicy: write one with the tags that it requires")
	}

	for i := range p.TagPolicy.Rules {
		rule := &p.TagPolicy.Rules[i]
		if why := p.requireRule(rule, composite); why != "" {
			p.Notes = append(p.Notes, fmt.Sprintf("%s (key %q): %s", p.CloudTags.Where("tagPolicy.rules[%d]", i), rule.Key, why))
		}
	}

	if len(p.Requirements) == 0 {
		return errors.Errorf("--required: there is nothing that objects of the kinds to check must have: %s", strings.Join(p.Notes, "; "))
	}

	return nil
}

// requireRule adds the validations for the rule, or returns why it adds none. There are validations if:
//
//   - the rule is for all resources, and
//   - only objects of one of the policy's kinds can give the tag.
func (p *policy) requireRule(rule *v1beta1.TagRule, composite v1beta1.ResourceKind) string {
	if len(rule.Resources) > 0 {
		return "the rule is for some resources only"
	}

	var givers []giver

	for j := range p.Sources {
		if g := p.giver(&p.Sources[j], rule.Key, composite); len(g.keys) > 0 {
			givers = append(givers, g)
		}
	}

	if len(givers) == 0 {
		// Owner breaks the rule of owner here, since nothing gives owner.
		p.Requirements = append(p.Requirements, p.requireSpelling(rule.Key, ""))
		return "no source gives the tag, so only other spellings of the key are refused"
	}

	kind := givers[0].kind

	switch {
	case slices.ContainsFunc(givers, func(g giver) bool { return g.kind != kind }) || kind == "":
		return "not only objects of one kind can give the tag"
	case !slices.Contains(p.Kinds, kind):
		return fmt.Sprintf("%s gives the tag, which no --match names", strings.TrimPrefix(kind, "/"))
	}

	if rule.IsRequired() {
		p.Requirements = append(p.Requirements, p.requireTag(rule.Key, givers))
	}

	p.Requirements = append(p.Requirements, p.requireSpelling(rule.Key, kind))

	if len(rule.Allowed()) > 0 {
		p.Requirements = append(p.Requirements, p.requireAllowed(rule, kind))
	}

	return ""
}

// giver returns the source as a giver of the tag of the key. It has no keys if the source can't give the tag.
func (p *policy) giver(s *v1beta1.Source, key string, composite v1beta1.ResourceKind) giver {
	g := giver{Source: s}

	// With several objects, each of them can give the tag.
	one := s.Resource == nil || s.Resource.Name != nil || s.Pick == v1beta1.PickOne
	if kinds := resolve.Kinds(s, composite); len(kinds) == 1 && one {
		g.kind, _ = kindOf(kinds[0].APIVersion, kinds[0].Kind) // An invalid kind has no objects.
	}

	for _, candidate := range p.candidates(s, key) {
		if s.Prefix != "" && len(content.IsLabelKey(strings.ToLower(s.Prefix+candidate))) > 0 {
			continue // No label or annotation can have this key.
		}

		l, ok := resolve.LabelOf(p.CloudTags, s, candidate)
		if ok && slices.ContainsFunc(p.Profiles, func(g *guard) bool { return becomes(key, l, g.transformed, g.Profile) }) {
			g.keys = append(g.keys, candidate)
		}
	}

	return g
}

// candidates returns keys of labels that may become a tag of the key: plexsphere:owner may be made of the labels owner and
// plexsphere:owner.
func (p *policy) candidates(s *v1beta1.Source, key string) []string {
	named := resolve.Named(s)
	if s.IsHop() {
		return named // It has labels of its own, or none.
	}

	out := []string{strings.TrimPrefix(key, p.KeyPrefix), key}
	if s.KeyForm == v1beta1.KeyFormTag {
		out = []string{key, p.KeyPrefix + key}
	}

	// A key format can make the tag's key of other keys: with _ → -, cost_center becomes cost-center.
	return append(out, named...)
}

// becomes reports whether the label becomes a tag of the key if it has the right value.
func becomes(key string, l tags.Label, d *tags.Transformed, p *profile.Profile) bool {
	t, r := d.Judge(l)

	return p.KeySet(d.TagKeys(key)...).Has(t.Key) && (r == "" || r == profile.ValueTooLong || r == profile.ValueCharacterClass)
}

// everywhere returns a condition that holds if the condition holds for each profile.
func (p *policy) everywhere(condition func(g *guard) string) string {
	return strings.Join(slices.Compact(words.Map(p.Profiles, condition)), " && ")
}

// requireTag returns the requirement of a tag: objects of the givers' kind must have a label for it, under all profiles. An object that had
// no such label before needs none.
func (p *policy) requireTag(key string, givers []giver) requirement {
	has := func(keys string) string {
		return p.everywhere(func(g *guard) string { return keys + ".exists(l, " + g.hasKey(key) + ")" })
	}

	label := strings.Join(words.Distinct(words.Map(givers, giver.String)), " or ")
	if givers[0].Prefix != "" {
		label = "a label or annotation " + label
	}

	return requirement{
		Condition: only(givers[0].kind) + has("variables.keys") + " || oldObject != null && !(" + has("variables.oldKeys") + ")",
		Message:   fmt.Sprintf("There must be %s: tagPolicy requires the tag %q", label, key),
	}
}

// requireSpelling returns the requirement of the rule's spelling: if a label becomes the tag Owner, another label must become the tag owner, the
// rule's key. It is for objects of the kind, or for all objects if the kind is empty. An object may keep the labels that it had before.
func (p *policy) requireSpelling(key, kind string) requirement {
	keeps := func(keys string) string {
		return p.everywhere(func(g *guard) string {
			other := fmt.Sprintf("[%s].exists(tag, %s)", g.TagKey, folded("tag", g.transformed.TagKeys(key)))
			return fmt.Sprintf("(!%[1]s.exists(l, %[2]s) || %[1]s.exists(l, %[3]s))", keys, other, g.hasKey(key))
		})
	}

	return requirement{
		Condition: only(kind) + keeps("variables.keys") + " || oldObject != null && !(" + keeps("variables.oldKeys") + ")",
		Message:   fmt.Sprintf("A tag must be %q as tagPolicy spells it, in upper and lower case", key),
	}
}

// requireAllowed returns the requirement of a value that the rule allows, under all profiles. It is for labels and annotations of objects of
// the kind that become the rule's tag, and that the request adds or changes.
func (p *policy) requireAllowed(rule *v1beta1.TagRule, kind string) requirement {
	return requirement{
		Condition: only(kind) + p.everywhere(func(g *guard) string {
			return fmt.Sprintf("variables.changed.all(l, !(%s) || %s)", g.hasKey(rule.Key), matches(g.TagValue, allowedPattern(rule)))
		}),
		Message: fmt.Sprintf("The value of the tag %q is not one that tagPolicy allows: %s", rule.Key, strings.Join(rule.Allowed(), ", ")),
	}
}

// allowedPattern returns a regular expression of the values that the rule allows. The rule allows some values only.
func allowedPattern(rule *v1beta1.TagRule) string {
	if rule.Values == nil {
		return rule.Matches.Whole()
	}

	patterns := words.Map(rule.Values, func(v profile.Pattern) string { return strings.ReplaceAll(regexp.QuoteMeta(v.String()), `\*`, ".*") })

	return "(?s)^(" + strings.Join(patterns, "|") + ")$"
}

// hasKey returns the condition that the label l becomes a tag with the key. The key is one of a tag or of a label: acme:owner or owner.
func (p *guard) hasKey(key string) string {
	made, keys := p.TagKey, p.transformed.TagKeys(key)
	if p.IgnoresCase() {
		// Keys of labels are ASCII here.
		fixed := strings.Join(append(slices.Collect(maps.Values(p.replace)), p.policy.KeyPrefix, *cmp.Or(p.prefix, new(string))), "")
		made, keys = replaced(made, lowers(fixed))+".lowerAscii()", words.Map(keys, p.Fold)
	}

	return made + " in " + quoteAll(keys)
}

// only returns the beginning of a condition for objects of the kind. It is empty for objects of all kinds.
func only(kind string) string {
	if kind == "" {
		return ""
	}

	return "variables.kind != " + quote(kind) + " || "
}

// keysOf returns the expressions of the qualified key and of the tag key of the label with the key k.
func (p *policy) keysOf(r *reading) (key, tag string) {
	key = r.Key()
	tag = key

	switch prefix := quote(p.KeyPrefix); {
	case p.KeyPrefix == "":
	case r.Form == v1beta1.KeyFormTag:
		key = fmt.Sprintf("(%[1]s.startsWith(%[2]s) ? %[1]s.substring(%[3]d) : %[1]s)", key, prefix, utf8.RuneCountInString(p.KeyPrefix))
	default:
		tag = prefix + " + " + key
	}

	return key, tag
}

// KeyFields returns the fields of a CEL map for the label with the key k: 'key': string(k), 'tag': 'acme:' + string(k).
func (p *policy) KeyFields(r *reading) string {
	key, tag := p.keysOf(r)
	return fmt.Sprintf("'key': %s, 'tag': %s", key, tag)
}
