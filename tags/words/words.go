// Package words puts what others have written into messages and tables: names, keys, values and errors. What
// it returns can be seen, takes one line, and is no longer than there is room for.
package words

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What there is room for, in bytes.
const (
	// MaxName is for a name, a key or a value in a message. A key that is longer has more bytes than most
	// clouds admit, and a resource can't have a longer name.
	MaxName = 256

	// MaxNames is for several names in an item of a message.
	MaxNames = 160

	// MaxNamed is more names, not bytes, than several names have room for.
	MaxNamed = 64

	// MaxText is for an error or a reason in a message.
	MaxText = 512

	// MaxCell is for a name, a key or a value in a cell of a table. A Kubernetes label's value is shorter.
	MaxCell = 64

	// MaxError is for an error that an event says, behind what could not be done.
	MaxError = 700

	// MaxMessage is for a result's message. Kubernetes limits the message of an event to 1,024, and
	// Crossplane puts the name of the pipeline step in front of it.
	MaxMessage = 940

	// MaxFatal is for a fatal result's message, which becomes that of a condition.
	MaxFatal = 8192
)

// Name returns a name, key or value as messages show it: Show with MaxName.
func Name(s string) string { return Show(s, MaxName) }

// Cell returns a name, key or value as tables show it: Show with MaxCell.
func Cell(s string) string { return Show(s, MaxCell) }

// Show returns s, quoted if it is empty or has characters that can't be seen or that a terminal would obey,
// and shortened to most bytes, which are at least 64.
func Show(s string, most int) string {
	size := len(s)

	if s == "" || !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		s = strconv.Quote(s)
	}

	return shorten(s, most, size)
}

// Visible returns s with its characters that can't be seen, or that a terminal would obey, as Go writes them.
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

// CSV returns s, Visible, as a cell of comma-separated values that no spreadsheet takes for a formula.
func CSV(s string) string {
	s = Visible(s)
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}

	return s
}

// Shorten returns s without its middle if it is longer than most bytes, which are at least 64, and says how
// long it was.
func Shorten(s string, most int) string { return shorten(s, most, len(s)) }

// shorten is Shorten, and says that what s shows has so many bytes.
func shorten(s string, most, size int) string {
	if len(s) <= most {
		return s
	}

	note := fmt.Sprintf(" (%d bytes)", size)
	head := most / 2
	tail := min(most/4, most-head-len("…")-len(note))

	// Characters are left out as a whole.
	return strings.ToValidUTF8(s[:head], "") + "…" + strings.ToValidUTF8(s[len(s)-tail:], "") + note
}

// Names returns as many of the names as MaxNames has room for, one at least, and how many more there are: of
// all, if there are more than the first ones.
func Names(first []string, all int) string {
	all = max(all, len(first))
	shown := Map(first[:min(len(first), MaxNames)], func(name string) string { return Show(name, MaxNames) })

	return list("", shown, all, MaxNames, ", ", " and %d more")
}

// Items returns the head and, behind it, as many of the items as there is room for in most bytes, and how many
// more there are: of all, if there are more than the first ones.
func Items(head string, first []string, all, most int) string {
	const more = "; and %d more"
	return list(head, first, max(all, len(first)), most-len(more)-len("100000"), "; ", more)
}

// list returns the head, items with separators between them, and how many more of all there are. Without a head
// there is room for the first item, whatever its size.
func list(head string, first []string, all, most int, separator, more string) string {
	out, n := head, 0

	for ; n < len(first); n++ {
		item := first[n]
		if n > 0 {
			item = separator + item
		}

		if len(out)+len(item) > most && out != "" {
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

// Map returns what f makes of each.
func Map[T, U any](of []T, f func(T) U) []U {
	out := make([]U, len(of))
	for i := range of {
		out[i] = f(of[i])
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

// Distinct returns the items without those that equal an earlier one.
func Distinct[T comparable](of []T) []T {
	var out []T

	for _, item := range of {
		if !slices.Contains(out, item) {
			out = append(out, item)
		}
	}

	return out
}

// Nearest returns the name of those that is most like the given one, in any case: the one that the fewest characters
// which are added, left out, changed or swapped with the next make of it, and the first of several. It returns false
// if none is near: about one change is meant per four characters.
func Nearest(name string, of []string) (string, bool) {
	nearest, least := "", max(1, (utf8.RuneCountInString(name)+2)/4)+1
	a := []rune(strings.ToLower(name))

	for _, other := range of {
		b := []rune(strings.ToLower(other))
		if len(a)-len(b) >= least {
			continue // The name may be as long as somebody likes.
		}

		if d := distance(a, b); d < least {
			nearest, least = other, d
		}
	}

	return nearest, nearest != ""
}

// DidYouMean asks for the nearest of the names, in front of what else a message says. It is empty if none is near.
func DidYouMean(name string, of []string) string {
	nearest, ok := Nearest(name, of)
	if !ok {
		return ""
	}

	return "did you mean " + nearest + "? "
}

// distance is how many characters have to be added, left out, changed, or swapped with the next, to make b of a.
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
