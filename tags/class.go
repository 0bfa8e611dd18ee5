package tags

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// chars are a set of characters. The zero chars are all.
type chars struct {
	// re2 is the set as a regular expression of one character.
	re2 string

	// ranges of the set: the first and the last character of each, in order.
	ranges func() []rune
}

// charsOf returns the set that the supplied regular expression of one character is. It
// is parsed when it's first asked for a character.
func charsOf(re2 string) chars {
	return chars{re2: re2, ranges: sync.OnceValue(func() []rune {
		class, err := syntax.Parse(re2, syntax.Perl)
		if err != nil || class.Op != syntax.OpCharClass {
			panic(fmt.Sprintf("%s is no class of characters: %v", re2, err)) // It's a constant, and a test parses it.
		}

		return class.Rune
	})}
}

// has is true if the set has all characters of the supplied string.
func (c chars) has(s string) bool {
	if c.ranges == nil {
		return true
	}

	ranges := c.ranges()

	for _, r := range s {
		// What comes before the last character of a range is in it.
		if i, found := slices.BinarySearch(ranges, r); !found && i%2 == 0 {
			return false
		}
	}

	return true
}

// A Class is what strings of a set of characters look like. The zero Class has all strings.
type Class struct {
	// Name is how messages put the class.
	Name string

	// chars that strings may have, of which the first and the last must be of start and
	// end. What has an end or segments has a start.
	chars, start, end chars

	// segments is true if the string may be two of its class with a slash between.
	segments bool
}

// Pattern is the RE2 regular expression of the strings that the class has, for
// programs that can't call Admits. It is empty for a class that has all.
func (c Class) Pattern() string {
	one, start, end := c.chars.re2, c.start.re2, c.end.re2
	if one == "" {
		return ""
	}

	if start == "" {
		return "^" + one + "*$"
	}

	part := start + one + "*"
	if end != "" {
		part = start + "(" + one + "*" + end + ")?"
	}

	if c.segments {
		part += "(/" + part + ")?"
	}

	return "^(" + part + ")?$"
}

// Admits is true if the class has the supplied string. What is not UTF-8 is in no
// class but the one that has all. The empty string is in all.
func (c Class) Admits(s string) bool {
	if c.chars.re2 == "" || s == "" {
		return true
	}

	if prefix, name, ok := strings.Cut(s, "/"); ok && c.segments {
		c.segments = false
		return prefix != "" && name != "" && c.Admits(prefix) && c.Admits(name)
	}

	_, first := utf8.DecodeRuneInString(s)
	_, last := utf8.DecodeLastRuneInString(s)

	return utf8.ValidString(s) && c.chars.has(s) && c.start.has(s[:first]) && c.end.has(s[len(s)-last:])
}

// Sets of characters that several clouds have.
var (
	alphanumeric = charsOf(`[0-9A-Za-z]`)

	// labelChars are those of Kubernetes labels.
	labelChars = charsOf(`[0-9A-Za-z\-_.]`)
)
