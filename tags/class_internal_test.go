package tags

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// classes of all profiles, by name.
func classes() map[string]Class {
	all := slices.Clone(profiles)
	for _, p := range cloudProfiles {
		all = append(all, p)
	}

	for _, p := range cloudServices {
		all = append(all, p)
	}

	out := make(map[string]Class)

	for _, p := range all {
		out[p.KeyClass.Name] = p.KeyClass
		out[p.ValueClass.Name] = p.ValueClass
	}

	return out
}

// runesOf returns the pairs of first and last runes that the supplied expression of
// one character matches.
func runesOf(t *testing.T, expression string) []rune {
	t.Helper()

	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}

	if re.Op != syntax.OpCharClass {
		t.Fatalf("%s is no character class", expression)
	}

	return re.Rune
}

// TestClassRunes compares each class's predicates with its expressions, for all runes
// that there are.
func TestClassRunes(t *testing.T) {
	both := func(a, b func(rune) bool) func(rune) bool {
		return func(r rune) bool { return a(r) && (b == nil || b(r)) }
	}

	for name, c := range classes() {
		if name == "" {
			continue
		}

		for _, part := range []struct {
			expression string
			has        func(rune) bool
			set        bool
		}{
			{c.one, c.has, true},
			{c.start, both(c.has, c.first), c.first != nil},
			{c.end, both(c.has, c.last), c.last != nil},
		} {
			if (part.expression != "") != part.set {
				t.Errorf("%s: there should be an expression if and only if there is a predicate, but the one beside it is %q", name, part.expression)
			}

			if part.expression == "" {
				continue
			}

			ranges := runesOf(t, part.expression)

			for r := range rune(utf8.MaxRune + 1) {
				for len(ranges) > 0 && ranges[1] < r {
					ranges = ranges[2:]
				}

				if !utf8.ValidRune(r) {
					continue
				}

				if matches := len(ranges) > 0 && ranges[0] <= r; matches != part.has(r) {
					t.Errorf("%s: that %s matches %U is %t, but that the class has it is %t", name, part.expression, r, matches, !matches)
					break
				}
			}
		}
	}
}

// TestClassPattern compares what each class admits with its pattern, for strings
// whose characters are at the edges of classes.
func TestClassPattern(t *testing.T) {
	char := rapid.SampledFrom([]rune("aZ09-_.:/ +=@<>%&\\?#,\n\x00\x7f\u0085éÉ日ªǅ²٣\u00ad\ufffd😀"))

	for name, c := range classes() {
		t.Run(name, func(t *testing.T) {
			pattern := regexp.MustCompile(c.Pattern())

			rapid.Check(t, func(t *rapid.T) {
				s := rapid.OneOf(
					rapid.StringOfN(char, 0, 5, -1),
					rapid.StringMatching(`[a0\-_./]{0,5}`),
				).Draw(t, "string")

				if got := pattern.MatchString(s); got != c.Admits(s) {
					t.Errorf("that %s matches %q is %t, but that the class admits it is %t", pattern, s, got, !got)
				}
			})
		})
	}

	if p := (Class{}).Pattern(); p != "" {
		t.Errorf("a class that admits all should have no pattern, but has %s", p)
	}
}
