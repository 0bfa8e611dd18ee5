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

// A required is a validation: objects must have a label or annotation, or one of its allowed values.
type required struct {
	// Condition is true of objects that are admitted. Message says why others are not.
	Condition, Message string
}

// A giver is a source that can give the tag of a key. It reads labels and annotations of one object of the kind, or
// something else if the kind is empty.
type giver struct {
	*v1beta1.Source

	kind string

	// keys of labels that can become the tag.
	keys []string
}

// String is what messages call the label.
func (g giver) String() string {
	if g.Prefix == "" {
		return fmt.Sprintf("%s[%s]", g.FromFieldPath, g.keys[0])
	}

	return g.Prefix + g.keys[0]
}

// require adds validations for rules of the tag policy that are for all resources, and whose tags only objects of
// one of the policy's kinds can give.
func (p *policy) require(composite v1beta1.ResourceKind) error {
	if p.TagPolicy == nil {
		return errors.New("--required: the input has no tagPolicy")
	}

	for i := range p.TagPolicy.Rules {
		rule := &p.TagPolicy.Rules[i]
		if why := p.requireRule(rule, composite); why != "" {
			p.Notes = append(p.Notes, fmt.Sprintf("%s (key %q): %s", p.CloudTags.Where("tagPolicy.rules[%d]", i), rule.Key, why))
		}
	}

	if len(p.Required) == 0 {
		return errors.Errorf("--required: there is nothing that objects of the kinds to check must have: %s", strings.Join(p.Notes, "; "))
	}

	return nil
}

// requireRule adds the validations for the rule, or says why there are none.
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
		// Whoever has the tag in another case breaks the rule, since nobody can have it as it should be.
		p.Required = append(p.Required, p.spelled(rule.Key, ""))
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
		p.Required = append(p.Required, p.required(rule.Key, givers))
	}

	p.Required = append(p.Required, p.spelled(rule.Key, kind))

	if len(rule.Allowed()) > 0 {
		p.Required = append(p.Required, p.allowed(rule, kind))
	}

	return ""
}

// giver returns the labels from which the source can give the tag of that key. It has no keys if there are
// none.
func (p *policy) giver(s *v1beta1.Source, key string, composite v1beta1.ResourceKind) giver {
	g := giver{Source: s}

	// With several objects, each of them can give the tag.
	one := s.Resource == nil || s.Resource.Name != nil || s.Pick == v1beta1.PickOne
	if kinds := resolve.Kinds(s, composite); len(kinds) == 1 && one {
		g.kind, _ = kindOf(kinds[0].APIVersion, kinds[0].Kind) // An invalid kind has no objects.
	}

	for _, of := range p.candidates(s, key) {
		if s.Prefix != "" && len(content.IsLabelKey(strings.ToLower(s.Prefix+of))) > 0 {
			continue // No label or annotation can have this key.
		}

		l, ok := resolve.LabelOf(p.CloudTags, s, of)
		if ok && slices.ContainsFunc(p.Profiles, func(g *guard) bool { return becomes(key, l, g.made, g.Profile) }) {
			g.keys = append(g.keys, of)
		}
	}

	return g
}

// candidates returns keys of labels that can become tags of that key, if the source has them.
func (p *policy) candidates(s *v1beta1.Source, key string) []string {
	named := resolve.Named(s)
	if s.IsHop() {
		return named // It has labels of its own, or none.
	}

	out := []string{strings.TrimPrefix(key, p.KeyPrefix), key}
	if s.KeyForm == v1beta1.KeyFormTag {
		out = []string{key, p.KeyPrefix + key}
	}

	// A key format can make the tag's key of other keys.
	return append(out, named...)
}

// becomes is true if the label, with some value, becomes a tag of that key.
func becomes(key string, l tags.Label, d *tags.Transformed, p *profile.Profile) bool {
	t, r := d.Judge(l)

	return p.KeySet(d.TagKeys(key)...).Has(t.Key) && (r == "" || r == profile.ValueTooLong || r == profile.ValueCharacterClass)
}

// everywhere returns the condition that holds under all profiles.
func (p *policy) everywhere(condition func(g *guard) string) string {
	return strings.Join(slices.Compact(words.Map(p.Profiles, condition)), " && ")
}

// required returns the requirement that objects of the givers' kind have a label that becomes the tag of that key
// under all profiles. An object that had none before needs none.
func (p *policy) required(key string, givers []giver) required {
	has := func(of string) string {
		return p.everywhere(func(g *guard) string { return of + ".exists(l, " + g.is(key) + ")" })
	}

	what := strings.Join(words.Distinct(words.Map(givers, giver.String)), " or ")
	if givers[0].Prefix != "" {
		what = "a label or annotation " + what
	}

	return required{
		Condition: only(givers[0].kind) + has("variables.keys") + " || oldObject != null && !(" + has("variables.oldKeys") + ")",
		Message:   fmt.Sprintf("There must be %s: tagPolicy requires the tag %q", what, key),
	}
}

// spelled returns the requirement that no label of objects of that kind, or of any if it is empty, becomes a tag whose
// key differs from the rule's only in case, unless another one has it as it should be. What was so before may stay.
func (p *policy) spelled(key, kind string) required {
	keeps := func(of string) string {
		return p.everywhere(func(g *guard) string {
			other := fmt.Sprintf("[%s].exists(tag, %s)", g.Made, folded("tag", g.made.TagKeys(key)))
			return fmt.Sprintf("(!%[1]s.exists(l, %[2]s) || %[1]s.exists(l, %[3]s))", of, other, g.is(key))
		})
	}

	return required{
		Condition: only(kind) + keeps("variables.keys") + " || oldObject != null && !(" + keeps("variables.oldKeys") + ")",
		Message:   fmt.Sprintf("A tag must be %q as tagPolicy spells it, in upper and lower case", key),
	}
}

// allowed returns the requirement that labels and annotations of that kind which become the rule's tag have a
// value that it allows, under all profiles, if they are added or changed.
func (p *policy) allowed(rule *v1beta1.TagRule, kind string) required {
	return required{
		Condition: only(kind) + p.everywhere(func(g *guard) string {
			return fmt.Sprintf("variables.changed.all(l, !(%s) || %s)", g.is(rule.Key), matches(g.Formatted, allowedPattern(rule)))
		}),
		Message: fmt.Sprintf("The value of the tag %q is not one that tagPolicy allows: %s", rule.Key, strings.Join(rule.Allowed(), ", ")),
	}
}

// allowedPattern is a regular expression of the values that the rule allows, which are not all.
func allowedPattern(rule *v1beta1.TagRule) string {
	if rule.Values == nil {
		return rule.Matches.Whole()
	}

	patterns := words.Map(rule.Values, func(v profile.Pattern) string { return strings.ReplaceAll(regexp.QuoteMeta(v.String()), `\*`, ".*") })

	return "(?s)^(" + strings.Join(patterns, "|") + ")$"
}

// is returns the condition that the tag of the label l has the key, which is that of a tag or of a label.
func (p *guard) is(key string) string {
	made, keys := p.Made, p.made.TagKeys(key)
	if p.IgnoresCase() {
		// Keys of labels are ASCII here.
		fixed := strings.Join(append(slices.Collect(maps.Values(p.replace)), p.policy.KeyPrefix, *cmp.Or(p.prefix, new(string))), "")
		made, keys = replaced(made, lowers(fixed))+".lowerAscii()", words.Map(keys, p.Fold)
	}

	return made + " in " + quoteAll(keys)
}

// only begins a condition that is on objects of the kind, or of any if it is empty.
func only(kind string) string {
	if kind == "" {
		return ""
	}

	return "variables.kind != " + quote(kind) + " || "
}

// keysOf returns the expressions of the qualified key and of the tag key of what has the key k.
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

// Entry returns the fields of an entry of CEL that have the keys of what has the key k.
func (p *policy) Entry(r *reading) string {
	key, tag := p.keysOf(r)
	return fmt.Sprintf("'key': %s, 'tag': %s", key, tag)
}
