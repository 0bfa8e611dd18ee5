package awsmodels

import (
	"regexp"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A set is a set of characters, with a bit for each part that it has.
type set uint64

// A part of the characters is in a set as a whole or not at all: the letters beyond ASCII, or the character @.
type part struct {
	// pattern matches the part, and maybe parts before it, within the brackets of a regular expression.
	pattern string

	// name is the part's name in messages. A sign of ASCII is its own name.
	name string

	// characters matches what pattern matches.
	characters *regexp.Regexp
}

func newPart(pattern, name string) part {
	return part{pattern, name, regexp.MustCompile("[" + pattern + "]")}
}

// parts are all parts of the characters. The last part has all characters that no other part has.
var parts = slices.Concat([]part{
	newPart("0-9A-Za-z", "ASCII letters and digits"),
	newPart(`\p{L}`, "letters"),
	newPart(`\p{Nd}`, "digits"),
	newPart(`\p{N}`, "numbers"),
	newPart(" ", "space"),
	newPart(`\p{Z}`, "spaces"),
	newPart(`\n`, "line breaks"),
	newPart(`\t\r`, "tabs"),
	newPart(`\f`, "form feeds"),
	newPart(`\x00`, "null characters"),
	newPart(`\x01-\x08\v\x0e-\x1f`, "other control characters"),
	newPart(`\x7f`, "delete characters"),
	newPart(`\x{80}-\x{9f}`, "control characters beyond ASCII"),
	newPart(`\p{C}`, "invisible characters"),
}, signs("+-=._:/@!\"#$%&'()*,;<>?[\\]^`{|}~"), []part{newPart(`\s\S`, "symbols")})

// symbols is the part of marks and symbols beyond ASCII. A set with this part is named by its missing parts.
var symbols = len(parts) - 1

// members are characters of each part: all below U+3000, and some of the others.
var members = func() [][]rune {
	out := make([][]rune, len(parts))

	for r := range rune(0x3000) {
		out[partOf(r)] = append(out[partOf(r)], r)
	}

	for _, r := range "\u4e2d\uac00\U00010400\U0001d7ce\U0001f600\ufeff\ue000" {
		out[partOf(r)] = append(out[partOf(r)], r)
	}

	return out
}()

// escaped writes characters within the brackets of a regular expression.
var escaped = strings.NewReplacer("-", `\-`, `\`, `\\`, "[", `\[`, "]", `\]`, "^", `\^`)

func signs(all string) []part {
	return words.Map([]byte(all), func(b byte) part { return newPart(escaped.Replace(string(b)), string(b)) })
}

// partOf returns the index of the character's part.
func partOf(r rune) int {
	return slices.IndexFunc(parts, func(p part) bool { return p.characters.MatchString(string(r)) })
}

// setOf returns the set of the parts with these characters.
func setOf(characters string) (s set) {
	for _, r := range characters {
		s |= 1 << partOf(r)
	}

	return s
}

func (s set) has(i int) bool { return s&(1<<i) != 0 }

// groupsOfParts have a name of their own.
var groupsOfParts = []struct {
	name string
	set  set
}{
	{"control characters", setOf("\n\t\f\x00\x01\x7f\u0080")},
	{"ASCII control characters", setOf("\n\t\f\x00\x01\x7f")},
	{"white space", setOf(" \u00a0\n\t\f")},
	{"white space", setOf(" \n\t\f")},
}

// name returns the set's name in messages: letters, digits, space and + - = . _ : / @.
func (s set) name() string {
	but := ""

	switch {
	case s == all:
		return "any characters"
	case s.has(symbols):
		s, but = ^s, "anything but "
	}

	var names, characters, grouped []string

	for _, g := range groupsOfParts {
		if s&g.set == g.set {
			s, grouped = s&^g.set, append(grouped, g.name)
		}
	}

	for i, p := range parts {
		switch wider := slices.Contains([]int{0, 2, 4}, i) && s.has(i+1); {
		case !s.has(i) || wider:
		case len(p.name) == 1:
			characters = append(characters, p.name)
		default:
			names = append(names, p.name)
		}
	}

	names = append(names, grouped...)
	if len(names) > 0 && len(characters) > 0 {
		return but + strings.Join(names, ", ") + " and " + strings.Join(characters, " ")
	}

	return but + strings.Join(append(names, characters...), ", ")
}

// pattern returns a regular expression of one character of the set.
func (s set) pattern() string {
	not, out := "", &strings.Builder{}

	switch {
	case s == all:
		return `[\s\S]`
	case s.has(symbols):
		s, not = ^s, "^"
	}

	for i, p := range parts {
		if s.has(i) {
			out.WriteString(p.pattern)
		}
	}

	return "[" + not + out.String() + "]"
}

// A class has the strings of a set's characters.
type class struct {
	set set

	// some reports whether a string has a character, and seen whether it has one other than a space.
	some, seen bool
}

// all are all characters.
var all = set(1)<<len(parts) - 1

var (
	// lookahead is a part of patterns that RE2 doesn't know. Profiles reserve aws:, and have lengths of their own.
	lookahead = regexp.MustCompile(`\(\?[!=][^)]*\)`)

	// foreign are parts of patterns that RE2 spells in another way.
	foreign = strings.NewReplacer(`\p{all}`, `\s\S`, `\uD800\uDC00-\uDBFF\uDFFF`, `\x{10000}-\x{10FFFF}`,
		`\u0020`, `\x20`, `\uD7FF`, `\x{D7FF}`, `\uE000`, `\x{E000}`, `\uFFFD`, `\x{FFFD}`)
)

// classOf returns the class of the strings that a model's pattern matches as a whole, and the greatest length that the pattern
// admits up to limit. In a model, \w and \s are ASCII, as in RE2.
func classOf(pattern string, limit int) (class, int, error) {
	if pattern == "" {
		return class{set: all}, limit, nil
	}

	re, err := regexp.Compile("^(?:" + foreign.Replace(lookahead.ReplaceAllString(pattern, "")) + ")$")
	if err != nil {
		return class{}, 0, err
	}

	var c class

	for i, m := range members {
		admitted := 0

		for _, r := range m {
			if re.MatchString("a" + string(r) + "a") {
				admitted++
			}
		}

		switch admitted {
		case 0:
		case len(m):
			c.set |= 1 << i
		default:
			return class{}, 0, errors.Errorf("%s has %d of %d characters of [%s]: make a part of them", pattern, admitted, len(m), parts[i].pattern)
		}
	}

	c.some = !re.MatchString("")
	c.seen = c.set.has(partOf(' ')) && !re.MatchString("  ")

	length := limit
	for length > 0 && !re.MatchString(strings.Repeat("a", length)) {
		length--
	}

	return c, length, nil
}

// both returns the class of the strings of both classes.
func (c class) both(d class) class {
	return class{set: c.set & d.set, some: c.some || d.some, seen: c.seen || d.seen}
}

// name returns the class's name in messages.
func (c class) name() string {
	switch name := c.set.name(); {
	case c.seen:
		return name + ", not only spaces"
	case c.some:
		return name + ", not empty"
	default:
		return name
	}
}

// pattern returns a regular expression of the class: of a string, or of one character if nothing else is known.
func (c class) pattern() string {
	one := c.set.pattern()

	switch {
	case c.seen:
		return "^" + one + "*" + (c.set &^ setOf(" \n\t\f")).pattern() + one + "*$"
	case c.some:
		return "^" + one + "+$"
	default:
		return one
	}
}
