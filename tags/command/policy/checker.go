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

// asciiOnly matches keys that CEL's lowerAscii makes lower case in full: Owner, but not Émile.
const asciiOnly = `^[\x00-\x7f]*$`

// A profileChecker writes the limits of a tag profile as conditions, e.g. tag.size() > 128. In these conditions:
//
//   - l is a changed label, as in changedLabels: {'name': 'label tags.example.org/owner', 'key': 'owner', 'tag': 'acme:owner', 'value':
//     'Me', …}
//   - tag is l.tag in the key format, such as acme_owner
//   - value is l.value in the value format of the input, such as me
type profileChecker struct {
	*profile.Profile

	policy *policy // The policy that has the checker.

	// keyFormat is the input's key format for the profile, or else the profile's own.
	keyFormat profile.Format

	// tagger makes the tag plexsphere:owner of the label owner, or says why the function skips the label.
	tagger *tags.Transformed

	// admittedValues is the profile's class of values. If the input makes values lower case, É becomes é in the tag, so the class admits É,
	// too: see admitCapitals.
	admittedValues profile.Class

	// prefixCharacters has the characters of the key prefix and of the prefix in keyFormat. A tag key has a capital such as É only from a
	// prefix: if the key becomes lower case, skipMessages refuses É in keys of labels.
	prefixCharacters string

	// CELTagKey and CELTagValue are the expressions that tag and value stand for, such as l.tag.lowerAscii().
	CELTagKey, CELTagValue celText
}

// newChecker returns the checker of the profile.
func (p *policy) newChecker(prof *profile.Profile) *profileChecker {
	keyFormat, isGiven := p.KeyFormatsByProvider()[prof.Name]
	if !isGiven {
		keyFormat = prof.Format
	}

	key, prefixCharacters := "l.tag", p.KeyPrefix

	// With the prefix acme_ in the key format, owner becomes acme_owner instead of plexsphere:owner. Labels with keyForm Tag get no prefix.
	if prefix, _, _ := keyFormat.Parts(); prefix != nil {
		key = fmt.Sprintf("(l.form == '%s' ? l.tag : %s + l.key)", v1beta1.KeyFormTag, quote(*prefix))
		prefixCharacters += *prefix
	}

	admittedValues, valueFormat := prof.ValueClass, p.ValueFormatsByProvider()[prof.Name]
	if _, _, lowercase := valueFormat.Parts(); lowercase {
		admittedValues = admitCapitals(admittedValues)
	}

	return &profileChecker{
		Profile: prof, policy: p, keyFormat: keyFormat, tagger: p.transformer.Transform(prof), admittedValues: admittedValues, prefixCharacters: prefixCharacters,
		CELTagKey: applyFormat(key, prefixCharacters, keyFormat), CELTagValue: applyFormat("l.value", capitalsOfIK, valueFormat), // É stays: see admittedValues.
	}
}

// foldCase returns the expression of the text in lower case, such as e.key.lowerAscii(), to compare it with the keys. If a key has é, the
// expression also makes é of É. If the profile's cloud tells Owner from owner, foldCase returns the text as it is.
func (c *profileChecker) foldCase(text celText, keys ...string) celText {
	if !c.IgnoresCase() {
		return text
	}

	return applyFormat(text, inAllCases(capitalsOfIK+strings.Join(keys, "")), lowercaseFormat)
}

// inAllCases returns the text's characters in lower and upper case: éÉ for é.
func inAllCases(text string) string {
	out := []rune(text)

	for _, r := range text {
		// SimpleFold goes through the cases of a character, one by one: É for é, and é again for É.
		for otherCase := unicode.SimpleFold(r); otherCase != r; otherCase = unicode.SimpleFold(otherCase) {
			out = append(out, otherCase)
		}
	}

	return string(out)
}

// admitCapitals adds capitals such as É to a class that has small letters such as é. function-cloud-tags makes é of É in values. CEL's
// lowerAscii doesn't, so the policy has to admit É.
func admitCapitals(class profile.Class) profile.Class {
	// \p{Ll} matches small letters, and \p{Lu} and \p{Lt} match capitals. Only Google Cloud's class of values has \p{Ll}, and its
	// field Without is empty.
	const small = `\p{Ll}`
	if !strings.Contains(class.Pattern, small) || class.Without != "" {
		return class
	}

	class.Pattern = strings.ReplaceAll(class.Pattern, small, small+`\p{Lu}\p{Lt}`)
	class.Without = refusedCapitals()

	return class
}

// refusedCapitals returns a regular expression of the capitals that admitCapitals leaves out:
//
//   - capitals such as 𝐀, which have no lower case
//   - capitals such as Ⱥ, whose lower case has more bytes: a limit in bytes would be checked on Ⱥ, and admit a tag that is too long
//
// The expression is short, with ranges such as 𝐀-𝐙 and without escapes, since it costs CEL budget of the API server.
var refusedCapitals = sync.OnceValue(func() string {
	out := &strings.Builder{}
	first := rune(-1) // The first character of a range, or -1 outside of ranges.

	for r := range rune(unicode.MaxRune) {
		small := unicode.ToLower(r)
		isRefused := unicode.In(r, unicode.Lu, unicode.Lt) && (small == r || utf8.RuneLen(small) > utf8.RuneLen(r))

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

// skipMessages returns the expression of a list of messages, one for each label that can't be a tag: `label owner = "a/b" cannot be the
// hetzner tag owner: value-character-class (…)`. The first check whose condition is true gives the end of the message.
func (c *profileChecker) skipMessages() celText {
	// CEL makes lower case of ASCII only. So if the format makes lower case, or if the cloud ignores case, keys must be ASCII.
	refusesKey := ""
	if _, _, lowercase := c.keyFormat.Parts(); lowercase || c.IgnoresCase() {
		refusesKey = "!" + matches("l.key", asciiOnly)
	}

	// Some clouds limit key, separator and value together, such as owner:me.
	entry := fmt.Sprintf("(tag + %s + value)", quote(cmp.Or(c.Separator, ":")))

	// brokenRule is an expression such as condition ? 'key-too-long (…)' : condition ? 'value-too-long (…)' : ''.
	brokenRule := &strings.Builder{}
	fmt.Fprintf(brokenRule, "\n    %s ?\n      \"reserved-key (only Crossplane's providers set it)\" :\n", matchesIgnoringCase("tag", tags.ProvidersKeys()))

	// The checks are in the order in which function-cloud-tags makes them.
	for _, check := range []struct {
		reason    profile.SkipReason
		condition celCondition // Empty if no label is skipped for the reason.
	}{
		{profile.ReservedKey, anyOf(c.reservedKeyCondition(), c.classifierCondition())},
		{profile.ReservedPrefix, anyOf(c.reservedPrefixCondition(), c.takenKeyCondition(), anyOf(patternConditions("value.lowerAscii()", c.ReservedValues)...))},
		{profile.KeyTooLong, exceeds("tag", c.Key)},
		{profile.ValueTooLong, anyOf(exceeds("value", c.Value), exceeds(entry, c.Entry))},
		{profile.KeyCharacterClass, anyOf("tag == ''", notAdmitted("tag", c.KeyClass), refusesKey)},
		{profile.ValueCharacterClass, anyOf(notAdmitted("value", c.admittedValues), notAdmitted(entry, c.EntryClass))},
	} {
		if check.condition != "" {
			fmt.Fprintf(brokenRule, "    %s ?\n      %s :\n", check.condition, quote(fmt.Sprintf("%s (%s)", check.reason, c.Limit(check.reason))))
		}
	}

	brokenRule.WriteString("    ''\n  ")

	// let gives the names rule, value and tag to the results of the expressions. A label that breaks no rule has no message.
	message := fmt.Sprintf("rule == '' ? '' : l.name + ' = ' + %s + ' cannot be the %s tag ' + tag + ': ' + rule", quotedInMessage("l.value"), c.Name)
	message = let("rule", brokenRule.String(), message)
	message = let("tag", c.CELTagKey, let("value", c.CELTagValue, "\n  "+message))

	return "variables.changed.map(l, " + message + "\n).filter(m, m != '')"
}

// reservedKeyCondition returns the condition that an untrusted label has a reserved key. It is empty if the input reserves no keys.
func (c *profileChecker) reservedKeyCondition() celCondition {
	keys := c.policy.ReservedKeys
	if len(keys) == 0 {
		return ""
	}

	conditions := []celCondition{matchesIgnoringCase("tag", tags.ReservedTagKeys(c.keyFormat, keys, c.policy.KeyPrefix))}

	// If the format replaces O by 0, the label Owner becomes the tag 0wner, which doesn't match the reserved key owner. So if the format
	// replaces letters, the condition also checks l.key and l.tag, which the format hasn't changed.
	_, replacements, _ := c.keyFormat.Parts()
	if strings.ContainsFunc(strings.Join(sortedKeys(replacements), ""), unicode.IsLetter) {
		conditions = append(conditions, matchesIgnoringCase("l.key", keys), matchesIgnoringCase("l.tag", keys))
	}

	return "l.trusted == 'no' && " + anyOfInParens(conditions...)
}

// classifierCondition returns the condition that an untrusted label has the tag key of a classifier. It is empty if no selector of the input has
// matchCloudTags.
func (c *profileChecker) classifierCondition() celCondition {
	keys := c.policy.Classifiers()
	if len(keys) == 0 {
		return ""
	}

	return fmt.Sprintf("l.trusted == 'no' && %s in %s", c.foldCase("tag", keys...), sortedCELList(words.Distinct(words.Map(keys, c.Fold))))
}

// reservedPrefixCondition returns the condition that the label's key or tag key has a reserved prefix of the cloud, such as aws:. The
// condition is empty if the cloud reserves none.
func (c *profileChecker) reservedPrefixCondition() celCondition {
	if len(c.Reserved) == 0 {
		return ""
	}

	prefixes := strings.Join(words.Map(c.Reserved, regexp.QuoteMeta), "|")

	conditionOn := func(key celText) celCondition {
		out := matches(key, "(?i)^("+prefixes+")")

		// A key in Unreserved is admitted though it has a reserved prefix, such as goog-partner-solution.
		if len(c.Unreserved) > 0 {
			out = fmt.Sprintf("!(%s in %s) && %s", key, sortedCELList(c.Unreserved), out)
		}

		return out
	}

	return anyOf(conditionOn("l.key"), conditionOn("tag"))
}

// takenKeyCondition returns the condition that the cloud itself uses the tag key, such as Name on Databricks.
func (c *profileChecker) takenKeyCondition() celCondition {
	key := "tag"
	if c.IgnoresCase() {
		key += ".lowerAscii()"
	}

	return anyOf(patternConditions(key, words.Map(c.Taken, c.Fold))...) // Fold changes nothing unless the cloud ignores case.
}

// isAdmittedKey reports whether a label's key can become a tag key. reason is the reason to skip the label, or empty. With a reason
// about the value, such as value-too-long, isAdmittedKey returns true.
func isAdmittedKey(reason profile.SkipReason) bool {
	return reason == "" || reason == profile.ValueTooLong || reason == profile.ValueCharacterClass
}

// Slots returns how many tag slots are left for the labels of an object, such as 47. limitText is the limit for messages: "aws tags:
// count-cap (at most 47 tags on a resource: 50, less 3 of the provider)".
func (c *profileChecker) Slots() (slots int, limitText string) {
	// Values of inputLabels aren't known here. So a label takes a slot if its key is admitted, whatever its value.
	inputKeys := words.MapIf(c.policy.inputLabels, func(l tags.Label) (string, bool) {
		tag, reason := c.tagger.Judge(l)
		return tag.Key, isAdmittedKey(reason)
	})

	slots = c.MaxTags
	subtracted := "" // Such as ", less 3 of the provider".
	subtract := func(n int, name string) {
		if n > 0 {
			slots -= n
			subtracted += fmt.Sprintf(", less %d %s", n, name)
		}
	}

	subtract(int(c.policy.ReservedTags[c.Name]), "reserved")

	if c.policy.ProviderTags != v1beta1.ProviderTagsNone {
		subtract(len(field.ProviderTags(c.Name)), "of the provider")
	}

	subtract(len(words.Distinct(inputKeys)), "of the input")

	slots = max(slots, 0)

	// Such as ": 50, less 3 of the provider". Empty if nothing is subtracted.
	calculation := surround(fmt.Sprintf(": %d", c.MaxTags), subtracted, "")

	return slots, fmt.Sprintf("%s tags: count-cap (at most %d tags on a resource%s)", c.Name, slots, calculation)
}
