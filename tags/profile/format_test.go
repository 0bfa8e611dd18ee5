package profile_test

import (
	"strings"
	"testing"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// TestFormatBounds proves that a format stops only at texts too long for every profile. All other texts stay whole.
func TestFormatBounds(t *testing.T) {
	const long = 1 << 20

	cases := map[string]struct {
		reason  string
		replace map[string]string
		text    string

		// want is the text that the format makes, unless that is too long: then it has at most so many bytes.
		want    string
		atMost  int
		tooLong bool
	}{
		"Grows":   {reason: "A megabyte should not become 64.", replace: map[string]string{"a": strings.Repeat("b", 64)}, text: strings.Repeat("a", long), atMost: 5000, tooLong: true},
		"Words":   {reason: "Longer strings are replaced in another way.", replace: map[string]string{"aa": strings.Repeat("b", 64)}, text: strings.Repeat("a", long), atMost: 5000, tooLong: true},
		"Several": {reason: "Several pairs are replaced in yet another way.", replace: map[string]string{"aa": strings.Repeat("b", 64), "c": "d"}, text: strings.Repeat("ca", long), atMost: long, tooLong: true},
		"Letters": {reason: "One character for another is replaced in a way of its own.", replace: map[string]string{"a": "b"}, text: strings.Repeat("a", long), atMost: 1 << 16, tooLong: true},
		"Shrinks": {reason: "What is too long before may not be so afterwards.", replace: map[string]string{"a": ""}, text: strings.Repeat("a", long) + "env", want: "env"},
		"Fits":    {reason: "The longest key that a profile admits should stay whole.", replace: map[string]string{"a": "€"}, text: strings.Repeat("a", 512), want: strings.Repeat("€", 512)},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := profile.NewFormat(nil, tc.replace, false).Apply(tc.text)

			if !tc.tooLong {
				if got != tc.want {
					t.Errorf("\n%s\nApply(...): want %d bytes, got %d", tc.reason, len(tc.want), len(got))
				}

				return
			}

			if len(got) > tc.atMost {
				t.Errorf("\n%s\nApply(...): want at most %d bytes, got %d", tc.reason, tc.atMost, len(got))
			}

			for _, rules := range []profile.Rules{profile.Contract, profile.Cloud} {
				for _, p := range rules.Profiles() {
					if r := p.Check("a", got, "a"); r != profile.KeyTooLong && r != profile.ValueTooLong {
						t.Errorf("\n%s\nCheck(...) by %s of %s: want such a key to be too long, got %q", tc.reason, rules, p.Name, r)
					}

					if r := p.Check("a", "a", got); r != profile.ValueTooLong {
						t.Errorf("\n%s\nCheck(...) by %s of %s: want such a value to be too long, got %q", tc.reason, rules, p.Name, r)
					}
				}
			}
		})
	}
}
