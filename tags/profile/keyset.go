package profile

import (
	"cmp"
	"iter"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A KeySet is the keys that any of some patterns matches. Looking for a key takes no
// longer with thousands of patterns than with a few. The zero KeySet has none.
type KeySet struct {
	// patterns, sorted. No two match the same key.
	patterns []keyPattern

	// fold the case of a character, if keys that differ only in case are one.
	fold func(r rune) rune
}

type keyPattern struct {
	text string

	// exact is 1 if the text is a key, and 0 if it is the beginning of keys.
	exact int
}

// NewKeySet returns the set of the keys that match the patterns, each a key,
// or the beginning of keys and a *.
func NewKeySet(patterns ...string) KeySet { return newKeySet(nil, patterns) }

// NewFoldedKeySet is NewKeySet for keys that compare without case.
func NewFoldedKeySet(patterns ...string) KeySet { return newKeySet(foldRune, patterns) }

func newKeySet(fold func(r rune) rune, patterns []string) KeySet {
	all := make([]keyPattern, len(patterns))

	for i, p := range patterns {
		text, begins := strings.CutSuffix(p, "*")

		all[i] = keyPattern{text: foldWith(fold, text), exact: 1}
		if begins {
			all[i].exact = 0
		}
	}

	return KeySet{patterns: fewest(all), fold: fold}
}

// With returns the set that has these keys, too. A star in them is a character like any other.
func (s KeySet) With(keys ...string) KeySet {
	all := slices.Clone(s.patterns)
	for _, key := range keys {
		all = append(all, keyPattern{text: foldWith(s.fold, key), exact: 1})
	}

	return KeySet{patterns: fewest(all), fold: s.fold}
}

// fewest returns the patterns without those that match only what another one matches, sorted.
func fewest(all []keyPattern) []keyPattern {
	// What begins keys stands before the keys that it begins.
	slices.SortFunc(all, func(a, b keyPattern) int { return cmp.Or(strings.Compare(a.text, b.text), a.exact-b.exact) })

	out := all[:0]

	for _, p := range all {
		if n := len(out); n == 0 || !out[n-1].matches(p.text) {
			out = append(out, p)
		}
	}

	return out
}

func (p keyPattern) matches(key string) bool {
	return key == p.text || p.exact == 0 && strings.HasPrefix(key, p.text)
}

// Empty is true if the set has no keys.
func (s KeySet) Empty() bool { return len(s.patterns) == 0 }

// Has is true if any of the patterns matches the key.
func (s KeySet) Has(key string) bool {
	if len(s.patterns) == 0 {
		return false
	}

	key = foldWith(s.fold, key)

	i, found := slices.BinarySearchFunc(s.patterns, key, func(p keyPattern, key string) int { return cmp.Compare(p.text, key) })

	return found || i > 0 && s.patterns[i-1].matches(key)
}

// Of returns the keys of the set that an entry of a list of tags begins with and that the separator
// follows, the shortest first: keys and values can both have the separator in them. It takes time
// linear in the length of the entry.
func (s KeySet) Of(entry, separator string) iter.Seq[string] {
	return func(yield func(key string) bool) {
		if separator == "" {
			return
		}

		// left are the patterns that begin with the length bytes that have been
		// read.
		left, length := s.patterns, 0

		for at := 0; at < len(entry) && len(left) > 0; {
			ends := len(left[0].text) == length
			if ends && strings.HasPrefix(entry[at:], separator) && !yield(entry[:at]) {
				return
			}

			r, size := utf8.DecodeRuneInString(entry[at:])
			read := entry[at : at+size]
			at += size

			// The set has all that begins with it.
			if ends && left[0].exact == 0 {
				continue
			}

			if s.fold != nil {
				read = string(s.fold(r))
			}

			for i := range len(read) {
				left = beginning(left, length, read[i])
				length++
			}
		}
	}
}

// First is the shortest of the keys that Of returns, if there is any.
func (s KeySet) First(entry, separator string) (string, bool) {
	for key := range s.Of(entry, separator) {
		return key, true
	}

	return "", false
}

// beginning returns those of the patterns that have the byte b at the position at. All have the same
// bytes before it.
func beginning(of []keyPattern, at int, b byte) []keyPattern {
	from := sort.Search(len(of), func(i int) bool { return len(of[i].text) > at && of[i].text[at] >= b })
	of = of[from:]

	return of[:sort.Search(len(of), func(i int) bool { return of[i].text[at] > b })]
}

// foldWith folds the case of the key by the function, if there is one.
func foldWith(fold func(r rune) rune, key string) string {
	if fold == nil {
		return key
	}

	return strings.Map(fold, key)
}

// FoldKey folds the case of the key, as reserved keys compare.
func FoldKey(key string) string { return strings.Map(foldRune, key) }

// foldRune is the one character that stands for r and all that differ from it only in case. It is k
// for the sign of the Kelvin, too.
func foldRune(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }
