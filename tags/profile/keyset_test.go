package profile_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// matchesKey reports whether the pattern is the key, or the beginning of the key and a *.
func matchesKey(pattern, key string) bool {
	prefix, ok := strings.CutSuffix(pattern, "*")
	return pattern == key || ok && strings.HasPrefix(key, prefix)
}

// TestKeySet has the cases that TestKeySetIsItsPatterns doesn't draw.
func TestKeySet(t *testing.T) {
	folded := profile.NewFoldedKeySet("kÜσ")
	for _, key := range []string{"kÜσ", "\u212aüς", "KÜΣ"} {
		if !folded.Has(key) || folded.Has("KUΣ") || profile.NewKeySet("kÜσ").Has(key) != (key == "kÜσ") {
			t.Errorf("Has(%q): want all characters that differ only in case to be one, however many bytes they take", key)
		}
	}

	// A star at the end of a pattern matches any rest. Elsewhere it is a character like any other.
	if set := profile.NewKeySet("b*c"); !set.Has("b*c") || set.Has("bxc") || set.Empty() {
		t.Error("Has(...): want only b*c")
	}

	// Keys that are added have no stars.
	if set := profile.NewKeySet("b*").With("a*", "b"); !set.Has("a*") || set.Has("ab") || !set.Has("bc") {
		t.Error("With(...): want the key a*, and keys that begin with b")
	}

	if (profile.KeySet{}).Has("") || !(profile.KeySet{}).Empty() {
		t.Error("The zero set should have nothing.")
	}
}

// TestKeySetIsItsPatterns compares sets with their patterns, one after the other.
func TestKeySetIsItsPatterns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // The same in every run.
	word := func(n int) string {
		b := strings.Builder{}
		for range rnd.IntN(n) {
			b.WriteString([]string{"a", "A", "b", "=", "\u212a", "k", "="}[rnd.IntN(7)])
		}

		return b.String()
	}
	fold := func(s string) string {
		return strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, s)
	}

	for range 20_000 {
		patterns := make([]string, rnd.IntN(6))
		for i := range patterns {
			patterns[i] = word(5) + []string{"", "*"}[rnd.IntN(2)]
		}

		entry := word(9)
		separator := []string{"=", "==", "a", ""}[rnd.IntN(4)]

		for kind, fold := range map[string]func(string) string{"NewKeySet": func(s string) string { return s }, "NewFoldedKeySet": fold} {
			set := profile.NewKeySet(patterns...)
			if kind == "NewFoldedKeySet" {
				set = profile.NewFoldedKeySet(patterns...)
			}

			has := func(key string) bool {
				return slices.ContainsFunc(patterns, func(p string) bool { return matchesKey(fold(p), fold(key)) })
			}

			want := []string{}
			for i := range entry {
				if separator != "" && strings.HasPrefix(entry[i:], separator) && has(entry[:i]) {
					want = append(want, entry[:i])
				}
			}

			if set.Has(entry) != has(entry) {
				t.Fatalf("%s(%q...).Has(%q): want %t", kind, patterns, entry, has(entry))
			}

			if diff := cmp.Diff(want, append([]string{}, slices.Collect(set.Of(entry, separator))...)); diff != "" {
				t.Fatalf("%s(%q...).Of(%q, %q): -want, +got:\n%s", kind, patterns, entry, separator, diff)
			}
		}
	}
}

// BenchmarkKeySet looks for keys that sets of different sizes have, and reads entries of
// different lengths that are full of separators. The time per key hardly depends on the
// patterns, and the time per byte not on the length.
func BenchmarkKeySet(b *testing.B) {
	for _, n := range []int{10, 100, 1_000, 10_000} {
		patterns := make([]string, 0, 2*n)
		for i := range n {
			patterns = append(patterns, fmt.Sprintf("team/key-%d", i), fmt.Sprintf("zone/key-%d-*", i))
		}

		set := profile.NewFoldedKeySet(patterns...)

		b.Run(fmt.Sprintf("Has/patterns=%d", n), func(b *testing.B) {
			for i := range b.N {
				set.Has(patterns[i%len(patterns)])
			}
		})

		b.Run(fmt.Sprintf("New/patterns=%d", n), func(b *testing.B) {
			for range b.N {
				profile.NewFoldedKeySet(patterns...)
			}

			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(patterns)), "ns/pattern")
		})

		for _, size := range []int{1_000, 10_000, 100_000} {
			entry := "zone/key-1-" + strings.Repeat(":", size)

			b.Run(fmt.Sprintf("Of/patterns=%d/bytes=%d", n, size), func(b *testing.B) {
				for range b.N {
					if n := len(slices.Collect(set.Of(entry, ":"))); n != size {
						b.Fatalf("want %d keys, got %d", size, n)
					}
				}

				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size), "ns/byte")
			})
		}
	}
}
