package policy

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// ascii matches strings that CEL can turn into lower case. Kubernetes admits no other keys.
const ascii = `^[\x00-\x7f]*$`

// A guard writes the limits of a tag profile as conditions of a policy, e.g. tag.size() > 128.
type guard struct {
	*profile.Profile

	policy *policy

	// keys is the key format of the input for the profile, or else the profile's own.
	keys profile.Format

	// transformed has no labels. It judges labels of objects, and of the input.
	transformed *tags.Transformed

	// values is the class of values. If the format of values makes lower case, it also admits the capitals that CEL leaves.
	values profile.Class

	// Parts of keys: the prefix instead of the key prefix, the replacements, and whether keys are made lower case.
	prefix  *string
	replace map[string]string
	lower   bool

	// TagKey and TagValue are the expressions of the tag key and of the value of the label l. Other expressions call them tag and value.
	TagKey, TagValue string
}

// newGuard returns the guard of the profile.
func (p *policy) newGuard(prof *profile.Profile) *guard {
	values := p.Values()[prof.Name]
	out := &guard{Profile: prof, policy: p, keys: prof.Format, transformed: p.transformer.Transform(prof), values: prof.ValueClass, TagValue: formatted("l.value", becomeASCII, values)}

	if _, _, lower := values.Parts(); lower {
		out.values = lowered(prof.ValueClass)
	}

	if f, ok := p.Formats()[prof.Name]; ok {
		out.keys = f
	}

	out.prefix, out.replace, out.lower = out.keys.Parts()

	whole, fixed := "l.tag", p.KeyPrefix

	if out.prefix != nil {
		whole, fixed = fmt.Sprintf("(l.form == '%s' ? l.tag : %s + l.key)", v1beta1.KeyFormTag, quote(*out.prefix)), *out.prefix+fixed
	}

	out.TagKey = formatted(whole, fixed, out.keys)

	return out
}

// becomeASCII has the capitals beyond ASCII whose lower case is ASCII.
const becomeASCII = "\u0130\u212a"

// formatted returns an expression that applies the format to the expression's string. CEL turns only ASCII into lower case, so É is
// replaced by é. capitals are all characters beyond ASCII that need this:
//
//   - in keys, the characters of the key prefix
//   - in values, becomeASCII: class lowered admits all others
func formatted(expression, capitals string, f profile.Format) string {
	_, replace, lower := f.Parts()
	if !lower {
		return replaced(expression, replace)
	}

	table := lowers(capitals)
	for from, to := range replace {
		table[from] = strings.ToLower(to)
	}

	return replaced(expression, table) + ".lowerAscii()"
}

// lowered returns a class that admits a string if c admits it in lower case. If c admits é, the class also admits É: the function makes
// it é, and CEL can't.
func lowered(c profile.Class) profile.Class {
	const small = `\p{Ll}`
	if !strings.Contains(c.Pattern, small) || c.Without != "" {
		return c
	}

	c.Pattern, c.Without = strings.ReplaceAll(c.Pattern, small, small+`\p{Lu}\p{Lt}`), lasting()

	return c
}

// lasting returns a pattern of the capitals that no value may have: those have no lower case, or one of more bytes, such as Ⱥ. CEL
// can't tell the length of a string with these in lower case. The pattern has the characters themselves, since the cost of a match
// grows with the pattern's length.
var lasting = sync.OnceValue(func() string {
	out := &strings.Builder{}
	first := rune(-1)

	for r := range rune(unicode.MaxRune) {
		small := unicode.ToLower(r)

		switch lasts := unicode.In(r, unicode.Lu, unicode.Lt) && (small == r || utf8.RuneLen(small) > utf8.RuneLen(r)); {
		case lasts && first < 0:
			first = r
		case !lasts && first >= 0:
			fmt.Fprintf(out, "%c-%c", first, r-1)

			first = -1
		}
	}

	return "[" + out.String() + "]"
})

// A check is a condition. The transformer skips a label that meets it, for the reason.
type check struct {
	Reason    profile.SkipReason
	Condition string // Empty if no label meets it.
}

// Checks returns the checks by which the transformer skips labels, in its order. The check on the providers' own keys is not among them.
func (p *guard) Checks() []check {
	foreign := ""
	if p.lower || p.IgnoresCase() {
		foreign = "!" + matches("l.key", ascii)
	}

	entry := fmt.Sprintf("(tag + %s + value)", quote(cmp.Or(p.Separator, ":")))

	return []check{
		{profile.ReservedKey, p.reserved()},
		{profile.ReservedPrefix, or(p.reservedPrefix(), p.takenByCloud())},
		{profile.KeyTooLong, longer("tag", p.Key)},
		{profile.ValueTooLong, or(longer("value", p.Value), longer(entry, p.Entry))},
		{profile.KeyCharacterClass, or("tag == ''", outside("tag", p.KeyClass), foreign)},
		{profile.ValueCharacterClass, or(outside("value", p.values), outside(entry, p.EntryClass))},
	}
}

// reserved returns the condition that an untrusted label has a reserved key. It is empty without reserved keys.
func (p *guard) reserved() string {
	keys, prefix := p.policy.ReservedKeys, p.policy.KeyPrefix
	if len(keys) == 0 {
		return ""
	}

	conditions := []string{folded("tag", tags.ReservedTagKeys(p.keys, keys, prefix))}

	// Only a format that replaces letters can hide a reserved key: with e → 3, the key owner has the tag key own3r.
	if strings.ContainsFunc(strings.Join(sortedKeys(p.replace), ""), unicode.IsLetter) {
		conditions = append(conditions, folded("l.key", keys), folded("l.tag", keys))
	}

	return "l.trusted == 'no' && " + anyOf(conditions...)
}

// reservedPrefix returns the condition that the provider keeps the label's prefix to itself, such as aws:.
func (p *guard) reservedPrefix() string {
	if len(p.Reserved) == 0 {
		return ""
	}

	return strings.Join(words.Map([]string{"l.key", "tag"}, func(expression string) string {
		out := matches(expression, "(?i)^("+strings.Join(words.Map(p.Reserved, regexp.QuoteMeta), "|")+")")
		if len(p.Unreserved) > 0 {
			out = fmt.Sprintf("!(%s in %s) && %s", expression, quoteAll(p.Unreserved), out)
		}

		return out
	}), " || ")
}

// takenByCloud returns the condition that the tag key has a meaning for the cloud, such as Name.
func (p *guard) takenByCloud() string {
	expression := "tag"
	if p.IgnoresCase() {
		expression += ".lowerAscii()"
	}

	return or(matchesAny(expression, words.Map(p.Taken, p.Fold))...)
}

// ReservedSlots returns the number of slots that reservedTags leaves free.
func (p *guard) ReservedSlots() int { return int(p.policy.ReservedTags[p.Name]) }

// ProviderSlots returns the number of slots of the provider's own tags.
func (p *guard) ProviderSlots() int {
	if p.policy.ProviderTags == v1beta1.ProviderTagsNone {
		return 0
	}

	return len(field.ProviderTags(p.Name))
}

// InputSlots returns the number of slots of the input's own labels. A label counts even if the profile doesn't admit its value, since another
// label with the same key could take its place.
func (p *guard) InputSlots() int {
	var keys []string

	for _, l := range p.policy.inputLabels {
		if t, r := p.transformed.Judge(l); r == "" || r == profile.ValueTooLong || r == profile.ValueCharacterClass {
			keys = add(keys, t.Key)
		}
	}

	return len(keys)
}

// Slots returns the number of slots for labels of objects.
func (p *guard) Slots() int {
	return max(p.MaxTags-p.ReservedSlots()-p.ProviderSlots()-p.InputSlots(), 0)
}

// Cap returns the limit of keys for messages, such as "be aws tags: count-cap (at most 47 tags on a resource: 50, less 3 of the provider)".
func (p *guard) Cap() string {
	var less []string

	for _, part := range []struct {
		slots int
		name  string
	}{{p.ReservedSlots(), "reserved"}, {p.ProviderSlots(), "of the provider"}, {p.InputSlots(), "of the input"}} {
		if part.slots > 0 {
			less = append(less, fmt.Sprintf("less %d %s", part.slots, part.name))
		}
	}

	why := ""
	if len(less) > 0 {
		why = fmt.Sprintf(": %d, %s", p.MaxTags, strings.Join(less, ", "))
	}

	return fmt.Sprintf("be %s tags: count-cap (at most %d tags on a resource%s)", p.Name, p.Slots(), why)
}
