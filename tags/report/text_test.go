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

func TestSplit(t *testing.T) {
	type args struct {
		head  string
		items []string
	}

	// Every message has room for the words that say which part it is.
	long := strings.Repeat("x", 457)

	cases := map[string]struct {
		reason string
		args   args
		want   []string
	}{
		"NoItems": {
			reason: "Without items there is no message.",
			args:   args{head: "head: "},
			want:   nil,
		},
		"OneItem": {
			reason: "One item is one message.",
			args:   args{head: "head: ", items: []string{"a"}},
			want:   []string{"head: a"},
		},
		"Items": {
			reason: "Items that fit are in one message, in their order.",
			args:   args{head: "head: ", items: []string{"b", "a", "a", ""}},
			want:   []string{"head: b; a; a; "},
		},
		"ExactlyFull": {
			reason: "A message may have as many bytes as the limit says, less those that say which part it is.",
			args:   args{head: "head", items: []string{long, long}},
			want:   []string{"head" + long + "; " + long},
		},
		"OneByteMore": {
			reason: "An item that doesn't fit starts another message, with the head.",
			args:   args{head: "head:", items: []string{long, long, "a"}},
			want:   []string{"head:" + long + " (part 1 of 2)", "head:" + long + "; a (part 2 of 2)"},
		},
		"Bytes": {
			reason: "What counts is bytes, not characters.",
			args:   args{head: "", items: []string{strings.Repeat("ü", 230), strings.Repeat("ü", 230)}},
			want:   []string{strings.Repeat("ü", 230) + " (part 1 of 2)", strings.Repeat("ü", 230) + " (part 2 of 2)"},
		},
		"ManyParts": {
			reason: "Each part says which one it is, and how many there are.",
			args:   args{head: "h: ", items: []string{long, "a", long, long, "b", "c"}},
			want:   []string{"h: " + long + "; a (part 1 of 3)", "h: " + long + "; " + long + " (part 2 of 3)", "h: b; c (part 3 of 3)"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := split(tc.args.head, tc.args.items)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nsplit(...): -want, +got:\n%s", tc.reason, diff)
			}

			for _, msg := range got {
				if len(msg) > maxMessage {
					t.Errorf("\n%s\nsplit(...): want at most %d bytes, got %d", tc.reason, maxMessage, len(msg))
				}
			}
		})
	}
}

func TestElide(t *testing.T) {
	cases := map[string]struct {
		reason string
		s      string
		want   string
	}{
		"Empty": {
			reason: "What is empty is quoted, or it could not be seen.",
			s:      "",
			want:   `""`,
		},
		"Short": {
			reason: "What can be seen stays as it is.",
			s:      "plexsphere:acme:checkout/öwner →\"x\"\\",
			want:   "plexsphere:acme:checkout/öwner →\"x\"\\",
		},
		"SpaceWithin": {
			reason: "A space between characters can be seen.",
			s:      "cost center",
			want:   "cost center",
		},
		"Longest": {
			reason: "A string of 256 bytes is short enough.",
			s:      strings.Repeat("a", 256),
			want:   strings.Repeat("a", 256),
		},
		"TooLong": {
			reason: "The middle of a longer string is left out, and its length is told.",
			s:      strings.Repeat("a", 128) + "b" + strings.Repeat("c", 128),
			want:   strings.Repeat("a", 128) + "…" + strings.Repeat("c", 64) + " (257 bytes)",
		},
		"VeryLong": {
			reason: "However long the string is, what is left is short.",
			s:      "start" + strings.Repeat("x", 1_000_000) + "end",
			want:   "start" + strings.Repeat("x", 123) + "…" + strings.Repeat("x", 61) + "end (1000008 bytes)",
		},
		"CharactersOfTwoBytes": {
			reason: "Characters are left out as a whole.",
			s:      "a" + strings.Repeat("ü", 200) + "z",
			want:   "a" + strings.Repeat("ü", 63) + "…" + strings.Repeat("ü", 31) + "z (402 bytes)",
		},
		"CharactersOfFourBytes": {
			reason: "Characters are left out as a whole.",
			s:      "abc" + strings.Repeat("😀", 100) + "xyz",
			want:   "abc" + strings.Repeat("😀", 31) + "…" + strings.Repeat("😀", 15) + "xyz (406 bytes)",
		},
		"Newline": {
			reason: "What can't be seen is quoted.",
			s:      "a\nb\tc\x00d\x7f",
			want:   `"a\nb\tc\x00d\x7f"`,
		},
		"Invisible": {
			reason: "Spaces other than the usual one, and marks that change the direction of text, can't be seen.",
			s:      "a\u00a0b\u200bc\u202ed\ufeff\u2028",
			want:   `"a\u00a0b\u200bc\u202ed\ufeff\u2028"`,
		},
		"QuotedWithQuotes": {
			reason: "What is quoted has its quotes escaped.",
			s:      "a\"\\\n",
			want:   `"a\"\\\n"`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, elide(tc.s)); diff != "" {
				t.Errorf("\n%s\nelide(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestElideLength tests that the length that is told is that of the string, not of
// what quoting makes of it.
func TestElideLength(t *testing.T) {
	if got, want := elide(strings.Repeat("\x00", 200)), " (200 bytes)"; !strings.HasSuffix(got, want) {
		t.Errorf("elide(...): want the length of the string, %q, got %q", want, got)
	}
}

func TestElideProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(
			rapid.String(),
			rapid.StringN(200, 600, -1),
			rapid.StringOfN(rapid.RuneFrom([]rune{'a', 'ü', '→', '😀', '\x00', '\n', '"', '\\', '\u202e', unicode.MaxRune}), 0, 400, -1),
		).Draw(t, "s")

		got := elide(s)

		if len(got) > maxName {
			t.Fatalf("elide(%q): want at most %d bytes, got %d", s, maxName, len(got))
		}

		if !utf8.ValidString(got) {
			t.Fatalf("elide(%q): want UTF-8, got %q", s, got)
		}

		if i := strings.IndexFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
			t.Fatalf("elide(%q): want nothing that can't be seen, got %q", s, got)
		}

		if got != elide(s) {
			t.Fatalf("elide(%q): want the same twice, got %q and %q", s, got, elide(s))
		}
	})
}

func TestElideSome(t *testing.T) {
	of := []string{"b", strings.Repeat("a", 300), "\n"}
	elided := []string{"b", strings.Repeat("a", 128) + "…" + strings.Repeat("a", 64) + " (300 bytes)", `"\n"`}

	cases := map[string]struct {
		reason string
		most   int
		want   []string
	}{
		"All":      {reason: "As many strings as are supplied are all there.", most: 3, want: elided},
		"TooMany":  {reason: "Of more it is told how many more there are.", most: 1, want: []string{"b", "and 2 more"}},
		"MoreThan": {reason: "There may be fewer.", most: 4, want: elided},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, first(of, len(of), tc.most, elide)); diff != "" {
				t.Errorf("\n%s\nelideSome(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNames(t *testing.T) {
	// Names of 20 bytes.
	many := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf("resource-%011d", i)
		}

		return out
	}

	cases := map[string]struct {
		reason string
		of     []string
		want   string
	}{
		"One": {
			reason: "One name is that name.",
			of:     []string{"bucket"},
			want:   "bucket",
		},
		"Some": {
			reason: "Names that fit are all there, in their order.",
			of:     []string{"b", "a", "c"},
			want:   "b, a, c",
		},
		"AsManyAsFit": {
			reason: "As many names as the limit says are all there.",
			of:     many(7),
			want:   strings.Join(many(7), ", "),
		},
		"TooMany": {
			reason: "Of more names than that it is told how many more there are.",
			of:     many(10_000),
			want:   strings.Join(many(7), ", ") + " and 9993 more",
		},
		"ExactlyFull": {
			reason: "The names may have as many bytes as the limit says, what stands between them included.",
			of:     []string{strings.Repeat("a", 100), strings.Repeat("b", 58)},
			want:   strings.Repeat("a", 100) + ", " + strings.Repeat("b", 58),
		},
		"OneByteMore": {
			reason: "A name that doesn't fit is only counted.",
			of:     []string{strings.Repeat("a", 100), strings.Repeat("b", 59), "c"},
			want:   strings.Repeat("a", 100) + " and 2 more",
		},
		"OddNames": {
			reason: "A name that can't be seen is quoted.",
			of:     []string{"", "a\n"},
			want:   `"", "a\n"`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, names(tc.of)); diff != "" {
				t.Errorf("\n%s\nnames(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNamesLength tests names that have more bytes than all of them together may have.
func TestNamesLength(t *testing.T) {
	for _, length := range []int{maxNames - 1, maxNames, maxNames + 1, 200, 253, maxName, maxName + 1, 1000} {
		for _, of := range [][]string{
			{strings.Repeat("a", length)},
			{strings.Repeat("a", length), "b"},
			{strings.Repeat("a", length), strings.Repeat("b", length), "c"},
			{strings.Repeat("ü", length/2), "b"},
			{strings.Repeat("\n", length/2), "b"},
		} {
			got := names(of)
			listed, _, _ := strings.Cut(got, " and ")

			if len(listed) > maxNames {
				t.Errorf("names(...): want at most %d bytes of %d names, the first of %d bytes, got %d: %s", maxNames, len(of), length, len(listed), got)
			}

			if !utf8.ValidString(got) {
				t.Errorf("names(...): want UTF-8, got %q", got)
			}

			if !strings.HasPrefix(got, "aa") && !strings.HasPrefix(got, "üü") && !strings.HasPrefix(got, `"\n`) {
				t.Errorf("names(...): want the start of the first name, got %s", got)
			}
		}
	}
}

func TestCount(t *testing.T) {
	cases := map[string]struct {
		reason string
		n      int
		want   string
	}{
		"None": {reason: "Nothing is many.", n: 0, want: "0 labels"},
		"One":  {reason: "One is not many.", n: 1, want: "1 label"},
		"Two":  {reason: "Two are many.", n: 2, want: "2 labels"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, count(tc.n, "label", "labels")); diff != "" {
				t.Errorf("\n%s\ncount(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
