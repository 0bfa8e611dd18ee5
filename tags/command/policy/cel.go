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

// identifier matches names of fields such as labels, but not my-field.
var identifier = regexp.MustCompile(`^[a-zA-Z_]\w*$`)

// celWords are the words of CEL itself. CEL doesn't admit them after a dot, though they match identifier.
var celWords = []string{"in", "true", "false", "null"}

// valueAt returns the expression of the value at the path in the object. For spec.labels in oldObject, it returns
// oldObject.?spec.?labels.orValue(dyn(null)). The result is null if oldObject has no such field.
func valueAt(obj celText, path object.Path) celText {
	for _, segment := range path.Segments() {
		switch {
		case segment.IsIndex:
			obj += fmt.Sprintf("[?%d]", segment.Index)
		case identifier.MatchString(segment.Field) && !slices.Contains(celWords, segment.Field):
			obj += ".?" + segment.Field
		default:
			obj += "[?" + quote(segment.Field) + "]" // Such as [?'my-field'] and [?'in'].
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

// allOf joins the conditions with &&. It leaves out empty conditions.
func allOf(conditions ...celCondition) celCondition { return joinNonEmpty(conditions, " && ") }

// not returns the negated condition. An empty condition stays empty.
func not(condition celCondition) celCondition { return surround("!(", condition, ")") }

// anyOfInParens joins the conditions as anyOf does, and puts several conditions in parentheses. None of them may be empty.
func anyOfInParens(conditions ...celCondition) celCondition {
	if len(conditions) <= 1 {
		return anyOf(conditions...)
	}

	return "(" + anyOf(conditions...) + ")"
}

// patternConditions returns conditions on the key. For k and the patterns zone and cost*, these are the two conditions k in ['zone'], and
// k.startsWith('cost'). If one of them is true, the key matches a pattern. A pattern is a key, or the beginning of keys and a *.
func patternConditions(key celText, patterns []string) []celCondition {
	wholeKeys, startConditions := []string{}, []celCondition{}

	for _, pattern := range slices.Compact(slices.Sorted(slices.Values(patterns))) {
		if beginning, hasStar := strings.CutSuffix(pattern, "*"); hasStar {
			startConditions = append(startConditions, fmt.Sprintf("%s.startsWith(%s)", key, quote(beginning)))
		} else {
			wholeKeys = append(wholeKeys, pattern)
		}
	}

	if len(wholeKeys) == 0 {
		return startConditions
	}

	return append([]celCondition{key + " in " + sortedCELList(wholeKeys)}, startConditions...)
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

	// In the key example.org/owner, limit.BeforeSlash is for example.org, and limit.Runes and limit.Bytes are for owner. In a key without a
	// slash, such as owner, Runes and Bytes are for the whole key. A limit with BeforeSlash has one of these, too: the
	// expression is (tag.indexOf('/') < 0 ? tag.size() > 63 : tag.indexOf('/') > 253 || …).
	slash := text + ".indexOf('/')" // The length of example.org, or -1 without a slash.
	nameExceeds := exceedsSize(fmt.Sprintf("%s.substring(%s + 1)", text, slash), limit)

	return fmt.Sprintf("(%s < 0 ? %s : %s > %d || %s)", slash, exceedsSize(text, limit), slash, limit.BeforeSlash, nameExceeds)
}

// exceedsSize returns the condition that the text has more characters than limit.Runes, or more bytes than limit.Bytes.
func exceedsSize(text celText, limit profile.Length) celCondition {
	if limit.Runes == 0 && limit.Bytes == 0 {
		return ""
	}

	// Characters are cheaper to count than bytes, so the expression counts characters first. Without limit.Runes, it refuses texts with more
	// characters than limit.Bytes: these have too many bytes for sure.
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

// replaceAll returns an expression that replaces the table's keys in the text by their values. A replacement isn't replaced again: with
// {a: b, b: c}, the text ab becomes bc. Where several keys match, it takes the longest.
func replaceAll(text celText, table map[string]string) celText {
	olds := longestFirst(sortedKeys(table))

	// One pass is needed if a key is in a replacement, such as b in {a: b, b: c}, or if it has several characters: a replacement and its
	// neighbors could form such a key.
	replacementText := strings.Join(slices.Collect(maps.Values(table)), "")
	needsOnePass := slices.ContainsFunc(olds, func(old string) bool {
		return utf8.RuneCountInString(old) != 1 || strings.Contains(replacementText, old)
	})

	if needsOnePass {
		// The regular expression a|b|(?s:.) splits the text into keys of the table and other characters. It takes the first alternative
		// that matches, and olds begin with the longest. A part c that isn't in the table stays as it is.
		tokens := strings.Join(append(words.Map(olds, regexp.QuoteMeta), "(?s:.)"), "|")
		entries := words.Map(olds, func(old string) celText { return quote(old) + ": " + quote(table[old]) })

		return fmt.Sprintf("%s.findAll(%s).map(c, {%s}[?c].orValue(c)).join('')", text, quote(tokens), strings.Join(entries, ", "))
	}

	calls := words.Map(olds, func(old string) celText { return fmt.Sprintf(".replace(%s, %s)", quote(old), quote(table[old])) })

	return text + strings.Join(calls, "")
}

// capitalsOfIK are İ and K (the Kelvin sign). They aren't ASCII, but their lower case is: i and k.
const capitalsOfIK = "\u0130\u212a"

// lowercaseFormat makes lower case, and replaces nothing.
var lowercaseFormat = profile.NewFormat(nil, nil, true)

// applyFormat returns the expression of the text in the format, such as l.tag.replace('/', '.').lowerAscii(). mayContain has characters
// that the text may contain. If the format makes lower case, the expression replaces the capitals beyond ASCII among them, such as É by é,
// since CEL's lowerAscii leaves É as it is. All other characters in mayContain change nothing.
func applyFormat(text celText, mayContain string, format profile.Format) celText {
	_, replacements, lowercase := format.Parts()
	if !lowercase {
		return replaceAll(text, replacements)
	}

	table := make(map[string]string)

	for _, r := range mayContain {
		if small := unicode.ToLower(r); small != r && r > unicode.MaxASCII {
			table[string(r)] = string(small)
		}
	}

	// A format replaces before it makes lower case: with {É: Ü}, É becomes ü.
	for from, to := range replacements {
		table[from] = strings.ToLower(to)
	}

	return replaceAll(text, table) + ".lowerAscii()"
}
