package profile

import (
	"io"
	"maps"
	"slices"
	"strings"
)

// A Format makes keys, or values, legal for a provider. The zero Format changes nothing.
type Format struct {
	prefix   *string
	replace  map[string]string
	replacer *strings.Replacer
	lower    bool
}

// NewFormat returns a Format of keys, with three steps:
//
//  1. If prefix isn't nil, keys start with it instead of the key prefix. A key that has no key prefix, by keyForm: Tag, gets
//     no prefix.
//  2. Each key of replace is replaced by its value, in the whole tag key and in one pass. If several match
//     in one place, the longest is replaced.
//  3. If lower is true, the tag key is put in lower case.
//
// With the prefix "plexsphere_", {"/": "_"} and lower, platform/Env becomes plexsphere_platform_env. A
// format of values has no prefix.
func NewFormat(prefix *string, replace map[string]string, lower bool) Format {
	var pairs []string

	// Two texts of the same length never match in one place.
	for _, old := range slices.SortedFunc(maps.Keys(replace), func(a, b string) int { return len(b) - len(a) }) {
		pairs = append(pairs, old, replace[old])
	}

	return Format{prefix: prefix, replace: replace, replacer: strings.NewReplacer(pairs...), lower: lower}
}

// Parts returns the arguments of NewFormat, for programs that can't call the Format.
func (f Format) Parts() (prefix *string, replace map[string]string, lower bool) {
	return f.prefix, maps.Clone(f.replace), f.lower
}

// Prefixed returns the argument of Apply for a label: the format's prefix and the qualified key, or
// without such a prefix the tag key, such as plexsphere:platform/env.
func (f Format) Prefixed(qualified, tagKey string) string {
	if f.prefix != nil {
		return *f.prefix + qualified
	}

	return tagKey
}

// Apply returns the text with replacements and in lower case, if the format says so. If a replacement makes the text longer than
// any profile admits, no more is replaced, and the rest is left out: the label is skipped as too long.
func (f Format) Apply(key string) string {
	if f.replacer != nil {
		replaced := &boundedText{}
		_, _ = f.replacer.WriteString(replaced, key) // An error only says that the text is too long.
		key = replaced.String()
	}

	if f.lower {
		key = strings.ToLower(key)
	}

	return key
}

// tooLong is a number of bytes that no profile admits as a key or a value. The greatest limit is 512 characters, of at most four bytes.
const tooLong = 4 << 10

// A boundedText takes no more text once it is tooLong.
type boundedText struct{ strings.Builder }

// Write writes the text.
func (t *boundedText) Write(text []byte) (int, error) {
	if t.Len() > tooLong {
		return 0, io.ErrShortWrite
	}

	return t.Builder.Write(text)
}

// WriteString writes the text.
func (t *boundedText) WriteString(text string) (int, error) {
	if t.Len() > tooLong {
		return 0, io.ErrShortWrite
	}

	return t.Builder.WriteString(text)
}

// Patterns returns the pattern of tag keys, and patterns of the same keys after the format. The key prefix
// is the one that keys get without a format. If the format replaces the slash by a dot, plexsphere:a/*
// returns plexsphere:a.*, too.
func (f Format) Patterns(pattern, prefix string) []string {
	text, star := strings.CutSuffix(pattern, "*")
	out := append(f.formatted(pattern), pattern)

	switch qualified, ok := strings.CutPrefix(text, prefix); {
	case f.prefix == nil:
	case ok:
		out = append(out, f.formatted(*f.prefix+qualified+pattern[len(text):])...)
	case star && strings.HasPrefix(prefix, text):
		out = append(out, f.formatted(*f.prefix+"*")...)
	}

	return out
}

// formatted returns patterns of the keys of the pattern after the format. If the pattern ends in *, the
// format may replace a string that ends after the *: if it replaces ab by x, keys of a* may begin with
// a or with x.
func (f Format) formatted(pattern string) []string {
	text, star := strings.CutSuffix(pattern, "*")
	if !star {
		return []string{f.Apply(text)}
	}

	out := []string{f.Apply(text) + "*"}

	for old := range f.replace {
		for i := 1; i < len(old); i++ {
			if strings.HasSuffix(text, old[:i]) {
				out = append(out, f.Apply(text+old[i:])+"*")
			}
		}
	}

	return out
}

// Several clouds share these formats of keys. The characters that clouds refuse most are the colon of the
// key prefix, and the slash and dot of labels' keys.
var (
	noSlash      = NewFormat(nil, map[string]string{"/": "."}, false)
	lowerNoSlash = NewFormat(nil, map[string]string{"/": "."}, true)
	colonToDot   = NewFormat(nil, map[string]string{":": "."}, false)
	noColon      = NewFormat(nil, map[string]string{"/": ".", ":": "."}, false)

	// These formats leave letters, digits, - and _ only.
	underscores      = NewFormat(nil, toUnderscores, false)
	lowerUnderscores = NewFormat(nil, toUnderscores, true)
)

var toUnderscores = map[string]string{":": "_", "/": "_", ".": "_", " ": "_", "@": "_", "+": "_", "=": "_"}
