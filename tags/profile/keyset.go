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

// A KeySet has the keys that match any of its patterns. Looking for a key takes no longer with thousands
// of patterns than with a few. The zero KeySet has none.
type KeySet struct {
	// patterns are sorted. No two match the same key.
	patterns []keyPattern

	// fold returns a key with its case folded, or as it is if keys compare with case.
	fold func(key string) string
}

type keyPattern struct {
	text string

	// exact is 1 if the text is a key, and 0 if it is the beginning of keys.
	exact int
}

// NewKeySet returns the set of the keys that match the patterns. A pattern is a key, such as owner, or the
// beginning of keys and a *, such as team/*.
func NewKeySet(patterns ...string) KeySet {
	return newKeySet(func(key string) string { return key }, patterns)
}

// NewFoldedKeySet is NewKeySet for keys that compare without case.
func NewFoldedKeySet(patterns ...string) KeySet { return newKeySet(FoldKey, patterns) }

func newKeySet(fold func(key string) string, patterns []string) KeySet {
	all := make([]keyPattern, len(patterns))

	for i, p := range patterns {
		text, begins := strings.CutSuffix(p, "*")

		all[i] = keyPattern{text: fold(text), exact: 1}
		if begins {
			all[i].exact = 0
		}
	}

	return KeySet{patterns: fewest(all), fold: fold}
}

// With returns a set that has these keys, too. A star in them is a character like any other.
func (s KeySet) With(keys ...string) KeySet {
	all := slices.Clone(s.patterns)
	for _, key := range keys {
		all = append(all, keyPattern{text: s.fold(key), exact: 1})
	}

	return KeySet{patterns: fewest(all), fold: s.fold}
}

// fewest returns the patterns sorted, without patterns that others cover: of a*, ab and c, it keeps a* and c.
func fewest(all []keyPattern) []keyPattern {
	// a* stands before a and ab.
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

// Empty reports whether the set has no keys.
func (s KeySet) Empty() bool { return len(s.patterns) == 0 }

// Has reports whether any of the patterns matches the key.
func (s KeySet) Has(key string) bool {
	if len(s.patterns) == 0 {
		return false
	}

	key = s.fold(key)

	i, found := slices.BinarySearchFunc(s.patterns, key, func(p keyPattern, key string) int { return cmp.Compare(p.text, key) })

	return found || i > 0 && s.patterns[i-1].matches(key)
}

// Of returns the keys of the set that may be the key of an entry of a list of tags, the shortest first.
// Keys and values can both have the separator in them: with the separator "=", a=b=c has the keys a
// and a=b. It takes time linear in the length of the entry.
func (s KeySet) Of(entry, separator string) iter.Seq[string] {
	return func(yield func(key string) bool) {
		if separator == "" {
			return
		}

		// left are the patterns that begin with the first length bytes of the entry.
		left, length := s.patterns, 0

		for at := 0; at < len(entry) && len(left) > 0; {
			ends := len(left[0].text) == length
			if ends && strings.HasPrefix(entry[at:], separator) && !yield(entry[:at]) {
				return
			}

			_, size := utf8.DecodeRuneInString(entry[at:])
			read := entry[at : at+size]
			at += size

			// The set has all keys that begin with the bytes so far.
			if ends && left[0].exact == 0 {
				continue
			}

			for _, b := range []byte(s.fold(read)) {
				left = beginning(left, length, b)
				length++
			}
		}
	}
}

// ShortestKey returns the shortest of the keys that Of returns, if there is any.
func (s KeySet) ShortestKey(entry, separator string) (string, bool) {
	for key := range s.Of(entry, separator) {
		return key, true
	}

	return "", false
}

// beginning returns the patterns that have the byte b at the position at. All have the same bytes before
// it: of ab, ac and ad, the byte c at 1 leaves ac.
func beginning(patterns []keyPattern, at int, b byte) []keyPattern {
	from := sort.Search(len(patterns), func(i int) bool { return len(patterns[i].text) > at && patterns[i].text[at] >= b })
	patterns = patterns[from:]

	return patterns[:sort.Search(len(patterns), func(i int) bool { return patterns[i].text[at] > b })]
}

// FoldKey returns the key in lower case, as reserved keys compare on every cloud. Profile.Fold does so for clouds that ignore case.
func FoldKey(key string) string { return strings.Map(foldRune, key) }

// foldRune returns one character for all characters that differ only in case: k for k, K and the sign of
// the Kelvin.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		return unicode.ToLower(r) // Most keys are ASCII.
	}

	return unicode.ToLower(unicode.ToUpper(r))
}
