package policy

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A celText is an expression in CEL, such as tag.size().
type celText = string

// A celCondition is a celText whose result is true or false, such as tag.size() > 128. An empty celCondition stands for no condition.
type celCondition = string

// quote returns the CEL literal of the text: 'owner' for owner, and r'\d' for \d. The literal is one line of printable characters.
func quote(text string) celText {
	switch {
	case strings.ContainsFunc(text, func(r rune) bool { return r == '\'' || !unicode.IsPrint(r) }):
		return strconv.Quote(text) // CEL understands Go's escapes.
	case strings.Contains(text, `\`):
		return "r'" + text + "'"
	default:
		return "'" + text + "'"
	}
}

// celList returns the texts as a CEL list in the same order, such as ['b', 'a'].
func celList(texts []string) celText { return "[" + strings.Join(words.Map(texts, quote), ", ") + "]" }

// sortedCELList returns the sorted texts as a CEL list, such as ['a', 'b'].
func sortedCELList(texts []string) celText { return celList(slices.Sorted(slices.Values(texts))) }

// longestFirst returns the texts, each once, from the longest to the shortest. Texts of the same length are in alphabetical order.
func longestFirst(texts []string) []string {
	return slices.Compact(slices.SortedFunc(slices.Values(texts), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	}))
}

// sortedKeys returns the sorted keys of the map.
func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// identifier matches field names such as labels, which CEL admits after a dot. It also matches words of CEL such as in, which CEL doesn't
// admit there. Names that CEL doesn't admit after a dot stand in brackets: [?'my-field'] and [?'in'].
var identifier = regexp.MustCompile(`^[a-zA-Z_]\w*$`)

// valueAt returns the expression of the value at the path in the object. For spec.labels in oldObject, it returns
// oldObject.?spec.?labels.orValue(dyn(null)). The result is null if oldObject has no such field.
func valueAt(obj celText, path object.Path) celText {
	for _, segment := range path.Segments() {
		switch {
		case segment.IsIndex:
			obj += fmt.Sprintf("[?%d]", segment.Index)
		case identifier.MatchString(segment.Field) && !slices.Contains([]string{"in", "true", "false", "null"}, segment.Field):
			obj += ".?" + segment.Field
		default:
			obj += "[?" + quote(segment.Field) + "]"
		}
	}

	return obj + ".orValue(dyn(null))"
}

// joinNonEmpty joins the texts with the separator, such as ||. It leaves out empty texts.
func joinNonEmpty(texts []string, separator string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), separator)
}

// surround returns the text between before and after, such as !( and ). If the text is empty, surround returns an empty text.
func surround(before, text, after string) string {
	if text == "" {
		return ""
	}

	return before + text + after
}

// let returns an expression with the result of body. In body, name stands for the result of value. CEL has no variables within an
// expression, so the result of value becomes a list of one item: let("m", "object.spec", "m.size()") returns
// [object.spec].map(m, m.size())[0].
func let(name string, value, body celText) celText {
	if !strings.HasPrefix(body, "\n") {
		body = " " + body
	}

	return fmt.Sprintf("[%s].map(%s,%s)[0]", value, name, body)
}

// anyOf joins the conditions with ||. It leaves out empty conditions.
func anyOf(conditions ...celCondition) celCondition { return joinNonEmpty(conditions, " || ") }

// anyOfInParens joins the conditions as anyOf does, and puts several conditions in parentheses.
func anyOfInParens(conditions ...celCondition) celCondition {
	if len(conditions) <= 1 {
		return anyOf(conditions...)
	}

	return "(" + anyOf(conditions...) + ")"
}

// patternConditions returns conditions for anyOf. The key matches one of the patterns if one of the conditions is true. A pattern is a key,
// or the beginning of keys and a *. For k and the patterns zone and cost*, it returns k in ['zone'] and k.startsWith('cost').
func patternConditions(key celText, patterns []string) []celCondition {
	wholeKeys, out := []string{}, []celCondition{}

	for _, pattern := range slices.Compact(slices.Sorted(slices.Values(patterns))) {
		if beginning, hasStar := strings.CutSuffix(pattern, "*"); hasStar {
			out = append(out, fmt.Sprintf("%s.startsWith(%s)", key, quote(beginning)))
		} else {
			wholeKeys = append(wholeKeys, pattern)
		}
	}

	if len(wholeKeys) > 0 {
		out = slices.Insert(out, 0, fmt.Sprintf("%s in %s", key, sortedCELList(wholeKeys)))
	}

	return out
}

// matches returns the condition that the text matches the regular expression.
func matches(text celText, pattern string) celCondition {
	return fmt.Sprintf("%s.matches(%s)", text, quote(pattern))
}

// notAdmitted returns the condition that the character class doesn't admit the text. The condition is empty if the class admits all texts.
// A class admits the texts that match class.Pattern and don't match class.Without.
func notAdmitted(text celText, class profile.Class) celCondition {
	if class.Name == "" {
		return ""
	}

	out := "!" + matches(text, class.Pattern)
	if class.Without != "" {
		out += " || " + matches(text, class.Without)
	}

	return out
}

// exceeds returns the condition that the text is longer than the limit, such as value.size() > 63. It is empty without a limit.
func exceeds(text celText, limit profile.Length) celCondition {
	if limit.BeforeSlash == 0 {
		return exceedsSize(text, limit)
	}

	// In the key example.org/owner, BeforeSlash limits example.org, which is as long as the slash's index. The other fields of limit are for
	// owner. If a key has no slash, its index is -1, and the other fields are for the whole key.
	slash := text + ".indexOf('/')"
	name := fmt.Sprintf("%s.substring(%s + 1)", text, slash)

	return fmt.Sprintf("(%[1]s < 0 ? %[2]s : %[1]s > %[3]d || %[4]s)", slash, exceedsSize(text, limit), limit.BeforeSlash, exceedsSize(name, limit))
}

// exceedsSize returns the condition that the text has more characters than limit.Runes, or more bytes than limit.Bytes.
func exceedsSize(text celText, limit profile.Length) celCondition {
	if limit.Runes == 0 && limit.Bytes == 0 {
		return ""
	}

	// Characters are cheaper to count than bytes, so the expression always counts characters first. Without limit.Runes, it compares their
	// number with limit.Bytes, since a text never has more characters than bytes.
	hasTooManyCharacters := fmt.Sprintf("%s.size() > %d", text, cmp.Or(limit.Runes, limit.Bytes))
	if limit.Bytes == 0 {
		return hasTooManyCharacters
	}

	return fmt.Sprintf("(%s || bytes(%s).size() > %d)", hasTooManyCharacters, text, limit.Bytes)
}

// matchesIgnoringCase returns the condition that the key matches one of the patterns, ignoring case. A pattern is a key, or the beginning
// of keys and a *. For k and the patterns zone and cost*, it returns k.matches('(?i)^(cost|zone$)').
func matchesIgnoringCase(key celText, patterns []string) celCondition {
	folded := slices.Compact(slices.Sorted(slices.Values(words.Map(patterns, profile.FoldKey))))
	texts := words.Map(folded, func(pattern string) string {
		beginning, hasStar := strings.CutSuffix(pattern, "*")

		// FoldKey makes i of I, İ and ı. With (?i), i matches I, but neither İ nor ı.
		text := strings.ReplaceAll(regexp.QuoteMeta(beginning), "i", "[iİı]")
		if hasStar {
			return text
		}

		return text + "$"
	})

	return matches(key, "(?i)^("+strings.Join(texts, "|")+")")
}

// foldCase returns the expression of the text, such as e.key, in lower case, to compare it with keys such as owner. If the profile's cloud
// tells Owner from owner, foldCase returns the text as it is. If a key has É or é, the expression replaces É by é: see applyFormat.
func (c *profileChecker) foldCase(text celText, keys ...string) celText {
	if !c.IgnoresCase() {
		return text
	}

	// applyFormat makes lower case of those non-ASCII characters that searched has: the characters of the keys in both cases, and İ and the
	// Kelvin sign, whose lower case is i and k.
	characters := capitalsOfIK + strings.Join(keys, "")
	searched := []rune(characters)

	for _, r := range characters {
		if r <= unicode.MaxASCII {
			continue
		}

		// SimpleFold goes through the cases of a character, one by one: É for é, and é again for É.
		for otherCase := unicode.SimpleFold(r); otherCase != r; otherCase = unicode.SimpleFold(otherCase) {
			searched = append(searched, otherCase)
		}
	}

	return applyFormat(text, string(searched), lowercaseFormat)
}

// replaceAll returns the expression of the text with the table's keys replaced by their values. It replaces no replacement again: with
// {a: b, b: c}, the text ab becomes bc. Where several keys match, it takes the longest.
func replaceAll(text celText, table map[string]string) celText {
	olds := longestFirst(slices.Collect(maps.Keys(table)))

	// Single characters can be replaced one after the other, unless a replacement has one of them, such as b in {a: b, b: c}.
	replacementText := strings.Join(slices.Collect(maps.Values(table)), "")
	needsOnePass := slices.ContainsFunc(olds, func(old string) bool {
		return utf8.RuneCountInString(old) != 1 || strings.Contains(replacementText, old)
	})

	if !needsOnePass {
		calls := words.Map(olds, func(old string) celText { return fmt.Sprintf(".replace(%s, %s)", quote(old), quote(table[old])) })
		return text + strings.Join(calls, "")
	}

	// The regular expression a|b|(?s:.) splits the text into keys of the table and other characters. It takes the first alternative that
	// matches, and olds begin with the longest. A part c that isn't in the table stays as it is.
	tokens := strings.Join(append(words.Map(olds, regexp.QuoteMeta), "(?s:.)"), "|")
	entries := words.Map(olds, func(old string) celText { return quote(old) + ": " + quote(table[old]) })

	return fmt.Sprintf("%s.findAll(%s).map(c, {%s}[?c].orValue(c)).join('')", text, quote(tokens), strings.Join(entries, ", "))
}
