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

// quote returns s as a CEL string literal, in one line of printable characters. A text with backslashes becomes a raw literal, such as
// r'\d'.
func quote(s string) string {
	switch {
	case strings.ContainsFunc(s, func(r rune) bool { return r == '\'' || !unicode.IsPrint(r) }):
		return strconv.Quote(s) // CEL reads Go's escapes.
	case strings.Contains(s, `\`):
		return "r'" + s + "'"
	default:
		return "'" + s + "'"
	}
}

// quoteAll returns the texts as a CEL list, sorted: ['a', 'b'].
func quoteAll(texts []string) string {
	return "[" + strings.Join(words.Map(slices.Sorted(slices.Values(texts)), quote), ", ") + "]"
}

// sortedKeys returns the keys of a map.
func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// identifier matches the names of fields that can stand after a dot in CEL.
var identifier = regexp.MustCompile(`^[a-zA-Z_]\w*$`)

// at returns the expression of the field at the path of the object, or null if there is none.
func at(obj string, path object.Path) string {
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

// or returns the condition that any of the conditions holds. It leaves out empty conditions.
func or(conditions ...string) string {
	return strings.Join(slices.DeleteFunc(conditions, func(c string) bool { return c == "" }), " || ")
}

// anyOf is or, in parentheses if there are several conditions.
func anyOf(conditions ...string) string {
	if len(conditions) <= 1 {
		return or(conditions...)
	}

	return "(" + or(conditions...) + ")"
}

// matchesAny returns conditions. Any of them holds if the expression matches a pattern. A pattern is a key, such as zone, or the
// beginning of keys and a *, such as cost*.
func matchesAny(expression string, patterns []string) []string {
	exact, out := []string{}, []string{}

	for _, p := range slices.Compact(slices.Sorted(slices.Values(patterns))) {
		if prefix, ok := strings.CutSuffix(p, "*"); ok {
			out = append(out, fmt.Sprintf("%s.startsWith(%s)", expression, quote(prefix)))
		} else {
			exact = append(exact, p)
		}
	}

	if len(exact) > 0 {
		out = slices.Insert(out, 0, fmt.Sprintf("%s in %s", expression, quoteAll(exact)))
	}

	return out
}

// matches returns the condition that the expression matches the regular expression.
func matches(expression, pattern string) string {
	return fmt.Sprintf("%s.matches(%s)", expression, quote(pattern))
}

// outside returns the condition that the class doesn't admit the expression's string. It is empty if the class admits all strings.
func outside(expression string, c profile.Class) string {
	if c.Name == "" {
		return ""
	}

	out := "!" + matches(expression, c.Pattern)
	if c.Without != "" {
		out += " || " + matches(expression, c.Without)
	}

	return out
}

// longer returns the condition that the expression's string is longer than l. It is empty if l has no limit.
func longer(expression string, l profile.Length) string {
	if l.BeforeSlash > 0 {
		// The prefix ends at the first slash, and the limit is on the rest.
		slash, limit := expression+".indexOf('/')", profile.Length{Runes: l.Runes, Bytes: l.Bytes}
		rest := fmt.Sprintf("%s.substring(%s + 1)", expression, slash)

		return fmt.Sprintf("(%[1]s < 0 ? %[2]s : %[1]s > %[3]d || %[4]s)", slash, longer(expression, limit), l.BeforeSlash, longer(rest, limit))
	}

	out := []string{}

	// A string has no fewer bytes than characters, and counting these is cheap.
	if n := cmp.Or(l.Runes, l.Bytes); n > 0 {
		out = append(out, fmt.Sprintf("%s.size() > %d", expression, n))
	}

	if l.Bytes > 0 {
		out = append(out, fmt.Sprintf("bytes(%s).size() > %d", expression, l.Bytes))
	}

	return anyOf(out...)
}

// folded returns the condition that the expression matches any of the patterns, ignoring case as profile.FoldKey does. See matchesAny
// for patterns.
func folded(expression string, patterns []string) string {
	texts := words.Map(slices.Compact(slices.Sorted(slices.Values(words.Map(patterns, profile.FoldKey)))), func(p string) string {
		text, begins := strings.CutSuffix(p, "*")

		text = foldedPattern(text)
		if begins {
			return text
		}

		return text + "$"
	})

	return matches(expression, "(?i)^("+strings.Join(texts, "|")+")")
}

// foldedPattern returns a regular expression that matches the text, ignoring case.
func foldedPattern(text string) string {
	// Regular expressions know no other case of these two.
	return strings.ReplaceAll(regexp.QuoteMeta(profile.FoldKey(text)), "i", "[iİı]")
}

// has returns the condition that the expression is one of the keys. It ignores case if the profile's cloud does.
func (p *guard) has(expression string, keys []string) string {
	return p.folds(expression, keys...) + " in " + quoteAll(words.Distinct(words.Map(keys, p.Fold)))
}

// folds returns an expression for comparison with the keys: in lower case if the profile's cloud ignores case. All other keys are ASCII.
func (p *guard) folds(expression string, keys ...string) string {
	if !p.IgnoresCase() {
		return expression
	}

	capitals := []rune(becomeASCII + strings.Join(keys, ""))

	for _, r := range capitals {
		for other := unicode.SimpleFold(r); r > unicode.MaxASCII && other != r; other = unicode.SimpleFold(other) {
			capitals = append(capitals, other)
		}
	}

	return formatted(expression, string(capitals), profile.NewFormat(nil, nil, true))
}

// lowers returns the capitals of the text beyond ASCII, with their lower case: É and é.
func lowers(text string) map[string]string {
	table := make(map[string]string)

	for _, r := range text {
		if c := string(r); r > unicode.MaxASCII && strings.ToLower(c) != c {
			table[c] = strings.ToLower(c)
		}
	}

	return table
}

// replaced returns an expression that replaces the strings of the table in one pass over the expression's string. Where several strings
// match, it replaces the longest.
func replaced(expression string, table map[string]string) string {
	olds := slices.SortedFunc(maps.Keys(table), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})

	// Replace one string after the other, unless one of them could be in the replacement of another.
	puts := strings.Join(slices.Collect(maps.Values(table)), "")
	if !slices.ContainsFunc(olds, func(old string) bool { return utf8.RuneCountInString(old) != 1 || strings.Contains(puts, old) }) {
		var replace strings.Builder
		for _, old := range olds {
			fmt.Fprintf(&replace, ".replace(%s, %s)", quote(old), quote(table[old]))
		}

		return expression + replace.String()
	}

	// One regular expression splits the string into strings to replace and single characters. It goes from the left, and takes the first
	// alternative that matches.
	tokens := strings.Join(append(words.Map(olds, regexp.QuoteMeta), "(?s:.)"), "|")
	entries := words.Map(olds, func(old string) string { return quote(old) + ": " + quote(table[old]) })

	return fmt.Sprintf("%s.findAll(%s).map(c, {%s}[?c].orValue(c)).join('')", expression, quote(tokens), strings.Join(entries, ", "))
}
