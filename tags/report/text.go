package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

const (
	// maxMessage is the most bytes of a result's message. Kubernetes limits the
	// message of an event to 1,024, and Crossplane puts the name of the pipeline
	// step in front of it.
	maxMessage = 940

	// maxText is the most bytes of it that are not about how much more there is to say.
	maxText = maxMessage - len("; and 1000000 expressions more: the log has all")

	// maxName is the most bytes of a key or name in a message. A key that is longer
	// has more bytes than most clouds admit.
	maxName = 256

	// maxFatal is about the most bytes of a fatal result's message, which becomes that
	// of a condition.
	maxFatal = 8192

	// maxNames is the most bytes of the names of resources in an item of a message.
	maxNames = 160
)

// elide the middle of the supplied string if it is too long for a message, and quote
// it if it has characters that can't be seen.
func elide(s string) string { return shorten(s, maxName) }

// shorten the supplied string to about as many bytes as are supplied, as elide does.
func shorten(s string, limit int) string {
	size := len(s)

	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		s = strconv.Quote(s)
	}

	return elideMiddle(s, limit, size)
}

// elideMiddle leaves out the middle of the supplied string if it is longer than about as
// many bytes as are supplied, and says how many bytes what it stands for has.
func elideMiddle(s string, limit, size int) string {
	if len(s) <= limit {
		return s
	}

	// Characters are left out as a whole.
	head, tail := strings.ToValidUTF8(s[:limit/2], ""), strings.ToValidUTF8(s[len(s)-limit/4:], "")

	return fmt.Sprintf("%s…%s (%d bytes)", head, tail, size)
}

// mapped are what the supplied function makes of the supplied things.
func mapped[T, U any](of []T, text func(T) U) []U {
	out := make([]U, len(of))
	for i := range of {
		out[i] = text(of[i])
	}

	return out
}

// fit as many of the first of all items into a text of at most maxText as there is room for behind
// the head, and say how many more there are.
func fit(head string, first []string, all int) string {
	out, n := head, 0

	for ; n < len(first) && len(out)+len("; ")+len(first[n]) <= maxText-len("; and 1000000 more"); n++ {
		if n > 0 {
			out += "; "
		}

		out += first[n]
	}

	if more := all - n; more > 0 {
		out += fmt.Sprintf("; and %d more", more)
	}

	return out
}

// names of as many of the supplied resources or labels, of which there is one at least, as
// fit into maxNames, and how many more there are.
func names(of []string) string {
	out := shorten(of[0], maxNames)

	for i, name := range of[1:] {
		name = ", " + shorten(name, maxNames)
		if len(out)+len(name) > maxNames {
			return fmt.Sprintf("%s and %d more", out, len(of)-1-i)
		}

		out += name
	}

	return out
}

// count so many things, which have one name if it is one.
func count(n int, one, many string) string {
	if n == 1 {
		many = one
	}

	return fmt.Sprintf("%d %s", n, many)
}
