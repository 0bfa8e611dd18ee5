package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxMessage is the most bytes of a result's message. Kubernetes limits the
	// message of an event to 1,024, and Crossplane puts the name of the pipeline
	// step in front of it.
	maxMessage = 940

	// maxName is the most bytes of a key or name in a message. A key that is longer
	// has more bytes than most clouds admit.
	maxName = 256

	// maxFatal is about the most bytes of a fatal result's message, which becomes that
	// of a condition.
	maxFatal = 8192

	// maxNames is the most bytes of the names of resources in an item of a message.
	maxNames = 160
)

// A message is an error to results, whose text it is.
type message string

func (m message) Error() string { return string(m) }

// split returns messages that start with head and together have all items, none of
// them longer than maxMessage. The head and each item must be short enough for it.
// If there is more than one message, each says which one it is.
func split(head string, items []string) []string {
	out := []string{}
	b := strings.Builder{}

	for _, item := range items {
		if b.Len() > 0 && b.Len()+len("; ")+len(item) > maxMessage-len(" (part 1000 of 1000)") {
			out = append(out, b.String())
			b.Reset()
		}

		if b.Len() == 0 {
			b.WriteString(head + item)
			continue
		}

		b.WriteString("; " + item)
	}

	if b.Len() > 0 {
		out = append(out, b.String())
	}

	for i := range out {
		if len(out) > 1 {
			out[i] += fmt.Sprintf(" (part %d of %d)", i+1, len(out))
		}
	}

	return out
}

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

	head, tail := s[:limit/2], s[len(s)-limit/4:]

	for !utf8.ValidString(head) && head != "" {
		head = head[:len(head)-1]
	}

	for tail != "" && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}

	return fmt.Sprintf("%s…%s (%d bytes)", head, tail, size)
}

// elideSome elides the first of the supplied strings, and says how many more there are.
func elideSome(of []string, most int) []string {
	out := make([]string, min(len(of), most))
	for i := range out {
		out[i] = elide(of[i])
	}

	return andMore(out, len(of))
}

// andMore adds to the supplied items of a message how many more of all there are.
func andMore(items []string, all int) []string {
	if more := all - len(items); more > 0 {
		return append(items, fmt.Sprintf("and %d more", more))
	}

	return items
}

// names of as many of the supplied resources as fit into maxNames, and how many more
// there are.
func names(of []string) string {
	b := strings.Builder{}

	for i, name := range of {
		name = shorten(name, maxNames)
		if i > 0 && b.Len()+len(", ")+len(name) > maxNames {
			fmt.Fprintf(&b, " and %d more", len(of)-i)
			break
		}

		if i > 0 {
			b.WriteString(", ")
		}

		b.WriteString(name)
	}

	return b.String()
}

func count(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}

	return fmt.Sprintf("%d %ss", n, of)
}

// have is the verb of as many things as are supplied.
func have(n int) string {
	if n == 1 {
		return "has"
	}

	return "have"
}
