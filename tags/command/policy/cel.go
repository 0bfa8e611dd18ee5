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

	"github.com/plexsphere/function-cloud-tags/tags"
)

// quote returns a CEL string literal of the supplied string. It is a raw one where
// that saves escapes.
func quote(s string) string {
	plain := !strings.ContainsFunc(s, unicode.IsControl) && utf8.ValidString(s) && !strings.Contains(s, "'")

	switch {
	case plain && !strings.Contains(s, `\`):
		return "'" + s + "'"
	case plain:
		return "r'" + s + "'"
	default:
		// What Go escapes, CEL reads.
		return strconv.Quote(strings.ToValidUTF8(s, "\ufffd"))
	}
}

// sortedKeys of the supplied map.
func sortedKeys[T any](of map[string]T) []string { return slices.Sorted(maps.Keys(of)) }

// or returns the condition that any of the supplied ones holds that there are.
func or(conditions ...string) string {
	return strings.Join(slices.DeleteFunc(conditions, func(c string) bool { return c == "" }), " || ")
}

// outside is the condition that a string has other characters than the supplied class.
// It is empty if the class admits all.
func outside(expression string, c tags.Class) string {
	if c.Name == "" {
		return ""
	}

	return "!" + matches(expression, c.Pattern)
}

// mapped returns what the supplied function makes of each of the supplied items.
func mapped[T any](of []T, f func(T) string) []string {
	out := make([]string, len(of))
	for i := range of {
		out[i] = f(of[i])
	}

	return out
}

// quoteAll returns a CEL list of the supplied strings.
func quoteAll(of []string) string { return "[" + strings.Join(mapped(of, quote), ", ") + "]" }

// anyOf the supplied conditions, of which there must be one at least.
func anyOf(conditions ...string) string {
	if len(conditions) == 1 {
		return conditions[0]
	}

	return "(" + strings.Join(conditions, " || ") + ")"
}

// matchesAny returns conditions for the supplied patterns, each a key or the beginning
// of keys and a *, to match.
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

// matches is the condition that the supplied regular expression does.
func matches(expression, pattern string) string {
	return fmt.Sprintf("%s.matches(%s)", expression, quote(pattern))
}

// longer is the condition that a string is longer than the supplied length admits.
// It is empty if the length admits all.
func longer(expression string, l tags.Length) string {
	out := []string{}

	// A string has no fewer bytes than characters, and counting these is cheap.
	if n := cmp.Or(l.Runes, l.Bytes); n > 0 {
		out = append(out, fmt.Sprintf("%s.size() > %d", expression, n))
	}

	if l.Bytes > 0 {
		out = append(out, fmt.Sprintf("bytes(%s).size() > %d", expression, l.Bytes))
	}

	switch {
	case len(out) == 0:
		return ""
	case l.Prefix == 0:
		return anyOf(out...)
	}

	// The prefix ends at the first slash, and the rest is what the limit is on.
	slash := expression + ".indexOf('/')"
	rest := fmt.Sprintf("%s.substring(%s + 1)", expression, slash)

	return fmt.Sprintf("(%[1]s < 0 ? %[2]s : %[1]s > %[3]d || %[4]s)", slash, anyOf(out...), l.Prefix, longer(rest, tags.Length{Runes: l.Runes, Bytes: l.Bytes}))
}

// A format is the strings to replace in keys, and whether these are put in lower case.
type format struct {
	replace map[string]string
	lower   bool
}

// folded returns the expression of a key as reserved keys compare: in lower case. It is the
// supplied prefix and ASCII characters.
func folded(expression, prefix string) string {
	return replaced(expression, folds(prefix)) + ".lowerAscii()"
}

// folds are the characters of the supplied prefix that are not ASCII, and what they are as
// reserved keys compare.
func folds(prefix string) map[string]string {
	table := make(map[string]string)

	for _, r := range prefix {
		if fold := tags.FoldKey(string(r)); r > unicode.MaxASCII && fold != string(r) {
			table[string(r)] = fold
		}
	}

	return table
}

// of returns the expression of what the format makes of a key, which is the supplied prefix
// and ASCII characters.
func (f format) of(expression, prefix string) string {
	if !f.lower {
		return replaced(expression, f.replace)
	}

	table := make(map[string]string, len(f.replace))

	// CEL has lower case for ASCII only. That of the prefix is known.
	for _, r := range prefix {
		if r > unicode.MaxASCII && unicode.ToLower(r) != r {
			table[string(r)] = string(unicode.ToLower(r))
		}
	}

	for from, to := range f.replace {
		table[from] = strings.ToLower(to)
	}

	return replaced(expression, table) + ".lowerAscii()"
}

// replaced returns the expression of one pass over the supplied one that replaces
// strings, the longest where several match.
func replaced(expression string, table map[string]string) string {
	olds := slices.SortedFunc(maps.Keys(table), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})

	if independent(table) {
		calls := strings.Builder{}
		for _, old := range olds {
			fmt.Fprintf(&calls, ".replace(%s, %s)", quote(old), quote(table[old]))
		}

		return expression + calls.String()
	}

	// One regular expression splits the string into what is replaced and single
	// characters, from the left and by the first alternative that matches.
	alternatives := make([]string, 0, len(olds)+1)
	entries := make([]string, 0, len(olds))

	for _, old := range olds {
		alternatives = append(alternatives, regexp.QuoteMeta(old))
		entries = append(entries, quote(old)+": "+quote(table[old]))
	}

	tokens := fmt.Sprintf("%s.findAll(%s)", expression, quote(strings.Join(append(alternatives, "(?s:.)"), "|")))

	return fmt.Sprintf("%s.map(c, {%s}[?c].orValue(c)).join('')", tokens, strings.Join(entries, ", "))
}

// independent is true if it's all the same whether all strings are replaced in one
// pass or one after the other.
func independent(table map[string]string) bool {
	for old := range table {
		if utf8.RuneCountInString(old) != 1 {
			return false
		}

		for _, to := range table {
			if strings.Contains(to, old) {
				return false
			}
		}
	}

	return true
}
