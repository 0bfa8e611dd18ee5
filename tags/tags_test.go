package tags_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// numbered returns labels with the qualified keys k00, k01 and so on.
func numbered(n int) tags.PropagatingLabelSet {
	set := make(tags.PropagatingLabelSet, n)
	for i := range n {
		set[fmt.Sprintf("k%02d", i)] = "v"
	}

	return set
}

func TestCloudTagPrefix(t *testing.T) {
	if diff := cmp.Diff("plexsphere:", tags.CloudTagPrefix); diff != "" {
		t.Errorf("\nThe prefix is fixed, since people search for it.\nCloudTagPrefix: -want, +got:\n%s", diff)
	}
}

func TestSkipReasons(t *testing.T) {
	want := []profile.SkipReason{"reserved-prefix", "key-too-long", "value-too-long", "key-character-class", "count-cap"}

	// There are others, which no profile of the contract has.
	got := slices.DeleteFunc(profile.SkipReasons(), func(r profile.SkipReason) bool { return !slices.Contains(want, r) })

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nThe reasons of the contract should be there by its names, in its order.\nSkipReasons(): -want, +got:\n%s", diff)
	}
}

func TestCloudTagsKeyCharacters(t *testing.T) {
	const alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

	cases := map[string]struct {
		reason   string
		provider string

		// ascii is all of ASCII that the profile admits.
		ascii string

		// admitted and refused are characters beyond ASCII.
		admitted []string
		refused  []string
	}{
		"AWS": {
			reason:   "AWS admits letters and digits of any script, space and + - = . _ : / @",
			provider: "aws",
			ascii:    alphanumeric + " +-=._:/@",
			admitted: []string{
				"é", "ß", "Ω", "Ж", "ש", "ع", "日", "ｱ", "𝒳", // Letters, upper, lower and other, one of four bytes.
				"ǅ", "ʰ", // A titlecase and a modifier letter.
				"٣", "३", "９", // Decimal digits.
			},
			refused: []string{
				"\u0301", "\u200d", "\u00ad", // A mark and formatting characters.
				"½", "²", "Ⅷ", "①", // Numbers that are no digits.
				"€", "😀", "\ufffd", "–", "\u00a0", "\u3000", "\u2028", // Symbols, a dash, spaces and a line separator.
				"\u0085", "\ue000", "\U0010ffff", // Control, private use, not assigned.
			},
		},
		"Hetzner": {
			reason:   "Hetzner admits letters and digits of ASCII and - _ . : /, so neither space nor + = @",
			provider: "hetzner",
			ascii:    alphanumeric + "-_.:/",
			refused:  []string{"é", "ß", "日", "\u212a", "\u017f", "٣", "９", "\u0301", "€", "😀", "\ufffd", "\u00a0", "\u0085"},
		},
		"OpenStack": {
			reason:   "OpenStack admits any rune that is no control character.",
			provider: "openstack",
			ascii:    alphanumeric + " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
			admitted: []string{
				"é", "日", "𝒳", "٣", "½", "\u0301", "€", "😀", "\u00a0", "\u200b", "\u2028", "\ue000", "\U0010ffff",
				"\ufffd", // As a rune of its own, three bytes long.
			},
			refused: []string{"\u0080", "\u0085", "\u009f"},
		},
		"Generic": {
			reason:   "The generic profile admits letters and digits of ASCII and - _ . : /, so neither space nor + = @",
			provider: "generic",
			ascii:    alphanumeric + "-_.:/",
			refused:  []string{"é", "ß", "日", "\u212a", "\u017f", "٣", "９", "\u0301", "€", "😀", "\ufffd", "\u00a0", "\u0085"},
		},
		"Unknown": {
			reason:   "An unknown provider admits what the generic profile does.",
			provider: "no-such-cloud",
			ascii:    alphanumeric + "-_.:/",
			refused:  []string{"é", "\ufffd", "\u00a0"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			check := func(character string, admitted bool) {
				t.Helper()

				// At the start, inside and at the end of the label's own part of the key.
				for _, key := range []string{character, "a" + character + "b", "a" + character} {
					got, skipped := tags.CloudTags(tc.provider, tags.PropagatingLabelSet{key: "v"})

					if admitted != (got["plexsphere:"+key] == "v") || !admitted && skipped[0].Reason != profile.KeyCharacterClass {
						t.Errorf("\n%s\nCloudTags(...) with %q: want admitted: %t, got %v, skipped %v", tc.reason, key, admitted, got, skipped)
					}
				}
			}

			for c := range rune(0x80) {
				check(string(c), strings.ContainsRune(tc.ascii, c))
			}

			for _, c := range tc.admitted {
				check(c, true)
			}

			for _, c := range tc.refused {
				check(c, false)
			}
		})
	}

	// No profile admits a control character, or what is not UTF-8: a byte that never
	// occurs, a byte that starts nothing, the beginning of é, a surrogate, and an overlong
	// slash.
	malformed := []string{"\x7f", "\x80", "\xff", "\xc3", "\xed\xa0\x80", "\xc0\xaf"}
	for c := range ' ' {
		malformed = append(malformed, string(c))
	}

	for _, p := range slices.Concat(profile.Contract.Profiles(), profile.Cloud.Profiles()) {
		for _, c := range malformed {
			if p.KeyClass.Admits("a"+c+"b") || p.ValueClass.Name != "" && p.ValueClass.Admits(c) {
				t.Errorf("\nNo class should have what is a control character or no UTF-8.\nAdmits(%q) of %s: want false, got true", c, p.Name)
			}
		}
	}
}

func TestTagOnConflict(t *testing.T) {
	for want, source := range map[tags.Conflict]*tags.Source{tags.Retain: nil, tags.Replace: {OnConflict: tags.Replace}, tags.Fail: {OnConflict: tags.Fail}} {
		if got := (&tags.Tag{Label: tags.Label{Source: source}}).OnConflict(); got != want {
			t.Errorf("OnConflict() of %v: want %s, got %s", source, want, got)
		}
	}
}

func TestLabelCompare(t *testing.T) {
	for reason, tc := range map[string]struct {
		a, b tags.Label
		want int
	}{
		"Labels should sort by qualified key first.":                  {a: tags.Label{QualifiedKey: "a", TagKey: "z"}, b: tags.Label{QualifiedKey: "b", TagKey: "a"}, want: -1},
		"Labels that share a qualified key should sort by tag key.":   {a: tags.Label{QualifiedKey: "a", TagKey: "plexsphere:a"}, b: tags.Label{QualifiedKey: "a", TagKey: "a"}, want: 1},
		"Nothing else should matter, neither value nor trust, to it.": {a: tags.Label{QualifiedKey: "a", Value: "x", Trusted: true}, b: tags.Label{QualifiedKey: "a", Value: "y"}},
	} {
		if got, back := tc.a.Compare(tc.b), tc.b.Compare(tc.a); got != tc.want || back != -tc.want {
			t.Errorf("\n%s\nCompare(...): want %d, got %d, and %d the other way round", reason, tc.want, got, back)
		}
	}
}

func TestTagSkippedLabel(t *testing.T) {
	want := tags.SkippedLabel{QualifiedKey: "platform/env", TagKey: "plexsphere:platform/env", Provider: "aws", Reason: "count-cap"}
	got := (&tags.Tag{Label: tags.Label{QualifiedKey: "platform/env", TagKey: "env", Value: "prod"}, Key: "plexsphere:platform/env"}).SkippedLabel("aws", profile.CountCap)

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nA skipped label should carry both keys, the profile and the reason.\nSkippedLabel(...): -want, +got:\n%s", diff)
	}
}
