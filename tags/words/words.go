// Package words puts names, keys, values and errors of other people into messages and tables. It makes them visible, shortens
// them, and keeps them on one line.
package words

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Greatest lengths, in bytes.
const (
	// MaxName is for a name, a key or a value in a message. Most clouds admit no longer key, and a resource can't have a longer
	// name.
	MaxName = 256

	// MaxNameList is for a list of names in a message, such as "bucket, queue and 7 more".
	MaxNameList = 160

	// MaxText is for an error or a reason in a message.
	MaxText = 512

	// MaxCell is for a name, a key or a value in a cell of a table. A Kubernetes label's value is shorter.
	MaxCell = 64

	// MaxError is for an error in an event. The words for the failed action stand before it.
	MaxError = 700

	// MaxMessage is for the message of a result, which becomes an event. Kubernetes limits the message of an event to 1,024
	// bytes, and Crossplane puts the name of the pipeline step in front of it.
	MaxMessage = 940

	// MaxFatal is for the message of a fatal result, which becomes an event and the message of a condition.
	MaxFatal = 8192
)

// MaxNameCount is how many names callers collect for a message. Names never has room for as many.
const MaxNameCount = 64

// Name returns a name, key or value for a message. It is Show with the limit MaxName.
func Name(s string) string { return Show(s, MaxName) }

// Cell returns a name, key or value for a cell of a table. It is Show with the limit MaxCell.
func Cell(s string) string { return Show(s, MaxCell) }

// Show returns s for a message, with at most limit bytes (limit >= 64). It quotes s if s is empty or not printable.
func Show(s string, limit int) string {
	size := len(s)

	if s == "" || !isPrintable(s) {
		s = strconv.Quote(s)
	}

	return shorten(s, limit, size)
}

// isPrintable reports whether s is UTF-8, and has neither invisible characters nor ones that control a terminal.
func isPrintable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// Visible returns s with an escape in the place of each character that is not printable, such as \n or \x1b.
func Visible(s string) string {
	if isPrintable(s) {
		return s
	}

	b := strings.Builder{}

	// Split by an empty separator, s gives its characters, and each byte that isn't UTF-8.
	for character := range strings.SplitSeq(s, "") {
		if !isPrintable(character) {
			character = strings.Trim(strconv.Quote(character), `"`)
		}

		b.WriteString(character)
	}

	return b.String()
}

// CSV returns s for a cell of comma-separated values, made Visible. A spreadsheet would take a text such as =A1 for a formula, so
// such a text gets an apostrophe in front.
func CSV(s string) string {
	s = Visible(s)
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}

	return s
}

// Shorten returns s with at most limit bytes (limit >= 64). If s is longer, the result lacks the middle, and has the length of s
// at its end: "aaa…a (300 bytes)".
func Shorten(s string, limit int) string { return shorten(s, limit, len(s)) }

// shorten is Shorten with the length that it writes. A quoted text s is longer than the original text of size bytes.
func shorten(s string, limit, size int) string {
	if len(s) <= limit {
		return s
	}

	note := fmt.Sprintf(" (%d bytes)", size)
	head := limit / 2
	tail := min(limit/4, limit-head-len("…")-len(note))

	// A cut may split a character. ToValidUTF8 removes both parts of the character.
	return strings.ToValidUTF8(s[:head], "") + "…" + strings.ToValidUTF8(s[len(s)-tail:], "") + note
}

// Names returns the names with commas between them. If there are more than MaxNameList bytes have room for, it ends in " and 7 more". The
// first name always has room.
func Names(names []string) string { return FirstNames(names, len(names)) }

// FirstNames is Names for the first names of a list. total is the number of all names in the list.
func FirstNames(first []string, total int) string {
	// Each name takes a byte or more, so MaxNameList bytes never have room for the names after these.
	shown := Map(first[:min(len(first), MaxNameList)], func(name string) string { return Show(name, MaxNameList) })

	return list("", shown, total, MaxNameList, ", ", " and %d more")
}

// Items returns the head followed by the first items, with semicolons between the items: "lacks: a; b; and 7 more". All of it has at most
// limit bytes. total is the number of all items.
func Items(head string, first []string, total, limit int) string {
	const more = "; and %d more"
	return list(head, first, total, limit-len(more)-len("100000"), "; ", more)
}

// list returns the head and the first items that limit bytes have room for, with separators between them. If items are missing, it
// adds their number in the format more, such as " and %d more". total is the number of all items. Without a head, the first item
// may be longer than limit.
func list(head string, first []string, total, limit int, separator, more string) string {
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

	if n < total {
		out += fmt.Sprintf(more, total-n)
	}

	return out
}

// Count returns the number n and a noun: one, as in "1 tag", or many, as in "2 tags".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}

	return fmt.Sprintf("%d %s", n, many)
}

// Thousands returns the number n with commas between its thousands, such as 2,600,000.
func Thousands(n int) string { return message.NewPrinter(language.English).Sprint(n) }

// Map returns f(item) for each item.
func Map[T, U any](items []T, f func(T) U) []U {
	out := make([]U, len(items))
	for i := range items {
		out[i] = f(items[i])
	}

	return out
}

// MapIf returns the values that f(item) has for items, without those for which f returns false.
func MapIf[T, U any](items []T, f func(T) (U, bool)) (out []U) {
	for i := range items {
		if v, ok := f(items[i]); ok {
			out = append(out, v)
		}
	}

	return out
}

// Grouped returns a group for each key, with all items of the key. Groups are in the order of their first items.
func Grouped[T any, K comparable](items []T, key func(T) K) (groups [][]T) {
	positions := make(map[K]int)

	for _, item := range items {
		i, ok := positions[key(item)]
		if !ok {
			i = len(groups)
			positions[key(item)] = i
			groups = append(groups, nil)
		}

		groups[i] = append(groups[i], item)
	}

	return groups
}

// Distinct returns the items without repetitions, in the order in which they first occur.
func Distinct[T comparable](items []T) []T {
	var out []T

	for _, item := range items {
		if !slices.Contains(out, item) {
			out = append(out, item)
		}
	}

	return out
}

// Nearest returns the candidate with the fewest edits to name, ignoring case: Bucket for Bukket. The first of several wins. Nearest
// returns false if all candidates need more than about one edit per four characters.
func Nearest(name string, candidates []string) (string, bool) {
	return NearestWithin(max(1, (utf8.RuneCountInString(name)+2)/4), name, candidates)
}

// NearestWithin is Nearest with another limit: it returns false if all candidates need more than maxEdits edits.
func NearestWithin(maxEdits int, name string, candidates []string) (string, bool) {
	nearest, fewest := "", maxEdits+1
	a := []rune(strings.ToLower(name))

	for _, candidate := range candidates {
		b := []rune(strings.ToLower(candidate))
		if len(a)-len(b) >= fewest {
			continue // Each character too many is an edit. The comparison of a long name would take long.
		}

		if n := distance(a, b); n < fewest {
			nearest, fewest = candidate, n
		}
	}

	return nearest, nearest != ""
}

// DidYouMean returns the beginning of a message with the nearest candidate: "did you mean Bucket? ". It returns an empty text if
// there is no Nearest candidate.
func DidYouMean(name string, candidates []string) string {
	nearest, ok := Nearest(name, candidates)
	if !ok {
		return ""
	}

	return "did you mean " + nearest + "? "
}

// distance returns the least number of edits that make b of a. An edit adds, removes or changes a character, or swaps two
// neighbours: this is the optimal string alignment distance.
func distance(a, b []rune) int {
	// row[j] is the distance from the first i characters of a to the first j of b. oneBefore and twoBefore are the rows of i-1
	// and i-2 characters.
	var twoBefore, oneBefore, row []int

	for i := range len(a) + 1 {
		twoBefore, oneBefore, row = oneBefore, row, make([]int, len(b)+1)

		for j := range row {
			if i == 0 || j == 0 {
				row[j] = i + j
				continue
			}

			changed := 1
			if a[i-1] == b[j-1] {
				changed = 0
			}

			row[j] = min(oneBefore[j]+1, row[j-1]+1, oneBefore[j-1]+changed)

			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], twoBefore[j-2]+1)
			}
		}
	}

	return row[len(b)]
}
