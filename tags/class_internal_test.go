package tags

import (
	"regexp"
	"slices"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// classes of all profiles, by name.
func classes() map[string]Class {
	out := make(map[string]Class)
	for _, p := range slices.Concat(Contract.Profiles(), Cloud.Profiles()) {
		out[p.KeyClass.Name], out[p.ValueClass.Name] = p.KeyClass, p.ValueClass
	}

	delete(out, "")

	return out
}

// TestClassRunes tests that what a class's strings start and end with is of the class,
// for all runes that there are, since its pattern takes that for granted.
func TestClassRunes(t *testing.T) {
	for name, c := range classes() {
		for _, part := range []chars{c.start, c.end} {
			for r := range rune(utf8.MaxRune + 1) {
				if part.re2 != "" && part.has(string(r)) && !c.chars.has(string(r)) {
					t.Errorf("%s: %s has %U, but %s doesn't", name, part.re2, r, c.chars.re2)
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

			for _, s := range []string{"", "/", "/a", "a/", "a/b", "a/b/c", "-a", "a-", "a/-", "-/a", "9", "9a", "a9/9", "_", "a_", "\xff"} {
				if utf8.ValidString(s) && pattern.MatchString(s) != c.Admits(s) || !utf8.ValidString(s) && c.Admits(s) {
					t.Errorf("that the class admits %q is %t, but %s says otherwise", s, c.Admits(s), pattern)
				}
			}

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
