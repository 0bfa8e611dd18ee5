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

// A required is a validation: objects must have a label or annotation, or one of its allowed values.
type required struct {
	// Condition is true of objects that are admitted. Message says why others are not.
	Condition, Message string
}

// A giver is a source that can give the tag of a key. It reads labels and annotations of one object of the kind, or
// something else if the kind is empty.
type giver struct {
	kind string

	// keys of labels that can become the tag.
	keys []string
}

// require adds validations for rules of the tag policy that are for all resources, and whose tags only objects of
// one of the policy's kinds can give.
func (p *policy) require(composite v1beta1.ResourceKind) error {
	if p.TagPolicy == nil {
		return errors.New("--required: the input has no tagPolicy")
	}

	t := tags.NewTransformer(nil, p.Formats())
	t.Reserve(p.ReservedKeys, p.KeyPrefix, nil)

	for i := range p.TagPolicy.Rules {
		rule := &p.TagPolicy.Rules[i]
		if len(rule.Resources) > 0 {
			continue
		}

		var givers []giver

		for j := range p.Sources {
			if g := p.giver(&p.Sources[j], rule.Key, t, composite); len(g.keys) > 0 {
				givers = append(givers, g)
			}
		}

		other := func(g giver) bool { return g.kind != givers[0].kind || !slices.Contains(p.Kinds, g.kind) }
		if len(givers) == 0 || slices.ContainsFunc(givers, other) {
			continue
		}

		if rule.IsRequired() {
			p.Required = append(p.Required, p.required(rule.Key, t, givers))
		}

		if len(rule.Allowed()) > 0 {
			p.Required = append(p.Required, p.allowed(rule, t, givers[0].kind))
		}
	}

	if len(p.Required) == 0 {
		return errors.New("--required: no rule of tagPolicy is on a tag of all resources that only the labels and annotations of an object of a kind to check can give")
	}

	return nil
}

// giver returns the labels from which the source can give the tag of that key. It has no keys if there are
// none.
func (p *policy) giver(s *v1beta1.Source, key string, t *tags.Transformer, composite v1beta1.ResourceKind) giver {
	g := giver{}

	// With several objects, each of them can give the tag.
	one := s.Resource == nil || s.Resource.Name != nil || s.Pick == v1beta1.PickOne
	if kinds := resolve.Kinds(s, composite); len(kinds) == 1 && one {
		g.kind, _ = kindOf(kinds[0].APIVersion, kinds[0].Kind) // An invalid kind has no objects.
	}

	for _, of := range p.candidates(s, key) {
		if s.Prefix != "" && len(content.IsLabelKey(strings.ToLower(s.Prefix+of))) > 0 {
			continue // No label or annotation can have this key.
		}

		l := tags.Label{QualifiedKey: of, TagKey: p.KeyPrefix + of, Trusted: s.Trusted}
		if s.KeyForm == v1beta1.KeyFormTag {
			l.QualifiedKey, l.TagKey, l.Unprefixed = strings.TrimPrefix(of, p.KeyPrefix), of, true
		}

		if includes(s.Include, l.QualifiedKey) && slices.ContainsFunc(p.Profiles, func(g *guard) bool { return becomes(key, l, t.Transform(g.Profile), g.Profile) }) {
			g.keys = append(g.keys, s.Prefix+of)
		}
	}

	return g
}

// candidates returns keys of labels that can become tags of that key, if the source has them.
func (p *policy) candidates(s *v1beta1.Source, key string) []string {
	switch s.Type {
	case v1beta1.SourceTypeValue:
		return slices.Sorted(maps.Keys(s.Values))
	case v1beta1.SourceTypeExpression:
		return slices.Sorted(maps.Keys(s.Expressions))
	default:
	}

	out := []string{strings.TrimPrefix(key, p.KeyPrefix), key}
	if s.KeyForm == v1beta1.KeyFormTag {
		out = []string{key, p.KeyPrefix + key}
	}

	// A key format can make the tag's key of other keys.
	if s.Include != nil {
		for _, k := range s.Include.Keys {
			if !strings.HasSuffix(k, "*") {
				out = append(out, k)
			}
		}
	}

	return out
}

// includes is true if i may include the qualified key.
func includes(i *v1beta1.Include, key string) bool {
	return i == nil || (i.Keys == nil || profile.NewKeySet(i.Keys...).Has(key)) && !profile.NewKeySet(i.Except...).Has(key)
}

// becomes is true if the label, with some value, becomes a tag of that key.
func becomes(key string, l tags.Label, d *tags.Transformed, p *profile.Profile) bool {
	t, r := d.Judge(l)

	return p.KeySet(d.TagKeys(key)...).Has(t.Key) && (r == "" || r == profile.ValueTooLong || r == profile.ValueCharacterClass)
}

// required returns the requirement that objects of the givers' kind have a label or annotation that becomes the
// tag of that key under all profiles. An object that had none before needs none.
func (p *policy) required(key string, t *tags.Transformer, givers []giver) required {
	has := func(of string) string {
		var conditions []string

		for _, g := range p.Profiles {
			conditions = append(conditions, of+".exists(l, "+g.is(key, t)+")")
		}

		return strings.Join(slices.Compact(conditions), " && ")
	}

	out := required{Condition: only(givers[0].kind) + has("variables.keys") + " || oldObject != null && !(" + has("variables.oldKeys") + ")"}

	var keys []string
	for _, g := range givers {
		keys = add(keys, g.keys[0])
	}

	out.Message = fmt.Sprintf("There must be a label or annotation %s: tagPolicy requires the tag %q", strings.Join(keys, " or "), key)

	return out
}

// allowed returns the requirement that labels and annotations of that kind which become the rule's tag have a
// value that it allows, under all profiles, if they are added or changed.
func (p *policy) allowed(rule *v1beta1.TagRule, t *tags.Transformer, kind string) required {
	var conditions []string

	pattern := rule.Matches.Whole()
	if rule.Values != nil {
		patterns := words.Map(rule.Values, func(v profile.Pattern) string { return strings.ReplaceAll(regexp.QuoteMeta(v.String()), `\*`, ".*") })
		pattern = "(?s)^(" + strings.Join(patterns, "|") + ")$"
	}

	for _, g := range p.Profiles {
		matching := matches(g.Formatted, pattern)
		conditions = append(conditions, fmt.Sprintf("variables.changed.all(l, !(%s) || %s)", g.is(rule.Key, t), matching))
	}

	return required{
		Condition: only(kind) + strings.Join(slices.Compact(conditions), " && "),
		Message:   fmt.Sprintf("The value of the tag %q is not one that tagPolicy allows: %s", rule.Key, strings.Join(rule.Allowed(), ", ")),
	}
}

// is returns the condition that the tag of the label l has the key, which is that of a tag or of a label.
func (p *guard) is(key string, t *tags.Transformer) string {
	made, keys := p.Made, t.Transform(p.Profile).TagKeys(key)
	if p.FoldKeys || p.FoldEntries {
		made, keys = made+".lowerAscii()", words.Map(keys, p.Fold)
	}

	return made + " in " + quoteAll(keys)
}

// only begins a condition that is on objects of the kind.
func only(kind string) string { return "variables.kind != " + quote(kind) + " || " }

// Entry returns the fields of an entry of CEL that have the keys of the label or annotation k.
func (p *policy) Entry(r *reading) string {
	key := r.Key()
	tag := key

	switch prefix := quote(p.KeyPrefix); {
	case p.KeyPrefix == "":
	case r.Form == v1beta1.KeyFormTag:
		key = fmt.Sprintf("(%[1]s.startsWith(%[2]s) ? %[1]s.substring(%[3]d) : %[1]s)", key, prefix, utf8.RuneCountInString(p.KeyPrefix))
	default:
		tag = prefix + " + " + key
	}

	return fmt.Sprintf("'key': %s, 'tag': %s", key, tag)
}
