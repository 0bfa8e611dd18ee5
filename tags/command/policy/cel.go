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

// quote returns s as a CEL string literal. The literal is one line of printable characters. If s has backslashes, the literal is
// usually a raw one, such as r'\d'.
func quote(s string) string {
	switch {
	case strings.ContainsFunc(s, func(r rune) bool { return r == '\'' || !unicode.IsPrint(r) }):
		return strconv.Quote(s) // CEL understands Go's escapes.
	case strings.Contains(s, `\`):
		return "r'" + s + "'"
	default:
		return "'" + s + "'"
	}
}

// celList returns the texts as a CEL list in the same order, such as ['b', 'a'].
func celList(texts []string) string { return "[" + strings.Join(words.Map(texts, quote), ", ") + "]" }

// sortedCELList returns the sorted texts as a CEL list, such as ['a', 'b'].
func sortedCELList(texts []string) string { return celList(slices.Sorted(slices.Values(texts))) }

// longestFirst returns the texts without repetitions, sorted by length and text: the longest first.
func longestFirst(texts []string) []string {
	return slices.Compact(slices.SortedFunc(slices.Values(texts), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	}))
}

// sortedKeys returns the sorted keys of the map.
func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// identifier matches field names that CEL admits after a dot. Other field names are written in brackets, such as ['my-field'].
var identifier = regexp.MustCompile(`^[a-zA-Z_]\w*$`)

// valueAt returns the expression of the value at the path in the object, such as object.?spec.?labels.orValue(dyn(null)). Without such a
// field, the value is null.
func valueAt(obj string, path object.Path) string {
	for _, s := range path.Segments() {
		switch {
		case s.Type == object.SegmentIndex:
			obj += fmt.Sprintf("[?%d]", s.Index)
		case identifier.MatchString(s.Field) && !slices.Contains([]string{"in", "true", "false", "null"}, s.Field):
			obj += ".?" + s.Field
		default:
			obj += "[?" + quote(s.Field) + "]"
		}
	}

	return obj + ".orValue(dyn(null))"
}

// joinNonEmpty joins the texts with separators, such as the operators between expressions. It leaves out empty texts.
func joinNonEmpty(texts []string, separator string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), separator)
}

// surround returns the text between before and after. It returns an empty text if the text is empty.
func surround(before, text, after string) string {
	if text == "" {
		return ""
	}

	return before + text + after
}

// let returns the expression body, in which name is the result of the expression value. CEL has no variables within an expression, so
// a list of one item stands for it: let("m", "object.spec", "m.size()") returns [object.spec].map(m, m.size())[0].
func let(name, value, body string) string {
	if !strings.HasPrefix(body, "\n") {
		body = " " + body
	}

	return fmt.Sprintf("[%s].map(%s,%s)[0]", value, name, body)
}

// anyOf joins the conditions with ||. It leaves out empty conditions.
func anyOf(conditions ...string) string { return joinNonEmpty(conditions, " || ") }

// anyOfInParens joins the conditions as anyOf does, and puts several conditions in parentheses.
func anyOfInParens(conditions ...string) string {
	if len(conditions) <= 1 {
		return anyOf(conditions...)
	}

	return "(" + anyOf(conditions...) + ")"
}

// patternConditions returns conditions to join with ||: together they hold if the expression matches one of the patterns. A pattern is a
// key, or the beginning of keys and a *. For k and the patterns zone and cost*, it returns k in ['zone'] and k.startsWith('cost').
func patternConditions(expression string, patterns []string) []string {
	exact, out := []string{}, []string{}

	for _, p := range slices.Compact(slices.Sorted(slices.Values(patterns))) {
		if prefix, ok := strings.CutSuffix(p, "*"); ok {
			out = append(out, fmt.Sprintf("%s.startsWith(%s)", expression, quote(prefix)))
		} else {
			exact = append(exact, p)
		}
	}

	if len(exact) > 0 {
		out = slices.Insert(out, 0, fmt.Sprintf("%s in %s", expression, sortedCELList(exact)))
	}

	return out
}

// matches returns the condition that the expression matches the regular expression.
func matches(expression, pattern string) string {
	return fmt.Sprintf("%s.matches(%s)", expression, quote(pattern))
}

// notAdmitted returns the condition that the character class doesn't admit the expression's string. The condition is empty if the class
// admits all strings.
func notAdmitted(expression string, class profile.Class) string {
	if class.Name == "" {
		return ""
	}

	out := "!" + matches(expression, class.Pattern)
	if class.Without != "" {
		out += " || " + matches(expression, class.Without)
	}

	return out
}

// exceeds returns the condition that the expression's string is longer than the limit. The condition is empty without a limit.
func exceeds(expression string, limit profile.Length) string {
	if limit.BeforeSlash > 0 {
		// In the key example.org/owner, BeforeSlash limits example.org, and the other fields limit owner.
		slash, nameLimit := expression+".indexOf('/')", profile.Length{Runes: limit.Runes, Bytes: limit.Bytes}
		name := fmt.Sprintf("%s.substring(%s + 1)", expression, slash)
		ifSlash := fmt.Sprintf("%s > %d || %s", slash, limit.BeforeSlash, exceeds(name, nameLimit))

		return fmt.Sprintf("(%s < 0 ? %s : %s)", slash, exceeds(expression, nameLimit), ifSlash)
	}

	out := []string{}

	// A string with too many characters has too many bytes, too. Characters are cheaper to count than bytes, so they are counted first.
	if n := cmp.Or(limit.Runes, limit.Bytes); n > 0 {
		out = append(out, fmt.Sprintf("%s.size() > %d", expression, n))
	}

	if limit.Bytes > 0 {
		out = append(out, fmt.Sprintf("bytes(%s).size() > %d", expression, limit.Bytes))
	}

	return anyOfInParens(out...)
}

// matchesIgnoringCase returns the condition that the expression matches one of the patterns, ignoring case. A pattern is a key, such as
// zone, or the beginning of keys and a *.
func matchesIgnoringCase(expression string, patterns []string) string {
	folded := slices.Compact(slices.Sorted(slices.Values(words.Map(patterns, profile.FoldKey))))
	texts := words.Map(folded, func(pattern string) string {
		prefix, isPrefix := strings.CutSuffix(pattern, "*")

		// With (?i), i matches I, but neither İ nor ı.
		text := strings.ReplaceAll(regexp.QuoteMeta(prefix), "i", "[iİı]")
		if isPrefix {
			return text
		}

		return text + "$"
	})

	return matches(expression, "(?i)^("+strings.Join(texts, "|")+")")
}

// foldCase returns an expression to compare with the keys. If the profile's cloud ignores case, the expression makes lower case. CEL itself
// makes only ASCII lower case. So the expression replaces É by é if one of the keys has either of them.
func (c *profileChecker) foldCase(expression string, keys ...string) string {
	if !c.IgnoresCase() {
		return expression
	}

	characters := []rune(capitalsToASCII + strings.Join(keys, ""))

	for _, r := range characters {
		if r <= unicode.MaxASCII {
			continue
		}

		for otherCase := unicode.SimpleFold(r); otherCase != r; otherCase = unicode.SimpleFold(otherCase) {
			characters = append(characters, otherCase)
		}
	}

	return applyFormat(expression, string(characters), lowercaseFormat)
}

// replaceAll returns an expression that replaces the table's keys by their values in the expression's string. It replaces all in one pass:
// with {a: b, b: c}, the string ab becomes bc. Where several keys match, it takes the longest.
func replaceAll(expression string, table map[string]string) string {
	olds := longestFirst(sortedKeys(table))

	// Single characters can be replaced one after the other, unless one of them is in a replacement.
	replacements := strings.Join(slices.Collect(maps.Values(table)), "")
	needsOnePass := slices.ContainsFunc(olds, func(old string) bool {
		return utf8.RuneCountInString(old) != 1 || strings.Contains(replacements, old)
	})

	if !needsOnePass {
		calls := words.Map(olds, func(old string) string { return fmt.Sprintf(".replace(%s, %s)", quote(old), quote(table[old])) })
		return expression + strings.Join(calls, "")
	}

	// The regular expression splits the string into keys of the table and single characters. It reads the string from the left, and takes
	// the first alternative that matches.
	tokens := strings.Join(append(words.Map(olds, regexp.QuoteMeta), "(?s:.)"), "|")
	entries := words.Map(olds, func(old string) string { return quote(old) + ": " + quote(table[old]) })

	return fmt.Sprintf("%s.findAll(%s).map(c, {%s}[?c].orValue(c)).join('')", expression, quote(tokens), strings.Join(entries, ", "))
}
