package words_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

func TestName(t *testing.T) {
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
			if diff := cmp.Diff(tc.want, words.Name(tc.s)); diff != "" {
				t.Errorf("\n%s\nName(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNames(t *testing.T) {
	// Names of 20 bytes.
	many := make([]string, 10_000)
	for i := range many {
		many[i] = fmt.Sprintf("resource-%011d", i)
	}

	cases := map[string]struct {
		reason string
		first  []string
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
			if diff := cmp.Diff(tc.want, words.Names(tc.first)); diff != "" {
				t.Errorf("\n%s\nNames(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestItems(t *testing.T) {
	cases := map[string]struct {
		reason string
		first  []string
		all    int
		want   string
	}{
		"None":      {"The head may be all.", nil, 0, "head: "},
		"OnlyMore":  {"What isn't shown is counted.", nil, 3, "head: ; and 3 more"},
		"All":       {"Items that fit are all there, in their order.", []string{"b", "a"}, 2, "head: b; a"},
		"More":      {"Those that aren't among the first are counted.", []string{"b", "a"}, 5, "head: b; a; and 3 more"},
		"TooMany":   {"So are those that there is no room for.", []string{strings.Repeat("a", 50), strings.Repeat("b", 40), "c"}, 3, "head: " + strings.Repeat("a", 50) + "; and 2 more"},
		"LongFirst": {"There may be no room for any.", []string{strings.Repeat("a", 100), "b"}, 7, "head: ; and 7 more"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, words.Items("head: ", tc.first, tc.all, 100)); diff != "" {
				t.Errorf("\n%s\nItems(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// FuzzWords proves that shown texts are short, can be seen, and have only whole characters.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"", "a", "\x00", "\x1b[31m", "\u202e\n", "\xff", strings.Repeat("ü", 200), strings.Repeat("😀\x00", 300), strings.Repeat("\"\\", 5_000)} {
		f.Add(s, "b", 64)
	}

	f.Fuzz(func(t *testing.T, s, other string, limit int) {
		limit = max(64, min(limit, 1<<16))

		for name, got := range map[string]struct {
			text  string
			limit int
		}{
			"Name":  {words.Name(s), words.MaxName},
			"Cell":  {words.Cell(s), words.MaxCell},
			"Show":  {words.Show(s, limit), limit},
			"Names": {words.FirstNames([]string{s, other, s}, 1000), words.MaxNameList + len(" and 1000 more")},
			"Items": {words.Items("head: ", []string{words.Name(s), words.Name(other)}, 1000, limit), limit},
		} {
			if len(got.text) > got.limit || !utf8.ValidString(got.text) || strings.ContainsFunc(got.text, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%s of %q: want at most %d bytes of UTF-8 that can be seen, got %d: %q", name, s, got.limit, len(got.text), got.text)
			}
		}

		short := words.Shorten(s, limit)
		if len(short) > limit || utf8.ValidString(s) && !utf8.ValidString(short) {
			t.Errorf("Shorten(%q): want at most %d bytes, and whole characters, got %d: %q", s, limit, len(short), short)
		}

		if len(s) <= limit && short != s {
			t.Errorf("Shorten(%q): want what is short enough as it is, got %q", s, short)
		}
	})
}

func TestGrouped(t *testing.T) {
	cases := map[string]struct {
		reason string
		items  []string
		want   [][]string
	}{
		"None":  {reason: "Without items there is no group."},
		"Apart": {reason: "Items of one group need not stand side by side, and the first of each says where it is.", items: []string{"b1", "a1", "b2", "a2"}, want: [][]string{{"b1", "b2"}, {"a1", "a2"}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := words.Grouped(tc.items, func(item string) byte { return item[0] })
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nGrouped(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	names := []string{"aws", "gcp", "fromFieldPath", "explain", "Bucket", "BucketACL"}
	cases := map[string]struct {
		reason, name, want string
	}{
		"More":      {"A character too many is a slip.", "awss", "aws"},
		"Fewer":     {"So is one that is missing.", "Buket", "Bucket"},
		"Swapped":   {"Two that have changed places are one slip.", "explian", "explain"},
		"Changed":   {"So is one for another.", "gcq", "gcp"},
		"Case":      {"Case is no difference.", "fromfieldpath", "fromFieldPath"},
		"Several":   {"Long names can have several slips.", "fromFeildPaht", "fromFieldPath"},
		"Best":      {"The nearest of several is meant.", "BucketAC", "BucketACL"},
		"Far":       {"Another word is none of them.", "google", ""},
		"ShortFar":  {"Two slips in three characters are another word.", "gke", ""},
		"Empty":     {"Nothing is near to nothing.", "", ""},
		"Unlimited": {"A name may be as long as somebody likes.", strings.Repeat("aws", 1_000_000), ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got, ok := words.Nearest(tc.name, names); got != tc.want || ok != (tc.want != "") {
				t.Errorf("%s\nNearest(%.20q): want %q, got %q, %t", tc.reason, tc.name, tc.want, got, ok)
			}
		})
	}
}

func TestVisible(t *testing.T) {
	for s, want := range map[string]string{
		"":                     "",
		"a \"b\" c":            "a \"b\" c",
		"\x1b[31mred\x1b[0m é": `\x1b[31mred\x1b[0m é`,
		"a\nb\xff\u200b":       `a\nb\xff\u200b`,
	} {
		if diff := cmp.Diff(want, words.Visible(s)); diff != "" {
			t.Errorf("\nNothing that a terminal would obey is left, and all else is.\nVisible(%q): -want, +got:\n%s", s, diff)
		}
	}
}

func TestCSV(t *testing.T) {
	for s, want := range map[string]string{"": "", "a=b": "a=b", "=1+1": "'=1+1", "@a": "'@a", "-1": "'-1", "+1": "'+1", "\t=1": `\t=1`, "a\nb\x1b": `a\nb\x1b`} {
		if diff := cmp.Diff(want, words.CSV(s)); diff != "" {
			t.Errorf("\nNo cell begins a formula, or a line.\nCSV(%q): -want, +got:\n%s", s, diff)
		}
	}
}
