package report

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestElide(t *testing.T) {
	cases := map[string]struct {
		reason string
		s      string
		want   string
	}{
		"Empty":    {"What is empty is quoted, or it could not be seen.", "", `""`},
		"Short":    {"What can be seen stays as it is.", "plexsphere:acme:checkout/öwner →\"x y\"\\", "plexsphere:acme:checkout/öwner →\"x y\"\\"},
		"Longest":  {"A string of 256 bytes is short enough.", strings.Repeat("a", 256), strings.Repeat("a", 256)},
		"TooLong":  {"The middle of a longer string is left out, and its length is told.", strings.Repeat("a", 128) + "b" + strings.Repeat("c", 128), strings.Repeat("a", 128) + "…" + strings.Repeat("c", 64) + " (257 bytes)"},
		"VeryLong": {"However long the string is, what is left is short.", "start" + strings.Repeat("x", 1_000_000) + "end", "start" + strings.Repeat("x", 123) + "…" + strings.Repeat("x", 61) + "end (1000008 bytes)"},
		"TwoBytes": {"Characters are left out as a whole.", "a" + strings.Repeat("ü", 200) + "z", "a" + strings.Repeat("ü", 63) + "…" + strings.Repeat("ü", 31) + "z (402 bytes)"},
		"FourBytes": {
			"Characters are left out as a whole.", "abc" + strings.Repeat("😀", 100) + "xyz",
			"abc" + strings.Repeat("😀", 31) + "…" + strings.Repeat("😀", 15) + "xyz (406 bytes)",
		},
		"Newline":          {"What can't be seen is quoted.", "a\nb\tc\x00d\x7f", `"a\nb\tc\x00d\x7f"`},
		"Invisible":        {"Spaces other than the usual one, and marks that change the direction of text, can't be seen.", "a\u00a0b\u200bc\u202ed\ufeff\u2028", `"a\u00a0b\u200bc\u202ed\ufeff\u2028"`},
		"QuotedWithQuotes": {"What is quoted has its quotes escaped.", "a\"\\\n", `"a\"\\\n"`},
		"QuotedAndLong":    {"The length that is told is that of the string, not of what quoting makes of it.", strings.Repeat("\x00", 100), `"` + strings.Repeat(`\x00`, 31) + `\x0…x00` + strings.Repeat(`\x00`, 15) + `" (100 bytes)`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, elide(tc.s)); diff != "" {
				t.Errorf("\n%s\nelide(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestElideProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(
			rapid.String(),
			rapid.StringN(200, 600, -1),
			rapid.StringOfN(rapid.RuneFrom([]rune{'a', 'ü', '→', '😀', '\x00', '\n', '"', '\\', '\u202e', unicode.MaxRune}), 0, 400, -1),
		).Draw(t, "s")

		for most, got := range map[int]string{maxName: elide(s), maxNames: names([]string{s})} {
			if len(got) > most || !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("%q: want at most %d bytes of UTF-8 that can be seen, got %d: %q", s, most, len(got), got)
			}
		}
	})
}

func TestNames(t *testing.T) {
	// Names of 20 bytes.
	many := make([]string, 10_000)
	for i := range many {
		many[i] = fmt.Sprintf("resource-%011d", i)
	}

	cases := map[string]struct {
		reason string
		of     []string
		want   string
	}{
		"One":         {"One name is that name.", []string{"bucket"}, "bucket"},
		"Some":        {"Names that fit are all there, in their order.", []string{"b", "a", "c"}, "b, a, c"},
		"AsManyAsFit": {"As many names as the limit says are all there.", many[:7], strings.Join(many[:7], ", ")},
		"TooMany":     {"Of more names than that it is told how many more there are.", many, strings.Join(many[:7], ", ") + " and 9993 more"},
		"ExactlyFull": {
			"The names may have as many bytes as the limit says, what stands between them included.",
			[]string{strings.Repeat("a", 100), strings.Repeat("b", 58)},
			strings.Repeat("a", 100) + ", " + strings.Repeat("b", 58),
		},
		"OneByteMore": {"A name that doesn't fit is only counted.", []string{strings.Repeat("a", 100), strings.Repeat("b", 59), "c"}, strings.Repeat("a", 100) + " and 2 more"},
		"LongFirst":   {"Of a name that is too long there is the start.", []string{strings.Repeat("a", 161), "b"}, strings.Repeat("a", 80) + "…" + strings.Repeat("a", 40) + " (161 bytes), b"},
		"LongSecond":  {"So there is of another one.", []string{"a", strings.Repeat("b", 161)}, "a, " + strings.Repeat("b", 80) + "…" + strings.Repeat("b", 40) + " (161 bytes)"},
		"OddNames":    {"A name that can't be seen is quoted.", []string{"", "a\n"}, `"", "a\n"`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, names(tc.of)); diff != "" {
				t.Errorf("\n%s\nnames(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
