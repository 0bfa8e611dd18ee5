package profile

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A Format makes keys, or values, legal for a provider. The zero Format leaves them as they
// are.
type Format struct {
	prefix   *string
	replace  map[string]string
	replacer *strings.Replacer
	lower    bool
}

// NewFormat returns a Format of keys. If prefix isn't nil, keys start with it instead of the key
// prefix, but keys that came unprefixed get none. Then the strings that are keys of replace are
// replaced by its values, in the whole key and in one pass: where several match, the longest one is.
// Then the key is put in lower case, if lower is true. A format of values has no prefix.
func NewFormat(prefix *string, replace map[string]string, lower bool) Format {
	f := Format{prefix: prefix, replace: replace, lower: lower}

	if len(replace) == 0 {
		return f
	}

	olds := slices.SortedFunc(maps.Keys(replace), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})

	pairs := make([]string, 0, 2*len(olds))
	for _, old := range olds {
		pairs = append(pairs, old, replace[old])
	}

	f.replacer = strings.NewReplacer(pairs...)

	return f
}

// Parts are what the Format was made of, for programs that can't call it.
func (f Format) Parts() (prefix *string, replace map[string]string, lower bool) {
	return f.prefix, maps.Clone(f.replace), f.lower
}

// Prefixed returns the qualified key behind the format's prefix if it has one, or else the tag key
// that the label has without a format. It is what Apply makes the key of the tag of.
func (f Format) Prefixed(qualified, tagKey string) string {
	if f.prefix != nil {
		return *f.prefix + qualified
	}

	return tagKey
}

// Apply returns the text as the format makes it.
func (f Format) Apply(key string) string {
	if f.replacer != nil {
		key = f.replacer.Replace(key)
	}

	if f.lower {
		key = strings.ToLower(key)
	}

	return key
}

// Patterns returns the pattern of tag keys, and the patterns of what the format makes of keys that
// match it. The prefix is the one that keys get without a format.
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

// formatted returns the patterns of what the format makes of keys that match the pattern. If the
// pattern is the beginning of keys, the format may replace strings that go on behind it.
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

// Formats of keys that several clouds have. The most common of the characters that they refuse
// are those of labels' keys, and of the key prefix.
var (
	noSlash      = NewFormat(nil, map[string]string{"/": "."}, false)
	lowerNoSlash = NewFormat(nil, map[string]string{"/": "."}, true)
	noColonOnly  = NewFormat(nil, map[string]string{":": "."}, false)
	noColon      = NewFormat(nil, map[string]string{"/": ".", ":": "."}, false)

	// All but letters, digits, - and _.
	underscores      = NewFormat(nil, toUnderscores, false)
	lowerUnderscores = NewFormat(nil, toUnderscores, true)
)

var toUnderscores = map[string]string{":": "_", "/": "_", ".": "_", " ": "_", "@": "_", "+": "_", "=": "_"}
