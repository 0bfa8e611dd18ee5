package profile

import (
	"regexp"
	"sync"
	"unicode/utf8"
)

// A Class is what strings of some characters look like. The zero Class has all strings.
type Class struct {
	// Name is how messages put the class.
	Name string

	// Pattern is the RE2 regular expression of the strings that the class has, for
	// programs that can't call Admits. It is empty for a class that has all.
	Pattern string

	// Without is the same of strings that the class doesn't have, though the pattern
	// matches them. It is empty if there are none.
	Without string

	// matches returns what compares strings with the pattern. It is made when it's first
	// asked for.
	matches func() func(s string) bool
}

// classOf returns the class of the strings that match the pattern.
func classOf(name, pattern string) Class {
	return Class{Name: name, Pattern: pattern, matches: sync.OnceValue(func() func(s string) bool { return regexp.MustCompile(pattern).MatchString })}
}

// without returns the class of those strings of c that the pattern doesn't match.
func (c Class) without(name, pattern string) Class {
	slow, within := classOf("", pattern).matches, c.matches

	return Class{Name: name, Pattern: c.Pattern, Without: pattern, matches: sync.OnceValue(func() func(s string) bool {
		return func(s string) bool { return within()(s) && !slow()(s) }
	})}
}

// charsOf returns the class of the strings whose characters are all of the set, which is a regular
// expression of one character. ASCII, which most strings are, is looked up in a table: a regular
// expression takes many times as long.
func charsOf(name, set string) Class {
	c := classOf(name, "^"+set+"*$")
	slow := c.matches

	c.matches = sync.OnceValue(func() func(s string) bool {
		var ascii [utf8.RuneSelf]bool
		for b := range byte(utf8.RuneSelf) {
			ascii[b] = slow()(string(rune(b)))
		}

		return func(s string) bool {
			for i := range len(s) {
				switch b := s[i]; {
				case b >= utf8.RuneSelf:
					return slow()(s)
				case !ascii[b]:
					return false
				}
			}

			return true
		}
	})

	return c
}

// Admits is true if the class has the string. A string that is not UTF-8 is only in the class that has all.
func (c Class) Admits(s string) bool {
	return c.matches == nil || utf8.ValidString(s) && c.matches()(s)
}

// ended is the pattern of strings of characters of the inner set, with characters of the other
// one at both ends.
func ended(end, inner string) string { return end + "(" + inner + "*" + end + ")?" }

// kubernetesClass has the keys that labels of Kubernetes have: a name, and a domain and a slash
// before it or not.
var kubernetesClass = classOf("ASCII letters and digits and - _ . with a letter or digit at both ends, and a domain and a / before it or not",
	"^(("+domainLabel+`(\.`+domainLabel+")*/)?"+hetznerPart+")?$")

// domainLabel is what is between the dots of a domain.
const domainLabel = `[0-9a-z]([0-9a-z\-]*[0-9a-z])?`
