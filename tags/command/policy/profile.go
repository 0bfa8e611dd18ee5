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

// ascii matches strings that CEL can put in lower case. Kubernetes admits no other keys.
const ascii = `^[\x00-\x7f]*$`

// A guard is a tag profile whose limits a policy enforces, with the input's key format for it, or else its own.
type guard struct {
	*profile.Profile

	policy *policy
	keys   profile.Format

	// made has no labels, and judges those of others.
	made *tags.Transformed

	// values is the class of values before CEL puts them in lower case, if the format does that.
	values profile.Class

	// Parts of the format.
	prefix  *string
	replace map[string]string
	lower   bool

	// Made is the expression of the tag key of the label l, which other expressions call tag, and
	// Formatted that of its value, which they call value.
	Made, Formatted string
}

// guardOf returns the guard of the profile.
func (p *policy) guardOf(of *profile.Profile) *guard {
	values := p.Values()[of.Name]
	out := &guard{Profile: of, policy: p, keys: of.Format, made: p.transformer.Transform(of), values: of.ValueClass, Formatted: formatted("l.value", becomeASCII, values)}

	if _, _, lower := values.Parts(); lower {
		out.values = lowered(of.ValueClass)
	}

	if f, ok := p.Formats()[of.Name]; ok {
		out.keys = f
	}

	out.prefix, out.replace, out.lower = out.keys.Parts()

	whole, fixed := "l.tag", p.KeyPrefix

	if out.prefix != nil {
		whole, fixed = fmt.Sprintf("(l.form == '%s' ? l.tag : %s + l.key)", v1beta1.KeyFormTag, quote(*out.prefix)), *out.prefix+fixed
	}

	out.Made = formatted(whole, fixed, out.keys)

	return out
}

// becomeASCII are the capitals that are not ASCII, but whose lower case is.
const becomeASCII = "\u0130\u212a"

// formatted returns an expression of the expression's string after the format. CEL puts only ASCII in lower case, so
// the other capitals are replaced that a key can have, those of its fixed part, or that matter in a value: see lowered.
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

// lowered returns a class that admits a string if c admits it in lower case. CEL changes only capitals of ASCII and
// those that become ASCII, so the class has to admit other capitals.
func lowered(c profile.Class) profile.Class {
	const small = `\p{Ll}`
	if !strings.Contains(c.Pattern, small) || c.Without != "" {
		return c
	}

	c.Pattern, c.Without = strings.ReplaceAll(c.Pattern, small, small+`\p{Lu}\p{Lt}`), lasting()

	return c
}

// lasting is a pattern of the capitals that have no lower case, or a longer one: CEL can't tell how long a string
// with them becomes. The pattern has the characters themselves, since the cost of a match grows with its length.
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

// A rule is a condition, and why the transformer skips a label that meets it.
type rule struct {
	Reason    profile.SkipReason
	Condition string // Empty if no label does.
}

// Rules by which the transformer skips labels, in its order, but for the rule on the providers' own keys.
func (p *guard) Rules() []rule {
	foreign := ""
	if p.lower || p.IgnoresCase() {
		foreign = "!" + matches("l.key", ascii)
	}

	entry := fmt.Sprintf("(tag + %s + value)", quote(cmp.Or(p.Separator, ":")))

	return []rule{
		{profile.ReservedKey, p.reserved()},
		{profile.ReservedPrefix, or(p.reservedPrefix(), p.taken())},
		{profile.KeyTooLong, longer("tag", p.Key)},
		{profile.ValueTooLong, or(longer("value", p.Value), longer(entry, p.Entry))},
		{profile.KeyCharacterClass, or("tag == ''", outside("tag", p.KeyClass), foreign)},
		{profile.ValueCharacterClass, or(outside("value", p.values), outside(entry, p.EntryClass))},
	}
}

// reserved is the condition that an untrusted label has a reserved key. It is empty if there are none.
func (p *guard) reserved() string {
	keys, prefix := p.policy.ReservedKeys, p.policy.KeyPrefix
	if len(keys) == 0 {
		return ""
	}

	conditions := []string{folded("tag", tags.ReservedTagKeys(p.keys, keys, prefix))}

	// Only a format that replaces letters can hide a reserved key.
	if strings.ContainsFunc(strings.Join(sortedKeys(p.replace), ""), unicode.IsLetter) {
		conditions = append(conditions, folded("l.key", keys), folded("l.tag", keys))
	}

	return "l.trusted == 'no' && " + anyOf(conditions...)
}

// reservedPrefix is the condition that the label has a prefix that the provider keeps
// to itself.
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

// taken is the condition that the tag key means something to the cloud already.
func (p *guard) taken() string {
	expression := "tag"
	if p.IgnoresCase() {
		expression += ".lowerAscii()"
	}

	return or(matchesAny(expression, words.Map(p.Taken, p.Fold))...)
}

// Kept is the number of slots that the input leaves free.
func (p *guard) Kept() int { return int(p.policy.ReservedTags[p.Name]) }

// Provided is the number of slots that the provider's own tags take.
func (p *guard) Provided() int {
	if p.policy.ProviderTags == v1beta1.ProviderTagsNone {
		return 0
	}

	return len(field.ProviderTags(p.Name))
}

// Own is the number of slots that labels of the input itself take. One that is too long, or has a character that the
// profile doesn't admit, counts, since a label with the same key could take its place.
func (p *guard) Own() int {
	var keys []string

	for _, l := range p.policy.own {
		if t, r := p.made.Judge(l); r == "" || r == profile.ValueTooLong || r == profile.ValueCharacterClass {
			keys = add(keys, t.Key)
		}
	}

	return len(keys)
}

// Slots is the number of slots that are left for labels of objects.
func (p *guard) Slots() int { return max(p.MaxTags-p.Kept()-p.Provided()-p.Own(), 0) }

// Cap says in messages why there is a limit to the keys of a profile.
func (p *guard) Cap() string {
	var less []string

	for _, of := range []struct {
		slots int
		what  string
	}{{p.Kept(), "reserved"}, {p.Provided(), "of the provider"}, {p.Own(), "of the input"}} {
		if of.slots > 0 {
			less = append(less, fmt.Sprintf("less %d %s", of.slots, of.what))
		}
	}

	why := ""
	if len(less) > 0 {
		why = fmt.Sprintf(": %d, %s", p.MaxTags, strings.Join(less, ", "))
	}

	return fmt.Sprintf("be %s tags: count-cap (at most %d tags on a resource%s)", p.Name, p.Slots(), why)
}
