package profile_test

import (
	"regexp"
	"slices"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// TestClass compares Admits of each class with its pattern, for strings with characters at the edges of
// classes.
func TestClass(t *testing.T) {
	char := rapid.SampledFrom([]rune("aZ09-_.:/ +=@<>%&\\?#,\n\x00\x7f\u0085éÉ日ªǅ²٣\u00ad\ufffd😀"))
	classes := make(map[string]profile.Class)

	for _, p := range slices.Concat(profile.Contract.Profiles(), profile.Cloud.Profiles()) {
		classes[p.KeyClass.Name], classes[p.ValueClass.Name], classes[p.EntryClass.Name] = p.KeyClass, p.ValueClass, p.EntryClass
	}

	for _, name := range profile.Names() {
		for _, r := range profile.Rules("").RefusingAPIs(name) {
			classes[r.Profile.KeyClass.Name], classes[r.Profile.ValueClass.Name] = r.Profile.KeyClass, r.Profile.ValueClass
		}
	}

	shown := profile.Of("aws").InMetadata()
	classes[shown.KeyClass.Name] = shown.KeyClass

	for name, c := range classes {
		t.Run(name, func(t *testing.T) {
			pattern, without := regexp.MustCompile(c.Pattern), regexp.MustCompile(`\z.`)
			if c.Without != "" {
				without = regexp.MustCompile(c.Without)
			}

			for _, s := range []string{"", "/", "/a", "a/", "a/b", "a/b/c", "-a", "a-", "a/-", "-/a", "9", "9a", "a9/9", "_", "_index", ".", "..", "...", "a_", "ab", "abc", "abcd", " a", "a ", "http://a", "https://", "HTTP://", "http:/", "{{", "\xff"} {
				want := pattern.MatchString(s) && !without.MatchString(s) && (utf8.ValidString(s) || c.Pattern == "")
				if c.Admits(s) != want {
					t.Errorf("that the class admits %q is %t, but %s says otherwise", s, !want, pattern)
				}
			}

			rapid.Check(t, func(t *rapid.T) {
				s := rapid.OneOf(
					rapid.StringOfN(char, 0, 5, -1),
					rapid.StringMatching(`[a0\-_./]{0,5}`),
					rapid.StringMatching(`a?https?:?/{1,2}`),
				).Draw(t, "string")

				if got := pattern.MatchString(s) && !without.MatchString(s); got != c.Admits(s) {
					t.Errorf("that %s matches %q is %t, but that the class admits it is %t", pattern, s, got, !got)
				}
			})
		})
	}
}
