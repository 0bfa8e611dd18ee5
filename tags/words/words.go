// Package words puts names, keys, values and errors of other people into messages and tables. Its texts can be seen, take one
// line, and have a greatest length.
package words

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Greatest lengths, in bytes.
const (
	// MaxName is for a name, a key or a value in a message. A key that is longer has more bytes than most
	// clouds admit, and a resource can't have a longer name.
	MaxName = 256

	// MaxNames is for several names in an item of a message.
	MaxNames = 160

	// MaxNamed is a number of names, not of bytes: Names never shows as many.
	MaxNamed = 64

	// MaxText is for an error or a reason in a message.
	MaxText = 512

	// MaxCell is for a name, a key or a value in a cell of a table. A Kubernetes label's value is shorter.
	MaxCell = 64

	// MaxError is for an error in an event, after the words for the failed action.
	MaxError = 700

	// MaxMessage is for a result's message. Kubernetes limits the message of an event to 1,024, and
	// Crossplane puts the name of the pipeline step in front of it.
	MaxMessage = 940

	// MaxFatal is for a fatal result's message, which a condition gets, too.
	MaxFatal = 8192
)

// Name returns a name, key or value as messages show it: Show with MaxName.
func Name(s string) string { return Show(s, MaxName) }

// Cell returns a name, key or value as tables show it: Show with MaxCell.
func Cell(s string) string { return Show(s, MaxCell) }

// Show returns s as messages show it, with at most limit bytes (limit >= 64). It quotes s if s is empty, or has an
// invisible character, or one that a terminal would obey.
func Show(s string, limit int) string {
	size := len(s)

	if s == "" || !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		s = strconv.Quote(s)
	}

	return shorten(s, limit, size)
}

// Visible returns s with escapes instead of invisible characters and of characters that a terminal would obey: \n, \x1b.
func Visible(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}

	b := strings.Builder{}

	for s != "" {
		r, n := utf8.DecodeRuneInString(s)

		if valid := r != utf8.RuneError || n > 1; valid && unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			quoted := strconv.Quote(s[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		}

		s = s[n:]
	}

	return b.String()
}

// CSV returns Visible s as a cell of comma-separated values. A text that a spreadsheet would take for a formula, such as =A1, gets an
// apostrophe in front.
func CSV(s string) string {
	s = Visible(s)
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}

	return s
}

// Shorten cuts the middle out of s if s has more than limit bytes (limit >= 64), and adds its length: "aaa…a (300 bytes)".
func Shorten(s string, limit int) string { return shorten(s, limit, len(s)) }

// shorten is Shorten for an s that stands for a text of size bytes: if s is the quoted text, len(s) is another number.
func shorten(s string, limit, size int) string {
	if len(s) <= limit {
		return s
	}

	note := fmt.Sprintf(" (%d bytes)", size)
	head := limit / 2
	tail := min(limit/4, limit-head-len("…")-len(note))

	// Characters are left out as a whole.
	return strings.ToValidUTF8(s[:head], "") + "…" + strings.ToValidUTF8(s[len(s)-tail:], "") + note
}

// Names joins names with commas. It stops after MaxNames bytes, but not before the first name, and ends with "and 7 more". all is
// the number of names, if first doesn't have all of them.
func Names(first []string, all int) string {
	all = max(all, len(first))

	// MaxNames bytes have no room for more names.
	shown := Map(first[:min(len(first), MaxNames)], func(name string) string { return Show(name, MaxNames) })

	return list("", shown, all, MaxNames, ", ", " and %d more")
}

// Items returns the head and as many items as limit bytes have room for, and ends with "; and 7 more". all is the number of
// items, if first doesn't have all of them.
func Items(head string, first []string, all, limit int) string {
	const more = "; and %d more"
	return list(head, first, max(all, len(first)), limit-len(more)-len("100000"), "; ", more)
}

// list returns the head and the first items, with separators between them, in limit bytes. more is the format of the end, which has the
// number of the other items: " and %d more". all is the number of all items. Without a head, the first item may be longer than limit.
func list(head string, first []string, all, limit int, separator, more string) string {
	out, n := head, 0

	for ; n < len(first); n++ {
		item := first[n]
		if n > 0 {
			item = separator + item
		}

		if len(out)+len(item) > limit && out != "" {
			break
		}

		out += item
	}

	if n < all {
		out += fmt.Sprintf(more, all-n)
	}

	return out
}

// Count returns the number with the noun that goes with it.
func Count(n int, one, many string) string {
	if n == 1 {
		many = one
	}

	return fmt.Sprintf("%d %s", n, many)
}

// Map returns f(item) for each item.
func Map[T, U any](items []T, f func(T) U) []U {
	out := make([]U, len(items))
	for i := range items {
		out[i] = f(items[i])
	}

	return out
}

// Grouped puts the items with the same key into one group. Groups are in the order of their first items.
func Grouped[T any, K comparable](items []T, key func(T) K) (groups [][]T) {
	at := make(map[K]int)

	for _, item := range items {
		i, ok := at[key(item)]
		if !ok {
			i = len(groups)
			at[key(item)], groups = i, append(groups, nil)
		}

		groups[i] = append(groups[i], item)
	}

	return groups
}

// Distinct returns the items without repetitions: the first of equal items stays.
func Distinct[T comparable](items []T) []T {
	var out []T

	for _, item := range items {
		if !slices.Contains(out, item) {
			out = append(out, item)
		}
	}

	return out
}

// Nearest returns the candidate with the smallest distance to name, ignoring case: Bucket for Bukket. The first of several wins. Nearest returns
// false if the distance is more than about one change per four characters.
func Nearest(name string, candidates []string) (string, bool) {
	nearest, least := "", max(1, (utf8.RuneCountInString(name)+2)/4)+1
	a := []rune(strings.ToLower(name))

	for _, other := range candidates {
		b := []rune(strings.ToLower(other))
		if len(a)-len(b) >= least {
			continue // It is too long to be near, and would take long.
		}

		if d := distance(a, b); d < least {
			nearest, least = other, d
		}
	}

	return nearest, nearest != ""
}

// DidYouMean begins a message with the nearest candidate: "did you mean Bucket? ". It is empty if none is near.
func DidYouMean(name string, candidates []string) string {
	nearest, ok := Nearest(name, candidates)
	if !ok {
		return ""
	}

	return "did you mean " + nearest + "? "
}

// distance returns the least number of edits that make b of a. An edit adds, removes or changes a character, or swaps two neighbours.
func distance(a, b []rune) int {
	// rows has, for the last two beginnings of a and the one at hand, the distances to all beginnings of b.
	var rows [3][]int

	for i := range len(a) + 1 {
		row := make([]int, len(b)+1)
		rows = [3][]int{rows[1], rows[2], row}

		for j := range row {
			if i == 0 || j == 0 {
				row[j] = i + j
				continue
			}

			changed := 1
			if a[i-1] == b[j-1] {
				changed = 0
			}

			row[j] = min(rows[1][j]+1, row[j-1]+1, rows[1][j-1]+changed)

			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], rows[0][j-2]+1)
			}
		}
	}

	return rows[2][len(b)]
}
