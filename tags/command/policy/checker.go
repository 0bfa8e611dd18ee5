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

// asciiOnly matches strings that CEL can turn into lower case. Kubernetes admits only such strings as keys of labels and annotations.
const asciiOnly = `^[\x00-\x7f]*$`

// A profileChecker writes the limits of a tag profile as conditions of a policy, e.g. tag.size() > 128.
type profileChecker struct {
	*profile.Profile

	policy *policy

	// keyFormat is the key format of the input for the profile, or else the profile's own.
	keyFormat profile.Format

	// tagger makes tags of labels, such as plexsphere:owner of owner, and says why a label is skipped. It has no labels of its own.
	tagger *tags.Transformed

	// admittedValues is the character class of values in the policy. If the input makes values lower case, it also admits capitals.
	admittedValues profile.Class

	// keyPrefixes has the prefixes of tag keys, one after the other: the key prefix, and the prefix of keyFormat instead of it.
	keyPrefixes string

	// TagKey and TagValue are the expressions of the tag key and of the tag value of the label l. Conditions call their results tag and
	// value.
	TagKey, TagValue string
}

// newChecker returns the checker of the profile.
func (p *policy) newChecker(prof *profile.Profile) *profileChecker {
	valueFormat := p.Values()[prof.Name]
	out := &profileChecker{
		Profile: prof, policy: p, keyFormat: prof.Format, tagger: p.transformer.Transform(prof), admittedValues: prof.ValueClass,
		keyPrefixes: p.KeyPrefix, TagValue: applyFormat("l.value", capitalsToASCII, valueFormat),
	}

	if _, _, lowercase := valueFormat.Parts(); lowercase {
		out.admittedValues = admitCapitals(prof.ValueClass)
	}

	if f, ok := p.Formats()[prof.Name]; ok {
		out.keyFormat = f
	}

	key := "l.tag"
	if prefix, _, _ := out.keyFormat.Parts(); prefix != nil {
		key = fmt.Sprintf("(l.form == '%s' ? l.tag : %s + l.key)", v1beta1.KeyFormTag, quote(*prefix))
		out.keyPrefixes += *prefix
	}

	out.TagKey = applyFormat(key, out.keyPrefixes, out.keyFormat)

	return out
}

// capitalsToASCII has the capitals İ and K (the Kelvin sign). They are not ASCII, but their lower case is.
const capitalsToASCII = "\u0130\u212a"

// lowercaseFormat is the format that only makes lower case.
var lowercaseFormat = profile.NewFormat(nil, nil, true)

// applyFormat returns an expression that applies the format to the expression's string. CEL turns only ASCII into lower case, so the
// expression replaces other capitals, such as É by é. It replaces the capitals of the text capitals, which is:
//
//   - for keys, their prefixes
//   - for values, capitalsToASCII, since admitCapitals admits all other capitals
func applyFormat(expression, capitals string, f profile.Format) string {
	_, replacements, lowercase := f.Parts()
	if !lowercase {
		return replaceAll(expression, replacements)
	}

	table := make(map[string]string)

	for _, r := range capitals {
		if c := string(r); r > unicode.MaxASCII && strings.ToLower(c) != c {
			table[c] = strings.ToLower(c)
		}
	}

	for from, to := range replacements {
		table[from] = strings.ToLower(to)
	}

	return replaceAll(expression, table) + ".lowerAscii()"
}

// admitCapitals returns a class that admits a string if the class admits it in lower case. A class that admits é then admits É, too. The
// function makes É lower case, but CEL can't.
func admitCapitals(class profile.Class) profile.Class {
	const small = `\p{Ll}`
	if !strings.Contains(class.Pattern, small) || class.Without != "" {
		return class
	}

	class.Pattern = strings.ReplaceAll(class.Pattern, small, small+`\p{Lu}\p{Lt}`)
	class.Without = refusedCapitals()

	return class
}

// refusedCapitals returns a pattern of the capitals that no value may have. A capital is refused if it has no lower case, or if its lower
// case has more bytes, such as Ⱥ: CEL can't tell how long the value will be. The pattern has ranges of characters instead of escapes,
// since a match costs more with a longer pattern.
var refusedCapitals = sync.OnceValue(func() string {
	out := &strings.Builder{}
	first := rune(-1) // The first character of a range, or -1 outside of ranges.

	for r := range rune(unicode.MaxRune) {
		small := unicode.ToLower(r)
		isCapital := unicode.In(r, unicode.Lu, unicode.Lt)
		isRefused := isCapital && (small == r || utf8.RuneLen(small) > utf8.RuneLen(r))

		switch {
		case isRefused && first < 0:
			first = r
		case !isRefused && first >= 0:
			fmt.Fprintf(out, "%c-%c", first, r-1)

			first = -1
		}
	}

	return "[" + out.String() + "]"
})

// skipMessages returns the expression of messages, one for each label that the profile skips: `label owner = "a/b" cannot be the hetzner tag
// owner: value-character-class (…)`. The first check whose condition holds gives the rule at the end.
func (c *profileChecker) skipMessages() string {
	notASCII := ""
	if _, _, lowercase := c.keyFormat.Parts(); lowercase || c.IgnoresCase() {
		notASCII = "!" + matches("l.key", asciiOnly)
	}

	// Some clouds limit key, separator and value together, such as owner:me.
	entry := fmt.Sprintf("(tag + %s + value)", quote(cmp.Or(c.Separator, ":")))

	rules := &strings.Builder{}
	fmt.Fprintf(rules, "    %s ?\n      \"reserved-key (only Crossplane's providers set it)\" :\n", matchesIgnoringCase("tag", tags.ProvidersKeys()))

	// The checks are in the order in which the function makes them.
	for _, check := range []struct {
		reason    profile.SkipReason
		condition string // Empty if no label is skipped for the reason.
	}{
		{profile.ReservedKey, c.reservedKeyCondition()},
		{profile.ReservedPrefix, anyOf(c.reservedPrefixCondition(), c.takenKeyCondition())},
		{profile.KeyTooLong, exceeds("tag", c.Key)},
		{profile.ValueTooLong, anyOf(exceeds("value", c.Value), exceeds(entry, c.Entry))},
		{profile.KeyCharacterClass, anyOf("tag == ''", notAdmitted("tag", c.KeyClass), notASCII)},
		{profile.ValueCharacterClass, anyOf(notAdmitted("value", c.admittedValues), notAdmitted(entry, c.EntryClass))},
	} {
		if check.condition != "" {
			fmt.Fprintf(rules, "    %s ?\n      %s :\n", check.condition, quote(fmt.Sprintf("%s (%s)", check.reason, c.Limit(check.reason))))
		}
	}

	message := fmt.Sprintf("rule == '' ? '' : l.name + ' = ' + %s + ' cannot be the %s tag ' + tag + ': ' + rule", quotedInMessage("l.value"), c.Name)
	messageOfLabel := let("tag", c.TagKey, let("value", c.TagValue, "\n  "+let("rule", "\n"+rules.String()+"    ''\n  ", message)))

	return "variables.changed.map(l, " + messageOfLabel + "\n).filter(m, m != '')"
}

// reservedKeyCondition returns the condition that an untrusted label has a reserved key. The condition is empty without reserved keys.
func (c *profileChecker) reservedKeyCondition() string {
	keys := c.policy.ReservedKeys
	if len(keys) == 0 {
		return ""
	}

	conditions := []string{matchesIgnoringCase("tag", tags.ReservedTagKeys(c.keyFormat, keys, c.policy.KeyPrefix))}

	// If the format replaces letters, the tag key alone doesn't show a reserved key: with e → 3, the key owner becomes own3r.
	_, replacements, _ := c.keyFormat.Parts()
	if strings.ContainsFunc(strings.Join(sortedKeys(replacements), ""), unicode.IsLetter) {
		conditions = append(conditions, matchesIgnoringCase("l.key", keys), matchesIgnoringCase("l.tag", keys))
	}

	return "l.trusted == 'no' && " + anyOfInParens(conditions...)
}

// reservedPrefixCondition returns the condition that the label's key or tag key has a reserved prefix of the cloud, such as aws:. The
// condition is empty if the cloud reserves none.
func (c *profileChecker) reservedPrefixCondition() string {
	if len(c.Reserved) == 0 {
		return ""
	}

	prefixes := strings.Join(words.Map(c.Reserved, regexp.QuoteMeta), "|")

	return strings.Join(words.Map([]string{"l.key", "tag"}, func(key string) string {
		out := matches(key, "(?i)^("+prefixes+")")
		if len(c.Unreserved) > 0 {
			out = fmt.Sprintf("!(%s in %s) && %s", key, sortedCELList(c.Unreserved), out)
		}

		return out
	}), " || ")
}

// takenKeyCondition returns the condition that the tag key has a meaning for the cloud, such as Name on Databricks.
func (c *profileChecker) takenKeyCondition() string {
	key := "tag"
	if c.IgnoresCase() {
		key += ".lowerAscii()"
	}

	return anyOf(patternConditions(key, words.Map(c.Taken, c.Fold))...)
}

// isAdmittedKey reports whether a label's key can be a tag key. reason is the reason to skip the label, or empty.
func isAdmittedKey(reason profile.SkipReason) bool {
	return reason == "" || reason == profile.ValueTooLong || reason == profile.ValueCharacterClass
}

// Slots returns the number of tag slots for labels of objects, and the end of a message on too many keys: "be aws tags: count-cap (at most 47
// tags on a resource: 50, less 3 of the provider)".
func (c *profileChecker) Slots() (slots int, message string) {
	var inputKeys, providerKeys, subtracted []string

	// The values of labels in the input aren't known here, so a label counts even if its value can't be a tag's.
	for _, l := range c.policy.inputLabels {
		if tag, reason := c.tagger.Judge(l); isAdmittedKey(reason) {
			inputKeys = appendUnique(inputKeys, tag.Key)
		}
	}

	if c.policy.ProviderTags != v1beta1.ProviderTagsNone {
		providerKeys = field.ProviderTags(c.Name)
	}

	slots = c.MaxTags

	names := []string{"reserved", "of the provider", "of the input"}

	for i, n := range []int{int(c.policy.ReservedTags[c.Name]), len(providerKeys), len(inputKeys)} {
		if n > 0 {
			slots -= n
			subtracted = append(subtracted, fmt.Sprintf(", less %d %s", n, names[i]))
		}
	}

	sum := surround(fmt.Sprintf(": %d", c.MaxTags), strings.Join(subtracted, ""), "")
	slots = max(slots, 0)

	return slots, fmt.Sprintf("be %s tags: count-cap (at most %d tags on a resource%s)", c.Name, slots, sum)
}
