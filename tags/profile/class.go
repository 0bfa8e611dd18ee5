package profile

import (
	"regexp"
	"sync"
	"unicode/utf8"
)

// A Class is a character class: the set of strings of certain characters, such as letters and digits. The zero Class has all strings.
type Class struct {
	// Name is the name of the class in messages.
	Name string

	// Pattern is an RE2 regular expression that matches the strings of the class, for programs that
	// can't call Admits. It is empty for the class of all strings.
	Pattern string

	// Without is another such expression: strings that it matches are not in the class, though Pattern
	// matches them. It is empty if there are none.
	Without string

	// matches returns a function that compares strings with the pattern. The pattern is compiled at the
	// first call.
	matches func() func(s string) bool
}

// classOf returns the class of the strings that match the pattern.
func classOf(name, pattern string) Class {
	return Class{Name: name, Pattern: pattern, matches: sync.OnceValue(func() func(s string) bool { return regexp.MustCompile(pattern).MatchString })}
}

// without returns the class of the strings of c that the pattern doesn't match.
func (c Class) without(name, pattern string) Class {
	slow, within := classOf("", pattern).matches, c.matches

	return Class{Name: name, Pattern: c.Pattern, Without: pattern, matches: sync.OnceValue(func() func(s string) bool {
		return func(s string) bool { return within()(s) && !slow()(s) }
	})}
}

// charsOf returns the class of the strings whose characters are all in the set. The set is a regular
// expression of one character: [0-9a-z] has abc and 1b, but not A.
func charsOf(name, set string) Class { return repeated(name, "^"+set+"*$") }

// repeated is classOf for the pattern of a set that is repeated: ^[0-9a-z]*$, or ^[0-9a-z]+$ without the
// empty string.
func repeated(name, pattern string) Class { return classOf(name, pattern).byCharacter("") }

// startedBy is classOf for the empty string, and for strings that a character of the set first starts: [a-z]
// and [0-9a-z] have a1, but not 1a. Each first has the letter a.
func startedBy(name, first, rest string) Class {
	return classOf(name, "^("+first+rest+"*)?$").byCharacter("a")
}

// byCharacter returns c, whose strings may have certain characters at the start, and certain ones after start. Most
// strings are ASCII, and ASCII is looked up in tables: a regular expression takes many times as long.
func (c Class) byCharacter(start string) Class {
	slow := c.matches

	c.matches = sync.OnceValue(func() func(s string) bool {
		var first, rest [utf8.RuneSelf]bool
		for b := range byte(utf8.RuneSelf) {
			first[b], rest[b] = slow()(string(rune(b))), slow()(start+string(rune(b)))
		}

		empty := slow()("")

		return func(s string) bool {
			admitted := &first

			for i := range len(s) {
				switch b := s[i]; {
				case b >= utf8.RuneSelf:
					return slow()(s)
				case !admitted[b]:
					return false
				}

				admitted = &rest
			}

			return s != "" || empty
		}
	})

	return c
}

// Admits reports whether the class has the string. The zero Class alone has strings that are not UTF-8.
func (c Class) Admits(s string) bool {
	return c.matches == nil || utf8.ValidString(s) && c.matches()(s)
}

// ended returns the pattern of a string with a character of the set end at both ends, and characters
// of the set inner between them: with [a-z] and [a-z-] it matches a and a-b, but not a-.
func ended(end, inner string) string { return end + "(" + inner + "*" + end + ")?" }

// kubernetesClass has the keys of Kubernetes labels: a name, such as env, or a domain, a slash and a
// name, such as example.org/env.
var kubernetesClass = classOf("ASCII letters and digits and - _ . with a letter or digit at both ends, and a domain and a / before it or not",
	"^(("+domainLabel+`(\.`+domainLabel+")*/)?"+hetznerPart+")?$")

// domainLabel matches the text between two dots of a domain.
const domainLabel = `[0-9a-z]([0-9a-z\-]*[0-9a-z])?`
