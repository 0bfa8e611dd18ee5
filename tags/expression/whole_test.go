package expression_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plexsphere/function-cloud-tags/tags/expression"
)

func TestRegexp(t *testing.T) {
	for _, tc := range []struct {
		reason, pattern string
		yes, no         []string
	}{
		{"Four digits are four digits and nothing else.", "^[0-9]{4}$", []string{"1234"}, []string{"", "123", "12345", "1234\n", "\n1234", "١٢٣٤"}},
		{"Without anchors it still is about the whole text.", "[A-Z]+-[0-9]+", []string{"AB-12"}, []string{"xAB-12", "AB-12x", "AB-12\nAB-12"}},
		{"All alternatives are about the whole text.", "dev|prod", []string{"dev", "prod"}, []string{"devel", "preprod", "dev\n"}},
		{"A flag is about what is written only.", "(?m)a$", []string{"a"}, []string{"a\nb", "b\na", "A"}},
		{"A dot is no line break, unless a flag says so.", "(?i)x.y", []string{"xay", "XÄY"}, []string{"x\ny"}},
		{"What may be empty admits an empty value.", "[a-z]*", []string{"", "a"}, []string{"A"}},
	} {
		re, err := expression.ParseRegexp(tc.pattern)
		if err != nil {
			t.Fatalf("\n%s\nParseRegexp(%q): %v", tc.reason, tc.pattern, err)
		}

		for _, text := range tc.yes {
			if !re.Matches(text) {
				t.Errorf("\n%s\n%q doesn't match %q", tc.reason, tc.pattern, text)
			}
		}

		for _, text := range tc.no {
			if re.Matches(text) {
				t.Errorf("\n%s\n%q matches %q", tc.reason, tc.pattern, text)
			}
		}
	}

	if !(expression.Regexp{}).Matches("anything") {
		t.Error("a regular expression that nobody has given doesn't match")
	}
}

func TestRegexpRefuses(t *testing.T) {
	for reason, pattern := range map[string]string{
		"Brackets must be closed.":                                   "(a",
		"A bracket more must not end the group around the text.":     "a)|(b",
		"RE2 has no look-ahead.":                                     "(?=a)b",
		"RE2 has no back-references.":                                `(a)\1`,
		"A repetition of repetitions would be a very large program.": "((a{10}){10}){10}",
		"So would a long one.":                                       strings.Repeat("a", 1025),
	} {
		if _, err := expression.ParseRegexp(pattern); err == nil {
			t.Errorf("\n%s\nParseRegexp(%q): want error, got none", reason, pattern)
		}
	}
}

// TestRegexpWhole compares matches with the longest match of package regexp.
func TestRegexpWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`(\(?[ab.]([*+?]|\{2\})?\)?\|?)*\^?\$?`).Draw(t, "pattern")
		text := rapid.StringMatching(`[ab\n]{0,6}`).Draw(t, "text")

		re, err := expression.ParseRegexp(pattern)
		if err != nil {
			t.Skip("no regular expression")
		}

		longest := regexp.MustCompile(pattern)
		longest.Longest()

		at := longest.FindStringIndex(text)
		if want := len(at) == 2 && at[0] == 0 && at[1] == len(text); re.Matches(text) != want {
			t.Fatalf("%q matches the whole of %q: want %t", pattern, text, want)
		}

		var decoded expression.Regexp

		j, _ := json.Marshal(re)
		if err := json.Unmarshal(j, &decoded); err != nil || !decoded.Equal(re) || decoded.Matches(text) != re.Matches(text) {
			t.Fatalf("%q is %q after decoding (%v)", pattern, decoded, err)
		}
	})
}
